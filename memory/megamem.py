"""The pipeline, top to bottom beside the paper's algorithm (A6 to A11).

    queries    = transform(question)                    A6: canonical, the thread folded in
    candidates = fuse(search(query, view) ...)          A7, and a keyword route of ours
    candidates = confirm(candidates)                    ours: SQL's word on access
    candidates = rank(candidates)                       A8, and documents weighed whole
    evidence   = pack(candidates)                       A9
    p          = answerability(evidence, verdict)       ours; the paper leaves it open
    if p is low: once more with expansions              the paper expands always
    if p is still low: abstain
    answer     = answer(question, evidence)             A10
    sentences  = attribute(answer, evidence)            A11, by sentence

A stage that is None is switched off. `ask` never raises for a failing stage: what
stands in for it is DESIGN.md's table, and the trace says that it did. All stages share
the question's deadline: optional ones aren't begun when time is short.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.access import Scope
from memory.deadline import DeadlineExceeded, check
from memory.deadline import within as within_time
from memory.documents import (
    ABSTENTION,
    Answer,
    Outcome,
    Properties,
    Question,
    Sentence,
)
from memory.errors import StoreError
from memory.language_models.ledger import collecting
from memory.outcomes import (
    ANSWERING_DOWN,
    ANSWERING_TOO_SLOW,
    NOTHING_ASKED,
    SEARCH_DOWN,
    TOO_SLOW,
    Found,
    all_loaded,
    asked_text,
    finish,
    store_failure,
    within,
)
from memory.query.base import (
    Answerer,
    Attributor,
    Authority,
    Candidate,
    Confidence,
    Draft,
    Expander,
    Gate,
    Packed,
    Ranker,
    Reranker,
    Transform,
    Verdict,
    WeightedQuery,
)
from memory.query.packing import Packer
from memory.query.retrieval import Retriever
from memory.query.trace import Run
from memory.query.words import has_word

#: Shares of a question's time after which a stage isn't begun, so that answering has
#: what's left. Attribution comes after it and needs the last of it.
RERANK_UNTIL = 0.5
EXPAND_UNTIL = 0.5
VERDICT_UNTIL = 0.6
ATTRIBUTE_UNTIL = 0.95
#: How much of it one optional stage may take, so that a slow model falls back in time.
STAGE_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Staying:
    """Who reads evidence of which a part may not leave this machine, and what that is.

    `sources` are those marked "local models only"; where it raises, the question fails
    and nothing was sent.
    """

    sources: Callable[[], frozenset[UUID]]
    answerer: Answerer
    attributor: Attributor | None

    def holds(self, packed: Packed) -> bool:
        """Tell whether any packed chunk is of such a source."""
        kept = self.sources()
        return any(
            item.stored.properties.source_id in kept for item in packed.candidates
        )


@dataclass(frozen=True, slots=True)
class MegaMem:
    """The stages of one system. `threshold` is the policy's, in [0, 1].

    `staying` is None where all stages run on this machine.
    """

    retriever: Retriever
    answerer: Answerer
    packer: Packer = field(default_factory=Packer)
    transform: Transform | None = None
    ranker: Ranker | None = None
    reranker: Reranker | None = None
    authority: Authority | None = None
    verdict: Verdict | None = None
    gate: Gate | None = None
    expander: Expander | None = None
    attributor: Attributor | None = None
    confidence: Confidence | None = None
    staying: Staying | None = None
    threshold: float = 0.5
    #: Expand also where the first pass seems to do, as the paper does; to compare with.
    expands_always: bool = False

    def ask(self, question: Question) -> Answer:
        """Return the answer, an abstention or a failure; see the module."""
        run = Run(question.deadline_s)
        with within_time(question.deadline_s), collecting() as ledger:
            answer = self._asked(run, question)
        answer = replace(answer, is_judged=self.gate is not None)
        if not ledger.calls:
            return answer
        return replace(answer, usage=ledger.usage.as_mapping())

    def _asked(self, run: Run, question: Question) -> Answer:
        if not has_word(question.text):
            return finish(run, Found(), Outcome.ABSTAINED, text=NOTHING_ASKED)
        try:
            found = self._find(run, question)
        except Exception as error:  # noqa: BLE001 - DESIGN.md: outcome `failed`
            stage = run.stages[-1].stage if run.stages else "retrieve"
            run.fell_back(stage, error, "no answer")
            return finish(run, Found(), Outcome.FAILED, text=_search_failure(error))
        if not found.packed.evidence or self._is_below(found):
            return finish(run, found, Outcome.ABSTAINED, text=ABSTENTION)
        return self._answer(run, question, found)

    def _find(self, run: Run, question: Question) -> Found:
        """Retrieve, and once more with other terms if the evidence seems not to do."""
        found = self._pass(run, Found(), self._queries(run, question), question.scope)
        wanted = self.expands_always or self._is_below(found)
        if not wanted or self.expander is None:
            return found
        if not run.has_time("expansion", EXPAND_UNTIL):
            return found
        added = self._expansions(run, self.expander, found)
        if not added:
            return found
        try:
            again = self._pass(run, found, added, question.scope)
        except DeadlineExceeded as error:
            run.fell_back("expansion", error, "first pass")
            return found
        # The last pass counts, unless the other terms made the evidence worse.
        return again if again.answerability >= found.answerability else found

    def _expansions(
        self, run: Run, expander: Expander, found: Found
    ) -> list[WeightedQuery]:
        """Return queries in other terms; none where the expander fails."""
        with run.stage("expansion", share=STAGE_SHARE) as detail:
            try:
                added = expander.expansions(found.text, found.ranked)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("expansion", error, "no other terms")
                return []
            detail["queries"] = [query.text for query in added]
        return added

    def _queries(self, run: Run, question: Question) -> list[WeightedQuery]:
        """Return the wordings; the question alone where the transform fails (A12)."""
        alone = [WeightedQuery(question.text, 1.0, "original")]
        if self.transform is None:
            return alone
        with run.stage("transform", share=STAGE_SHARE) as detail:
            try:
                queries = self.transform.queries(question.text, question.history)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("transform", error, "original question")
                return alone
            detail["queries"] = [[query.kind, query.weight] for query in queries]
        return queries

    def _pass(
        self, run: Run, before: Found, added: Sequence[WeightedQuery], scope: Scope
    ) -> Found:
        """Search with `added` too, confirm, rank, pack and judge. Raises StoreError."""
        check("searching")
        with run.stage("retrieve") as detail:
            retrieved = self.retriever.retrieve(added, scope, before.routes)
            detail["hits"] = dict(retrieved.hits)
        candidates = self._confirmed(run, retrieved.candidates, scope)
        queries = (*before.queries, *added)
        text = asked_text(queries)
        ranked = self._ranked(run, text, candidates)
        with run.stage("pack") as detail:
            packed = self.packer.pack(ranked)
            detail["tokens"] = sum(card.tokens for card in packed.evidence)
            detail["chunks"] = [
                {"chunk": str(item.chunk_id), **_rounded(item.signals)}
                for item in packed.candidates
            ]
        packed = self._read(run, text, packed)
        probability = self._judged(run, text, ranked, packed)
        return Found(
            queries, tuple(retrieved.routes), tuple(ranked), packed, probability
        )

    def _confirmed(
        self, run: Run, candidates: list[Candidate], scope: Scope
    ) -> list[Candidate]:
        """Leave out documents whose access isn't confirmed; a doubt means no."""
        if self.authority is None or not candidates:
            return candidates
        properties: dict[UUID, Properties] = {
            item.document_id: item.stored.properties for item in candidates
        }
        with run.stage("access") as detail:
            allowed = self.authority.confirmed(properties.values(), scope)
            detail["dropped"] = len(properties) - len(allowed & properties.keys())
        return [item for item in candidates if item.document_id in allowed]

    def _ranked(
        self, run: Run, text: str, candidates: list[Candidate]
    ) -> list[Candidate]:
        """Return candidates by document and reranker; fused order where these fail."""
        if self.ranker is not None:
            with run.stage("rank"):
                try:
                    candidates = self.ranker.rank(text, candidates)
                except Exception as error:  # noqa: BLE001 - a failing stage falls back
                    run.fell_back("rank", error, "fused order")
        if self.reranker is None or not run.has_time("rerank", RERANK_UNTIL):
            return candidates
        with run.stage("rerank", share=STAGE_SHARE) as detail:
            try:
                candidates = self.reranker.rerank(text, candidates)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("rerank", error, "fused order")
            detail["reranker"] = self.reranker.name
        return candidates

    def _read(self, run: Run, text: str, packed: Packed) -> Packed:
        """Return the evidence with a model's word on it, where one may read it."""
        wanted = self.verdict is not None and packed.evidence
        if self.verdict is None or not wanted or self._stays(packed):
            return packed
        if not run.has_time("verdict", VERDICT_UNTIL):
            return packed
        with run.stage("verdict", share=STAGE_SHARE) as detail:
            try:
                judgement = self.verdict.judge(text, packed.evidence)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("verdict", error, "raw signals alone")
                return packed
            detail["answered"] = judgement.answered
            detail["missing"] = judgement.missing
        return replace(packed, judgement=judgement)

    def _judged(
        self, run: Run, text: str, ranked: Sequence[Candidate], packed: Packed
    ) -> float:
        """Return the probability that the evidence holds the answer; 1 without gate."""
        if self.gate is None:
            return 1.0 if packed.evidence else 0.0
        with run.stage("answerability") as detail:
            probability, features = self.gate.answerability(text, ranked, packed)
            detail["fingerprint"] = self.gate.fingerprint
            detail["threshold"] = self.threshold
            detail["features"] = _rounded(features)
            detail["probability"] = round(probability, 4)
        return probability

    def _is_below(self, found: Found) -> bool:
        return self.gate is not None and found.answerability < self.threshold

    def _stays(self, packed: Packed) -> bool:
        """Tell whether no model elsewhere may read the evidence."""
        return self.staying is not None and self.staying.holds(packed)

    def _answer(self, run: Run, question: Question, found: Found) -> Answer:
        """Write the answer and attribute it."""
        with run.stage("answer") as detail:
            try:
                staying = self.staying if self._stays(found.packed) else None
                draft = self._draft(run, question, found, staying)
            except DeadlineExceeded as error:
                run.fell_back("answer", error, "no answer")
                return finish(run, found, Outcome.FAILED, text=ANSWERING_TOO_SLOW)
            except Exception as error:  # noqa: BLE001 - DESIGN.md: outcome `failed`
                run.fell_back("answer", error, "no answer")
                return finish(run, found, Outcome.FAILED, text=ANSWERING_DOWN)
            detail["extractive"] = draft.extractive
            detail["stays_here"] = staying is not None
        if draft.text == ABSTENTION:
            return finish(run, found, Outcome.ABSTAINED, text=ABSTENTION)
        attributor = staying.attributor if staying else self.attributor
        sentences = self._attributed(run, attributor, draft, found)
        answer = finish(
            run, found, Outcome.ANSWERED, text=draft.text, sentences=sentences
        )
        confidence = self._confidence(run, answer, found)
        return replace(
            answer,
            extractive=draft.extractive,
            confidence=confidence,
            timings_ms=run.timings_ms(),
            fallbacks=tuple(run.fallbacks),
            trace=tuple(run.stages),
        )

    def _draft(
        self, run: Run, question: Question, found: Found, staying: Staying | None
    ) -> Draft:
        """Return the answer before attribution. Raises DeadlineExceeded."""
        check("answering")
        answerer = staying.answerer if staying else self.answerer
        return answerer.answer(found.text, question.history, found.packed.evidence)

    def _attributed(
        self, run: Run, attributor: Attributor | None, draft: Draft, found: Found
    ) -> tuple[Sentence, ...]:
        """Return sentences with their documents, always among the packed ones."""
        if attributor is None:
            return all_loaded(draft, found.packed)
        if not run.has_time("attribution", ATTRIBUTE_UNTIL):
            return ()
        with run.stage("attribution") as detail:
            try:
                sentences = attributor.attribute(
                    found.text, draft, found.packed.evidence
                )
            except Exception as error:  # noqa: BLE001 - no documents, and it's said
                run.fell_back("attribution", error, "no documents")
                return ()
            detail["sentences"] = len(sentences)
        return within(sentences, found.packed)

    def _confidence(self, run: Run, answer: Answer, found: Found) -> float:
        """Return the probability that the answer is right, in [0, 1]."""
        if self.confidence is None:
            return found.answerability
        with run.stage("confidence"):
            try:
                return self.confidence.confidence(found.text, answer)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("confidence", error, "answerability")
                return found.answerability


def _search_failure(error: Exception) -> str:
    """Return what the asker is told when nothing could be found."""
    if isinstance(error, StoreError):
        return store_failure(error)
    return TOO_SLOW if isinstance(error, DeadlineExceeded) else SEARCH_DOWN


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}
