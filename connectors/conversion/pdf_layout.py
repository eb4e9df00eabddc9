"""Lines of PDF pages to paragraphs, without what repeats on every page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

#: A running line stands among the first or last lines of a page …
_EDGE = 3
#: … on more than half of at least this many pages.
_MIN_PAGES = 3
_DIGITS = re.compile(r"\d+")
_BULLET = re.compile(r"^(?:[•◦▪–·●○■‣\uf0b7]\s*|[-*]\s+|(\d{1,3})[.)]\s+)(?=\S)")
#: Letters, a hyphen at the line's end, and a small letter on the next line.
_HYPHENATED = re.compile(r"[a-zà-ÿ]{2,}-$")
_SENTENCE_END = re.compile(r"[.!?:;]['\")\]”’]*$")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text with its top and bottom, in points from the page's bottom."""

    text: str
    top: float
    bottom: float

    @property
    def height(self) -> float:
        """Return the height of its letters."""
        return self.top - self.bottom


def without_running_lines(pages: list[list[Line]]) -> list[list[Line]]:
    """Return the pages without headers and footers that most of them share.

    Numbers don't count in the comparison ("Page 3 of 9"). A page keeps its lines where
    nothing else would be left.
    """
    with_text = [lines for lines in pages if lines]
    if len(with_text) < _MIN_PAGES:
        return pages
    seen: Counter[str] = Counter()
    for lines in with_text:
        seen.update({_key(line) for line in _edges(lines)})
    running = {key for key, count in seen.items() if count * 2 > len(with_text)}
    return [_stripped(lines, running) for lines in pages] if running else pages


def paragraphs(lines: list[Line]) -> Iterator[tuple[str, int | None]]:
    """Yield each paragraph's text, and its bullet: None, 0 (a dot) or its number.

    A paragraph ends at a wider gap, another letter size, a bullet, or a sentence's end
    on a short line.
    """
    pitch = _pitch(lines)
    longest = max((len(line.text) for line in lines), default=0)
    text, bullet, before = "", None, None
    for line in lines:
        match = _BULLET.match(line.text)
        if before is None or match or _is_apart(before, line, pitch, longest):
            if text:
                yield text, bullet
            bullet = int(match.group(1) or 0) if match else None
            text = line.text[match.end() :] if match else line.text
        else:
            text = _joined(text, line.text)
        before = line
    if text:
        yield text, bullet


def _edges(lines: list[Line]) -> list[Line]:
    return lines if len(lines) <= 2 * _EDGE else lines[:_EDGE] + lines[-_EDGE:]


def _key(line: Line) -> str:
    return _DIGITS.sub("#", "".join(line.text.lower().split()))


def _stripped(lines: list[Line], running: set[str]) -> list[Line]:
    edge = {id(line) for line in _edges(lines)}
    kept = [x for x in lines if id(x) not in edge or _key(x) not in running]
    return kept or lines


def _pitch(lines: list[Line]) -> float:
    """Return the usual distance from one line to the next; 0 where there's none."""
    gaps = [a.bottom - b.bottom for a, b in zip(lines, lines[1:], strict=False)]
    return median([gap for gap in gaps if gap > 0] or [0.0])


def _is_apart(before: Line, line: Line, pitch: float, longest: int) -> bool:
    gap = before.bottom - line.bottom
    if gap < 0 or (pitch > 0 and gap > 1.45 * pitch):
        return True
    if abs(before.height - line.height) > 0.15 * max(before.height, line.height, 0.1):
        return True
    is_short = len(before.text) < 0.75 * longest
    if is_short and _SENTENCE_END.search(before.text):
        return True
    # Short lines one below another are a table, an address or a list of names.
    return len(before.text) < 0.5 * longest and not line.text[:1].islower()


def _joined(text: str, line: str) -> str:
    if _HYPHENATED.search(text) and line[:1].islower():
        return text[:-1] + line
    return f"{text} {line}"
