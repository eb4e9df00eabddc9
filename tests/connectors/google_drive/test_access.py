"""Who sees what, against an oracle that reads the workspace's state plainly (C46)."""

import random
from datetime import timedelta

import pytest

from connectors.access import scope_of
from connectors.base import Upsert
from connectors.errors import IncompleteListing
from connectors.models import Group, Membership, Person
from memory.access import ANYONE, WORKSPACE, AccessRule
from tests.connectors.google_drive.conftest import running
from tests.connectors.google_drive.worlds import held_by, readers, told
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA, BOB, CY, ROOT = (f"{name}@example.com" for name in ("ada", "bob", "cy", "root"))


def rules_of(drive):
    return dict(drive.connector().access())


def synced_rules(drive):
    """Return the rules that a sync would write."""
    changes = drive.changes()
    return {c.document.external_id: c.rule for c in changes if isinstance(c, Upsert)}


def rule_of(drive, item):
    """Return a file's rule, which a sync and an access pass agree on."""
    rule = rules_of(drive)[item.id]
    assert synced_rules(drive)[item.id] == rule
    return rule


def seers(drive, item, **more):
    return readers(drive, rule_of(drive, item), **more)


def test_a_file_of_one_s_own_is_one_s_own(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    assert seers(drive, item) == {"ada"}


def test_people_are_named_by_permission_id_and_known_by_address(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    rule = rule_of(drive, item)
    [layer] = rule.layers
    [principal] = layer
    assert principal.endswith(f":account:{drive.space.people[ADA].id}")
    found = {m.group: m for m in drive.connector().memberships()}
    assert found[principal].members == (ADA,)
    accounts = {user.email: user.name for user in drive.connector().accounts()}
    assert accounts[ADA] == "Ada"


@pytest.mark.parametrize("role", ["reader", "commenter", "writer"])
def test_every_role_reads(drive, role):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("user", BOB, role))
    assert seers(drive, item) == {"ada", "bob"}


def test_deleted_expired_and_strange_permissions_grant_nothing(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.server.payloads.keeps_expired = True
    later = drive.space.now + timedelta(1)
    drive.space.share(item, Grant("user", BOB))
    drive.space.share(item, Grant("user", CY, expires_at=later))
    drive.space.share(item, Grant("user", ROOT, view="published"))
    assert seers(drive, item) == {"ada", "bob", "cy"}
    drive.space.people[BOB].is_deleted = True
    drive.space.pass_time(2 * 86_400)
    assert seers(drive, item) == {"ada"}


def test_a_group_counts_with_the_groups_inside_it(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("inner", CY)
    drive.space.add_group("outer", BOB, "inner@example.com")
    drive.space.share(item, Grant("group", "outer@example.com"))
    assert seers(drive, item) == {"ada", "bob", "cy"}
    drive.space.groups["inner@example.com"].members.clear()
    assert seers(drive, item) == {"ada", "bob"}


def test_groups_that_hold_each_other_end(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("one", BOB, "two@example.com")
    drive.space.add_group("two", CY, "one@example.com")
    drive.space.share(item, Grant("group", "one@example.com"))
    assert seers(drive, item) == {"ada", "bob", "cy"}


def test_a_group_of_everybody_is_everybody_in_the_directory(drive):
    drive.space.add_person("guest", domain="partner.com")
    drive.space.people[CY].is_active = False
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("all", "*")
    drive.space.share(item, Grant("group", "all@example.com"))
    assert seers(drive, item) == {"ada", "bob", "root"}


def test_suspended_people_are_in_no_group(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("team", BOB, CY)
    drive.space.share(item, Grant("group", "team@example.com"))
    drive.space.people[BOB].is_active = False
    assert seers(drive, item) == {"ada", "cy"}


def test_groups_whose_members_cannot_be_read_grant_nobody_and_are_told(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("team", BOB)
    drive.space.share(item, Grant("group", "team@example.com"))
    drive.extra["directory_admin"] = ""
    run = drive.sync()
    [message] = told(run, "unmapped_groups")
    assert "1 groups (team@example.com)" in message
    assert seers(drive, item) == {"ada"}
    [group] = [m for m in drive.connector().memberships() if ":group:" in m.group]
    assert (group.name, group.members) == ("Team (its members can't be read)", ())


def test_a_group_of_another_company_is_listed_without_members(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("theirs", BOB, domain="partner.com")
    drive.space.share(item, Grant("group", "theirs@partner.com"))
    assert seers(drive, item) == {"ada"}
    [message] = told(drive.sync(), "unmapped_groups")
    assert "1 groups (theirs@partner.com)" in message


def test_an_administrator_who_may_not_read_groups_any_more_is_told(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.add_group("team", BOB)
    drive.space.share(item, Grant("group", "team@example.com"))
    assert told(drive.sync(), "unmapped_groups") == []
    drive.server.administrators.clear()
    run = drive.sync_whole()
    assert run.state == "succeeded"
    assert "directory_admin" in told(run, "unmapped_groups")[0]
    assert seers(drive, item) == {"ada"}


def test_groups_with_nearly_the_same_names_are_not_confused(drive):
    """C46: “ops”, “ops-1” and “ops.1” are three groups."""
    items = {}
    for name, member in (("ops", BOB), ("ops-1", CY), ("ops.1", ROOT)):
        drive.space.add_group(name, member)
        items[name] = drive.space.add(f"{name}.txt", owner=ADA, data=name)
        drive.space.share(items[name], Grant("group", f"{name}@example.com"))
    rules = rules_of(drive)
    found = {name: readers(drive, rules[item.id]) for name, item in items.items()}
    assert found == {
        "ops": {"ada", "bob"},
        "ops-1": {"ada", "cy"},
        "ops.1": {"ada", "root"},
    }


def test_the_company_s_domain_is_every_employee_where_an_administrator_says_so(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("domain", "example.com", is_findable=True))
    # Nobody said that it's the company's: people with an address there, and no more.
    rule = rule_of(drive, item)
    assert not rule.allows({WORKSPACE})
    assert readers(drive, rule) == {"ada", "bob", "cy", "root"}
    drive.extra["company_domains"] = ["example.com"]
    assert rule_of(drive, item).allows({WORKSPACE})
    # Another company's domain is never the workspace.
    other = drive.space.add("B.txt", owner=ADA, data="Text.")
    drive.space.add_person("pat", domain="partner.com")
    drive.space.share(other, Grant("domain", "partner.com", is_findable=True))
    drive.space.share(item, Grant("user", "pat@partner.com"))
    rule = rule_of(drive, other)
    assert not rule.allows({WORKSPACE})
    assert readers(drive, rule) == {"ada", "pat"}


def test_a_link_for_the_company_counts_or_does_not_as_the_option_says(drive):
    drive.extra["company_domains"] = ["example.com"]
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("domain", "example.com"))
    assert rule_of(drive, item).allows({WORKSPACE})
    drive.extra["company_links"] = False
    assert not rule_of(drive, item).allows({WORKSPACE})
    findable = drive.space.add("B.txt", owner=ADA, data="Text.")
    drive.space.share(findable, Grant("domain", "example.com", is_findable=True))
    assert rule_of(drive, findable).allows({WORKSPACE})


def test_anyone_with_the_link_is_nobody_unless_the_option_says_otherwise(drive, team):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("anyone"))
    assert seers(drive, item, employees=[BOB]) == {"ada"}
    drive.extra["anyone_with_link"] = "workspace"
    assert seers(drive, item, employees=[BOB]) == {"ada", "bob"}
    drive.extra["anyone_with_link"] = "anyone"
    assert rule_of(drive, item).allows({ANYONE})


def test_what_is_public_on_the_web_is_anyone_s(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("anyone", is_findable=True))
    assert rule_of(drive, item).allows({ANYONE})


def test_files_that_a_link_alone_opens_are_told(drive, team):
    team.members[:] = [Grant("group", "readers@example.com")]
    drive.space.add_group("readers", ADA)
    drive.space.add("B.txt", drive=team, data="Text.")
    run = drive.sync()
    assert told(run, "only_by_link") == []
    hidden = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(hidden, Grant("anyone"))
    drive.space.share(hidden, Grant("group", "readers@example.com", "writer"))
    drive.sync()
    assert readers(drive, drive.row(hidden.id).rule.as_value()) == {"ada"}


def test_items_of_a_shared_drive_have_its_members_and_their_own(drive, team):
    folder = drive.space.folder("F", drive=team)
    drive.space.share(folder, Grant("user", CY))
    inside = drive.space.add("A.txt", parent=folder, data="Text.")
    beside = drive.space.add("B.txt", drive=team, data="Text.")
    alone = drive.space.add("C.txt", drive=team, data="Text.")
    drive.space.share(alone, Grant("user", ROOT))
    rules = rules_of(drive)
    assert readers(drive, rules[inside.id]) == {"ada", "bob", "cy"}
    assert readers(drive, rules[beside.id]) == {"ada", "bob"}
    assert readers(drive, rules[alone.id]) == {"ada", "bob", "root"}


def test_permissions_of_a_shared_drive_are_asked_for_once_a_folder(drive, team):
    folder = drive.space.folder("F", drive=team)
    drive.space.share(folder, Grant("user", CY))
    for number in range(20):
        drive.space.add(f"{number}.txt", parent=folder, data="Text.")
        drive.space.add(f"{number}b.txt", drive=team, data="Text.")
    rules_of(drive)
    assert len(drive.server.paths("/permissions")) == 2


@pytest.mark.parametrize("where", ["mine", "team"])
def test_a_folder_with_limited_access_is_for_those_on_it_and_managers(
    drive, team, where
):
    if where == "mine":
        outer = drive.space.folder("Outer", owner=ADA)
        drive.space.share(outer, Grant("user", BOB))
    else:
        outer = drive.space.folder("Outer", drive=team)
    limited = drive.space.folder("Limited", parent=outer)
    drive.space.share(limited, Grant("user", CY))
    inner = drive.space.folder("Inner", parent=limited)
    item = drive.space.add("A.txt", parent=inner, data="Text.")
    assert seers(drive, item) == {"ada", "bob", "cy"}
    drive.sync()
    drive.space.limit(limited)
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "cy"}
    assert seers(drive, item) == {"ada", "cy"}
    shared = drive.space.share(item, Grant("user", ROOT))
    assert seers(drive, item) == {"ada", "cy", "root"}
    drive.space.unshare(item, shared)
    drive.space.limit(limited, is_limited=False)
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob", "cy"}


def test_a_drive_for_members_alone_has_a_layer_of_its_members(drive, team):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("user", CY))
    assert seers(drive, item) == {"ada", "bob", "cy"}
    team.is_for_members = True
    rule = rule_of(drive, item)
    assert len(rule.layers) == 2
    assert readers(drive, rule) == {"ada", "bob"}


def test_a_drive_for_its_domain_alone_is_for_people_with_an_address_there(drive, team):
    drive.space.add_person("pat", domain="partner.com")
    drive.space.add_group("mixed", CY, "pat@partner.com")
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("group", "mixed@example.com"))
    assert seers(drive, item) == {"ada", "bob", "cy", "pat"}
    team.is_for_its_domain = True
    assert seers(drive, item) == {"ada", "bob", "cy"}
    # The limit travels with the next run, though no log names what's in the drive.
    team.is_for_its_domain = False
    drive.sync()
    team.is_for_its_domain = True
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob", "cy"}


def test_what_google_does_not_tell_is_for_those_who_read_it_alone(drive, team):
    team.members[0].role = "reader"
    drive.extra["subjects"] = [ADA]
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("user", CY))
    run = drive.sync()
    assert len(told(run, "untold_permissions")) == 1
    assert seers(drive, item) == {"ada"}


def test_access_yields_every_file_and_is_incomplete_where_the_end_was_not_seen(
    drive, team
):
    items = [drive.space.add(f"{n}.png", drive=team, data="x") for n in range(3)]
    items.append(drive.space.add("A.txt", owner=ADA, data="Text."))
    assert set(rules_of(drive)) == {item.id for item in items}
    drive.server.refuse(500, "/v3/files", times=99)
    with pytest.raises(IncompleteListing):
        list(drive.connector().access())


def test_one_person_out_of_sight_leaves_the_rights_of_the_others_as_they_are(drive):
    drive.extra["subjects"] = [ADA, "gone@example.com"]
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    rules = drive.connector().access()
    assert next(rules)[0] == item.id
    with pytest.raises(IncompleteListing, match="gone@example.com"):
        next(rules)
    with pytest.raises(IncompleteListing, match="gone@example.com"):
        list(drive.connector().listing())
    assert any(m.members == (ADA,) for m in drive.connector().memberships())
    drive.server.refuse(500, "/v3/files", times=99)
    with pytest.raises(IncompleteListing):
        list(drive.connector().memberships())


def test_permissions_that_stay_broken_are_nobody_s(drive, team):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("user", CY))
    drive.server.refuse(500, f"/files/{item.id}/permissions", times=99)
    assert readers(drive, rules_of(drive)[item.id]) == set()
    # A sync hides it, and reads it again once they can be read.
    drive.sync()
    assert drive.states() == {item.id: "failed"}
    drive.server.faults.clear()
    drive.sync()
    assert drive.states() == {item.id: "indexed"}


def test_a_service_account_reads_what_is_shared_with_it(drive):
    drive.extra |= {"subjects": [], "shared_with_me": True}
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    robot = "attest@project-1.iam.gserviceaccount.com"
    drive.space.share(item, Grant("user", robot, "writer"))
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "attest"}


# Random workspaces against the oracle.


def random_workspace(drive, rng):
    """Fill a workspace with drives, folders, groups and every kind of grant."""
    space = drive.space
    people = [space.add_person(f"u{n}").email for n in range(6)]
    people.append(space.add_person("guest", domain="partner.com").email)
    people.append(ADA)
    for person in rng.sample(people[:6], 1):
        space.people[person].is_active = False
    # Whoever is named nowhere has an address that nobody knows.
    known = space.add("Known.txt", owner=ADA, data="For all.")
    known.grants += [Grant("user", person) for person in people]
    groups = [
        space.add_group(f"g{n}", *rng.sample(people, rng.randint(0, 4))).email
        for n in range(4)
    ]
    space.groups[groups[0]].members |= {groups[1], groups[2]}
    space.groups[groups[1]].members |= set(rng.sample([groups[0], groups[3], "*"], 1))

    def grant(*roles):
        kind = rng.choice(["user", "user", "group", "group", "domain", "anyone"])
        to = {
            "user": lambda: rng.choice(people),
            "group": lambda: rng.choice(groups),
            "domain": lambda: rng.choice(["example.com", "partner.com"]),
            "anyone": lambda: "",
        }[kind]()
        return Grant(
            kind,
            to,
            rng.choice(roles or ("reader", "commenter", "writer")),
            is_findable=rng.random() < 0.5,
            expires_at=space.now + timedelta(rng.choice([-1, 1]))
            if kind == "user" and rng.random() < 0.2
            else None,
        )

    places = [{"owner": ADA}]
    for number in range(2):
        members = [
            grant("reader", "writer", "organizer") for _ in range(rng.randint(0, 2))
        ]
        members = [m for m in members if m.kind in ("user", "group")]
        made = space.add_drive(f"D{number}", Grant("user", ADA, "organizer"), *members)
        made.is_for_members = rng.random() < 0.3
        made.is_for_its_domain = rng.random() < 0.3
        places.append({"drive": made})
    for place in places:
        fill(space, rng, place, grant)
    return people


def fill(space, rng, place, grant):
    """Put folders and files into a drive."""
    folders = [None]
    for number in range(10):
        around = rng.choice(folders)
        more = {"parent": around} if around else place
        if number < 4:
            made = space.folder(f"F{number}", **more)
            made.is_limited = rng.random() < 0.3
            folders.append(made)
        else:
            made = space.add(f"{number}.txt", data=f"Text {number}.", **more)
        made.grants += [grant() for _ in range(rng.choice([0, 0, 1, 2]))]
        if number >= 4 and rng.random() < 0.1:
            space.trash(made)


def expected_readers(space, people):
    """Return who may read each file that Ada sees, by the state alone."""
    return {
        item.id: {person for person in people if space.may_read(person, item)}
        for item in space.items.values()
        if item.mime == "text/plain"
        and not space.is_in_trash(item)
        and (item.owner == ADA or (item.drive and space.may_read(ADA, item)))
    }


def employees_of(people):
    return [person for person in people if person.endswith("@example.com")]


def check_against_oracle(drive, rng):
    people = random_workspace(drive, rng)
    if rng.random() < 0.5:
        drive.extra["company_domains"] = ["example.com"]
    expected = expected_readers(drive.space, people)
    connector = drive.connector()
    rules = dict(connector.access())
    active = [p for p in people if drive.space.people[p].is_active]
    held = held_by(connector, people, employees=employees_of(active))
    for found in (rules, synced_rules(drive)):
        assert set(found) == set(expected)
        for name, seen in expected.items():
            allowed = {p for p in active if found[name].allows(held[p])}
            assert allowed == seen, name
    assert set(drive.connector().listing()) == set(expected)


def graph(seed):
    for drive in running():
        check_against_oracle(drive, random.Random(seed))
        drive.source.delete()


@pytest.mark.parametrize("seed", range(25))
def test_random_workspaces_show_what_the_oracle_shows(db, seed):
    graph(seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_random_workspaces_show_what_the_oracle_shows(db, hundred):
    for seed in range(100):
        graph(1000 + hundred * 100 + seed)


def link_people(drive, people):
    """Make persons of addresses, and put them where the source says."""
    made = {
        email: Person.objects.create(
            name=email, email=email, is_employee=email.endswith("@example.com")
        )
        for email in people
    }
    for found in drive.connector().memberships():
        row, _ = Group.objects.get_or_create(
            principal=found.group, name=found.name[:200]
        )
        rows = [
            Membership(group=row, person=made[m]) for m in found.members if m in made
        ]
        Membership.objects.bulk_create(rows)
    return made


@pytest.mark.parametrize("seed", range(3))
def test_a_synced_workspace_is_read_through_scopes_as_the_oracle_says(drive, seed):
    people = random_workspace(drive, random.Random(seed))
    drive.extra["company_domains"] = ["example.com"]
    drive.sync()
    expected = expected_readers(drive.space, people)
    active = [p for p in people if drive.space.people[p].is_active]
    persons = link_people(drive, active)
    rows = list(drive.source.documents.filter(state="indexed").select_related("rule"))
    assert rows
    for person in active:
        scope = scope_of(persons[person])
        seen = {row.external_id for row in rows if scope.admits(row.rule.as_value())}
        assert seen == {name for name, who in expected.items() if person in who}


def change_at_random(drive, rng):
    """Change rights and places in rounds; after each run all is as a first sync has it."""
    people = random_workspace(drive, rng)
    folders = [i.id for i in drive.space.items.values() if i.mime.endswith("folder")]
    if rng.random() < 0.3:
        drive.extra["folders"] = rng.sample(folders, 2)
    if rng.random() < 0.3:
        drive.extra["exclude_folders"] = rng.sample(folders, 2)
    drive.sync()
    for _ in range(6):
        for _ in range(3):
            change_something(drive.space, rng, people)
        drive.sync()
        wanted = synced_rules(drive)
        rows = drive.source.documents.filter(state="indexed").select_related("rule")
        assert {row.external_id: row.rule.as_value() for row in rows} == wanted


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_of_rights_travel_by_the_change_logs(drive, seed):
    """C42: moves, trash, restores and shares change no time of a file."""
    change_at_random(drive, random.Random(seed))


@pytest.mark.long
@pytest.mark.parametrize("ten", range(20))
def test_many_random_changes_travel_by_the_change_logs(db, ten):
    for seed in range(10):
        for drive in running():
            change_at_random(drive, random.Random(100 + 10 * ten + seed))
            drive.source.documents.all().delete()
            drive.source.delete()


CHANGES = ("share", "unshare", "limit", "move", "trash", "member", "add", "delete")


def change_something(space, rng, people):
    item = rng.choice(list(space.items.values()))
    folders = [i for i in space.items.values() if i.mime.endswith("folder")]
    target = rng.choice(folders)
    match rng.choice(CHANGES):
        case "share":
            space.share(item, Grant("user", rng.choice(people)))
        case "unshare" if item.grants:
            space.unshare(item, rng.choice(item.grants))
        case "limit":
            space.limit(target, is_limited=not target.is_limited)
        case "move" if item not in space.path(target):
            space.move(item, target)
        case "trash":
            (space.restore if item.is_trashed else space.trash)(item)
        case "add":
            space.add("New.txt", parent=target, data="New.")
        case "delete" if item.mime == "text/plain" or rng.random() < 0.3:
            space.delete(item)
        case "member":
            drive = rng.choice(list(space.drives.values()))
            drive.members.append(Grant("user", rng.choice(people), "reader"))


def test_a_rule_never_names_a_person_twice(drive):
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.space.share(item, Grant("user", BOB))
    drive.space.share(item, Grant("user", BOB, "writer"))
    assert rule_of(drive, item) == AccessRule.of(*rule_of(drive, item).layers)
    assert seers(drive, item) == {"ada", "bob"}
