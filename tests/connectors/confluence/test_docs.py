"""Each line of docs/connectors/confluence.md names a test that is there."""

import re
from pathlib import Path

from connectors.confluence.options import SCOPES

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "connectors" / "confluence.md"
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
    assert len(claims) > 50
    for line in claims:
        named = re.findall(r"<!-- (test_\w+) -->", line)
        assert named, line
        assert set(named) <= existing, line


def test_the_page_lists_the_scopes_that_the_option_lists():
    named = set(re.findall(r"`(read:[\w:.-]+)`", PAGE.read_text()))
    assert named == set(SCOPES)


def is_head(line):
    return line.startswith(("| option", "| the account", "| what | how"))
