"""Choosing the few units that together answer, each with what it needs to be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from memory.answering.asked import Asked, Form
from memory.answering.scoring import Scored
from memory.answering.units import Kind, Unit

Key = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much an answer may hold, and how good a further piece has to be."""

    #: A10's cap, in cl100k_base tokens.
    tokens: int = 800
    #: Where a chosen piece is no longer followed by another.
    enough_tokens: int = 180
    pieces: int = 5
    #: A further piece's score, as a share of the best one's.
    floor: float = 0.70
    #: A piece of another document has to be this near the best one.
    other_floor: float = 0.80
    #: So has a further table row, of this table or another: rows are all much alike.
    row_floor: float = 0.95
    #: What likeness to a chosen piece takes off, and what a new part adds.
    redundancy: float = 0.15
    news: float = 1.0
    #: Longest list or procedure that is given whole, in tokens.
    list_tokens: int = 320
    duplicate: float = 0.8


@dataclass(slots=True)
class _Chosen:
    """The answer so far, in the order of choice."""

    limits: Limits
    count: Callable[[str], int]
    cards: Mapping[int, Sequence[Unit]]
    keys: list[Key] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    tokens: int = 0

    def take(self, units: Sequence[Unit]) -> bool:
        """Add units that aren't in yet, all or none; False when they don't fit."""
        new = [u for u in units if u.key not in self.keys]
        cost = sum(self.count(unit.text) + 1 for unit in new)
        if not new or self.tokens + cost > self.limits.tokens:
            return False
        self.keys.extend(unit.key for unit in new)
        self.texts.update(plain(unit.text) for unit in new)
        self.tokens += cost
        return True

    def size(self, units: Sequence[Unit]) -> int:
        return sum(self.count(unit.text) + 1 for unit in units)

    def closure(self, unit: Unit) -> list[Unit]:
        """Return the unit after all that it needs, in document order."""
        wanted: dict[int, Unit] = {}
        waiting = [unit]
        while waiting:
            item = waiting.pop()
            if item.index not in wanted:
                wanted[item.index] = item
                waiting.extend(self.cards[item.card][need] for need in item.needs)
        return [wanted[index] for index in sorted(wanted)]


def plain(text: str) -> str:
    """Return letters and digits of `text` alone, to compare by."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


class Selector:
    """Chooses units by score, novelty and what a question asks for."""

    def __init__(
        self, count_tokens: Callable[[str], int], limits: Limits | None = None
    ) -> None:
        """Use `count_tokens` for the budget."""
        self._count = count_tokens
        self._limits = limits or Limits()

    def choose(
        self,
        asked: Asked,
        scored: Sequence[Scored],
        cards: Mapping[int, Sequence[Unit]],
        documents: Mapping[int, object],
    ) -> list[Unit]:
        """Return the chosen units, the best one's group first, in order of choice.

        `scored` is best first; `cards` holds all units by card, `documents` names
        each card's document. Empty only when no unit fits the budget.
        """
        chosen = _Chosen(self._limits, self._count, cards)
        picked: list[Scored] = []
        for item in self._order(asked, scored, documents, picked):
            if chosen.tokens >= self._limits.enough_tokens and picked:
                break
            if item.unit.key in chosen.keys or _repeats(
                item, picked, chosen, self._limits
            ):
                continue
            group = self._group(asked, item, scored, chosen)
            if chosen.take(group) or chosen.take(chosen.closure(item.unit)):
                picked.append(item)
            if len(picked) >= self._limits.pieces:
                break
        return [cards[card][index] for card, index in chosen.keys]

    def _order(
        self,
        asked: Asked,
        scored: Sequence[Scored],
        documents: Mapping[int, object],
        picked: list[Scored],
    ) -> Iterator[Scored]:
        """Yield candidates, each time the one with the most to add to `picked`."""
        rest = list(scored)
        while rest:
            gains = [self._gain(item, picked, documents) for item in rest]
            best = int(np.argmax(gains))
            if picked and gains[best] == -np.inf:
                return
            yield rest.pop(best)

    def _gain(
        self, item: Scored, picked: Sequence[Scored], documents: Mapping[int, object]
    ) -> float:
        if not picked:
            return item.score
        limits = self._limits
        first = picked[0]
        covered = np.max([other.by_query for other in picked], axis=0)
        news = float(np.max(np.clip(item.by_query - covered, 0, None)[1:], initial=0))
        strength = item.score + limits.news * news
        same = any(
            documents[item.unit.card] == documents[other.unit.card] for other in picked
        )
        floor = limits.floor if same else limits.other_floor
        if item.unit.kind is Kind.ROW and any(
            other.unit.kind is Kind.ROW for other in picked
        ):
            floor = limits.row_floor
        if strength < floor * first.score:
            return -np.inf
        likeness = max(float(item.vector @ other.vector) for other in picked)
        return strength - limits.redundancy * likeness

    def _group(
        self,
        asked: Asked,
        item: Scored,
        scored: Sequence[Scored],
        chosen: _Chosen,
    ) -> list[Unit]:
        """Return the unit with what belongs to it: its list, its lead-in, its header."""
        unit = item.unit
        units = chosen.cards[unit.card]
        if unit.kind is Kind.LEAD or unit.kind is Kind.QUESTION:
            group = [unit, *_followers(units, unit)]
        elif unit.kind is Kind.ITEM and self._wants_list(asked, unit):
            siblings = [u for u in units if u.block == unit.block]
            lead = chosen.closure(siblings[0])[:-1]
            group = [*lead, *siblings]
        else:
            return chosen.closure(unit)
        if chosen.size(group) <= self._limits.list_tokens:
            return group
        return chosen.closure(unit)

    def _wants_list(self, asked: Asked, unit: Unit) -> bool:
        steps = Form.STEPS in asked.forms and unit.is_ordered
        return steps or Form.LIST in asked.forms


def _followers(units: Sequence[Unit], unit: Unit) -> list[Unit]:
    """Return what a lead-in or a question introduces."""
    after = list(units[unit.index + 1 :])
    if not after:
        return []
    if unit.kind is Kind.QUESTION:
        block = after[0].block
        return [u for u in after if u.block == block][:3]
    block = after[0].block
    deeper = unit.depth if unit.block == block else -1
    found: list[Unit] = []
    for other in after:
        if other.block != block or (unit.block == block and other.depth <= deeper):
            break
        found.append(other)
    return found


def _repeats(
    item: Scored, picked: Sequence[Scored], chosen: _Chosen, limits: Limits
) -> bool:
    """Tell whether the answer says this already."""
    if plain(item.unit.text) in chosen.texts:
        return True
    for other in picked:
        both = len(item.terms & other.terms)
        if both and both / len(item.terms | other.terms) >= limits.duplicate:
            return True
    return False
