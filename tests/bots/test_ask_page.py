import re
import uuid
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from bots.asking import Incoming, answer_exchange, receive
from bots.models import Exchange, Feedback
from connectors.models import Document
from memory.access import AccessRule, person
from memory.documents import Evidence
from tests.bots.pages import page, without_tokens
from tests.bots.worlds import (
    abstained,
    answered,
    linked,
    make_document,
    make_person,
)

#: The same in every worker of a run, as it's in tests' names.
NOBODYS = uuid.UUID(int=1)


def ask(client, text="How old?", **fields):
    return client.post(
        "/", {"question": text, "key": uuid.uuid4(), **fields}, follow=True
    )


@pytest.mark.parametrize("address", ["/", f"/t/{NOBODYS}", f"/d/{NOBODYS}"])
def test_nobody_asks_or_reads_without_signing_in(client, db, address):
    response = client.get(address)
    assert response.status_code == 302
    assert response["Location"].startswith(reverse("sign-in"))


def test_the_empty_page_has_a_labelled_box(signed_in):
    text = page(signed_in.get("/"))
    assert '<label for="question">Your question</label>' in text
    assert "data-pending" not in text


def test_the_empty_page_says_what_can_be_asked_about(signed_in, source):
    assert "There are no documents yet that you may read." in page(signed_in.get("/"))
    make_document(source)
    make_document(source, "secret.md", rule=AccessRule.of())
    assert "You may read 1 document in Handbook." in page(signed_in.get("/"))


def test_control_characters_in_a_question_are_dropped(signed_in, pipeline, document):
    pipeline.answers.append(answered(document))
    assert ask(signed_in, "How\0 old\x1b?").status_code == 200
    assert Exchange.objects.get().question == "How old?"


def test_an_answer_has_numbers_sources_and_what_was_searched(
    signed_in, pipeline, document
):
    pipeline.answers.append(answered(document))
    response = ask(signed_in)
    exchange = Exchange.objects.get()
    assert response.redirect_chain == [(f"/t/{exchange.thread}#e-{exchange.id}", 302)]
    text = page(response)
    assert (
        "<q>Laptops are replaced after 36 months.</q>&nbsp;"
        f'<a class="cite" href="#e-{exchange.id}-source-1" aria-label="Source 1">[1]</a>'
    ) in text
    assert f'<li id="e-{exchange.id}-source-1" value="1">' in text
    assert "Quoted from the documents" in text
    assert "Searched 1,204 documents that you may read in Handbook." in text
    assert "The documents likely hold this answer (87%)." in text
    assert 'title="1 November 2026, 09:30 UTC">updated ' in text


def test_a_source_without_an_address_links_its_page_here(signed_in, pipeline, document):
    pipeline.answers.append(answered(document))
    text = page(ask(signed_in))
    assert re.search(rf'<a href="/d/{document.id}\?[^"]+">Equipment policy</a>', text)


def test_a_source_with_an_address_links_that_and_the_page_here(
    signed_in, pipeline, source
):
    document = make_document(source, url="https://wiki.example/1")
    pipeline.answers.append(answered(document))
    text = page(ask(signed_in))
    assert 'href="https://wiki.example/1" rel="noopener noreferrer"' in text
    assert re.search(rf'<a href="/d/{document.id}\?[^"]+">as indexed</a>', text)


def test_evidence_links_to_its_place_in_the_document(signed_in, pipeline, document):
    answer = answered(document)
    pipeline.answers.append(answer)
    text = page(ask(signed_in))
    exchange = Exchange.objects.get()
    chunk_id = answer.evidence[0].chunk_id
    query = f"exchange={exchange.id}&amp;chunk={chunk_id}"
    address = f"/d/{document.id}?{query}#c-{chunk_id}"
    # The source and the piece of evidence lead to the same place.
    assert text.count(f'<a href="{address}">Equipment policy</a>') == 2
    assert '<details class="evidence"' in text
    assert "Found, but not used" not in text


def test_what_the_answer_did_not_use_is_apart(signed_in, pipeline, document):
    used = answered(document).evidence[0]
    other = Evidence(uuid.UUID(int=8), document.id, "", "IT orders it.", tokens=9)
    pipeline.answers.append(answered(document, evidence=(other, used)))
    evidence, rest = page(ask(signed_in)).split("Found, but not used")
    assert '(1 passage)</span></summary> <section class="proof">' in evidence
    assert "IT orders it." in rest
    assert "IT orders it." not in evidence


@pytest.mark.parametrize(("probability", "doubtful"), [(0.49, True), (0.5, False)])
def test_an_answer_that_may_be_none_says_so_first(
    signed_in, pipeline, document, probability, doubtful
):
    answer = replace(answered(document), answerability=probability)
    pipeline.answers.append(answer)
    text = page(ask(signed_in))
    assert ("This may not answer your question." in text) is doubtful


def test_what_was_searched_is_counted_here_where_the_pipeline_does_not(
    signed_in, pipeline, document, source
):
    make_document(source, "old.md", status="archived")
    make_document(source, "secret.md", rule=AccessRule.of())
    pipeline.answers.append(answered(document, searched_documents=None))
    assert "Searched 1 document that you may read in Handbook." in page(ask(signed_in))


def test_steps_of_two_documents_are_two_lists(signed_in, pipeline, document):
    text = "1. One\n2. Two\n1. Uno\n  - Bullet\n2. Due"
    pipeline.answers.append(answered(document, text, sentences=()))
    assert (
        '<ol><li value="1">One</li><li value="2">Two</li></ol>'
        '<ol><li value="1">Uno<ul><li>Bullet</li></ul></li><li value="2">Due</li></ol>'
    ) in page(ask(signed_in))


def test_text_that_no_model_quoted_is_not_marked_as_quoted(
    signed_in, pipeline, document
):
    pipeline.answers.append(answered(document, extractive=False))
    text = page(ask(signed_in))
    assert "<q>" not in text
    assert "Quoted from" not in text


def test_an_abstention_has_the_exact_text_and_no_sources(signed_in, pipeline, document):
    pipeline.answers.append(abstained(document))
    text = page(ask(signed_in))
    assert "<p>I don&#x27;t have enough information to answer.</p>" in text
    assert "<h3>Might help</h3>" in text
    assert "<h3>Sources</h3>" not in text
    assert "Equipment policy" in text


def test_a_failure_is_told_apart_from_an_abstention(signed_in, pipeline):
    pipeline.answers.append(RuntimeError())
    response = ask(signed_in)
    assert response.status_code == 200
    text = page(response)
    assert "This failed; it doesn't mean that the documents don't say." in text
    assert "enough information" not in text
    assert 'class="exchange failed"' in text


@pytest.mark.parametrize("question", ["", "  ", "?!"])
def test_no_words_get_a_friendly_message_and_no_exchange(signed_in, question):
    response = ask(signed_in, question)
    assert response.status_code == 422
    assert "Please type a question" in page(response)
    assert not Exchange.objects.exists()


def test_a_long_question_is_refused_and_kept_in_the_box(signed_in):
    question = "word " * 4000
    response = ask(signed_in, question)
    assert response.status_code == 422
    assert "at most 4,000" in page(response)
    assert question in response.content.decode()
    assert not Exchange.objects.exists()


def test_an_instruction_in_a_question_is_only_text(signed_in, pipeline):
    text = page(ask(signed_in, "{{ settings.SECRET_KEY }} <script>alert(1)</script>"))
    assert "{{ settings.SECRET_KEY }} &lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text


def test_nothing_in_an_answer_becomes_markup(signed_in, pipeline, source):
    evil = '"><img src=x onerror=alert(1)>'
    document = make_document(source, title=evil, url="javascript:alert(1)")
    pipeline.answers.append(answered(document, text=f"# {evil}"))
    text = page(ask(signed_in, evil))
    assert "<img" not in text
    assert "javascript:" not in text


def test_sending_the_form_twice_asks_once(signed_in, pipeline, document):
    pipeline.answers.extend([answered(document), abstained()])
    key = uuid.uuid4()
    first = ask(signed_in, key=key)
    second = ask(signed_in, key=key)
    assert first.redirect_chain == second.redirect_chain
    assert len(pipeline.asked) == 1


def test_an_edited_question_from_the_same_form_is_another_one(signed_in, pipeline):
    key = uuid.uuid4()
    ask(signed_in, "One?", key=key)
    ask(signed_in, "Two?", key=key)
    assert [question.text for question in pipeline.asked] == ["One?", "Two?"]


def test_a_broken_key_or_thread_is_not_found(signed_in):
    assert ask(signed_in, key="x").status_code == 404
    assert ask(signed_in, thread="x").status_code == 404


def test_a_follow_up_stays_in_its_thread_and_brings_the_history(
    signed_in, pipeline, document
):
    pipeline.answers.append(answered(document))
    ask(signed_in, "First?")
    thread = Exchange.objects.get().thread
    text = page(ask(signed_in, "And for interns?", thread=thread))
    assert [turn.content for turn in pipeline.asked[1].history] == [
        "First?",
        "Laptops are replaced after 36 months.",
    ]
    assert text.index(">First?</h2>") < text.index(">And for interns?</h2>")
    assert "Ask a follow-up question" in text


def test_earlier_questions_are_listed_newest_thread_first(signed_in, pipeline):
    ask(signed_in, "Older?")
    thread = Exchange.objects.get().thread
    ask(signed_in, "Newer?")
    ask(signed_in, "Follow-up?", thread=thread)
    threads = page(signed_in.get("/")).split("Earlier questions")[1]
    assert threads.index("Older?") < threads.index("Newer?")
    assert "Follow-up?" not in threads


class TestOthers:
    """What belongs to somebody else is the same as what doesn't exist."""

    @pytest.fixture
    def other(self, pipeline, document, alice):
        return Exchange.objects.create(
            platform="web",
            thread=str(uuid.uuid4()),
            question="Secret question?",
            person=alice,
            account=alice.account,
            state="done",
            outcome="abstained",
        )

    @pytest.fixture
    def bob(self, client, db):
        client.force_login(make_person("bob").account)
        return client

    def test_their_thread_is_not_found(self, bob, other):
        theirs = bob.get(f"/t/{other.thread}")
        nothing = bob.get(f"/t/{uuid.uuid4()}")
        assert theirs.status_code == nothing.status_code == 404
        assert without_tokens(theirs) == without_tokens(nothing)

    def test_their_thread_takes_no_question(self, bob, other):
        assert ask(bob, thread=other.thread).status_code == 404
        assert Exchange.objects.count() == 1

    def test_their_exchange_takes_no_feedback(self, bob, other):
        response = bob.post(f"/exchanges/{other.id}/feedback", {"value": "up"})
        assert response.status_code == 404
        assert not Feedback.objects.exists()

    def test_their_questions_are_not_listed(self, bob, other):
        assert "Secret question?" not in page(bob.get("/"))


class TestAccessThatWasTakenAway:
    def test_the_answer_its_title_and_its_evidence_are_hidden(
        self, signed_in, pipeline, document
    ):
        pipeline.answers.append(answered(document))
        ask(signed_in)
        Document.objects.update(rule=None)
        text = page(signed_in.get(f"/t/{Exchange.objects.get().thread}"))
        assert "This reply is hidden" in text
        assert "36 months" not in text
        assert "Equipment policy" not in text

    def test_a_nearest_document_is_left_out(
        self, signed_in, pipeline, document, source
    ):
        bob = make_person("bob")
        secret = make_document(
            source,
            "secret.md",
            title="Secret plan",
            rule=AccessRule.of([person(bob.id)]),
        )
        pipeline.answers.append(abstained(document, secret))
        text = page(ask(signed_in))
        assert "Equipment policy" in text
        assert "Secret plan" not in text

    def test_evidence_of_it_is_left_out(self, signed_in, pipeline, document, source):
        secret = make_document(source, "secret.md", rule=AccessRule.of())
        evidence = answered(secret, text="Secret text.").evidence
        pipeline.answers.append(answered(document, evidence=evidence))
        assert "Secret text." not in page(ask(signed_in))


class TestAccountWithoutPerson:
    @pytest.fixture
    def unlinked(self, client, db):
        client.force_login(User.objects.create_user("carol"))
        return client

    def test_the_page_says_what_to_do(self, unlinked):
        text = page(unlinked.get("/"))
        assert "isn't linked to a person" in text
        assert "Ask an administrator to link it" in text

    def test_a_question_is_not_taken(self, unlinked, pipeline):
        response = ask(unlinked)
        assert response.status_code == 422
        assert "isn&#x27;t linked to a person yet" in page(response)
        assert not Exchange.objects.exists()

    def test_a_document_is_not_found(self, unlinked, document):
        assert unlinked.get(f"/d/{document.id}").status_code == 404


def test_a_guest_reads_no_workspace_document(client, pipeline, document):
    client.force_login(make_person("guest", employee=False).account)
    pipeline.answers.append(answered(document))
    text = page(ask(client))
    assert "This reply is hidden" in text
    assert client.get(f"/d/{document.id}").status_code == 404


def test_a_question_in_work_elsewhere_shows_as_searching(signed_in, alice):
    exchange = Exchange.objects.create(
        platform="web",
        thread=str(uuid.uuid4()),
        question="Slow?",
        person=alice,
        account=alice.account,
        state="answering",
        claimed_at=timezone.now(),
    )
    text = page(signed_in.get(f"/t/{exchange.thread}"))
    assert 'id="thread" data-pending' in text
    assert '<meta http-equiv="refresh"' in text


class TestFeedback:
    @pytest.fixture
    def exchange(self, signed_in, pipeline, document):
        pipeline.answers.append(answered(document))
        ask(signed_in)
        return Exchange.objects.get()

    def send(self, client, exchange, **fields):
        return client.post(f"/exchanges/{exchange.id}/feedback", fields, follow=True)

    def test_a_thumb_is_kept_and_shown(self, signed_in, exchange):
        text = page(self.send(signed_in, exchange, value="up"))
        assert Feedback.objects.get().value == "up"
        assert 'value="up" aria-pressed="true"' in text
        assert 'value="down" aria-pressed="false"' in text

    def test_it_can_be_changed_and_taken_back(self, signed_in, exchange):
        self.send(signed_in, exchange, value="up")
        self.send(signed_in, exchange, value="down")
        assert Feedback.objects.get().value == "down"
        self.send(signed_in, exchange, value="none")
        assert not Feedback.objects.exists()

    def test_a_reason_and_a_comment_are_kept(self, signed_in, exchange):
        text = page(
            self.send(
                signed_in,
                exchange,
                value="down",
                reason="outdated",
                comment="It's <b>48</b>.",
            )
        )
        feedback = Feedback.objects.get()
        assert (feedback.reason, feedback.comment) == ("outdated", "It's <b>48</b>.")
        assert '<option value="outdated" selected>' in text
        assert "It&#x27;s &lt;b&gt;48&lt;/b&gt;." in text

    def test_a_reason_goes_when_the_thumb_turns_up(self, signed_in, exchange):
        self.send(signed_in, exchange, value="down", reason="wrong")
        self.send(signed_in, exchange, value="up")
        assert Feedback.objects.get().reason == ""

    def test_a_long_comment_is_refused_and_kept_in_the_box(self, signed_in, exchange):
        response = self.send(signed_in, exchange, value="down", comment="x" * 2001)
        assert response.status_code == 422
        text = page(response)
        assert "at most 2,000 characters; this one has 2001." in text
        assert "x" * 2001 in text
        assert not Feedback.objects.exists()

    @pytest.mark.parametrize(
        "fields", [{}, {"value": "x"}, {"value": "up", "reason": "x"}]
    )
    def test_nonsense_is_refused(self, signed_in, exchange, fields):
        assert self.send(signed_in, exchange, **fields).status_code == 422
        assert not Feedback.objects.exists()

    def test_it_is_sent_by_post_only(self, signed_in, exchange):
        assert signed_in.get(f"/exchanges/{exchange.id}/feedback").status_code == 405


def test_a_thread_costs_a_bounded_number_of_queries(
    signed_in, pipeline, document, alice, django_assert_max_num_queries
):
    thread = str(uuid.uuid4())
    for number in range(30):
        pipeline.answers.append(answered(document))
        incoming = Incoming("web", thread, f"Q{number}?", alice, alice.account)
        answer_exchange(receive(incoming).id)
    with django_assert_max_num_queries(14):
        assert signed_in.get(f"/t/{thread}").status_code == 200


def test_pages_allow_no_inline_code(signed_in, pipeline, document):
    pipeline.answers.append(answered(document))
    response = ask(signed_in)
    policy = response["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy
    text = response.content.decode()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"\s(style|on[a-z]+)=", text)


def test_linked_documents_are_listed_even_without_a_sentence(
    signed_in, pipeline, document, source
):
    second = make_document(source, "other.md", title="Other page")
    answer = answered(document, documents=(linked(document), linked(second)))
    pipeline.answers.append(answer)
    assert "Other page" in page(ask(signed_in))
