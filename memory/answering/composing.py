"""Putting chosen units into one text: verbatim, in an order that reads well."""

from __future__ import annotations

from collections.abc import Sequence

from memory.answering.units import Kind, Unit
from memory.documents import Evidence, Sentence
from memory.query.base import Draft


def compose(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> Draft:
    """Return the draft of these units, in order of choice; at least one.

    The best unit's group comes first, then what else was chosen, by document in the
    order in which each was first chosen, and in document order within one. Units that
    follow one another in the evidence keep the white space between them.
    """
    text = ""
    pieces: list[Sentence] = []
    before: Unit | None = None
    for unit in arranged(chosen, evidence):
        gap = _gap(before, unit, evidence)
        start = len(text) + len(gap)
        text += gap + unit.text
        chunk_id = evidence[unit.card].chunk_id
        pieces.append(Sentence(start, len(text), chunk_ids=(chunk_id,)))
        before = unit
    return Draft(text, extractive=True, sentences=tuple(pieces))


def arranged(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> list[Unit]:
    """Return the units in reading order."""
    first = [unit for unit in chosen if _together(unit, chosen[0])]
    rest = [unit for unit in chosen if not _together(unit, chosen[0])]
    documents = list(dict.fromkeys(evidence[unit.card].document_id for unit in chosen))

    def place(unit: Unit) -> tuple[int, int, int]:
        document = documents.index(evidence[unit.card].document_id)
        return document, unit.card, unit.index

    return sorted(first, key=lambda unit: unit.index) + sorted(rest, key=place)


def _together(unit: Unit, other: Unit) -> bool:
    return (unit.card, unit.block) == (other.card, other.block)


def _gap(before: Unit | None, unit: Unit, evidence: Sequence[Evidence]) -> str:
    """Return the white space to put before a unit."""
    if before is None:
        return ""
    if before.card == unit.card and before.end <= unit.start:
        between = evidence[unit.card].text[before.end : unit.start]
        if not between.strip():
            return between
    if before.card == unit.card and before.block == unit.block:
        same_list = unit.kind is Kind.ITEM or before.kind is Kind.ITEM
        return "\n" if same_list or unit.kind is Kind.ROW else " "
    return "\n\n"
