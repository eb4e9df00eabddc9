"""Options from a command line: right values, and errors that name the option."""

from pathlib import Path

import pytest

from connectors.base import Option
from connectors.errors import OptionError
from connectors.options import complete, parse_settings
from connectors.registry import KINDS, kind_named, options_of

OPTIONS = (
    Option("path", "Folder", type="path", required=True),
    Option("limit", "Limit", type="number", default=50),
    Option("hidden", "Hidden", type="switch", default=False),
    Option("include", "Include", type="list", default=[]),
    Option("note", "Note"),
)


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("path=/srv/docs", {"path": "/srv/docs"}),
        ("path=docs", {"path": str(Path.cwd() / "docs")}),
        ("path=~/x=y", {"path": str(Path.home() / "x=y")}),
        ("limit=5", {"limit": 5}),
        ("limit=0.5", {"limit": 0.5}),
        ("hidden=yes", {"hidden": True}),
        ("hidden=Off", {"hidden": False}),
        ("include=*.md, *.txt", {"include": ["*.md", "*.txt"]}),
        ('include=["a,b.md"]', {"include": ["a,b.md"]}),
        ("include=[ab]*.md", {"include": ["[ab]*.md"]}),
        ("note=a = b", {"note": "a = b"}),
    ],
)
def test_settings_have_their_options_type(setting, value):
    assert parse_settings([setting], OPTIONS) == value


def test_a_lists_key_may_be_repeated():
    found = parse_settings(["include=a", "include=b,c"], OPTIONS)
    assert found == {"include": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("setting", "named"),
    [
        ("paht=/srv", "paht.*path \\(required\\), limit, hidden"),
        ("path", "path=value"),
        ("path=", "“path”"),
        ("limit=many", "“limit”.*many"),
        ("limit=-1", "“limit”"),
        ("limit=nan", "“limit”"),
        ("hidden=maybe", "“hidden”"),
        ("include=[1]", "“include”"),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(setting, named):
    with pytest.raises(OptionError, match=named):
        parse_settings([setting], OPTIONS)


def test_defaults_fill_in_and_required_options_are_asked_for():
    full = complete({"path": "/srv"}, OPTIONS)
    assert full == {
        "path": "/srv",
        "limit": 50,
        "hidden": False,
        "include": [],
        "note": None,
    }
    with pytest.raises(OptionError, match="“path” is required"):
        complete({}, OPTIONS)
    with pytest.raises(OptionError, match="no option “x”"):
        complete({"path": "/srv", "x": 1}, OPTIONS)


def test_every_kind_can_be_loaded_and_an_unknown_one_lists_them():
    for kind in KINDS:
        assert options_of(kind)
    with pytest.raises(OptionError, match="There are: files"):
        kind_named("wiki")
