import threading
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from bots.answer_json import answer_from_json
from bots.asking import (
    FAILED_TEXT,
    INTERRUPTED_TEXT,
    Incoming,
    answer_exchange,
    close_abandoned,
    history,
    normalised,
    receive,
)
from bots.errors import NothingAsked, NotLinked, QuestionTooLong
from bots.models import Exchange
from bots.replies import reply_to
from connectors.access import scope_of
from connectors.models import Document
from memory.documents import Outcome, StageTrace, Turn
from memory.errors import StoreDamaged, StoreError
from memory.outcomes import STORE_DAMAGED, STORE_DOWN
from tests.bots.worlds import abstained, answered, make_person


@pytest.fixture
def incoming(alice):
    def make(text="How old?", thread="t", person=alice, **values):
        account = person.account if person else None
        return Incoming("web", thread, text, person, account, **values)

    return make


@pytest.mark.parametrize("text", ["", "  \n\t", "???", "…!", "👍", "\0\u200b"])
def test_a_question_without_words_is_not_taken(text, incoming):
    with pytest.raises(NothingAsked):
        receive(incoming(text))
    assert not Exchange.objects.exists()


def test_a_question_in_another_script_is_taken():
    assert normalised(" 誰が承認しますか? ") == "誰が承認しますか?"


def test_a_question_over_the_limit_is_refused_and_the_limit_named():
    assert normalised("x" * 4000) == "x" * 4000
    with pytest.raises(QuestionTooLong, match=r"4,001 characters.*at most 4,000"):
        normalised("x" * 4001)


def test_control_characters_go_and_lines_stay():
    assert normalised("one\0\x07\ntwo") == "one\ntwo"


def test_a_question_of_nobody_known_is_refused(incoming):
    with pytest.raises(NotLinked, match="administrator"):
        receive(incoming(person=None))
    assert not Exchange.objects.exists()


def test_the_exchange_is_stored_before_it_is_answered(incoming, pipeline):
    exchange = receive(incoming("  How old?  "))
    assert (exchange.state, exchange.question) == ("queued", "How old?")
    assert pipeline.asked == []


def test_the_answer_is_stored_with_its_figures(incoming, pipeline, document):
    pipeline.answers.append(answered(document))
    done = answer_exchange(receive(incoming()).id)
    assert (done.state, done.outcome) == ("done", "answered")
    assert done.reply == "Laptops are replaced after 36 months."
    assert (done.answerability, done.confidence) == (0.87, 0.8)
    assert done.answer["searched"] == {"Handbook": 1}
    assert done.answered_at is not None
    assert done.milliseconds is not None


def test_an_answer_in_characters_that_no_database_takes_is_stored(incoming, pipeline):
    odd = "a\0b\ud800"
    trace = (StageTrace("answer", 1.0, {odd: odd}),)
    pipeline.answers.append(replace(abstained(), text=odd, trace=trace))
    done = answer_exchange(receive(incoming()).id)
    assert (done.state, done.reply) == ("done", "a\ufffdb\ufffd")


def test_a_renamed_source_is_named_as_it_is_now(incoming, pipeline, source, document):
    pipeline.answers += [answered(document), abstained(document)]
    source.name = "Staff handbook"
    source.save()
    done = answer_exchange(receive(incoming()).id)
    assert [item["source"] for item in done.answer["documents"]] == ["Staff handbook"]
    done = answer_exchange(receive(incoming()).id)
    assert [item["source"] for item in done.answer["nearest"]] == ["Staff handbook"]


def test_the_question_is_asked_under_the_person_s_own_scope(incoming, pipeline, alice):
    answer_exchange(receive(incoming()).id)
    [question] = pipeline.asked
    assert {f"person:{alice.id}", "workspace"} <= question.scope.tokens


def test_the_same_key_is_one_exchange(incoming):
    first = receive(incoming(key="k"))
    assert receive(incoming(key="k")) == first
    assert receive(incoming(key="")) != receive(incoming(key=""))
    assert Exchange.objects.count() == 3


def test_the_same_key_of_another_account_is_another_exchange(incoming):
    bob = make_person("bob")
    assert receive(incoming(key="k")) != receive(incoming(key="k", person=bob))


def test_the_same_key_without_an_account_is_one_exchange(incoming, alice):
    alice.account = None
    first = receive(incoming(key="event-1"))
    assert receive(incoming(key="event-1")) == first
    assert receive(incoming(key="event-2")) != first


def test_two_workers_with_one_event_store_it_once(incoming, alice, monkeypatch):
    alice.account = None
    first = receive(incoming(key="event-1"))
    found = iter([None, first])
    monkeypatch.setattr("bots.asking._known", lambda _incoming: next(found))
    assert receive(incoming(key="event-1")) == first
    assert Exchange.objects.count() == 1


def test_an_exchange_is_answered_once(incoming, pipeline, document):
    pipeline.answers.extend([answered(document), abstained()])
    exchange = receive(incoming())
    answer_exchange(exchange.id)
    assert answer_exchange(exchange.id).outcome == "answered"
    assert len(pipeline.asked) == 1


def test_a_question_that_is_being_answered_is_left_to_its_worker(incoming, pipeline):
    exchange = receive(incoming())
    Exchange.objects.update(state="answering", claimed_at=timezone.now())
    assert answer_exchange(exchange.id).state == "answering"
    assert pipeline.asked == []


def test_an_unexpected_error_is_a_failed_outcome_without_its_details(
    incoming, pipeline
):
    pipeline.answers.append(RuntimeError("secret in a traceback"))
    done = answer_exchange(receive(incoming()).id)
    assert (done.state, done.outcome, done.reply) == ("done", "failed", FAILED_TEXT)
    assert "secret" not in str(done.answer)


def test_the_store_s_own_words_are_for_administrators_alone(incoming, pipeline):
    pipeline.answers.append(StoreError("/srv/attest/store is damaged: rebuild it."))
    done = answer_exchange(receive(incoming()).id)
    assert (done.outcome, done.reply) == ("failed", STORE_DOWN)
    assert "/srv/attest/store" not in str(reply_to(answer_from_json(done.answer)))
    [stage] = done.answer["trace"]
    assert stage["detail"]["message"] == "/srv/attest/store is damaged: rebuild it."


def test_nobody_is_told_to_try_a_damaged_store_again(incoming, pipeline):
    pipeline.answers.append(StoreDamaged("/srv/attest/store is damaged: rebuild it."))
    done = answer_exchange(receive(incoming()).id)
    assert (done.outcome, done.reply) == ("failed", STORE_DAMAGED)


def test_a_worker_that_comes_back_late_writes_nothing(incoming, pipeline, document):
    exchange = receive(incoming())

    class Slow:
        def ask(self, question):
            long_ago = timezone.now() - timedelta(minutes=3)
            Exchange.objects.update(claimed_at=long_ago)
            assert close_abandoned(exchange.account) == 1
            return answered(document)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bots.asking.pipeline", Slow)
        done = answer_exchange(exchange.id)
    assert (done.outcome, done.reply) == ("failed", INTERRUPTED_TEXT)


def test_an_exchange_that_nobody_ever_took_is_ended(incoming):
    exchange = receive(incoming())
    assert close_abandoned(exchange.account) == 0
    Exchange.objects.update(asked_at=timezone.now() - timedelta(minutes=3))
    assert close_abandoned(exchange.account) == 1
    exchange.refresh_from_db()
    assert (exchange.state, exchange.reply) == ("done", INTERRUPTED_TEXT)


def test_an_exchange_that_is_young_is_not_abandoned(incoming):
    exchange = receive(incoming())
    Exchange.objects.update(state="answering", claimed_at=timezone.now())
    assert close_abandoned(exchange.account) == 0


class TestHistory:
    def ask(self, incoming, **values):
        return answer_exchange(receive(incoming(**values)).id)

    def test_it_holds_earlier_turns_of_the_thread_in_order(
        self, incoming, pipeline, document
    ):
        pipeline.answers.extend([answered(document), abstained()])
        self.ask(incoming, text="First?")
        self.ask(incoming, text="Second?")
        self.ask(incoming, text="Third?")
        assert pipeline.asked[0].history == ()
        assert pipeline.asked[2].history == (
            Turn("user", "First?"),
            Turn("assistant", "Laptops are replaced after 36 months."),
            Turn("user", "Second?"),
            Turn("assistant", "I don't have enough information to answer."),
        )

    def test_a_long_thread_costs_as_many_queries_as_a_short_one(
        self, incoming, pipeline, document, alice, django_assert_num_queries
    ):
        pipeline.answers.extend([answered(document) for _ in range(5)])
        for _ in range(5):
            self.ask(incoming)
        last = receive(incoming())
        scope = scope_of(alice)
        history(last, scope)
        # Earlier exchanges, documents that may be read; rules are remembered.
        with django_assert_num_queries(2):
            assert len(history(last, scope)) == 10

    def test_it_holds_no_other_thread(self, incoming, pipeline):
        self.ask(incoming, thread="one")
        self.ask(incoming, thread="two")
        assert pipeline.asked[1].history == ()

    def test_it_holds_no_other_person_s_turns(self, incoming, pipeline):
        self.ask(incoming, person=make_person("bob"))
        self.ask(incoming)
        assert pipeline.asked[1].history == ()

    def test_a_failed_reply_is_left_out(self, incoming, pipeline):
        pipeline.answers.append(RuntimeError())
        self.ask(incoming, text="First?")
        self.ask(incoming, text="Second?")
        assert pipeline.asked[1].history == (Turn("user", "First?"),)

    def test_a_reply_whose_document_may_no_longer_be_read_is_left_out(
        self, incoming, pipeline, document
    ):
        pipeline.answers.append(answered(document))
        self.ask(incoming, text="First?")
        Document.objects.update(rule=None)
        self.ask(incoming, text="Second?")
        assert pipeline.asked[1].history == (Turn("user", "First?"),)


@pytest.mark.django_db(transaction=True)
def test_two_deliveries_at_once_are_one_exchange(incoming):
    ready, found = threading.Barrier(4), []

    def deliver():
        ready.wait()
        found.append(receive(incoming(key="k")).id)
        connection.close()

    threads = [threading.Thread(target=deliver) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    assert Exchange.objects.get().outcome != Outcome.FAILED
