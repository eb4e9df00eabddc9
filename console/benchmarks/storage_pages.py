"""Confluence pages by rule: what the editors write, in storage format, at any size.

Elements and attributes are those of the vendor's page (see connectors.confluence.elements)
with the ids and layout attributes that today's editor puts on everything.
"""

from __future__ import annotations

import random
from collections.abc import Callable

SEED = 42
_TEXT = (
    "the request is approved by a manager before it reaches the service desk and every "
    "laptop order needs a cost centre owner contract invoice region policy travel "
    "backup server release review customer access group permission change window "
    "incident report within five working days when no deputy has been named for it "
    "o&rsquo;clock &mdash; R&amp;D five&nbsp;days caf&eacute; Größe naïve 日程"
)
_WORDS = _TEXT.split()


class PageMaker:
    """Makes pages; the same seed makes the same ones."""

    def __init__(self, seed: int = SEED) -> None:
        """Begin the sequence."""
        self._chance = random.Random(seed)  # noqa: S311 - pages, no secrets
        self._parts: tuple[tuple[int, Callable[[], str]], ...] = (
            (6, self._paragraph),
            (3, self._list),
            (3, self._table),
            (1, self._code),
            (2, self._panel),
            (1, self._expand),
            (1, self._tasks),
            (1, self._layout),
            (1, self._image),
        )

    def page(self, size: int) -> str:
        """Return a page of about `size` bytes."""
        parts = [self._paragraph()]
        length = len(parts[0].encode())
        while length < size:
            made = self._part() if len(parts) % 5 else self._heading()
            if length + len(made.encode()) > 1.2 * size:
                made = self._paragraph()
            parts.append(made)
            length += len(made.encode())
        return "".join(parts)

    def _part(self) -> str:
        weights, makers = zip(*self._parts, strict=True)
        [make] = self._chance.choices(makers, weights)
        return str(make())

    def _words(self, least: int, most: int) -> str:
        count = self._chance.randint(least, most)
        return " ".join(self._chance.choices(_WORDS, k=count))

    def _id(self) -> str:
        return f"{self._chance.getrandbits(64):016x}"

    def _inline(self) -> str:
        """Return sentences with what stands in them."""
        link = (
            f'<ac:link ac:card-appearance="inline"><ri:page ri:content-title='
            f'"{self._words(2, 4)}" ri:version-at-save="3" /><ac:link-body>'
            f"{self._words(2, 4)}</ac:link-body></ac:link>"
        )
        mention = f'<ac:link><ri:user ri:account-id="{self._id()}" /></ac:link>'
        status = _macro(
            "status", self._id(), title=self._words(1, 2).upper(), colour="Green"
        )
        web = f'<a href="https://example.com/{self._id()}">{self._words(1, 3)}</a>'
        marked = (
            f"<strong>{self._words(1, 3)}</strong> &amp; <em>{self._words(1, 3)}</em>"
        )
        date = '<time datetime="2026-03-04" />'
        pieces = [self._words(8, 25)]
        for _ in range(self._chance.randint(0, 3)):
            pieces.append(
                self._chance.choice((link, mention, status, web, marked, date))
            )
            pieces.append(self._words(4, 16))
        return " ".join(pieces) + "."

    def _heading(self) -> str:
        level = self._chance.choice((1, 2, 2, 3))
        return f'<h{level} local-id="{self._id()}">{self._words(2, 6)}</h{level}>'

    def _paragraph(self) -> str:
        return f'<p local-id="{self._id()}">{self._inline()}</p>'

    def _list(self) -> str:
        tag = self._chance.choice(("ul", "ol"))
        items = "".join(
            f'<li local-id="{self._id()}"><p local-id="{self._id()}">{self._inline()}</p>{self._nested()}</li>'
            for _ in range(self._chance.randint(3, 8))
        )
        return f'<{tag} local-id="{self._id()}">{items}</{tag}>'

    def _nested(self) -> str:
        if self._chance.random() < 0.7:
            return ""
        items = "".join(
            f"<li><p>{self._words(3, 12)}</p></li>"
            for _ in range(self._chance.randint(1, 3))
        )
        return f"<ul>{items}</ul>"

    def _table(self) -> str:
        columns = self._chance.randint(3, 6)
        head = "".join(
            f"<th><p><strong>{self._words(1, 3)}</strong></p></th>"
            for _ in range(columns)
        )
        rows = "".join(
            f'<tr ac:local-id="{self._id()}">{self._cells(columns)}</tr>'
            for _ in range(self._chance.randint(4, 15))
        )
        sizes = '<col style="width: 170.0px;" />' * columns
        return (
            f'<table data-table-width="760" data-layout="default" ac:local-id="{self._id()}">'
            f"<colgroup>{sizes}</colgroup><tbody><tr>{head}</tr>{rows}</tbody></table>"
        )

    def _cells(self, columns: int) -> str:
        return "".join(f"<td><p>{self._cell()}</p></td>" for _ in range(columns))

    def _cell(self) -> str:
        kind = self._chance.random()
        if kind < 0.1:
            return _macro("status", self._id(), title="DONE", colour="Green")
        if kind < 0.2:
            return f"<strong>{self._words(1, 3)}</strong> {self._words(1, 5)}"
        return self._words(1, 9)

    def _code(self) -> str:
        lines = "\n".join(
            f"    {self._words(2, 6)} = <{self._id()}>"
            for _ in range(self._chance.randint(4, 15))
        )
        body = f"<ac:plain-text-body><![CDATA[{lines}]]></ac:plain-text-body>"
        return _macro("code", self._id(), body, language="python")

    def _panel(self) -> str:
        kind = self._chance.choice(("info", "note", "warning", "tip"))
        return _macro(kind, self._id(), _rich(self._paragraph() + self._paragraph()))

    def _expand(self) -> str:
        return _macro(
            "expand",
            self._id(),
            _rich(self._paragraph() + self._list()),
            title=self._words(2, 5),
        )

    def _tasks(self) -> str:
        tasks = "".join(
            f"<ac:task><ac:task-id>{number}</ac:task-id><ac:task-uuid>{self._id()}</ac:task-uuid>"
            f"<ac:task-status>{self._chance.choice(('complete', 'incomplete'))}</ac:task-status>"
            f'<ac:task-body><span class="placeholder-inline-tasks">{self._inline()}</span></ac:task-body></ac:task>'
            for number in range(self._chance.randint(2, 6))
        )
        return f"<ac:task-list>{tasks}</ac:task-list>"

    def _layout(self) -> str:
        cells = "".join(
            f"<ac:layout-cell>{self._paragraph()}{self._list()}</ac:layout-cell>"
            for _ in range(2)
        )
        return (
            f'<ac:layout><ac:layout-section ac:type="two_equal" ac:breakout-mode="default">{cells}'
            "</ac:layout-section></ac:layout>"
        )

    def _image(self) -> str:
        return (
            f'<ac:image ac:align="center" ac:layout="center" ac:original-height="400" ac:alt="{self._words(2, 5)}">'
            f'<ri:attachment ri:filename="{self._id()}.png" ri:version-at-save="1" />'
            f"<ac:caption><p>{self._words(3, 8)}</p></ac:caption></ac:image>"
        )


def _macro(name: str, id_: str, body: str = "", **parameters: str) -> str:
    told = "".join(
        f'<ac:parameter ac:name="{key}">{value}</ac:parameter>'
        for key, value in parameters.items()
    )
    return (
        f'<ac:structured-macro ac:name="{name}" ac:schema-version="1" ac:macro-id="{id_}">'
        f"{told}{body}</ac:structured-macro>"
    )


def _rich(body: str) -> str:
    return f"<ac:rich-text-body>{body}</ac:rich-text-body>"
