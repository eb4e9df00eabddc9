"""The wording of statements: sentences, list items and rows, each under its key.

The extractor makes memories of them, and answering compares a question with the same
texts; as both use these functions, what was embedded at sync needs no encoder again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.sentences import sentence_spans

#: A4 and A3 speak of concise values; longer sentences are kept in the chunk alone.
MAX_CHARACTERS = 600
MIN_WORDS = 4

#: A longer lead-in would drown the item that it stands before.
_LEAD_CHARACTERS = 120
_WORD = re.compile(r"\w+")
_LIST_MARK = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")


def memory_key(title: str, path: Sequence[str]) -> str:
    """Return what a memory is about: the document's title and the last two headings."""
    parts = [title, *path[-2:]]
    return " / ".join(dict.fromkeys(part for part in parts if part))


def one_line(text: str) -> str:
    """Return `text` with its white space as single blanks."""
    return " ".join(text.split())


def lead_in(paragraph: str) -> str:
    """Return the last sentence of a paragraph that ends in a colon, else ""."""
    if not paragraph.rstrip().endswith(":"):
        return ""
    start, end = sentence_spans(paragraph)[-1]
    return one_line(paragraph[start:end])


def item_values(text: str, lead: str) -> list[str]:
    """Return a list item's values: itself under its lead-in, or its sentences if long."""
    item = one_line(_LIST_MARK.sub("", text))
    short_lead = lead and len(lead) < _LEAD_CHARACTERS
    under = f"{lead.rstrip(':')}: {item}" if short_lead else item
    if len(under) <= MAX_CHARACTERS // 2:
        return [under]
    return [item[start:end].strip() for start, end in sentence_spans(item)]


def row_value(row: str, header: str) -> str:
    """Return a table row as `header: value; …`; cells without a header stand alone."""
    cells, headers = split_row(row), split_row(header)
    pairs = []
    for at, cell in enumerate(cells):
        name = headers[at] if at < len(headers) else ""
        if cell:
            pairs.append(f"{name}: {cell}" if name else cell)
    return "; ".join(pairs)


def split_row(line: str) -> list[str]:
    r"""Return the cells of a `| a | b |` line; `\|` is a bar inside a cell."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def is_statement(value: str) -> bool:
    """Tell whether a value says something and isn't too long to be a memory."""
    return len(_WORD.findall(value)) >= MIN_WORDS and len(value) <= MAX_CHARACTERS
