"""Who may read what: spaces, own lists and every ancestor's, against an oracle.

The oracle is `State.may_view`, written from Confluence's help pages. FIELD rows C27 to
C29 are the tests by name.
"""

import random

import pytest

from connectors.base import Upsert
from connectors.confluence.rules import account, is_as_wide, team, user_class
from memory.access import ANYONE, NOBODY_RULE, WORKSPACE, AccessRule
from tests.connectors.confluence.worlds import KnownMarks, Nothing, reasons

pytestmark = pytest.mark.integration

USERS = [f"u-{name}" for name in ("ada", "bob", "cy", "dee", "eve", "flo")]
GROUPS = [f"g-{number}" for number in range(5)]


def fill(state, rng):
    """Make a site of a few spaces, a deep tree, and lists of all kinds."""
    for name in GROUPS:
        state.add_group(name, *rng.sample(USERS, rng.randint(0, 4)))
    for key in ("A", "B", "C"):
        state.add_space(
            key,
            users=set(rng.sample(USERS, rng.randint(0, 2))),
            groups=set(rng.sample(GROUPS, rng.randint(0, 3))),
            anonymous=rng.random() < 0.15,
        )
    pages = []
    for number in range(rng.randint(8, 18)):
        below = rng.choice(pages) if pages and rng.random() < 0.8 else None
        kind = "folder" if below and rng.random() < 0.15 else "page"
        if kind == "folder" and state.no_folders:
            kind = "page"
        space = below.space if below else rng.choice("ABC")
        parent = below.id if below else ""
        item = state.add(space, f"P{number}", "<p>x</p>", type=kind, parent=parent)
        pages.append(item)
        if rng.random() < 0.35:
            restrict(state, item, rng)
        if kind == "page" and rng.random() < 0.3:
            state.attach(item, f"f{number}.txt", b"file")
    return pages


def restrict(state, item, rng):
    state.restrict(
        item,
        users=rng.sample(USERS, rng.randint(0, 2)),
        groups=rng.sample(GROUPS, rng.randint(0, 2)),
    )


def shake(state, pages, rng):
    """Move pages, change lists and memberships, as a day does."""
    for _ in range(3):
        restrict(state, rng.choice(pages), rng)
        page, target = rng.sample(pages, 2)
        beneath = {page.id}
        for item in pages:
            if any(above.id == page.id for above in state.ancestors(item)):
                beneath.add(item.id)
        if target.id not in beneath and target.space == page.space:
            state.move(page, target)
        state.add_group(rng.choice(GROUPS), *rng.sample(USERS, rng.randint(0, 4)))


def expected(state):
    """Return for every person what they may view, by the oracle."""
    documents = state.current("page", "blogpost", "attachment")
    return {
        user: {item.id for item in documents if state.may_view(user, item)}
        for user in USERS
    }


def allowed(site):
    """Return the same by the connector's rules and memberships."""
    connector = site.connector()
    rules = dict(connector.access())
    held = {user: {WORKSPACE, ANYONE} for user in USERS}
    for membership in connector.memberships():
        for member in membership.members:
            if member in held:
                held[member].add(membership.group)
    return {
        user: {id_ for id_, rule in rules.items() if rule.allows(held[user])}
        for user in USERS
    }


@pytest.mark.parametrize("seed", range(13))
def test_rules_allow_what_confluence_allows(site, seed):
    agree(site, seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_rules_allow_what_confluence_allows_on_many_sites(site, hundred):
    for seed in range(100):
        for held in (site.state.spaces, site.state.items, site.state.groups):
            held.clear()
        agree(site, 1000 + hundred * 100 + seed)


def agree(site, seed):
    rng = random.Random(seed)
    site.state.no_folders = not site.is_cloud
    pages = fill(site.state, rng)
    assert allowed(site) == expected(site.state)
    shake(site.state, pages, rng)
    assert allowed(site) == expected(site.state)


@pytest.mark.parametrize("seed", range(100, 103))
def test_the_index_lets_read_what_confluence_lets_view(site, seed):
    rng = random.Random(seed)
    site.state.no_folders = not site.is_cloud
    pages = fill(site.state, rng)
    site.sync()
    assert {user: site.readable(user) for user in USERS} == expected(site.state)
    embedded = site.embedder.embedded
    shake(site.state, pages, rng)
    site.sync()
    assert {user: site.readable(user) for user in USERS} == expected(site.state)
    # Lists and moves are properties: no text was embedded again.
    assert site.embedder.embedded == embedded


def test_an_empty_list_restricts_nothing(site):
    """C27: pages without restrictions are read by their space."""
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.sync()
    space = AccessRule.of([team(site.source.id, "g-staff")])
    assert site.rules()[page.id] == space


def test_every_ancestors_list_counts(site):
    """C28: not only the page's own list or the nearest ancestor's."""
    state = site.state
    top = state.add("HR", "Top", "<p>x</p>")
    middle = state.add("HR", "Middle", "<p>x</p>", parent=top.id)
    leaf = state.add("HR", "Leaf", "<p>x</p>", parent=middle.id)
    state.restrict(top, groups=["g-hr"])
    state.restrict(middle, users=["u-bob", "u-ada"])
    state.restrict(leaf, groups=["g-staff"])
    site.sync()
    assert len(site.rules()[leaf.id].layers) == 3
    assert leaf.id in site.readable("u-ada")
    assert leaf.id not in site.readable("u-bob")
    assert leaf.id not in site.readable("u-cy")


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_a_changed_page_gets_every_layer_in_either_kind_of_run(site, way):
    state = site.state
    top = state.add("HR", "Top", "<p>x</p>")
    leaf = state.add("HR", "Leaf", "<p>x</p>", parent=top.id)
    site.sync()
    state.restrict(top, groups=["g-hr"])
    state.edit(leaf, "<p>Secret now.</p>")
    getattr(site, way)()
    assert "Secret now." in site.texts()["Leaf"]
    assert leaf.id in site.readable("u-ada")
    assert leaf.id not in site.readable("u-bob")


def test_a_folder_in_between_keeps_what_lies_above_it(cloud):
    state = cloud.state
    top = state.add("HR", "Top", "<p>x</p>")
    folder = state.add("HR", "Folder", type="folder", parent=top.id)
    leaf = state.add("HR", "Leaf", "<p>x</p>", parent=folder.id)
    state.restrict(top, groups=["g-hr"])
    state.restrict(folder, groups=["g-staff"])
    assert dict(cloud.connector().access())[leaf.id] == AccessRule.of(
        [team(cloud.source.id, "g-staff")], [team(cloud.source.id, "g-hr")]
    )


def test_a_folder_whose_list_cant_be_found_denies_what_lies_in_it(cloud):
    folder = cloud.state.add("HR", "Folder", type="folder")
    leaf = cloud.state.add("HR", "Leaf", "<p>x</p>", parent=folder.id)
    cloud.server.refuse(404, f"/content/{folder.id}/restriction", times=99)
    assert dict(cloud.connector().access())[leaf.id] == NOBODY_RULE


def test_a_draft_ancestor_is_skipped_and_no_other(site):
    """C28: a 404 on a draft skips only that one."""
    state = site.state
    top = state.add("HR", "Top", "<p>x</p>")
    draft = state.add("HR", "Draft", "<p>x</p>", parent=top.id, status="draft")
    leaf = state.add("HR", "Leaf", "<p>x</p>", parent=draft.id)
    state.restrict(top, groups=["g-hr"])
    site.server.refuse(404, f"/content/{draft.id}", times=99)
    rule = dict(site.connector().access())[leaf.id]
    assert rule == AccessRule.of(
        [team(site.source.id, "g-staff")], [team(site.source.id, "g-hr")]
    )


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_a_list_that_is_refused_denies_and_is_counted(site, way):
    """C28: a 403 fails closed."""
    state = site.state
    top = state.add("HR", "Top", "<p>x</p>")
    leaf = state.add("HR", "Leaf", "<p>x</p>", parent=top.id)
    state.attach(leaf, "f.txt", b"file")
    other = state.add("HR", "Other", "<p>x</p>")
    site.sync()
    state.closed.add(top.id)
    for page in (top, leaf, other):
        state.edit(page)
    run = getattr(site, way)()
    assert run.state == "succeeded"
    assert list(site.texts()) == ["Other"]
    assert ("access_unknown", leaf.id) in reasons(run)
    assert ("access_unknown", "") in reasons(run)
    rules = dict(site.connector().access())
    assert rules[leaf.id] == NOBODY_RULE
    assert rules[other.id] != NOBODY_RULE
    state.closed.clear()
    site.sync()
    assert len(site.texts()) == 4


def test_a_space_whose_permissions_are_refused_is_read_by_nobody(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.state.closed_spaces.add("HR")
    run = site.sync()
    assert site.texts() == {}
    assert ("access_unknown", page.id) in reasons(run)


def test_a_site_that_is_down_hides_nothing(site):
    """Not knowing for a while isn't a verdict: what was known stays, the run fails."""
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.sync()
    site.server.refuse(503, "/search" if site.is_cloud else "/content", times=99)
    run = site.sync()
    assert run.state == "failed"
    site.server.faults.clear()
    assert page.id in site.readable("u-ada")


def test_a_page_that_the_index_lacks_is_asked_for_by_itself(cloud):
    page = cloud.state.add("HR", "Leave", "<p>x</p>")
    cloud.state.restrict(page, groups=["g-hr"])
    cloud.state.unindexed.add(page.id)
    cloud.sync()
    assert page.id not in cloud.readable("u-bob")
    assert page.id in cloud.readable("u-ada")


def test_a_long_list_is_read_to_its_end(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    people = [f"u-{number:04}" for number in range(250)]
    site.state.restrict(page, users=people, groups=["g-hr"])
    rule = dict(site.connector().access())[page.id]
    [own] = [layer for layer in rule.layers if len(layer) > 1]
    assert own == {account(site.source.id, who) for who in people} | {
        team(site.source.id, "g-hr")
    }


def test_anonymous_access_means_employees_unless_the_option_says_anyone(site):
    site.state.add_space("PUB", groups=set(), anonymous=True)
    page = site.state.add("PUB", "Open", "<p>x</p>")
    assert dict(site.connector().access())[page.id] == AccessRule.of([WORKSPACE])
    site.settings["anonymous"] = "anyone"
    assert dict(site.connector().access())[page.id] == AccessRule.of([ANYONE])


def test_a_space_that_names_nobody_is_read_by_nobody(site):
    site.state.add_space("NONE", groups=set())
    page = site.state.add("NONE", "Leave", "<p>x</p>")
    rule = dict(site.connector().access())[page.id]
    assert rule == AccessRule.of([])
    assert not rule.allows([WORKSPACE, ANYONE])


def test_a_class_of_users_is_a_group_that_an_administrator_may_mark(cloud):
    cloud.state.add_space("ALL", groups=set(), classes={"all-licensed-users"})
    page = cloud.state.add("ALL", "Leave", "<p>x</p>")
    principal = user_class(cloud.source.id, "all-licensed-users")
    assert dict(cloud.connector().access())[page.id] == AccessRule.of([principal])
    found = {m.group: m for m in cloud.connector().memberships()}
    assert found[principal].members in ((), [])


def test_people_are_known_by_account_id_and_groups_by_their_id(site):
    """C29: no e-mail is needed, or asked for."""
    found = {m.group: m for m in site.connector().memberships()}
    assert found[team(site.source.id, "g-hr")].members == ["u-ada"]
    assert found[account(site.source.id, "u-ada")].members == ["u-ada"]
    assert len(found[team(site.source.id, "g-staff")].members) == 3


def test_a_group_is_never_taken_for_an_account(data_center):
    """Groups of Data Center are known by their name, which anybody may choose."""
    page = data_center.state.add("HR", "Leave", "<p>x</p>")
    data_center.state.restrict(page, users=["u-ada"])
    data_center.state.add_group("account:u-ada", "u-bob")
    data_center.sync()
    assert page.id in data_center.readable("u-ada")
    assert page.id not in data_center.readable("u-bob")


def test_groups_with_nearly_the_same_names_are_not_confused(site):
    """C46: “hr”, “hr-1”, “HR” and “h r” are four groups."""
    members = {"hr": "u-a", "hr-1": "u-b", "HR": "u-c", "h r": "u-d"}
    pages = {}
    for name, member in members.items():
        site.state.add_group(name, member)
        site.state.spaces["HR"].users.add(member)
        pages[name] = site.state.add("HR", f"Of {name}", "<p>x</p>")
        site.state.restrict(pages[name], groups=[name])
    site.sync()
    for name, member in members.items():
        assert site.readable(member) == {pages[name].id}


def test_accounts_are_listed_with_what_addresses_are_shown(site):
    site.state.emails["u-bob"] = "bob@example.com"
    found = {user.id: user for user in site.connector().accounts()}
    assert found["u-ada"].name == "Ada Lovelace"
    assert found["u-ada"].email == ""
    assert found["u-bob"].email == ("bob@example.com" if site.is_cloud else "")


def test_a_group_with_many_members_is_read_to_its_end(site):
    site.state.add_group("g-many", *(f"u-{number}" for number in range(450)))
    found = {m.group: m for m in site.connector().memberships()}
    assert len(found[team(site.source.id, "g-many")].members) == 450


def test_a_new_member_reads_without_anything_being_written(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.state.restrict(page, groups=["g-hr"])
    site.sync()
    assert page.id not in site.readable("u-bob")
    site.state.add_group("g-hr", "u-ada", "u-bob")
    calls = len(site.store.calls)
    assert page.id in site.readable("u-bob")
    assert len(site.store.calls) == calls


INCLUDE = (
    '<p>See:</p><ac:structured-macro ac:name="include"><ac:parameter ac:name="">'
    '<ac:link><ri:page ri:content-title="Pay" /></ac:link></ac:parameter>'
    "</ac:structured-macro>"
)


def test_included_text_is_shown_where_all_readers_may_read_it(site):
    site.state.add("HR", "Pay", "<p>A raise a year.</p>")
    site.state.add("HR", "Overview", INCLUDE)
    site.sync()
    assert "See:\n\nA raise a year." in site.texts()["Overview"]


def test_included_text_that_not_all_readers_may_read_is_left_out(site):
    pay = site.state.add("HR", "Pay", "<p>A raise a year.</p>")
    site.state.restrict(pay, groups=["g-hr"])
    site.state.add("HR", "Overview", INCLUDE)
    run = site.sync()
    assert "raise" not in site.texts()["Overview"]
    assert any("macro include (left out)" in i.message for i in run.issues.all())


def test_included_text_goes_when_its_page_is_restricted_and_comes_back(site):
    pay = site.state.add("HR", "Pay", "<p>A raise a year.</p>")
    overview = site.state.add("HR", "Overview", INCLUDE)
    site.sync()
    site.state.restrict(pay, groups=["g-hr"])
    known = KnownMarks(site.source)
    assert dict(site.connector().access(known))[overview.id] == NOBODY_RULE
    site.sync()
    assert "raise" not in site.texts()["Overview"]
    assert dict(site.connector().access(KnownMarks(site.source)))[overview.id].layers
    site.state.restrict(pay)
    site.sync()
    assert "A raise a year." in site.texts()["Overview"]


def test_included_text_follows_its_page(site):
    pay = site.state.add("HR", "Pay", "<p>A raise a year.</p>")
    site.state.add("HR", "Overview", INCLUDE)
    site.sync()
    site.state.edit(pay, "<p>Two raises a year.</p>")
    site.sync()
    assert "Two raises a year." in site.texts()["Overview"]
    site.state.trash(pay)
    site.sync()
    assert "raises" not in site.texts()["Overview"]


def test_pages_that_include_one_another_end(site):
    def including(title):
        return INCLUDE.replace("Pay", title)

    site.state.add("HR", "One", f"<p>First.</p>{including('Two')}")
    site.state.add("HR", "Two", f"<p>Second.</p>{including('One')}")
    site.sync()
    assert "Second." in site.texts()["One"]
    assert "First." in site.texts()["Two"]


def test_the_attachments_of_a_restricted_page_are_restricted(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    file = site.state.attach(page, "f.txt", b"file")
    site.sync()
    assert file.id in site.readable("u-bob")
    site.state.restrict(page, groups=["g-hr"])
    site.sync()
    assert file.id not in site.readable("u-bob")
    assert file.id in site.readable("u-ada")


def test_a_wider_rule_is_told_from_a_narrower():
    hr, staff, me = ["hr"], ["hr", "staff"], ["me"]
    assert is_as_wide(AccessRule.of(staff), AccessRule.of(hr))
    assert is_as_wide(AccessRule.of(staff), AccessRule.of(staff, me))
    assert not is_as_wide(AccessRule.of(hr), AccessRule.of(staff))
    assert not is_as_wide(AccessRule.of(staff, me), AccessRule.of(staff))
    assert not is_as_wide(NOBODY_RULE, AccessRule.of(staff))


def test_changes_carry_rules_that_access_agrees_with(site):
    rng = random.Random(7)
    site.state.no_folders = not site.is_cloud
    fill(site.state, rng)
    connector = site.connector()
    told = {
        change.document.external_id: change.rule
        for change in connector.changes(None, Nothing())
        if isinstance(change, Upsert)
    }
    assert told == dict(connector.access())
