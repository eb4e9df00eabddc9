"""What stands in a line of Jira's wiki markup: links, pictures, emphasis, mentions."""

from __future__ import annotations

import re
from collections.abc import Callable

from connectors.conversion.html_tags import image_text
from connectors.conversion.rich import Rich, RichBuffer, raised

Count = Callable[[str], None]

#: Emphasis and brackets longer than this are an accident, and looking for their ends
#: would take time that grows with the square of a text's length.
_LONGEST = 1000
_MAX_DEPTH = 12
_FILE_NAME = re.compile(r"\.\w{2,5}$")
_ACCOUNT = re.compile(r"accountid:", re.IGNORECASE)
_TARGET = re.compile(
    r"(?:[a-z][a-z0-9+.-]*://|mailto:|tel:|file:|#|\^|/|\\\\)\S", re.IGNORECASE
)
_URL_ENDS = ".,;:!?'\""
_ICONS = {"(/)": "✓", "(x)": "✗", "(!)": "⚠", "(i)": "ⓘ", "(y)": "👍", "(n)": "👎"}
_SHOWN = {**_ICONS, "---": "—", "--": "–"}
#: Tokens whose text is markup again, and those whose text is meant as it stands.
_READ_ON = frozenset(
    ("strong", "emphasis", "cited", "deleted", "added", "above", "below")
)
_AS_IT_IS = frozenset(("escaped", "mono", "icon", "dash"))


def _emphasis(mark: str, name: str) -> str:
    """Return a pattern for text between marks that stand at the edges of words."""
    quoted = re.escape(mark)
    return (
        rf"(?<![\w\\{quoted}]){quoted}(?=[^\s{quoted}])"
        rf"(?P<{name}>[^\n]{{0,{_LONGEST}}}?[^\s{quoted}\\]){quoted}(?![\w{quoted}])"
    )


_TOKEN = re.compile(
    "|".join(
        (
            r"(?P<line_break>\\\\(?=\s|$))",
            r"\\(?P<escaped>[\\*_+^~?{}\[\]!|#@()-])",
            rf"\{{\{{(?P<mono>[^\n]{{1,{_LONGEST}}}?)\}}\}}",
            r"(?P<colour>\{color(?::[^}\n]{0,100})?\})",
            r"(?P<forced>\{(?:[*_+^~-]|\?\?)\})",
            r"\{anchor:[^}\n]{0,200}\}",
            r"(?P<macro>\{[a-zA-Z][\w-]{0,40}(?::[^}\n]{0,400})?\})",
            rf"\[(?P<link>[^\[\]\n]{{1,{_LONGEST}}})\]",
            r"!(?P<picture>[^\s!|][^!\n|]{0,300})(?P<options>\|[^!\n]{0,300})?!",
            r"(?P<url>(?:https?|ftp|file)://[^\s|\]\[<>{}]+|\bmailto:[^\s|\]\[<>{}]+)",
            r"(?P<icon>\((?:/|x|!|i|y|n)\))",
            r"(?<=\s)(?P<dash>---?)(?=\s)",
            _emphasis("*", "strong"),
            _emphasis("_", "emphasis"),
            rf"(?<![\w?])\?\?(?=\S)(?P<cited>[^\n?]{{1,{_LONGEST}}})\?\?(?![\w?])",
            _emphasis("-", "deleted"),
            _emphasis("+", "added"),
            r"\^(?P<above>[^\s^][^\n^]{0,200})\^",
            r"(?<!\w)~(?P<below>[^\s~][^\n~]{0,200})~(?!\w)",
        )
    )
)


def inline(text: str, count: Count, *, joined: bool = False) -> Rich:
    """Return lines of markup as text with links; `joined` is for a table's cell."""
    buffer = RichBuffer(joined=joined)
    for line in text.split("\n"):
        _write(line, buffer, count, depth=0)
        buffer.break_line()
    return buffer.take()


def _write(text: str, buffer: RichBuffer, count: Count, *, depth: int) -> None:
    if depth > _MAX_DEPTH:
        buffer.add(text)
        return
    end = 0
    for token in _TOKEN.finditer(text):
        buffer.add(text[end : token.start()])
        _token(token, buffer, count, depth)
        end = token.end()
    buffer.add(text[end:])


def _token(token: re.Match[str], buffer: RichBuffer, count: Count, depth: int) -> None:
    name = token.lastgroup or "anchor"
    value = token[name] if token.lastgroup else ""
    if name in _READ_ON:
        struck = "~~" if name == "deleted" else ""
        buffer.add(struck or raised(value) * (name == "above"))
        _write(value, buffer, count, depth=depth + 1)
        buffer.add(struck)
    elif name in _AS_IT_IS:
        buffer.add(_SHOWN.get(value, value))
    elif name == "line_break":
        buffer.break_line()
    elif name == "url":
        _address(value, buffer)
    elif name == "link":
        _link(token, buffer, count, depth)
    elif name in ("picture", "options"):
        _picture(token, buffer)
    elif name == "macro":
        # Braces in prose are no macro; one with parameters may be.
        if ":" in value:
            count(f"macro {value[1:].partition(':')[0]}")
        buffer.add(value)


def _address(url: str, buffer: RichBuffer) -> None:
    """Add an address as it stands, without what ends its sentence."""
    bare = url.rstrip(_URL_ENDS)
    while bare.endswith(")") and bare.count(")") > bare.count("("):
        bare = bare[:-1].rstrip(_URL_ENDS)
    buffer.open_link(bare)
    buffer.add(bare.removeprefix("mailto:"))
    buffer.close_link()
    buffer.add(url[len(bare) :])


def _link(token: re.Match[str], buffer: RichBuffer, count: Count, depth: int) -> None:
    """Add a link, a mention or an attachment's name; else brackets are brackets."""
    parts = [part.strip() for part in token["link"].split("|")]
    if parts[0].startswith("~") and len(parts[0]) > 1:
        _mention(parts[0][1:], buffer, count)
        return
    alias, target = (parts[0], parts[1]) if len(parts) > 1 else ("", parts[0])
    if not _TARGET.match(target):
        buffer.add("[")
        _write(token["link"], buffer, count, depth=depth + 1)
        buffer.add("]")
        return
    label = alias or target.lstrip("#^").removeprefix("mailto:")
    if target.startswith(("#", "^")):
        _write(label, buffer, count, depth=depth + 1)
        return
    buffer.open_link(target)
    if alias:
        # A link's own text is plain but for emphasis; an address in it is no other link.
        buffer.add(_without_marks(alias))
    else:
        buffer.add(label)
    buffer.close_link()


def _without_marks(text: str) -> str:
    """Return a label without emphasis around all of it."""
    match = re.fullmatch(r"([*_+-])(\S(?:.*\S)?)\1", text)
    return match[2] if match else text


def _mention(name: str, buffer: RichBuffer, count: Count) -> None:
    if _ACCOUNT.match(name):
        # Cloud's form, in texts that were moved: an id names nobody to a reader.
        count("mention without a name")
        name = "unknown"
    buffer.add(f"@{name}")


def _picture(token: re.Match[str], buffer: RichBuffer) -> None:
    """Add a picture by its description or file name; else it was an exclamation."""
    target = token["picture"]
    name = target.rpartition("/")[2]
    if target != target.strip() or not _FILE_NAME.search(name.partition("?")[0]):
        buffer.add(token[0])
        return
    options = (token["options"] or "").strip("|")
    described = [
        option.partition("=")[2].strip(' "')
        for option in re.split("[|,]", options)
        if option.strip().startswith(("alt=", "title="))
    ]
    text = next((image_text(item) for item in described if item), "")
    buffer.add(text or f"[file: {name}]")
