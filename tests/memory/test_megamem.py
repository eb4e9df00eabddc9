"""The pipeline's order, gate, fallbacks and invariants, over a store of a few chunks."""

from dataclasses import replace
from uuid import UUID

import pytest

from memory.access import WORKSPACE_SCOPE, Scope
from memory.documents import ABSTENTION, Outcome, Question, Sentence, Turn
from memory.errors import EmbeddingError, StoreDamaged, StoreError
from memory.megamem import MegaMem
from memory.query.base import Draft, WeightedQuery
from memory.query.retrieval import Retrieved
from memory.query.transform import LocalTransform
from tests.memory.query.examples import candidate


class FakeRetriever:
    """Returns candidates by the text of the query, and keeps what it was asked."""

    def __init__(self, *candidates, error=None):
        self.candidates = list(candidates)
        self.error = error
        self.asked = []
        self.before = []
        self.scopes = []

    def retrieve(self, queries, scope, before=()):
        self.asked.append([query.text for query in queries])
        self.before.append(list(before))
        self.scopes.append(scope)
        if self.error:
            raise self.error
        routes = [*before, *(query.text for query in queries)]
        hits = {"dense_chunks": len(self.candidates)}
        return Retrieved(list(self.candidates), hits, routes)


class FirstCard:
    """Answers with the first card's text."""

    def answer(self, text, history, evidence):
        card = evidence[0]
        sentence = Sentence(0, len(card.text), (), (card.chunk_id,))
        return Draft(card.text, True, (sentence,))


class OwnCards:
    """Attributes each sentence to the documents of its chunks."""

    def attribute(self, text, draft, evidence):
        documents = {card.chunk_id: card.document_id for card in evidence}
        return tuple(
            replace(
                sentence,
                document_ids=tuple(documents[chunk] for chunk in sentence.chunk_ids),
            )
            for sentence in draft.sentences
        )


class Probabilities:
    """A gate that says what it's told, one figure a call."""

    fingerprint = "fake"
    is_calibrated = True

    def __init__(self, *figures):
        self.figures = list(figures)

    def answerability(self, text, ranked, packed):
        return self.figures.pop(0), {"feature": 1.0}


class OneExpansion:
    def expansions(self, text, evidence):
        return [WeightedQuery(f"{text} more", 0.5, "expansion")]


class Broken:
    name = "broken"

    def __getattr__(self, stage):
        def fail(*_args, **_kwargs):
            raise RuntimeError("broken")

        return fail


def pipeline(*candidates, **stages):
    stages.setdefault("retriever", FakeRetriever(*candidates))
    stages.setdefault("answerer", FirstCard())
    stages.setdefault("attributor", OwnCards())
    return MegaMem(**stages)


def ask(system, text="Who approves?", history=(), scope=WORKSPACE_SCOPE):
    return system.ask(Question(text, scope, history))


def test_it_answers_from_the_best_card_and_links_its_document():
    answer = ask(pipeline(candidate(1, text="The manager approves."), candidate(2)))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "The manager approves."
    assert [document.external_id for document in answer.documents] == ["1.md"]
    assert answer.nearest == ()


def test_every_stage_leaves_its_time_in_the_trace():
    answer = ask(pipeline(candidate(1), gate=Probabilities(0.9)))
    stages = [stage.stage for stage in answer.trace]
    assert stages == ["retrieve", "pack", "answerability", "answer", "attribution"]
    assert set(stages) | {"total"} == set(answer.timings_ms)
    assert all(milliseconds >= 0 for milliseconds in answer.timings_ms.values())


def test_below_the_threshold_it_asks_once_more_with_other_terms():
    retriever = FakeRetriever(candidate(1))
    answer = ask(
        pipeline(
            retriever=retriever,
            gate=Probabilities(0.2, 0.7),
            expander=OneExpansion(),
        )
    )
    # The first wording's routes are kept, not searched again.
    assert retriever.asked == [["Who approves?"], ["Who approves? more"]]
    assert retriever.before == [[], ["Who approves?"]]
    assert answer.outcome is Outcome.ANSWERED
    assert answer.answerability == 0.7


def test_above_the_threshold_it_does_not_expand():
    retriever = FakeRetriever(candidate(1))
    ask(pipeline(retriever=retriever, gate=Probabilities(0.8), expander=OneExpansion()))
    assert len(retriever.asked) == 1


def test_still_below_it_abstains_in_the_exact_words_and_offers_the_nearest():
    answer = ask(
        pipeline(
            *(candidate(n, document=n) for n in range(1, 6)),
            gate=Probabilities(0.2, 0.3),
            expander=OneExpansion(),
        )
    )
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text == ABSTENTION
    assert answer.documents == ()
    assert [document.external_id for document in answer.nearest] == [
        "1.md",
        "2.md",
        "3.md",
    ]
    assert answer.evidence
    assert answer.ranking


def test_an_expansion_that_makes_it_worse_is_not_kept():
    answer = ask(
        pipeline(candidate(1), gate=Probabilities(0.4, 0.1), expander=OneExpansion())
    )
    assert answer.answerability == 0.4


def test_without_evidence_it_abstains_without_asking_the_answerer():
    answer = ask(pipeline(answerer=Broken()))
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.fallbacks == ()


def test_a_store_that_is_down_is_a_failure_and_not_an_abstention():
    retriever = FakeRetriever(error=StoreError("down"))
    answer = ask(pipeline(retriever=retriever))
    assert answer.outcome is Outcome.FAILED
    assert "document store" in answer.text
    assert answer.fallbacks == ("retrieve: StoreError, no answer",)


def test_a_damaged_store_is_told_from_one_that_is_away():
    away, damaged = (
        ask(pipeline(retriever=FakeRetriever(error=error("/srv/store")))).text
        for error in (StoreError, StoreDamaged)
    )
    assert "try again in a few minutes" in away
    assert "Trying again won't help" in damaged
    assert "/srv" not in damaged


@pytest.mark.parametrize("stage", ["gate", "packer", "authority"])
def test_a_broken_stage_that_nothing_stands_in_for_is_a_failure(stage):
    answer = ask(pipeline(candidate(1), **{stage: Broken()}))
    assert answer.outcome is Outcome.FAILED
    assert "Searching the documents failed" in answer.text
    assert answer.evidence == ()
    assert answer.nearest == ()


def test_an_encoder_that_is_down_is_not_told_as_the_store():
    retriever = FakeRetriever(error=EmbeddingError("down"))
    answer = ask(pipeline(retriever=retriever))
    assert answer.outcome is Outcome.FAILED
    assert "store" not in answer.text
    assert answer.fallbacks == ("retrieve: EmbeddingError, no answer",)


def test_a_broken_expander_leaves_the_first_pass():
    answer = ask(pipeline(candidate(1), gate=Probabilities(0.2), expander=Broken()))
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.answerability == 0.2
    assert answer.fallbacks == ("expansion: RuntimeError, no other terms",)


def test_a_broken_answerer_is_a_failure_that_links_the_evidence():
    answer = ask(pipeline(candidate(1), answerer=Broken()))
    assert answer.outcome is Outcome.FAILED
    assert [document.external_id for document in answer.nearest] == ["1.md"]
    assert answer.documents == ()


@pytest.mark.parametrize(
    ("stage", "fallback"),
    [
        ("transform", "original question"),
        ("ranker", "fused order"),
        ("reranker", "fused order"),
        ("attributor", "no documents"),
        ("confidence", "answerability"),
    ],
)
def test_a_broken_stage_falls_back_and_says_so(stage, fallback):
    retriever = FakeRetriever(candidate(1, text="The manager approves."))
    answer = ask(pipeline(retriever=retriever, **{stage: Broken()}))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "The manager approves."
    assert retriever.asked == [["Who approves?"]]
    assert len(answer.fallbacks) == 1
    assert answer.fallbacks[0].endswith(fallback)


def test_documents_that_the_authority_does_not_confirm_are_left_out():
    class OnlyDocument2:
        def confirmed(self, properties, scope):
            return {UUID(int=1002)}

    answer = ask(
        pipeline(
            candidate(1, document=1, text="Secret."),
            candidate(2, document=2, text="Open."),
            authority=OnlyDocument2(),
        )
    )
    assert answer.text == "Open."
    assert answer.ranking == (UUID(int=1002),)
    assert all(card.text != "Secret." for card in answer.evidence)


def test_an_attribution_outside_the_evidence_is_dropped():
    class Elsewhere:
        def attribute(self, text, draft, evidence):
            return (replace(draft.sentences[0], document_ids=(UUID(int=5),)),)

    answer = ask(pipeline(candidate(1), attributor=Elsewhere()))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.documents == ()


def test_attribution_does_not_change_the_text():
    texts = {
        ask(pipeline(candidate(1), attributor=attributor)).text
        for attributor in (None, OwnCards(), Broken())
    }
    assert len(texts) == 1


@pytest.mark.parametrize("text", ["", "   ", "?!…", "👍"])
def test_a_question_without_a_word_is_told_to_use_words(text):
    retriever = FakeRetriever(candidate(1))
    answer = ask(pipeline(retriever=retriever), text)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text == "Please ask a question in words."
    assert retriever.asked == []


def test_the_scope_of_the_question_is_the_scope_of_the_search():
    retriever = FakeRetriever(candidate(1))
    scope = Scope(tokens=frozenset({"person:1"}))
    ask(pipeline(retriever=retriever), scope=scope)
    assert retriever.scopes == [scope]


def test_a_follow_up_is_searched_with_the_words_of_the_turn_before():
    retriever = FakeRetriever(candidate(1))
    history = (
        Turn("user", "Who approves a laptop?"),
        Turn("assistant", "Your manager."),
    )
    ask(
        pipeline(retriever=retriever, transform=LocalTransform()),
        "and for interns?",
        history,
    )
    assert retriever.asked == [["and for interns?", "and for interns? approves laptop"]]
