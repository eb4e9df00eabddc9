"""Named pipelines: the product's, the paper's, and each with a part switched off."""

import pytest

from memory.documents import ABSTENTION
from memory.evaluation.systems import make_systems
from memory.language_models.base import Role
from memory.query.model_transform import PaperTransform
from memory.query.packing import render_card, render_quoted
from memory.systems import (
    ABLATIONS,
    PIPELINES,
    Parts,
    UnknownStage,
    UnknownSystem,
    extractor,
    megamem,
    pipeline,
)
from tests.memory.evaluation.fakes import HashEmbedder, ListStore
from tests.memory.scripted import ScriptedModel

REQUIRED = {
    *("no_expansion", "no_reranker", "no_distillation", "no_dual_index"),
    *("no_keyword", "no_attribution", "no_gate"),
}


def parts(**options):
    return Parts(ListStore(), HashEmbedder(), **options)


def with_model(**options):
    return parts(models=lambda role: ScriptedModel({}, name=str(role)), **options)


def test_every_ablation_of_the_paper_and_ours_has_a_name():
    assert set(ABLATIONS) >= REQUIRED
    assert {"megamem", "megamem_paper"} <= set(PIPELINES)
    for name in PIPELINES:
        assert pipeline(parts(), name) is not None
        assert pipeline(with_model(), name) is not None


def test_another_name_is_refused():
    with pytest.raises(UnknownSystem, match="megamem_paper"):
        pipeline(parts(), "megamem_papers")


def test_the_papers_pipeline_has_its_constants_and_nothing_of_ours():
    paper = pipeline(with_model(), "megamem_paper")
    retriever = paper.retriever
    assert (retriever.depth, retriever.memory_depth, retriever.pool) == (20, 20, 100)
    assert retriever.rrf_k == 60
    assert retriever.max_chunks_per_hit > 12
    weights = retriever.weights
    assert (weights.chunks, weights.memories) == (1.0, 1.0)
    assert (weights.keyword_chunks, weights.keyword_memories) == (0.0, 0.0)
    assert (paper.packer.max_tokens, paper.packer.max_documents) == (4096, 5)
    assert paper.packer.render is render_card
    assert paper.answerer.render is paper.attributor.render is render_card
    assert isinstance(paper.transform, PaperTransform)
    assert paper.gate is paper.expander is paper.ranker is paper.verdict is None
    assert paper.reranker is None


def test_the_papers_pipeline_works_without_a_model():
    paper = pipeline(parts(), "megamem_paper")
    assert paper.transform is None
    assert paper.staying is None
    assert paper.attributor is not None


def test_with_a_model_each_role_does_its_stage():
    system = megamem(with_model(), on=["verdict"])
    assert system.transform.model.name == Role.QUERY
    assert system.expander.model.name == Role.QUERY
    assert system.answerer.model.name == Role.ANSWER
    assert system.verdict.model.name == Role.ANSWER
    assert system.attributor.model.name == Role.ATTRIBUTION
    assert system.packer.render is system.answerer.render is render_quoted
    assert not system.gate.is_calibrated


def test_the_verdict_is_off_until_it_is_measured():
    assert megamem(with_model()).verdict is None
    assert pipeline(with_model(), "megamem-verdict").verdict is not None
    assert megamem(with_model(on=["verdict"])).verdict is not None
    assert megamem(with_model(on=["verdict"]), off=["verdict"]).verdict is None


def test_a_stage_that_is_no_stage_is_refused():
    with pytest.raises(UnknownStage, match="verdict"):
        megamem(parts(), off=["verdicts"])


def test_another_extractor_is_refused():
    with pytest.raises(UnknownStage, match="local, mini, full"):
        extractor("maxi", None)


def test_without_attribution_the_full_systems_answers_are_reported_whole():
    class Counting:
        asked = 0

        def ask(self, question):
            from memory.documents import Answer, Evidence, Outcome

            self.asked += 1
            n = self.asked
            from uuid import UUID

            cards = tuple(
                Evidence(UUID(int=k), UUID(int=10 + k), "", "text", 1) for k in (1, 2)
            )
            outcome = Outcome.ABSTAINED if question.text == "?" else Outcome.ANSWERED
            text = ABSTENTION if question.text == "?" else f"answer {n}"
            return Answer(
                outcome, text, 0.9, 0.9, evidence=cards, timings_ms={"attribution": 5.0}
            )

    from memory.access import WORKSPACE_SCOPE
    from memory.documents import Question

    full = Counting()
    names = ["megamem", "megamem-no_attribution"]
    systems = make_systems(
        names,
        pipelines=dict.fromkeys(names, full),
        index=type("Index", (), {"store": None})(),
        embedder=HashEmbedder(),
        packer=None,
    )
    questions = [Question(text, WORKSPACE_SCOPE) for text in ("a", "b", "?")]
    first, second = ([s.respond(q) for q in questions] for s in systems)
    assert full.asked == 3
    assert [r.text for r in first] == [r.text for r in second]
    assert [r.linked for r in first] == [(), (), ()]
    assert [len(r.linked) for r in second] == [2, 2, 0]
    assert [b.total_ms < a.total_ms for a, b in zip(first, second, strict=True)] == [
        True,
        True,
        False,
    ]


def test_what_the_gated_expansion_is_held_against_expands_always():
    assert pipeline(parts(), "megamem-always_expand").expands_always
    assert not pipeline(parts(), "megamem").expands_always
