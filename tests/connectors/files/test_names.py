"""Ids for names, and which names belong to a source."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.files.names import Selection, external_id, glob, is_ignored

# What os.fsdecode makes of any bytes that a file's name can hold.
os_names = (
    st.binary(min_size=1, max_size=12)
    .filter(lambda raw: not {0, ord("/")} & set(raw))
    .map(lambda raw: raw.decode("utf-8", "surrogateescape"))
)


@given(os_names, os_names)
def test_two_names_never_share_an_id(one, other):
    assert (external_id([one]) == external_id([other])) == (one == other)


@given(os_names)
def test_every_id_is_valid_unicode_and_json(name):
    made = external_id(["folder", name])
    made.encode("utf-8")
    assert json.loads(json.dumps(made)) == made


def test_bytes_and_backslashes_are_written_out():
    assert external_id(["caf\udce9", "a\\b.md"]) == "caf\\xe9/a\\\\b.md"


def test_ordinary_names_are_left_alone():
    parts = ["Ça", 'say "hi"', "two\nlines.md"]
    assert external_id(parts) == 'Ça/say "hi"/two\nlines.md'


@pytest.mark.parametrize(
    "name", [".git", "node_modules", "Thumbs.db", "~$plan.docx", "notes.md~", ".a.swp"]
)
def test_what_tools_leave_behind_is_ignored_even_with_hidden_files(name):
    assert is_ignored(name, follow_hidden=True)


def test_hidden_files_are_read_on_request_alone():
    assert is_ignored(".plan.md", follow_hidden=False)
    assert not is_ignored(".plan.md", follow_hidden=True)


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.md", "a.md", True),
        ("*.md", "deep/er/a.md", True),
        ("*.md", "a.mdx", False),
        ("policies/*.md", "policies/a.md", True),
        ("policies/*.md", "policies/old/a.md", False),
        ("policies/**", "policies/old/a.md", True),
        ("**/old/*.md", "old/a.md", True),
        ("**/old/*.md", "x/y/old/a.md", True),
        ("/a.md", "a.md", True),
        ("/a.md", "deep/a.md", False),
        ("./a?.md", "ab.md", True),
        ("drafts/", "x/drafts", True),
        ("[ab]*.md", "b1.md", True),
        ("[!ab]*.md", "b1.md", False),
        ("a+(1).md", "a+(1).md", True),
        ("[z-a].md", "[z-a].md", True),
        ("*", "two\nlines", True),
    ],
)
def test_patterns_match_names_or_whole_paths(pattern, path, matches):
    assert bool(glob(pattern).fullmatch(path)) == matches


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_pattern_compiles(pattern, path):
    glob(pattern).fullmatch(path)


def test_exclude_wins_over_include_and_closes_folders():
    chosen = Selection.of(["*.md"], ["drafts/", "b.md"], follow_hidden=False)
    assert chosen.takes(["a.md"])
    assert not chosen.takes(["b.md"])
    assert not chosen.takes(["a.txt"])
    assert not chosen.enters(["x", "drafts"])
    assert chosen.enters(["x"])
