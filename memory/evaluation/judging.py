"""One response against one question's gold: the numbers that metrics are made of.

Without a judge (a language model) what is right is told from documents and quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from memory.documents import Chunk, Evidence, Outcome
from memory.evaluation.datasets import EvaluationQuestion, Gold, Span
from memory.evaluation.matching import is_verbatim, letters_and_digits
from memory.evaluation.model_judge import Judged
from memory.evaluation.responses import Response

FIRST_DOCUMENTS = 5
#: A quote shorter than this (letters and digits) may stand in any text by chance, so
#: it's looked for in its own document only; a longer one counts wherever it stands.
_TELLING_LENGTH = 20

#: Numbers of one question by name; one that doesn't apply is absent.
Observation = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Passage:
    """Packed chunks that follow one another in a document, as one run of text."""

    document_id: UUID
    start: int
    end: int
    words: str


def passages(
    evidence: Iterable[Evidence], chunks: Mapping[UUID, Chunk]
) -> list[Passage]:
    """Return the packed evidence with neighbouring chunks joined."""
    packed = sorted(
        (chunks[item.chunk_id] for item in evidence),
        key=lambda chunk: (chunk.document_id, chunk.position),
    )
    runs: list[list[Chunk]] = []
    for chunk in packed:
        last = runs[-1][-1] if runs else None
        follows = last is not None and (last.document_id, last.position + 1) == (
            chunk.document_id,
            chunk.position,
        )
        if follows:
            runs[-1].append(chunk)
        else:
            runs.append([chunk])
    return [_passage(run) for run in runs]


def _passage(run: Sequence[Chunk]) -> Passage:
    first, last = run[0], run[-1]
    text = "\n".join([first.header, *(chunk.text for chunk in run)])
    return Passage(first.document_id, first.start, last.end, letters_and_digits(text))


def is_found(gold: Gold, packed: Iterable[Passage]) -> bool:
    """Tell whether packed evidence holds a gold quote, page or turn."""
    if isinstance(gold, Span):
        own = (item for item in packed if item.document_id == gold.document_id)
        if gold.whole:
            return any(
                item.start <= gold.start and gold.end <= item.end for item in own
            )
        return any(item.start < gold.end and gold.start < item.end for item in own)
    words = letters_and_digits(gold.text)
    return any(
        words in item.words
        for item in packed
        if len(words) >= _TELLING_LENGTH or item.document_id == gold.document_id
    )


def observe(
    question: EvaluationQuestion,
    response: Response,
    chunks: Mapping[UUID, Chunk],
    judged: Judged | None = None,
) -> dict[str, float]:
    """Return the numbers of one question that apply to it and to this system.

    `judged` is the judge's word on the answer, None without one.
    """
    packed = passages(response.evidence, chunks)
    found = [is_found(gold, packed) for gold in question.gold]
    values: dict[str, float] = {"failed": response.failed}
    if question.needed:
        first = response.ranking[:FIRST_DOCUMENTS]
        values["document_recall_at_5"] = _recall(first, question)
    if found:
        values["evidence_recall"] = sum(found) / len(found)
    if found or not question.answerable:
        values["holds_gold"] = any(found)
    if not response.failed:
        values["evidence_tokens"] = response.evidence_tokens
        values["retrieval_ms"] = response.retrieval_ms
        values["total_ms"] = response.total_ms
    values |= _first_document(question, response)
    if response.linked is not None:
        values |= _reply(question, response, chunks)
    if judged is not None:
        values["wrong_rate"] = not judged.correct
        values["correct"] = judged.correct
        if judged.facts:
            values["complete"] = judged.stated / judged.facts
    return values


def _recall(documents: Iterable[UUID], question: EvaluationQuestion) -> float:
    """Return the best share of a needed set among `documents`."""
    have = frozenset(documents)
    return max(len(have & needed) / len(needed) for needed in question.needed)


def _first_document(
    question: EvaluationQuestion, response: Response
) -> dict[str, float]:
    """Tell whether the first linked document (a baseline's: first ranked) is needed."""
    if not question.needed:
        return {}
    shown = response.ranking if response.linked is None else response.linked
    return {"first_document_right": bool(shown) and shown[0] in question.any_needed}


def _reply(
    question: EvaluationQuestion, response: Response, chunks: Mapping[UUID, Chunk]
) -> dict[str, float]:
    """Return what applies to systems that reply."""
    linked = response.linked or ()
    kind = "answerable" if question.answerable else "unanswerable"
    abstained = response.outcome is Outcome.ABSTAINED
    values: dict[str, float] = {f"abstained_{kind}": abstained}
    if not response.failed and response.answerability is not None:
        values["answerability"] = response.answerability
        values["answerable"] = question.answerable
    if question.needed:
        values["reported_recall"] = _recall(linked, question)
    judged = bool(question.needed) or not question.answerable
    if response.outcome is Outcome.ANSWERED:
        values["verbatim_share"] = _verbatim(response)
        if judged:
            extra = [item for item in linked if item not in question.any_needed]
            values["extra_documents"] = len(extra)
            if linked:
                values["invalid_ratio"] = len(extra) / len(linked)
        if question.gold or not question.answerable:
            values["wrong_rate"] = _is_wrong(question, response, chunks)
    return values


def _is_wrong(
    question: EvaluationQuestion, response: Response, chunks: Mapping[UUID, Chunk]
) -> bool:
    """Tell whether an answer is wrong: no gold stands in the linked evidence."""
    linked = frozenset(response.linked or ())
    shown = passages(
        (item for item in response.evidence if item.document_id in linked), chunks
    )
    return not any(is_found(gold, shown) for gold in question.gold)


def _verbatim(response: Response) -> bool:
    """Tell whether all of the answer's text stands in the packed evidence.

    The text is cut at its sentences' offsets; what lies between them counts too. A
    card's heading is evidence as a whole.
    """
    edges = sorted(
        {0, len(response.text)}
        | {edge for item in response.sentences for edge in (item.start, item.end)}
    )
    pieces = (
        response.text[start:end] for start, end in zip(edges, edges[1:], strict=False)
    )
    sources = chain.from_iterable(
        (item.text, item.heading) for item in response.evidence
    )
    return is_verbatim(pieces, sources)
