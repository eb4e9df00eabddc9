"""Each line of docs/connectors/google_drive.md names a test that is there."""

import re
from pathlib import Path

from connectors.google_drive.options import DIRECTORY_SCOPES, SCOPES

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "connectors" / "google_drive.md"
TESTS = Path(__file__).parent


def test_every_line_of_the_page_names_a_test_that_exists():
    existing = set()
    for path in TESTS.glob("test_*.py"):
        existing |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    claims = [
        line
        for line in PAGE.read_text().splitlines()
        if re.match(r"- |\d+\. |\| (?!---)", line) and not is_head(line)
    ]
    assert len(claims) > 60
    for line in claims:
        named = re.findall(r"<!-- (test_\w+) -->", line)
        assert named, line
        assert set(named) <= existing, line


def test_the_page_lists_the_scopes_that_are_asked_for():
    named = set(
        re.findall(r"`(https://www\.googleapis\.com/auth/[\w.]+)`", PAGE.read_text())
    )
    assert named == {*SCOPES, *DIRECTORY_SCOPES}


def test_every_row_of_the_field_study_has_a_test():
    text = " ".join(path.read_text() for path in TESTS.glob("test_*.py"))
    for row in ("C30", "C37", "C38", "C39", "C40", "C41", "C42"):
        assert re.search(rf"\b{row}\b", text), row


def is_head(line):
    return line.startswith(("| option", "| the account", "| what | how"))
