import html
import uuid

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from bots.answer_json import answer_to_json
from bots.models import Exchange, Feedback
from connectors.models import (
    Document,
    Group,
    IdentityLink,
    Membership,
    Person,
    SyncIssue,
    SyncRun,
)
from tests.bots.pages import page
from tests.bots.worlds import (
    answered,
    make_document,
    make_person,
    make_source,
)

LISTS = [
    "connectors_source",
    "connectors_document",
    "connectors_syncrun",
    "connectors_syncissue",
    "bots_exchange",
    "bots_feedback",
    "connectors_person",
    "connectors_identitylink",
    "connectors_group",
    "connectors_membership",
    "auth_user",
]
READ_ONLY = [
    name
    for name in LISTS
    if name.split("_")[1]
    in {"document", "syncrun", "syncissue", "exchange", "feedback"}
]


def list_page(client, name, **query):
    return client.get(reverse(f"admin:{name}_changelist"), query)


def row_page(client, row):
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    return client.get(reverse(name, args=[row.pk]))


@pytest.fixture
def root(client, db):
    person = make_person("root", is_staff=True, is_superuser=True)
    client.force_login(person.account)
    return client


@pytest.fixture
def staff(client, db):
    """Somebody who sees every list and is no superuser."""
    person = make_person("staff", is_staff=True)
    views = Permission.objects.filter(codename__startswith="view_")
    person.account.user_permissions.set(views)
    client.force_login(person.account)
    return client


def fill(count):
    """Make rows of every kind; each has relations of its own."""
    for number in range(count):
        source = make_source(f"Source {number} {uuid.uuid4()}")
        document = make_document(source, url=f"https://wiki.example/{number}")
        run = SyncRun.objects.create(
            source=source, state="succeeded", counts={"seen": 3, "indexed": 1}
        )
        SyncIssue.objects.create(run=run, severity="error", reason="x", message="m")
        person = make_person(f"p{uuid.uuid4().hex[:12]}")
        IdentityLink.objects.create(
            person=person, origin="slack", account_id=uuid.uuid4().hex
        )
        group = Group.objects.create(principal=f"group:{uuid.uuid4()}")
        Membership.objects.create(group=group, person=person)
        exchange = make_exchange(document, person)
        Feedback.objects.create(exchange=exchange, account=person.account, value="up")


def make_exchange(document, person, question="How old?"):
    answer = answered(document)
    return Exchange.objects.create(
        platform="web",
        thread="t",
        question=question,
        person=person,
        account=person.account,
        state="done",
        outcome="answered",
        reply=answer.text,
        answerability=0.87,
        confidence=0.8,
        answer=answer_to_json(answer),
        answered_at=timezone.now(),
        milliseconds=120,
    )


@pytest.mark.parametrize("name", LISTS)
def test_a_list_costs_as_many_queries_for_many_rows_as_for_few(
    root, name, django_assert_max_num_queries
):
    fill(2)
    list_page(root, name)
    with django_assert_max_num_queries(100) as few:
        assert list_page(root, name).status_code == 200
    fill(12)
    with django_assert_max_num_queries(len(few)):
        assert list_page(root, name).status_code == 200
    assert len(few) <= 16


@pytest.mark.parametrize("name", LISTS)
def test_a_list_can_be_searched_and_is_closed_to_others(root, client, name):
    fill(1)
    if name not in {"connectors_syncrun"}:
        assert list_page(root, name, q="zz'\"%").status_code == 200
    client.force_login(make_person("alice").account)
    assert list_page(client, name).status_code == 302


@pytest.mark.parametrize("name", READ_ONLY)
def test_what_the_product_writes_is_only_looked_at(root, name):
    fill(1)
    label, model = name.split("_")
    assert root.get(reverse(f"admin:{name}_add")).status_code == 403
    row = {
        "document": Document,
        "syncrun": SyncRun,
        "syncissue": SyncIssue,
        "exchange": Exchange,
        "feedback": Feedback,
    }[model].objects.get()
    assert row_page(root, row).status_code == 200
    change = reverse(f"admin:{name}_change", args=[row.pk])
    assert root.post(change, {"title": "changed"}).status_code == 403
    assert root.post(reverse(f"admin:{name}_delete", args=[row.pk])).status_code == 403


class TestDocuments:
    def test_the_list_shows_state_reason_and_source(self, root):
        source = make_source("Wiki")
        make_document(source, title="Odd <b>page</b>", state="failed", reason="damaged")
        text = page(list_page(root, "connectors_document"))
        assert "Odd &lt;b&gt;page&lt;/b&gt;" in text
        assert "damaged" in text
        assert "Wiki" in text

    def test_it_is_found_by_title_and_by_path(self, root):
        source = make_source()
        make_document(source, "a/travel.md", title="Trips")
        make_document(source, "b.md", title="Laptops")
        for words in ("trips", "travel"):
            text = page(list_page(root, "connectors_document", q=words))
            assert "Trips" in text
            assert "Laptops" not in text

    def test_it_is_filtered_by_state(self, root):
        source = make_source()
        make_document(source, "a.md", title="Good one")
        make_document(source, "b.md", title="Bad one", state="failed")
        text = page(list_page(root, "connectors_document", state__exact="failed"))
        assert "Bad one" in text
        assert "Good one" not in text

    def test_its_text_is_never_shown(self, root):
        document = make_document(make_source())
        text = page(row_page(root, document))
        assert "36 months" not in text
        assert f'href="/d/{document.id}"' in text
        assert "(workspace)" in text


class TestRuns:
    def test_a_run_shows_counts_times_and_issues(self, root):
        run = SyncRun.objects.create(
            source=make_source(),
            state="failed",
            message="It broke.",
            counts={"seen": 9, "failed": 2},
            stage_seconds={"read": 1.5},
        )
        SyncIssue.objects.create(
            run=run,
            severity="error",
            reason="damaged",
            title="Odd page",
            external_id="odd.pdf",
            message="It can't be opened.",
        )
        text = html.unescape(page(row_page(root, run)))
        for words in ("seen: 9", "read: 1.5 s", "It broke.", "It can't be opened."):
            assert words in text

    def test_the_list_counts_each_run_s_own_issues(self, root):
        source = make_source()
        many, none = (SyncRun.objects.create(source=source) for _ in range(2))
        SyncIssue.objects.bulk_create(
            SyncIssue(run=many, severity="error", reason="x", message="m")
            for _ in range(3)
        )
        response = root.get(reverse("admin:connectors_syncrun_changelist"))
        counts = {run.pk: run.issue_count for run in response.context["cl"].result_list}
        assert counts == {many.pk: 3, none.pk: 0}

    def test_thousands_of_issues_come_a_page_at_a_time(self, root):
        run = SyncRun.objects.create(source=make_source())
        SyncIssue.objects.bulk_create(
            SyncIssue(run=run, severity="error", reason="x", message=f"issue-{n:04}-")
            for n in range(300)
        )
        text = page(row_page(root, run))
        assert text.count("issue-00") <= 200
        assert "issue-0299-" not in text

    def test_only_a_running_one_is_asked_to_stop(self, root):
        source = make_source()
        running = SyncRun.objects.create(source=source, state="running")
        done = SyncRun.objects.create(source=source, state="succeeded")
        root.post(
            reverse("admin:connectors_syncrun_changelist"),
            {"action": "cancel", "_selected_action": [running.pk, done.pk]},
        )
        running.refresh_from_db()
        done.refresh_from_db()
        assert running.cancel_requested
        assert not done.cancel_requested

    def test_staff_who_may_only_look_can_not_stop_one(self, staff):
        run = SyncRun.objects.create(source=make_source(), state="running")
        staff.post(
            reverse("admin:connectors_syncrun_changelist"),
            {"action": "cancel", "_selected_action": [run.pk]},
        )
        run.refresh_from_db()
        assert not run.cancel_requested


class TestQuestions:
    @pytest.fixture
    def exchange(self, db):
        document = make_document(make_source())
        return make_exchange(document, make_person("asker"), "How <i>old</i>?")

    def test_the_list_shows_outcome_thumbs_and_answerability(self, root, exchange):
        Feedback.objects.create(exchange=exchange, value="down")
        text = page(list_page(root, "bots_exchange"))
        assert "How &lt;i&gt;old&lt;/i&gt;?" in text
        for words in ("Answered", "87%", "1 down"):
            assert words in text

    def test_it_is_found_by_its_question(self, root, exchange):
        assert "How &lt;i&gt;" in page(list_page(root, "bots_exchange", q="old"))
        assert "How &lt;i&gt;" not in page(list_page(root, "bots_exchange", q="zebra"))

    def test_a_superuser_sees_reply_evidence_and_trace(self, root, exchange):
        text = html.unescape(page(row_page(root, exchange)))
        assert text.count("Laptops are replaced after 36 months.") == 2
        assert "<strong>in the answer</strong>" in text
        assert '"stage": "retrieve"' in text

    def test_it_leads_to_its_conversation_and_shows_what_was_said_of_it(
        self, root, exchange
    ):
        asker = exchange.person
        make_exchange(Document.objects.get(), asker, "And then?")
        other = make_exchange(Document.objects.get(), asker, "Another matter?")
        Exchange.objects.filter(pk=other.pk).update(thread="u")
        Feedback.objects.create(
            exchange=exchange, value="down", reason="outdated", comment="<u>Old</u>"
        )
        text = page(row_page(root, exchange))
        assert "Down: It&#x27;s outdated: &lt;u&gt;Old&lt;/u&gt;" in text
        assert ">2 questions</a>" in text
        query = {"thread__exact": "t", "platform__exact": "web"}
        listed = page(list_page(root, "bots_exchange", **query))
        assert "And then?" in listed
        assert "Another matter?" not in listed

    def test_other_staff_see_neither_and_are_told_so(self, staff, exchange):
        text = html.unescape(page(row_page(staff, exchange)))
        assert "Shown to superusers only" in text
        assert "36 months" not in text
        assert "in the answer" not in text
        assert '"stage": "retrieve"' not in text

    def test_staff_do_not_see_text_in_any_list(self, staff, exchange):
        for name in LISTS:
            assert "36 months" not in page(list_page(staff, name))

    def test_feedback_shows_reason_comment_and_exchange(self, root, exchange):
        feedback = Feedback.objects.create(
            exchange=exchange, value="down", reason="outdated", comment="<u>Old</u>"
        )
        for response in (list_page(root, "bots_feedback"), row_page(root, feedback)):
            text = page(response)
            assert "outdated" in text
            assert "&lt;u&gt;Old&lt;/u&gt;" in text
            assert reverse("admin:bots_exchange_change", args=[exchange.pk]) in text


class TestPeople:
    def test_linking_an_account_gives_it_a_person(self, root, client):
        person = Person.objects.create(name="Carol", email="c@example.com")
        account = make_person("dave").account
        Person.objects.filter(account=account).delete()
        data = {
            "name": "Carol",
            "email": "c@example.com",
            "is_employee": "on",
            "account": account.pk,
            "links-TOTAL_FORMS": 0,
            "links-INITIAL_FORMS": 0,
            "membership_set-TOTAL_FORMS": 0,
            "membership_set-INITIAL_FORMS": 0,
        }
        address = reverse("admin:connectors_person_change", args=[person.pk])
        assert root.post(address, data).status_code == 302
        person.refresh_from_db()
        assert person.account == account

    def test_an_account_without_a_person_is_named_so(self, root):
        make_person("dave")
        Person.objects.filter(name="Dave").delete()
        assert "nobody: may read nothing" in page(list_page(root, "auth_user"))

    def test_a_group_is_not_added_by_hand(self, root):
        assert root.get(reverse("admin:connectors_group_add")).status_code == 403
        group = Group.objects.create(principal="group:x:1", name="All hands")
        assert row_page(root, group).status_code == 200


class TestOverview:
    def test_an_empty_installation_says_what_to_do(self, root):
        text = page(root.get(reverse("admin:index")))
        assert "Nothing does." in text
        assert "No source was synced yet." in text

    def test_it_counts_and_names_what_needs_a_person(self, root):
        source = make_source("Wiki")
        source.state = "held"
        source.save()
        make_document(source, "a.md")
        make_document(source, "b.md", state="failed")
        SyncRun.objects.create(source=source, state="held", message="9 are missing.")
        text = page(root.get(reverse("admin:index")))
        for words in (
            "Held sources, to approve deletions: 1",
            "Documents that can&#x27;t be read: 1",
            "9 are missing.",
        ):
            assert words in text

    def test_it_costs_as_many_queries_whatever_there_is(
        self, root, django_assert_max_num_queries
    ):
        fill(10)
        with django_assert_max_num_queries(16):
            assert root.get(reverse("admin:index")).status_code == 200

    def test_the_side_bar_leads_to_every_list(self, root):
        text = page(root.get(reverse("admin:index")))
        for name in set(LISTS) - {"connectors_membership"}:
            assert reverse(f"admin:{name}_changelist") in text
