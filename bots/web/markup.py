"""Blocks to HTML. Every piece of text is escaped here; nothing else makes markup."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from bots.shapes import Row, Run, Runs, Shape, Shaped

#: Deeper items are drawn at this depth: a mail can quote a list 50 levels deep.
MAX_DEPTH = 6
#: A number stays on the line of what it belongs to.
NO_BREAK = mark_safe("&nbsp;")


def blocks_html(blocks: Sequence[Shaped], *, cite_prefix: str = "") -> SafeString:
    """Return the blocks as HTML; numbers link to the ids `cite_prefix` + number."""
    return _joined(_grouped(blocks, cite_prefix))


def _grouped(blocks: Sequence[Shaped], prefix: str) -> Iterator[SafeString]:
    for is_list, group in groupby(blocks, lambda block: block.shape is Shape.ITEM):
        items = list(group)
        if is_list:
            yield _lists(items, prefix)
        else:
            yield from (_block(block, prefix) for block in items)


def _block(block: Shaped, prefix: str) -> SafeString:
    if block.shape is Shape.TABLE:
        return _table(block, prefix)
    runs = _runs(block.runs, prefix)
    if block.shape is Shape.HEADING:
        # The page's own title is the h1.
        level = min(block.level + 1, 6)
        return format_html("<h{0}{1}>{2}</h{0}>", level, _id(block.anchor), runs)
    if block.shape is Shape.CODE:
        return format_html('<pre tabindex="0"><code>{}</code></pre>', runs)
    if block.shape is Shape.QUOTE:
        return format_html("<blockquote><p>{}</p></blockquote>", runs)
    return format_html("<p>{}</p>", runs)


def _id(anchor: str) -> SafeString:
    return format_html(' id="{}"', anchor) if anchor else mark_safe("")


def _joined(pieces: Iterator[SafeString]) -> SafeString:
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def _runs(runs: Runs, prefix: str) -> SafeString:
    return _joined(_run(run, prefix) for run in runs)


def _run(run: Run, prefix: str) -> SafeString:
    html = conditional_escape(run.text)
    if run.href:
        html = format_html(
            '<a href="{}" rel="noopener noreferrer">{}</a>', run.href, html
        )
    if run.quoted:
        html = format_html("<q>{}</q>", html)
    if run.mark:
        html = format_html("<mark{}>{}</mark>", _id(run.anchor), html)
    if not run.numbers:
        return html
    return format_html("{}{}{}", html, NO_BREAK, _numbers(run.numbers, prefix))


def _numbers(numbers: Sequence[int], prefix: str) -> SafeString:
    return format_html_join(
        NO_BREAK,
        '<a class="cite" href="#{}{}" aria-label="Source {}">[{}]</a>',
        ((prefix, number, number, number) for number in numbers),
    )


@dataclass(slots=True)
class _Open:
    """A list whose last item isn't closed yet."""

    depth: int
    tag: str
    ordinal: int

    def takes(self, item: Shaped, depth: int, tag: str) -> bool:
        """Tell whether an item goes on with it; steps that begin anew don't."""
        later = item.ordinal is None or item.ordinal > self.ordinal
        return (self.depth, self.tag) == (depth, tag) and later


def _lists(items: Sequence[Shaped], prefix: str) -> SafeString:
    """Return items as nested lists: an item holds the deeper ones that follow it."""
    pieces: list[str] = []
    opened: list[_Open] = []
    for item in items:
        depth, tag = min(item.depth, MAX_DEPTH), "ul" if item.ordinal is None else "ol"
        while opened and opened[-1].depth > depth:
            pieces.append(f"</li></{opened.pop().tag}>")
        if opened and opened[-1].takes(item, depth, tag):
            pieces.append("</li>")
        else:
            if opened and opened[-1].depth == depth:
                pieces.append(f"</li></{opened.pop().tag}>")
            pieces.append(f"<{tag}>")
            opened.append(_Open(depth, tag, ordinal=-1))
        opened[-1].ordinal = -1 if item.ordinal is None else item.ordinal
        value = "" if item.ordinal is None else f' value="{item.ordinal}"'
        pieces.append(f"<li{value}>{_runs(item.runs, prefix)}")
    pieces.extend(f"</li></{item.tag}>" for item in reversed(opened))
    # Tags are the literals above, the runs are escaped, ordinals are whole numbers.
    return mark_safe("".join(pieces))  # noqa: S308


def _table(block: Shaped, prefix: str) -> SafeString:
    cited = any(row.numbers for row in block.rows)
    head = format_html_join(
        "", '<th scope="col">{}</th>', ((_runs(cell, prefix),) for cell in block.header)
    )
    if head:
        last = mark_safe('<th scope="col">Source</th>') if cited else ""
        head = format_html("<thead><tr>{}{}</tr></thead>", head, last)
    rows = _joined(_row(row, prefix, cited=cited) for row in block.rows)
    # It scrolls by itself, so that the page doesn't; by keyboard too.
    return format_html(
        '<div class="table" tabindex="0" role="region" aria-label="Table">'
        "<table>{}<tbody>{}</tbody></table></div>",
        head,
        rows,
    )


def _row(row: Row, prefix: str, *, cited: bool) -> SafeString:
    cells = format_html_join(
        "", "<td>{}</td>", ((_runs(cell, prefix),) for cell in row.cells)
    )
    last = (
        format_html('<td class="from">{}</td>', _numbers(row.numbers, prefix))
        if cited
        else ""
    )
    return format_html("<tr>{}{}</tr>", cells, last)
