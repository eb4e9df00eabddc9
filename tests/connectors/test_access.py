"""Who may see what, against an oracle that reads the rule as it's written."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from connectors import access as people
from connectors.access import (
    SqlAuthority,
    person_for,
    principals_named,
    principals_of,
    scope_of,
    scope_of_audience,
    scope_of_members,
    scope_of_workspace,
)
from connectors.errors import AccessError, OptionError
from connectors.models import Document, Group, Membership, Person, Source
from connectors.syncing_batch import save_rules
from connectors.syncing_rows import Action, plan_repair
from memory import access
from memory.access import ANYONE, WORKSPACE, AccessRule, Principal, Scope, Status
from memory.documents import Properties

State = Document.State

PEOPLE = [UUID(int=number + 1) for number in range(4)]
GROUPS = [f"group:src:{number}" for number in range(3)]
principals = st.sampled_from(
    [ANYONE, WORKSPACE, *map(Principal, GROUPS), *map(access.person, PEOPLE)]
)
layers = st.frozensets(principals, max_size=3)
rules = st.frozensets(layers, max_size=3).map(AccessRule)
companies = st.fixed_dictionaries(
    {
        "employed": st.lists(st.booleans(), min_size=4, max_size=4),
        "members": st.lists(st.frozensets(st.integers(0, 3)), min_size=3, max_size=3),
        "everybody": st.lists(st.booleans(), min_size=3, max_size=3),
        "rules": st.lists(rules, min_size=1, max_size=6),
        "channel": st.frozensets(st.integers(0, 3)),
    }
)


def build(company):
    """Write a drawn company into SQL and return its people."""
    persons = [
        Person.objects.create(id=id_, name=str(number), is_employee=employed)
        for number, (id_, employed) in enumerate(
            zip(PEOPLE, company["employed"], strict=True)
        )
    ]
    for name, members, everybody in zip(
        GROUPS, company["members"], company["everybody"], strict=True
    ):
        group = Group.objects.create(principal=name, is_everybody=everybody)
        for number in members:
            Membership.objects.create(group=group, person=persons[number])
    save_rules(company["rules"])
    return persons


def holds(company, number, principal):
    """Tell by the drawn company alone whether a person holds a principal."""
    if principal == ANYONE:
        return True
    if principal == WORKSPACE:
        return company["employed"][number]
    if principal in GROUPS:
        return number in company["members"][GROUPS.index(principal)]
    return principal == f"person:{PEOPLE[number]}"


def may_read(rule, holder):
    """Tell by a rule's layers alone whether somebody may read."""
    return bool(rule.layers) and all(
        any(holder(principal) for principal in layer) for layer in rule.layers
    )


def employee_holds(company, principal):
    """Tell what everybody who's employed holds, whoever they are."""
    if principal in GROUPS:
        return company["everybody"][GROUPS.index(principal)]
    return principal in (ANYONE, WORKSPACE)


@pytest.mark.django_db
@given(companies)
def test_a_scope_admits_exactly_what_the_rules_say(company):
    with transaction.atomic():
        persons = build(company)
        for number, person in enumerate(persons):
            scope = scope_of(person)
            for rule in company["rules"]:
                expected = may_read(rule, lambda p, n=number: holds(company, n, p))
                assert scope.admits(rule) == expected
        transaction.set_rollback(True)


@pytest.mark.django_db
@given(companies)
def test_a_channel_reads_exactly_what_all_of_its_members_may(company):
    with transaction.atomic():
        persons = build(company)
        scope = scope_of_members(persons[number] for number in company["channel"])
        for rule in company["rules"]:
            expected = bool(company["channel"]) and all(
                may_read(rule, lambda p, n=number: holds(company, n, p))
                for number in company["channel"]
            )
            assert scope.admits(rule) == expected
        transaction.set_rollback(True)


@pytest.mark.django_db
@given(companies)
def test_an_audience_reads_what_any_employee_and_any_outsider_may(company):
    with transaction.atomic():
        build(company)
        inside = scope_of_audience(outsiders=False)
        mixed = scope_of_audience(outsiders=True)
        terminal = scope_of_workspace()
        for rule in company["rules"]:
            expected = may_read(rule, lambda p: employee_holds(company, p))
            outside = may_read(rule, lambda p: p == ANYONE)
            assert inside.admits(rule) == expected
            assert terminal.admits(rule) == expected
            assert mixed.admits(rule) == (expected and outside)
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_people_are_found_by_address_in_any_case():
    ada = Person.objects.create(email="Ada@example.com")
    assert person_for(" ada@EXAMPLE.com ") == ada
    with pytest.raises(AccessError, match="bob@example.com"):
        person_for("bob@example.com")
    Person.objects.create(name="No address")
    with pytest.raises(AccessError):
        person_for("")


@pytest.mark.django_db
def test_a_guest_is_not_the_workspace():
    guest = Person.objects.create(email="g@example.com", is_employee=False)
    assert principals_of(guest) == {ANYONE, access.person(guest.id)}
    assert not scope_of(guest).admits(access.WORKSPACE_RULE)


@pytest.mark.django_db
def test_named_readers_are_people_groups_or_everybody():
    Group.objects.create(principal="group:x:1")
    ada = Person.objects.create(email="ada@example.com")
    made = principals_named(["workspace", "group:x:1", "ADA@example.com"])
    assert made == {WORKSPACE, "group:x:1", access.person(ada.id)}
    new = principals_named(["new@example.com"])
    person = Person.objects.get(email="new@example.com")
    assert new == {access.person(person.id)}
    assert not person.is_employee


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["everyone", "group:x:2", "a@", "", "a b@example.com"])
def test_a_reader_that_nobody_knows_is_refused(name):
    with pytest.raises(OptionError, match="access"):
        principals_named(["workspace", name])
    assert not Person.objects.exists()


@pytest.fixture
def stored(db):
    """Return a source with one document, as SQL and the store have it."""
    source = Source.objects.create(kind="scripted", name="Wiki")
    save_rules([access.WORKSPACE_RULE, AccessRule.of([ANYONE])])
    row = Document.objects.create(
        id=uuid4(),
        source=source,
        external_id="a",
        state=State.INDEXED,
        rule_id=access.WORKSPACE_RULE.id,
    )
    return row, Properties(
        row.id, source.id, "a", access.WORKSPACE_RULE.id, frozenset({WORKSPACE})
    )


WORKSPACE_SCOPE = Scope.of_person([WORKSPACE])


def test_a_document_that_both_agree_on_is_confirmed_in_one_query(
    stored, django_assert_num_queries
):
    row, properties = stored
    with django_assert_num_queries(1):
        assert SqlAuthority().confirmed([properties], WORKSPACE_SCOPE) == {row.id}
    Document.objects.update(state=State.HELD)
    assert SqlAuthority().confirmed([properties], WORKSPACE_SCOPE) == {row.id}


@pytest.mark.parametrize(
    "change",
    [
        {"state": State.FAILED},
        {"state": State.REMOVED},
        {"rule_id": AccessRule.of([ANYONE]).id},
        {"rule_id": None},
        {"status": Status.ARCHIVED.value},
    ],
)
def test_a_disagreement_leaves_the_document_out_and_queues_its_repair(stored, change):
    row, properties = stored
    Document.objects.update(**change)
    wide = Scope.of_person([WORKSPACE, ANYONE])
    assert SqlAuthority().confirmed([properties], wide) == set()
    row.refresh_from_db()
    assert row.needs_repair


def test_tokens_that_do_not_follow_from_the_rule_are_a_disagreement(stored):
    row, properties = stored
    forged = Properties(
        row.id, row.source_id, "a", properties.access_rule, frozenset({ANYONE})
    )
    assert SqlAuthority().confirmed([forged], Scope.of_person([ANYONE])) == set()
    row.refresh_from_db()
    assert row.needs_repair


def test_what_the_scope_does_not_admit_is_left_out_without_a_repair(stored):
    row, properties = stored
    for scope in (
        Scope.of_person([ANYONE]),
        Scope.of_channel([]),
        Scope(tokens=frozenset({WORKSPACE}), statuses=frozenset({Status.DRAFT})),
    ):
        assert SqlAuthority().confirmed([properties], scope) == set()
    row.refresh_from_db()
    assert not row.needs_repair


def test_an_unknown_document_is_left_out(db):
    unknown = Properties(
        uuid4(), uuid4(), "x", access.WORKSPACE_RULE.id, frozenset({WORKSPACE})
    )
    assert SqlAuthority().confirmed([unknown], WORKSPACE_SCOPE) == set()


def test_an_unknown_document_is_removed_from_the_store_by_the_next_sync(stored):
    row, properties = stored
    unknown = replace(properties, document_id=uuid4(), external_id="gone")
    assert SqlAuthority().confirmed([unknown], WORKSPACE_SCOPE) == set()
    queued = Document.objects.get(id=unknown.document_id)
    assert (queued.source, queued.external_id) == (row.source, "gone")
    assert plan_repair(queued).action is Action.DELETE
    assert queued.needs_repair
    assert SqlAuthority().confirmed([unknown], WORKSPACE_SCOPE) == set()


def test_a_document_is_found_by_its_file_where_the_option_ends_with_a_slash(stored):
    files = Source.objects.create(
        kind="files", name="F", options={"path": "/srv/docs/"}
    )
    row = Document.objects.create(
        id=uuid4(), source=files, external_id="x/b.md", state=State.SKIPPED
    )
    assert people.documents_named("/srv/docs/x/b.md") == [row]


def test_documents_are_found_by_link_id_path_or_file(stored):
    row, _ = stored
    row.url = "https://wiki.example/a"
    row.save()
    files = Source.objects.create(kind="files", name="F", options={"path": "/srv/docs"})
    other = Document.objects.create(
        id=uuid4(), source=files, external_id="x/b.md", state=State.SKIPPED
    )
    assert people.documents_named("https://wiki.example/a") == [row]
    assert people.documents_named(f"http://localhost/d/{row.id}") == [row]
    assert people.documents_named("x/b.md") == [other]
    assert people.documents_named("/srv/docs/x/b.md") == [other]
    with pytest.raises(AccessError, match=r"nothing\.md"):
        people.documents_named("nothing.md")
