"""The pipeline, top to bottom beside the paper's algorithm (A6 to A11).

    queries    = transform(question)                    A6, locally: the thread folded in
    candidates = fuse(search(query, view) ...)          A7, and a keyword route of ours
    candidates = confirm(candidates)                    ours: SQL's word on access
    candidates = rank(candidates)                       A8, and documents weighed whole
    evidence   = pack(candidates)                       A9
    p          = answerability(evidence)                ours; the paper leaves it open
    if p is low: once more with expansions              the paper expands always
    if p is still low: abstain
    answer     = answer(question, evidence)             A10
    sentences  = attribute(answer, evidence)            A11, by sentence

A stage that is None is switched off. `ask` never raises for a failing stage: what
stands in for it is DESIGN.md's table, and the trace says that it did.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.access import Scope
from memory.documents import (
    ABSTENTION,
    Answer,
    LinkedDocument,
    Outcome,
    Properties,
    Question,
    Sentence,
)
from memory.errors import StoreError
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
    WeightedQuery,
)
from memory.query.fusion import Route
from memory.query.packing import Packer
from memory.query.retrieval import Retriever
from memory.query.trace import Run
from memory.query.words import has_word

#: Documents that an abstention or a failure offers.
NEAREST = 3

STORE_DOWN = (
    "The document store can't be reached right now. Please try again in a few minutes."
)
SEARCH_DOWN = (
    "Searching the documents failed, so I can't tell what they say. Please try again "
    "in a few minutes."
)
ANSWERING_DOWN = "I found documents that may hold the answer, but writing it failed."
NOTHING_ASKED = "Please ask a question in words."


@dataclass(frozen=True, slots=True)
class Found:
    """One pass: ranked candidates, what was packed, and the gate's figure."""

    queries: tuple[WeightedQuery, ...] = ()
    routes: tuple[Route, ...] = ()
    ranked: tuple[Candidate, ...] = ()
    packed: Packed = field(default_factory=lambda: Packed((), ()))
    answerability: float = 0.0


@dataclass(frozen=True, slots=True)
class MegaMem:
    """The stages of one system. `threshold` is the policy's, in [0, 1]."""

    retriever: Retriever
    answerer: Answerer
    packer: Packer = field(default_factory=Packer)
    transform: Transform | None = None
    ranker: Ranker | None = None
    reranker: Reranker | None = None
    authority: Authority | None = None
    gate: Gate | None = None
    expander: Expander | None = None
    attributor: Attributor | None = None
    confidence: Confidence | None = None
    threshold: float = 0.5

    def ask(self, question: Question) -> Answer:
        """Return the answer, an abstention or a failure; see the module."""
        run = Run()
        if not has_word(question.text):
            return _finish(run, Found(), Outcome.ABSTAINED, text=NOTHING_ASKED)
        try:
            found = self._find(run, question)
        except Exception as error:  # noqa: BLE001 - DESIGN.md: outcome `failed`
            stage = run.stages[-1].stage if run.stages else "retrieve"
            run.fell_back(stage, error, "no answer")
            text = STORE_DOWN if isinstance(error, StoreError) else SEARCH_DOWN
            return _finish(run, Found(), Outcome.FAILED, text=text)
        if not found.packed.evidence or self._is_below(found):
            return _finish(run, found, Outcome.ABSTAINED, text=ABSTENTION)
        return self._answer(run, question, found)

    def _find(self, run: Run, question: Question) -> Found:
        """Retrieve, and once more with other terms if the evidence seems not to do."""
        found = self._pass(run, Found(), self._queries(run, question), question.scope)
        if not self._is_below(found) or self.expander is None:
            return found
        late = run.seconds() > question.deadline_s / 2
        added = [] if late else self._expansions(run, self.expander, found)
        if not added:
            return found
        again = self._pass(run, found, added, question.scope)
        # The last pass counts, unless the other terms made the evidence worse.
        return again if again.answerability >= found.answerability else found

    def _expansions(
        self, run: Run, expander: Expander, found: Found
    ) -> list[WeightedQuery]:
        """Return queries in other terms; none where the expander fails."""
        with run.stage("expansion") as detail:
            try:
                added = expander.expansions(asked_text(found.queries), found.ranked)
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
        with run.stage("transform") as detail:
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
        if self.reranker is None:
            return candidates
        with run.stage("rerank") as detail:
            try:
                candidates = self.reranker.rerank(text, candidates)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("rerank", error, "fused order")
            detail["reranker"] = self.reranker.name
        return candidates

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

    def _answer(self, run: Run, question: Question, found: Found) -> Answer:
        """Write the answer and attribute it."""
        text = asked_text(found.queries)
        with run.stage("answer") as detail:
            try:
                draft = self.answerer.answer(
                    text, question.history, found.packed.evidence
                )
            except Exception as error:  # noqa: BLE001 - DESIGN.md: outcome `failed`
                run.fell_back("answer", error, "no answer")
                return _finish(run, found, Outcome.FAILED, text=ANSWERING_DOWN)
            detail["extractive"] = draft.extractive
        if draft.text == ABSTENTION:
            return _finish(run, found, Outcome.ABSTAINED, text=ABSTENTION)
        sentences = self._attributed(run, text, draft, found.packed)
        answer = _finish(run, found, Outcome.ANSWERED, draft.text, sentences)
        confidence = self._confidence(run, text, answer, found)
        return replace(
            answer,
            extractive=draft.extractive,
            confidence=confidence,
            timings_ms=run.timings_ms(),
            fallbacks=tuple(run.fallbacks),
            trace=tuple(run.stages),
        )

    def _attributed(
        self, run: Run, text: str, draft: Draft, packed: Packed
    ) -> tuple[Sentence, ...]:
        """Return sentences with their documents, always among the packed ones."""
        if self.attributor is None:
            return _all_loaded(draft, packed)
        with run.stage("attribution") as detail:
            try:
                sentences = self.attributor.attribute(text, draft, packed.evidence)
            except Exception as error:  # noqa: BLE001 - no documents, and it's said
                run.fell_back("attribution", error, "no documents")
                return ()
            detail["sentences"] = len(sentences)
        return _within(sentences, packed)

    def _confidence(self, run: Run, text: str, answer: Answer, found: Found) -> float:
        """Return the probability that the answer is right, in [0, 1]."""
        if self.confidence is None:
            return found.answerability
        with run.stage("confidence"):
            try:
                return self.confidence.confidence(text, answer)
            except Exception as error:  # noqa: BLE001 - a failing stage falls back
                run.fell_back("confidence", error, "answerability")
                return found.answerability


def asked_text(queries: Sequence[WeightedQuery]) -> str:
    """Return the wording that stands for the question: the canonical if there is one."""
    by_kind = {query.kind: query.text for query in queries}
    return by_kind.get("canonical") or by_kind.get("original", "")


def _finish(
    run: Run,
    found: Found,
    outcome: Outcome,
    text: str,
    sentences: tuple[Sentence, ...] = (),
) -> Answer:
    """Return the answer with its documents, ranking and evidence."""
    properties = {
        item.document_id: item.stored.properties for item in reversed(found.ranked)
    }
    cited = dict.fromkeys(
        document for sentence in sentences for document in sentence.document_ids
    )
    ranking = tuple(dict.fromkeys(item.document_id for item in found.ranked))
    packed = dict.fromkeys(card.document_id for card in found.packed.evidence)
    nearest = () if outcome is Outcome.ANSWERED else (*packed,)[:NEAREST]
    return Answer(
        outcome=outcome,
        text=text,
        answerability=found.answerability,
        confidence=0.0 if outcome is not Outcome.ANSWERED else found.answerability,
        documents=tuple(linked(properties[document]) for document in cited),
        sentences=sentences,
        evidence=found.packed.evidence,
        nearest=tuple(linked(properties[document]) for document in nearest),
        ranking=ranking,
        timings_ms=run.timings_ms(),
        fallbacks=tuple(run.fallbacks),
        trace=tuple(run.stages),
    )


def linked(properties: Properties) -> LinkedDocument:
    """Return what a reply needs to link a document."""
    return LinkedDocument(
        id=properties.document_id,
        title=properties.title,
        url=properties.url,
        source=properties.source_name,
        external_id=properties.external_id,
        updated_at=properties.updated_at,
    )


def _within(sentences: Sequence[Sentence], packed: Packed) -> tuple[Sentence, ...]:
    """Drop every document that isn't in the evidence (A11: intersection)."""
    loaded = {card.document_id for card in packed.evidence}
    return tuple(
        replace(
            sentence,
            document_ids=tuple(d for d in sentence.document_ids if d in loaded),
        )
        for sentence in sentences
    )


def _all_loaded(draft: Draft, packed: Packed) -> tuple[Sentence, ...]:
    """Return the draft as one sentence for all loaded documents (A11, disabled)."""
    documents = tuple(dict.fromkeys(card.document_id for card in packed.evidence))
    return (Sentence(0, len(draft.text), documents),)


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}
