"""EML to Content: headers, body, attached messages and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, Warnings, aware, short_title
from connectors.conversion.decoding import decode
from connectors.conversion.guards import parsing
from connectors.conversion.html import html_content
from connectors.conversion.plain_text import write_text
from connectors.errors import ConversionError

MAX_ATTACHMENTS = 50
MAX_DEPTH = 3
_MAX_ADDRESSES = 50
_NO_SUBJECT = "(no subject)"

#: Reads an attachment's bytes by its name.
Read = Callable[[bytes, str], Converted]


@dataclass(slots=True)
class _Parts:
    plain: list[Message] = field(default_factory=list)
    html: list[Message] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    files: list[tuple[str, Message]] = field(default_factory=list)


def convert_mail(data: bytes, warnings: Warnings, *, read: Read) -> Converted:
    """Return a message under its subject, with attachments as sections of their own.

    `read` converts an attachment, or raises ConversionError: then it's named and a
    warning says why its text is missing. Bad dates and encodings never raise.
    """
    with parsing("EML"):
        message = message_from_bytes(data)
    if not message.keys():
        raise ConversionError("damaged", "The EML file has no mail headers.")
    builder = ContentBuilder()
    _MailWriter(builder, warnings, read).write(message, level=1)
    subject = short_title(_header(message, "Subject"))
    return Converted(
        content=builder.build(),
        title=subject or _NO_SUBJECT,
        author=next(iter(_people(message, "From")), ""),
        updated_at=aware(_header(message, "Date")),
        kind="mail",
    )


class _MailWriter:
    def __init__(self, builder: ContentBuilder, warnings: Warnings, read: Read) -> None:
        self._builder = builder
        self._warnings = warnings
        self._read = read
        self._attachments = 0

    def write(self, message: Message, *, level: int) -> None:
        subject = _header(message, "Subject") or _NO_SUBJECT
        self._builder.heading(subject, level)
        self._builder.paragraph("\n".join(_head_lines(message)))
        parts = _sorted_parts(message)
        self._body(parts, level)
        if parts.files:
            names = ", ".join(name for name, _ in parts.files)
            self._builder.paragraph(f"Attachments: {names}")
        for name, part in parts.files:
            self._attachment(name, part, level + 1)
        for inner in parts.messages:
            if level > MAX_DEPTH:
                self._warnings.add(
                    "nested_messages",
                    f"Messages nested more than {MAX_DEPTH} deep were not read.",
                )
            else:
                self.write(inner, level=level + 1)

    def _body(self, parts: _Parts, level: int) -> None:
        plain = [text for x in parts.plain if (text := self._text(x)).strip()]
        for text in plain:
            write_text(self._builder, text, base_level=level)
        for part in parts.html if not plain else ():
            content = html_content(self._text(part), self._warnings)
            self._builder.append(content, below=level)

    def _text(self, part: Message) -> str:
        data = _payload(part)
        charset = part.get_content_charset() or ""
        try:
            return decode(data, self._warnings, declared=charset)
        except ConversionError:
            self._warnings.add(
                "binary", "A part of the message that says it's text isn't."
            )
            return ""

    def _attachment(self, name: str, part: Message, level: int) -> None:
        self._attachments += 1
        if self._attachments > MAX_ATTACHMENTS:
            self._warnings.add(
                "attachment_limit",
                f"Attachments after the first {MAX_ATTACHMENTS} were not read.",
            )
            return
        try:
            converted = self._read(_payload(part), name)
        except ConversionError as error:
            self._warnings.add(error.reason, f'Attachment "{name}": {error}')
            return
        self._builder.heading(f"Attachment: {name}", level)
        self._builder.append(converted.content, below=level)
        for reason, text in converted.warnings:
            self._warnings.add(reason, f'Attachment "{name}": {text}')


def _sorted_parts(message: Message) -> _Parts:
    """Return the message's leaves by what they are; nested messages stay whole."""
    parts = _Parts()
    for part in _leaves(message):
        kind = part.get_content_type()
        name = _file_name(part)
        if kind == "message/rfc822":
            payload = part.get_payload()
            inner = payload[0] if isinstance(payload, list) and payload else None
            if isinstance(inner, Message):
                parts.messages.append(inner)
        elif name or part.get_content_disposition() == "attachment":
            if not (part.get("Content-ID") and kind.startswith("image/")):
                parts.files.append((name or "unnamed", part))
        elif kind == "text/html":
            parts.html.append(part)
        elif kind.startswith("text/") and kind != "text/calendar":
            parts.plain.append(part)
    return parts


def _leaves(message: Message) -> Iterator[Message]:
    stack = [message]
    while stack:
        part = stack.pop()
        payload = part.get_payload()
        is_container = part.get_content_maintype() == "multipart"
        if is_container and isinstance(payload, list):
            stack.extend(x for x in reversed(payload) if isinstance(x, Message))
        else:
            yield part


def _head_lines(message: Message) -> Iterator[str]:
    for name in ("From", "To", "Cc"):
        if people := _people(message, name):
            more = len(people) - _MAX_ADDRESSES
            shown = ", ".join(people[:_MAX_ADDRESSES])
            yield f"{name}: {shown}" + (f" and {more:,} more" if more > 0 else "")
    if date := _header(message, "Date"):
        moment = aware(date)
        yield f"Date: {moment.strftime('%Y-%m-%d %H:%M %z') if moment else date}"


def _people(message: Message, name: str) -> list[str]:
    """Return a header's people, each as "Name <address>", or its text as it stands."""
    values = [str(value) for value in message.get_all(name, [])]
    try:
        pairs = getaddresses(values)
    except (ValueError, IndexError, TypeError):
        pairs = []
    people = []
    for person, address in pairs:
        person = _decoded(person)
        people.append(
            f"{person} <{address}>" if person and address else person or address
        )
    return [person for person in people if person] or [
        text for text in (_decoded(value) for value in values) if text
    ]


def _header(message: Message, name: str) -> str:
    value = message.get(name)
    return "" if value is None else _decoded(str(value))


def _decoded(value: str) -> str:
    """Return a header with its encoded words (RFC 2047) as text; it never raises."""
    try:
        pieces = decode_header(value)
    except (HeaderParseError, MessageError, ValueError):
        return " ".join(value.split())
    try:
        text = str(make_header(pieces))
    except (LookupError, ValueError, MessageError):
        # An unknown charset, or bytes that aren't what they say.
        text = " ".join(
            piece if isinstance(piece, str) else piece.decode("utf-8", "replace")
            for piece, _ in pieces
        )
    return " ".join(text.split())


def _file_name(part: Message) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError, TypeError, MessageError):
        return "unnamed"
    name = _decoded(name or "").replace("\\", "/")
    return name.rsplit("/", 1)[-1]


def _payload(part: Message) -> bytes:
    try:
        data = part.get_payload(decode=True)
    except (ValueError, LookupError, TypeError, AssertionError):
        data = None
    return data if isinstance(data, bytes) else b""
