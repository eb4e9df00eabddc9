"""Cutting evidence into the pieces that an answer may be made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from memory.distillation.statements import (
    MAX_CHARACTERS,
    item_values,
    lead_in,
    memory_key,
    one_line,
    row_value,
)
from memory.documents import Evidence
from memory.embedding import memory_text
from memory.sentences import Run, Span, runs, spans_of


class Kind(StrEnum):
    """What a unit is; only the first four may open an answer."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"
    CODE = "code"
    #: Ends in a colon: it introduces what follows and says little alone.
    LEAD = "lead"
    #: A question that the text itself asks and then answers.
    QUESTION = "question"
    #: A table's header line or its rule; comes with a row.
    HEADER = "header"


@dataclass(frozen=True, slots=True)
class Unit:
    """A verbatim piece of one card: `evidence[card].text[start:end]`.

    `index` is its place among the units of its card, `block` its paragraph, list or
    table there. `needs` are the units (indexes in the same card) without which it
    can't be read: a table's header, a short lead-in, the sentence that a pronoun
    points to. `context` is what it stands under: headings, lead-in, question.
    `statements` are the texts to embed, worded as the memories of the same words are.
    """

    card: int
    index: int
    kind: Kind
    start: int
    end: int
    text: str
    block: int
    context: str = ""
    statements: tuple[str, ...] = ()
    needs: tuple[int, ...] = ()
    depth: int = 0
    is_ordered: bool = False
    is_dangling: bool = False

    @property
    def key(self) -> tuple[int, int]:
        """Name the unit among all cards."""
        return self.card, self.index


_HEADING = re.compile(r"(#{1,6})[ \t]+(.*)")
_RULE = re.compile(r"\|?[ \t:|-]*-[ \t:|-]*\|?")
_ITEM = re.compile(r"(?:[-*+•]|(?P<number>\d{1,9}[.)]|[A-Za-z][.)]))[ \t]+")
_QUOTE = re.compile(r"(?:>[ \t]*)+")
_DANGLING = re.compile(
    r"(?:this|that|these|those|it|its|they|them|their|he|she|his|her|such|however|but"
    r"|also|additionally|furthermore|moreover|therefore|thus|otherwise|instead"
    r"|then|so|and|or|if so|if not|for example|for instance|as such|in this case"
    r"|in that case|in these cases|both|either|neither|similarly|likewise|likewise"
    r"|the same|here)\b(?!\s+(?:page|document|guide|policy|handbook|section)\b)",
    re.IGNORECASE,
)
#: Longest whole list item, and lead-in that comes along, in characters.
_ITEM_LIMIT = 420
_LEAD_LIMIT = 240
_PARENT_LIMIT = 160
_CONTEXT_LIMIT = 140


@dataclass(slots=True)
class _Reader:
    """Walks over one card's runs and keeps what later units lean on."""

    card: int
    text: str
    path: list[str]
    key: str
    units: list[Unit] = field(default_factory=list)
    #: Headings inside the card with their levels, outermost first.
    under: list[tuple[int, str]] = field(default_factory=list)
    block: int = 0
    previous: str = ""
    question: Unit | None = None
    lead: Unit | None = None
    #: The last paragraph's lead-in as the extractor words it.
    introduced: str = ""
    header: tuple[int, ...] = ()
    parents: list[Unit] = field(default_factory=list)

    def read(self) -> list[Unit]:
        for run in runs(self.text):
            kind = self._kind(run)
            self._turn_to(kind)
            getattr(self, f"_read_{kind}")(run)
            self.previous = kind
        return self.units

    def _kind(self, run: Run) -> str:
        first = self.text[run.start : run.start + 3]
        if first in ("```", "~~~"):
            return "code"
        if first.startswith("|"):
            return "row"
        if run.is_whole:
            return "heading"
        is_item = _ITEM.match(self.text, run.start, run.end)
        return "item" if is_item else "paragraph"

    def _turn_to(self, kind: str) -> None:
        """Begin a new block unless a list or a table goes on."""
        if kind == self.previous and kind in ("item", "row"):
            return
        self.block += 1
        self.header = ()
        self.parents = []
        last = self.units[-1] if self.units else None
        follows = kind in ("item", "row", "code") and self.previous == "paragraph"
        self.lead = last if last and follows and last.kind is Kind.LEAD else None

    def _read_heading(self, run: Run) -> None:
        match = _HEADING.match(self.text, run.start, run.end)
        if match:
            level, title = len(match.group(1)), match.group(2).strip()
            self.under = [(d, t) for d, t in self.under if d < level]
            # A chunk begins with its own heading, which its path ends in.
            if title not in self.path[-1:]:
                self.under.append((level, title))
        self.question = None

    def _read_code(self, run: Run) -> None:
        self._add(Kind.CODE, run, needs=self._lead_in())

    def _read_row(self, run: Run) -> None:
        line = self.text[run.start : run.end]
        if self.previous != "row" or _RULE.fullmatch(line):
            self.header += (self._add(Kind.HEADER, run).index,)
        else:
            header = self.units[self.header[0]].text if self.header else ""
            values = [row_value(line, header)]
            self._add(Kind.ROW, run, needs=self.header, values=values)

    def _read_item(self, run: Run) -> None:
        line_start = self.text.rfind("\n", 0, run.start) + 1
        depth = run.start - line_start
        match = _ITEM.match(self.text, run.start, run.end)
        ordered = bool(match and match.group("number"))
        while self.parents and self.parents[-1].depth >= depth:
            self.parents.pop()
        spans = spans_of(self.text, run)
        values: Sequence[str] = ()
        if run.end - run.start <= _ITEM_LIMIT:
            spans = [Span(run.start, run.end)]
            values = item_values(self.text[run.start : run.end], self.introduced)
        first = self._add(
            self._item_kind(spans[0]),
            spans[0],
            needs=self._lead_in(),
            depth=depth,
            is_ordered=ordered,
            values=values or [self.text[match.end() if match else 0 : spans[0].end]],
        )
        self._add_following(spans[1:], first)
        self.parents.append(first)

    def _item_kind(self, span: Span) -> Kind:
        ending = self.text[span.start : span.end].rstrip("*_`")[-1:]
        if ending == "?":
            return Kind.QUESTION
        return Kind.LEAD if ending in (":", "：") else Kind.ITEM

    def _read_paragraph(self, run: Run) -> None:
        self.introduced = lead_in(self.text[run.start : run.end])
        quote = _QUOTE.match(self.text, run.start, run.end)
        if quote and quote.end() < run.end:
            run = Run(quote.end(), run.end, is_whole=False)
        spans = spans_of(self.text, run)
        kind = self._text_kind(spans[0])
        needs = (self.question.index,) if self.question and kind is Kind.CODE else ()
        first = self._add(kind, spans[0], needs=needs)
        if len(spans) == 1 and kind is Kind.QUESTION:
            self.question = first
        self._add_following(spans[1:], first)

    def _text_kind(self, span: Span) -> Kind:
        kind = self._item_kind(span)
        return Kind.SENTENCE if kind is Kind.ITEM else kind

    def _add_following(self, spans: Sequence[Span], before: Unit) -> None:
        for span in spans:
            dangling = bool(_DANGLING.match(self.text, span.start, span.end))
            leans = dangling or before.kind is Kind.QUESTION
            needs = (before.index,) if leans else ()
            before = self._add(self._text_kind(span), span, needs=needs)

    def _lead_in(self) -> tuple[int, ...]:
        """Return what a list item, code block or row brings along."""
        if self.parents:
            parent = self.parents[-1]
            short = len(parent.text) <= _PARENT_LIMIT
            return (parent.index,) if short else ()
        if self.lead and len(self.lead.text) <= _LEAD_LIMIT:
            return (self.lead.index,)
        return ()

    def _context(self) -> str:
        above = self.parents[-1] if self.parents else self.lead
        around = [unit.text for unit in (self.question, above) if unit]
        headings = [*self.path, *(title for _, title in self.under)]
        parts = [*headings[-2:], *around]
        return " / ".join(part[-_CONTEXT_LIMIT:] for part in parts)

    def _add(
        self,
        kind: Kind,
        span: Span | Run,
        *,
        needs: tuple[int, ...] = (),
        depth: int = 0,
        is_ordered: bool = False,
        values: Sequence[str] = (),
    ) -> Unit:
        text = self.text[span.start : span.end]
        dangling = not needs and bool(_DANGLING.match(text))
        unit = Unit(
            card=self.card,
            index=len(self.units),
            kind=kind,
            start=span.start,
            end=span.end,
            text=text,
            block=self.block,
            context=self._context(),
            statements=tuple(
                memory_text(self.key, one_line(value)[:MAX_CHARACTERS])
                for value in values or [text]
            ),
            needs=needs,
            depth=depth,
            is_ordered=is_ordered,
            is_dangling=dangling,
        )
        self.units.append(unit)
        return unit


def units_of(card: int, evidence: Evidence) -> list[Unit]:
    """Return the units of one card, in its own order, disjoint; none for headings."""
    path = [part.strip() for part in evidence.heading.split(" / ") if part.strip()]
    key = evidence.topic or memory_key("", path)
    return _Reader(card, evidence.text, path, key).read()
