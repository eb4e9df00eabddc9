"""The pipeline with a model's stages: deadline, verdict, evidence that stays here."""

import time
from uuid import UUID

import pytest

from memory.access import WORKSPACE_SCOPE
from memory.deadline import remaining
from memory.documents import Outcome, Question
from memory.megamem import Staying
from memory.query.base import Judgement, WeightedQuery
from tests.memory.query.examples import SOURCE, candidate
from tests.memory.test_megamem import (
    Broken,
    FakeRetriever,
    FirstCard,
    OneExpansion,
    OwnCards,
    Probabilities,
    ask,
    pipeline,
)


class Slow:
    """A stage that takes some time, and keeps how long it was given."""

    name = "slow"

    def __init__(self, inner=None, seconds=0.0):
        self.inner = inner
        self.seconds = seconds
        self.calls = 0
        self.given = None

    def __getattr__(self, stage):
        def run(*arguments):
            self.calls += 1
            self.given = remaining(1000.0)
            time.sleep(self.seconds)
            return getattr(self.inner, stage)(*arguments)

        return run


class AsIs:
    def rerank(self, text, candidates):
        return list(candidates)

    def queries(self, text, history):
        return [WeightedQuery(text, 1.0, "original")]


class SaysNo:
    def __init__(self):
        self.read = []

    def judge(self, text, evidence):
        self.read.append([card.text for card in evidence])
        return Judgement(0.0, "who approves")


class Watching(Probabilities):
    """A gate that keeps the judgements it was given."""

    def answerability(self, text, ranked, packed):
        self.seen = [*getattr(self, "seen", []), packed.judgement]
        return super().answerability(text, ranked, packed)


def in_time(system, seconds):
    return system.ask(Question("Who approves?", WORKSPACE_SCOPE, deadline_s=seconds))


def test_every_stage_works_under_the_questions_deadline():
    answerer = Slow(FirstCard())
    in_time(pipeline(candidate(1), answerer=answerer), 30.0)
    assert 25.0 < answerer.given <= 30.0


def test_an_optional_stage_gets_a_share_of_it():
    transform, reranker = Slow(AsIs()), Slow(AsIs())
    in_time(pipeline(candidate(1), transform=transform, reranker=reranker), 40.0)
    assert transform.given <= 10.0
    assert reranker.given <= 10.0


def test_optional_stages_are_skipped_when_time_is_short_and_it_says_so():
    reranker, verdict = Slow(AsIs()), SaysNo()
    system = pipeline(
        candidate(1),
        transform=Slow(AsIs(), seconds=0.65),
        reranker=reranker,
        verdict=verdict,
        expander=OneExpansion(),
        gate=Probabilities(0.9),
    )
    answer = in_time(system, 1.0)
    assert answer.outcome is Outcome.ANSWERED
    assert reranker.calls == 0
    assert verdict.read == []
    assert answer.fallbacks == (
        "rerank: skipped, the question's time is running out",
        "verdict: skipped, the question's time is running out",
    )


def test_when_time_is_up_before_answering_it_fails_and_offers_the_evidence():
    answerer = Slow(FirstCard())
    system = pipeline(
        candidate(1), gate=Slow(Probabilities(0.9), seconds=0.1), answerer=answerer
    )
    answer = in_time(system, 0.05)
    assert answer.outcome is Outcome.FAILED
    assert "no time left" in answer.text
    assert [document.external_id for document in answer.nearest] == ["1.md"]
    assert answerer.calls == 0
    assert answer.fallbacks == ("answer: DeadlineExceeded, no answer",)


def test_when_time_is_up_before_searching_it_fails_and_not_by_the_store():
    system = pipeline(candidate(1), transform=Slow(AsIs(), seconds=0.1))
    answer = in_time(system, 0.05)
    assert answer.outcome is Outcome.FAILED
    assert "took longer" in answer.text


def test_attribution_is_skipped_at_the_end_and_the_text_stays():
    system = pipeline(
        candidate(1, text="The manager approves."),
        answerer=Slow(FirstCard(), seconds=0.6),
    )
    answer = in_time(system, 0.6)
    assert answer.text == "The manager approves."
    assert answer.documents == ()
    assert answer.fallbacks[0].startswith("attribution: skipped")


def test_no_time_for_the_second_search_leaves_the_first_ones_verdict():
    system = pipeline(
        candidate(1),
        gate=Probabilities(0.2),
        expander=Slow(OneExpansion(), seconds=0.8),
    )
    answer = in_time(system, 0.8)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.fallbacks == ("expansion: DeadlineExceeded, first pass",)


def test_the_models_verdict_reaches_the_gate_and_the_trace():
    gate, verdict = Watching(0.9), SaysNo()
    answer = ask(pipeline(candidate(1, text="Text."), gate=gate, verdict=verdict))
    assert gate.seen == [Judgement(0.0, "who approves")]
    assert len(verdict.read) == 1
    (stage,) = [stage for stage in answer.trace if stage.stage == "verdict"]
    assert stage.detail == {"answered": 0.0, "missing": "who approves"}


def test_a_broken_verdict_leaves_the_raw_signals():
    gate = Watching(0.9)
    answer = ask(pipeline(candidate(1), gate=gate, verdict=Broken()))
    assert answer.outcome is Outcome.ANSWERED
    assert gate.seen == [None]
    assert answer.fallbacks == ("verdict: RuntimeError, raw signals alone",)


def staying(*sources):
    return Staying(lambda: frozenset(sources), FirstCard(), OwnCards())


def test_evidence_of_a_source_that_stays_is_read_by_no_model_elsewhere():
    verdict, answerer, attributor = SaysNo(), Slow(FirstCard()), Slow(OwnCards())
    answer = ask(
        pipeline(
            candidate(1, text="Secret."),
            verdict=verdict,
            answerer=answerer,
            attributor=attributor,
            gate=Probabilities(0.9),
            staying=staying(SOURCE),
        )
    )
    assert answer.text == "Secret."
    assert [document.external_id for document in answer.documents] == ["1.md"]
    assert verdict.read == []
    assert answerer.calls == attributor.calls == 0


def test_other_evidence_is_read_by_the_model():
    answerer = Slow(FirstCard())
    ask(pipeline(candidate(1), answerer=answerer, staying=staying(UUID(int=99))))
    assert answerer.calls == 1


def test_where_it_cannot_be_told_what_stays_nothing_is_sent():
    answerer = Slow(FirstCard())
    answer = ask(
        pipeline(
            candidate(1),
            answerer=answerer,
            staying=Staying(Broken().sources, FirstCard(), None),
        )
    )
    assert answer.outcome is Outcome.FAILED
    assert answerer.calls == 0


@pytest.mark.parametrize(
    ("weights", "asked"),
    [((1.0, 1.0), "own"), ((0.3, 1.0), "folded"), ((1.0, 0.5), "own")],
)
def test_the_heaviest_wording_is_what_is_ranked_and_answered(weights, asked):
    class Two:
        def queries(self, text, history):
            first, second = weights
            return [
                WeightedQuery("own", first, "original"),
                WeightedQuery("folded", second, "canonical"),
            ]

    class Kept(FirstCard):
        def answer(self, text, history, evidence):
            self.text = text
            return super().answer(text, history, evidence)

    answerer = Kept()
    retriever = FakeRetriever(candidate(1))
    ask(pipeline(retriever=retriever, transform=Two(), answerer=answerer))
    assert answerer.text == asked
    assert retriever.asked == [["own", "folded"]]


def test_an_answer_without_a_gate_has_no_judged_answerability():
    assert not ask(pipeline(candidate(1))).is_judged
    assert ask(pipeline(candidate(1), gate=Probabilities(0.9))).is_judged
