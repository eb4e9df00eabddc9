import contextlib
from email.message import EmailMessage

import pytest

from connectors.conversion import convert
from connectors.errors import ConversionError
from tests.connectors.conversion import files
from tests.connectors.conversion.checks import anchors, check_content


def message(subject="Laptops", body="Hello all,\n\nsee below.") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"] = subject
    mail["From"] = "Ada Lovelace <ada@example.com>"
    mail["To"] = "it@example.com, Bob <bob@example.com>"
    mail["Date"] = "Sun, 01 Mar 2026 12:30:00 +0100"
    if body:
        mail.set_content(body)
    return mail


def converted(data: bytes | EmailMessage):
    raw = data if isinstance(data, bytes) else data.as_bytes()
    result = convert(raw, name="mail.eml")
    check_content(result.content)
    return result


def test_a_message_is_its_subject_people_date_and_text():
    result = converted(message(subject="Über Laptops – für alle " * 5))
    title = ("Über Laptops – für alle " * 5).strip()
    assert result.content.text == (
        f"# {title}\n\nFrom: Ada Lovelace <ada@example.com>\n"
        "To: it@example.com, Bob <bob@example.com>\nDate: 2026-03-01 12:30 +0100\n\n"
        "Hello all,\n\nsee below."
    )
    assert (result.title, result.kind) == (title, "mail")
    assert result.author == "Ada Lovelace <ada@example.com>"
    assert result.updated_at is not None
    assert result.updated_at.isoformat() == "2026-03-01T12:30:00+01:00"


def test_plain_text_is_preferred_to_html():
    mail = message()
    mail.add_alternative("<p>In <b>HTML</b></p>", subtype="html")
    assert "HTML" not in converted(mail).content.text


def test_html_alone_is_read_with_its_links_and_layout():
    mail = message(body="")
    mail.set_content(
        "<table><tr><td><p>See <a href='https://example.com/x'>here</a></p>"
        "<ul><li>one</ul></td></tr></table>",
        subtype="html",
    )
    content = converted(mail).content
    assert content.text.endswith("See here\n\n- one")
    assert anchors(content) == [("here", "https://example.com/x")]


def test_attachments_are_listed_and_read_as_sections():
    mail = message()
    mail.add_attachment(
        files.word(lambda d: d.add_heading("Rules", 1)),
        maintype="application",
        subtype="octet-stream",
        filename="rules.docx",
    )
    mail.add_attachment(
        b"\x89PNG\0\0\0", maintype="image", subtype="png", filename="é.png"
    )
    result = converted(mail)
    assert result.content.text.endswith(
        "Attachments: rules.docx, é.png\n\n## Attachment: rules.docx\n\n### Rules"
    )
    assert [s.path for s in result.content.sections][-1] == (
        "Laptops",
        "Attachment: rules.docx",
        "Rules",
    )
    [(reason, text)] = result.warnings
    assert reason == "unsupported"
    assert "é.png" in text


def test_attached_messages_are_sections():
    mail = message()
    mail.add_attachment(message("Inner", "Inside."))
    paths = [s.path for s in converted(mail).content.sections]
    assert paths == [("Laptops",), ("Laptops", "Inner")]


def test_messages_in_messages_end_somewhere():
    mail = message("0", "Deepest.")
    for number in range(1, 30):
        outer = message(str(number), "Outer.")
        outer.add_attachment(mail)
        mail = outer
    result = converted(mail)
    assert [reason for reason, _ in result.warnings] == ["nested_messages"]
    assert len(result.content.sections) == 4


@pytest.mark.parametrize(
    ("headers", "shown"),
    [
        (b"Date: 99 Foo 2026\n", "Date: 99 Foo 2026"),
        (b"Date: Sun, 01 Mar 0000 99:99:99 +9999\n", "Date:"),
        (b"Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= =?x-unknown?B?w7w=?=\n", "# Grüße"),
        (b"Subject: =?utf-8?B?!!!?=\n", "#"),
        (b"From: \xff\xfe <<>>,,;:\n", "body"),
        (b'Content-Type: text/plain; charset="no-such"\n', "body"),
        (b"Content-Transfer-Encoding: base64\n", "(no subject)"),
        (b"Content-Type: multipart/mixed\n", "(no subject)"),
    ],
)
def test_bad_headers_never_raise(headers, shown):
    assert shown in converted(b"X: y\n" + headers + b"\nbody text").content.text


def test_quoted_printable_and_charset_are_decoded():
    raw = (
        b"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\n"
        b"Content-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe an alle=\n hier\n"
    )
    assert converted(raw).content.text.endswith("Grüße an alle hier")


def test_what_has_no_headers_is_no_mail():
    with pytest.raises(ConversionError) as refusal:
        convert(b"\n\nno headers", name="a.eml")
    assert refusal.value.reason == "damaged"


def test_deeply_nested_parts_raise_nothing_else():
    raw = b"Subject: a\n"
    for number in range(2000):
        raw += b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (
            number,
            number,
        )
    with contextlib.suppress(ConversionError):
        convert(raw + b"\ntext", name="a.eml")
