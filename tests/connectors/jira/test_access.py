"""Who sees what, against an oracle that reads the site's state plainly (C29, C46)."""

import random

import pytest

from connectors.access import scope_of
from connectors.base import Upsert
from connectors.errors import IncompleteListing
from connectors.models import Group, Membership, Person
from memory.access import ANYONE, WORKSPACE, AccessRule
from tests.connectors.jira.conftest import running
from tests.connectors.jira.worlds import principals_of
from tests.connectors.worlds import issues as issues_of
from tests.vendors.jira.state import AGENT, BROWSE, Grant

pytestmark = pytest.mark.integration


def rules_of(world):
    return dict(world.connector().access())


def synced_rules(world):
    """Return the rules that a sync would write."""
    changes = world.changes()
    return {c.document.external_id: c.rule for c in changes if isinstance(c, Upsert)}


def readers(world, rule, names=None):
    held = principals_of(world.connector())
    people = names or world.site.users
    return {name for name in people if rule.allows(held.get(name, {ANYONE}))}


def test_an_issue_is_seen_by_who_may_browse_its_project(jira, ops):
    issue = jira.site.create(ops, "It")
    rule = rules_of(jira)[f"issue/{issue.id}"]
    assert readers(jira, rule) == {"ada", "bob"}
    assert len(rule.layers) == 1


HOLDERS = {
    "group": (Grant("group", "staff"), {"ada", "bob"}),
    "user": (Grant("user", "cy"), {"cy"}),
    "reporter": (Grant("reporter"), {"ada"}),
    "assignee": (Grant("assignee"), {"bob"}),
    "projectLead": (Grant("projectLead"), {"cy"}),
    "applicationRole": (Grant("applicationRole", "jira-software"), {"ada", "bob"}),
    "everybody with access": (Grant("applicationRole"), {"ada", "bob", "cy"}),
    "userCustomField": (Grant("userCustomField", "customfield_1"), {"cy"}),
    "groupCustomField": (Grant("groupCustomField", "customfield_2"), {"ada", "bob"}),
    "customers of the portal": (Grant("sd.customer.portal.only"), set()),
    "something new": (Grant("moonPhase", "full"), set()),
}


@pytest.mark.parametrize("name", HOLDERS)
def test_each_kind_of_holder_is_who_the_vendor_means(jira, name):
    grant, expected = HOLDERS[name]
    site = jira.site
    site.add_group("desk", "cy")
    site.applications |= {"jira-software": {"staff"}, "jira-core": {"desk"}}
    # An account of another product, which can't open Jira.
    site.add_user("elsewhere")
    project = site.add_project("ALL", grant, lead="cy")
    custom = {"customfield_1": ["cy"], "customfield_2": ["staff"]}
    issue = site.create(project, "It", reporter="ada", assignee="bob", custom=custom)
    id_ = f"issue/{issue.id}"
    assert readers(jira, rules_of(jira)[id_]) == expected
    assert readers(jira, synced_rules(jira)[id_]) == expected
    # An incremental run doesn't ask for custom fields beforehand.
    cursor = jira.changes()[-2].cursor
    later = jira.changes({**cursor, "updated_from": 0})
    later = [c for c in later if isinstance(c, Upsert)]
    assert readers(jira, later[0].rule) == expected


def test_applications_that_cannot_be_read_have_nobody_in_them(cloud):
    project = cloud.site.add_project("ALL", Grant("applicationRole"))
    cloud.site.applications["jira-software"] = {"staff"}
    issue = cloud.site.create(project, "It")
    rule = rules_of(cloud)[f"issue/{issue.id}"]
    assert readers(cloud, rule) == {"ada", "bob"}
    cloud.server.is_admin = False
    assert readers(cloud, rule) == set()
    [check] = [c for c in cloud.connector().check() if c.capability == "access"]
    assert not check.ok
    assert "application access" in check.message


def test_a_role_is_of_its_project_and_counts_its_groups(jira, ops):
    site = jira.site
    role = site.add_role("Developers")
    one = site.add_project("ONE", Grant("projectRole", role.id))
    two = site.add_project("TWO", Grant("projectRole", role.id))
    site.put_in_role(one, role, users=["cy"])
    site.put_in_role(two, role, groups=["staff"])
    first, second = site.create(one, "1"), site.create(two, "2")
    rules = rules_of(jira)
    assert readers(jira, rules[f"issue/{first.id}"]) == {"cy"}
    assert readers(jira, rules[f"issue/{second.id}"]) == {"ada", "bob"}


def test_what_needs_no_sign_in_is_for_whom_the_option_says(jira):
    project = jira.site.add_project("PUB", Grant("anyone"))
    issue = jira.site.create(project, "It")
    assert rules_of(jira)[f"issue/{issue.id}"] == AccessRule.of([WORKSPACE])
    jira.extra["anonymous"] = "anyone"
    assert rules_of(jira)[f"issue/{issue.id}"] == AccessRule.of([ANYONE])


def test_subgroups_of_data_center_count(data_center, ops):
    data_center.site.add_group("inner", "cy")
    data_center.site.groups["staff"].subgroups.add("inner")
    issue = data_center.site.create(ops, "It")
    rule = rules_of(data_center)[f"issue/{issue.id}"]
    assert readers(data_center, rule) == {"ada", "bob", "cy"}


def test_who_left_and_apps_are_nobody(jira, ops):
    site = jira.site
    site.add_user("gone", is_active=False)
    site.add_user("robot", kind="app")
    site.groups["staff"].members |= {"gone"}
    role = site.add_role("Developers")
    site.put_in_role(ops, role, users=["gone"])
    ops.scheme[BROWSE] += [Grant("projectRole", role.id), Grant("user", "gone")]
    issue = site.create(ops, "It")
    rule = rules_of(jira)[f"issue/{issue.id}"]
    assert readers(jira, rule) == {"ada", "bob"}


def test_a_security_level_is_a_layer_more(jira, ops):
    level = jira.site.add_level(Grant("user", "bob"), Grant("user", "cy"))
    issue = jira.site.create(ops, "Secret", level=level)
    rule = rules_of(jira)[f"issue/{issue.id}"]
    assert len(rule.layers) == 2
    assert readers(jira, rule) == {"bob"}


def test_data_center_names_a_hundred_viewers_of_a_level_and_the_rest_is_told(
    data_center, ops
):
    site = data_center.site
    for number in range(120):
        site.groups["staff"].members.add(site.add_user(f"u{number:03}").id)
    level = site.add_level(Grant("group", "staff"))
    issue = site.create(ops, "Secret", level=level)
    run = data_center.sync()
    assert ("notice", "", "access_unreadable") in issues_of(run)
    seers = readers(data_center, rules_of(data_center)[f"issue/{issue.id}"])
    assert len(seers) == 100
    assert all(site.may_see(user, issue) for user in seers)


def test_accounts_that_the_list_leaves_out_are_known_by_their_groups(data_center, ops):
    site = data_center.site
    role = site.add_role("Developers")
    site.put_in_role(ops, role, users=["bob"])
    ops.scheme[BROWSE] = [Grant("projectRole", role.id), Grant("reporter")]
    issue = site.create(ops, "It", reporter="bob")
    data_center.server.most_users = 1
    assert readers(data_center, rules_of(data_center)[f"issue/{issue.id}"]) == {"bob"}
    accounts = {user.id for user in data_center.connector().accounts()}
    assert accounts == {"ada", "bob"}


def test_a_scheme_that_cannot_be_read_denies_and_is_told(jira, ops):
    jira.server.is_admin = False
    ops.is_not_administered = True
    other = jira.site.add_project("HR", Grant("group", "staff"))
    issue = jira.site.create(ops, "It")
    seen = jira.site.create(other, "Other")
    run = jira.sync()
    assert ("notice", "", "access_unreadable") in issues_of(run)
    rules = rules_of(jira)
    everything = {m.group for m in jira.connector().memberships()} | {WORKSPACE}
    assert not rules[f"issue/{issue.id}"].allows(everything)
    assert rules[f"issue/{seen.id}"].allows(everything)


def test_a_level_that_cannot_be_read_denies(jira, ops):
    level = jira.site.add_level(Grant("user", "bob"))
    issue = jira.site.create(ops, "Secret", level=level)
    jira.server.is_admin = jira.server.may_browse_users = False
    rule = rules_of(jira)[f"issue/{issue.id}"]
    assert frozenset() in rule.layers


def test_a_level_that_is_hidden_denies(jira, ops):
    open_ = jira.site.add_project("HR", Grant("group", "staff"))
    hidden, seen = jira.site.create(ops, "It"), jira.site.create(open_, "Other")
    ops.has_levels = True
    jira.server.payloads.hides_levels = True
    rules = rules_of(jira)
    assert readers(jira, rules[f"issue/{hidden.id}"]) == set()
    assert readers(jira, rules[f"issue/{seen.id}"]) == {"ada", "bob"}


def test_groups_that_cannot_be_read_have_nobody_in_them(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.server.may_browse_users = False
    jira.server.is_admin = False
    assert readers(jira, rules_of(jira)[f"issue/{issue.id}"]) == set()


def test_hidden_addresses_map_nobody_and_ids_still_do(cloud, ops):
    """C29: people are matched by account id; an address is a help, never needed."""
    cloud.server.payloads.hides_emails = True
    cloud.site.create(ops, "It")
    told = {m.group: m.members for m in cloud.connector().memberships()}
    assert any(set(members) == {"ada", "bob"} for members in told.values())
    assert {user.email for user in cloud.connector().accounts()} == {""}
    cloud.server.payloads.hides_emails = False
    emails = {user.id: user.email for user in cloud.connector().accounts()}
    assert emails["ada"] == "ada@example.com"


def test_groups_with_nearly_the_same_names_are_not_confused(jira):
    """C46: “ops”, “ops-1” and “OPS” are three groups."""
    site = jira.site
    for name, member in (("ops", "ada"), ("ops-1", "bob"), ("OPS", "cy")):
        site.add_group(name, member)
    rules = {}
    for number, name in enumerate(("ops", "ops-1", "OPS")):
        project = site.add_project(f"N{number}", Grant("group", name))
        rules[name] = f"issue/{site.create(project, name).id}"
    found = rules_of(jira)
    assert readers(jira, found[rules["ops"]]) == {"ada"}
    assert readers(jira, found[rules["ops-1"]]) == {"bob"}
    assert readers(jira, found[rules["OPS"]]) == {"cy"}


def test_access_is_incomplete_where_the_end_was_not_seen(jira, ops):
    jira.site.create(ops, "It")
    jira.server.refuse(500, "/search", times=99)
    with pytest.raises(IncompleteListing):
        list(jira.connector().access())


def test_a_moved_issue_takes_its_new_project_s_rule(jira, ops):
    site = jira.site
    hr = site.add_project("HR", Grant("user", "cy"))
    issue = site.create(ops, "It")
    jira.sync()
    site.pass_time(3600)
    site.move(issue, hr)
    jira.sync()
    rule = jira.row(f"issue/{issue.id}").rule.as_value()
    assert readers(jira, rule) == {"cy"}


# Random sites against the oracle.


def random_site(world, rng):
    """Fill a site with random projects, holders, levels, comments and attachments."""
    site = world.site
    users = [site.add_user(f"u{n}", email=f"u{n}@example.com").id for n in range(6)]
    groups = [
        site.add_group(f"g{n}", *rng.sample(users, rng.randint(0, 4))).id
        for n in range(4)
    ]
    if not world.server.is_cloud:
        site.groups[groups[0]].subgroups.add(groups[1])
    roles = [site.add_role(f"Role {n}") for n in range(2)]
    site.applications["jira-software"] = {rng.choice(groups)}

    def grant():
        return rng.choice(
            [
                Grant("group", rng.choice(groups)),
                Grant("user", rng.choice(users)),
                Grant("projectRole", rng.choice(roles).id),
                Grant("reporter"),
                Grant("assignee"),
                Grant("projectLead"),
                Grant("applicationRole", "jira-software"),
                Grant("applicationRole"),
                Grant("userCustomField", "customfield_1"),
                Grant("groupCustomField", "customfield_2"),
                Grant("sd.customer.portal.only"),
            ]
        )

    def grants(least):
        return [grant() for _ in range(rng.randint(least, 3))]

    levels = [site.add_level(*grants(0)) for _ in range(3)]
    for number in range(3):
        project = site.add_project(
            f"R{number}",
            *grants(0),
            kind=rng.choice(["software", "service_desk"]),
            lead=rng.choice(users),
        )
        project.scheme[AGENT] = grants(1)
        for role in roles:
            site.put_in_role(
                project,
                role,
                users=rng.sample(users, rng.randint(0, 2)),
                groups=rng.sample(groups, rng.randint(0, 1)),
            )
        for _ in range(4):
            fill_issue(world, rng, project, (users, groups, roles, levels))
    return users


def fill_issue(world, rng, project, held):
    users, groups, roles, levels = held
    site = world.site
    issue = site.create(
        project,
        "It",
        reporter=rng.choice([*users, ""]),
        assignee=rng.choice([*users, ""]),
        level=rng.choice([*levels, "", ""]),
        custom={
            "customfield_1": rng.sample(users, rng.randint(0, 2)),
            "customfield_2": rng.sample(groups, rng.randint(0, 1)),
        },
    )
    for _ in range(rng.randint(0, 3)):
        kind = rng.choice(["open", "role", "group", "internal"])
        more = {
            "open": {},
            "role": {"role": rng.choice(roles).name},
            "group": {"group": rng.choice(groups)},
            "internal": {"is_public": False} if project.kind == "service_desk" else {},
        }[kind]
        site.comment(issue, world.body("Words."), rng.choice(users), **more)
    if rng.random() < 0.3:
        site.attach(issue, "a.txt", b"Words.")


def expected_readers(site, users):
    """Return who may read each document, by the state alone."""
    found = {}
    for issue in site.issues.values():
        seers = {u for u in users if site.may_see(u, issue)}
        found[f"issue/{issue.id}"] = seers
        for attachment in issue.attachments:
            found[f"issue/{issue.id}/attachment/{attachment.id}"] = seers
        for comment in issue.comments:
            if comment.role or comment.group or not comment.is_public:
                name = f"issue/{issue.id}/comment/{comment.id}"
                found[name] = {
                    u for u in users if site.may_see_comment(u, issue, comment)
                }
    return found


def check_against_oracle(world, rng):
    users = random_site(world, rng)
    expected = expected_readers(world.site, users)
    held = principals_of(world.connector())
    for rules in (rules_of(world), synced_rules(world)):
        for name, seers in expected.items():
            rule = rules.get(name)
            found = {u for u in users if rule and rule.allows(held.get(u, {ANYONE}))}
            assert found == seers, name
        # Nothing else is told, but comments that nobody may see are left out.
        assert set(rules) <= set(expected)
    assert set(world.connector().listing()) == set(expected)


def graph(seed, *, is_cloud):
    for world in running(is_cloud=is_cloud):
        check_against_oracle(world, random.Random(seed))
        world.source.delete()


@pytest.mark.parametrize("seed", range(25))
def test_random_sites_show_what_the_oracle_shows(db, seed):
    graph(seed, is_cloud=seed % 2 == 0)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_random_sites_show_what_the_oracle_shows(db, hundred):
    for seed in range(100):
        graph(1000 + hundred * 100 + seed, is_cloud=seed % 2 == 0)


def link_people(world):
    """Make persons of the site's accounts, and put them where the source says."""
    people = {
        user.id: Person.objects.create(name=user.name, email=user.email or None)
        for user in world.site.users.values()
    }
    for told in world.connector().memberships():
        made, _ = Group.objects.get_or_create(
            principal=told.group, name=told.name[:200]
        )
        rows = [Membership(group=made, person=people[m]) for m in told.members]
        Membership.objects.bulk_create(rows)
    return people


@pytest.mark.parametrize("seed", range(3))
def test_a_synced_site_is_read_through_scopes_as_the_oracle_says(jira, seed):
    users = random_site(jira, random.Random(seed))
    jira.sync()
    people = link_people(jira)
    expected = expected_readers(jira.site, users)
    documents = list(
        jira.source.documents.filter(state="indexed").select_related("rule")
    )
    assert documents
    for user in users:
        scope = scope_of(people[user])
        seen = {d.external_id for d in documents if scope.admits(d.rule.as_value())}
        assert seen == {name for name, seers in expected.items() if user in seers}


def test_permissions_that_change_travel_by_access_alone(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.sync()
    ops.scheme[BROWSE] = [Grant("user", "cy")]
    # A scheme's change is no issue's change: the next run of changes sees none.
    assert jira.sync().counts.get("properties_only", 0) in (0, 1)
    assert readers(jira, rules_of(jira)[f"issue/{issue.id}"]) == {"cy"}
