"""What the code base promises of itself; CONTRIBUTING.md says why."""

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands

from connectors.registry import KINDS, options_of
from console.settings.environment import ENVIRONMENT, READ_ELSEWHERE
from tests import settings as test_settings

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("memory", "connectors", "bots", "console")
MODULES = sorted(
    path
    for package in PACKAGES
    for path in (ROOT / package).rglob("*.py")
    if "migrations" not in path.parts
)
MOST_LINES = 400
EMPTY_WORDS = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
#: Folders of people and machines, and where packages are fetched from. Written in
#: pieces, so that this file keeps its own rule.
NOT_OURS = re.compile(
    r"(?<![\w.~}])/(?:root|work|" + r"Users)/\w"
    r"|(?<![\w.~}])/ho" + r"me/(?!someone\b)\w"
    r"|pypi\." + r"org|pythonhosted\." + r"org|npmjs\." + r"org|deb\.debian\." + r"org"
    r"|--(?:extra-)?index-" + r"url[ =]\S"
)


@cache
def tracked() -> tuple[Path, ...]:
    """Return the files that git knows, or skip outside a clone."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("This is no git clone.")
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(path for path in paths if path.is_file())


def text_of(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None  # an image or an Office file


def documentation(*names: str) -> str:
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


def our_commands() -> list[str]:
    return sorted(name for name, app in get_commands().items() if app in PACKAGES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_long(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_no_module_has_a_name_that_says_nothing():
    named = {path: set(path.stem.lower().split("_")) for path in MODULES}
    assert [path for path, words in named.items() if words & EMPTY_WORDS] == []


def test_no_file_names_a_machine_or_a_registry():
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if (text := text_of(path)) is not None
        for match in NOT_OURS.finditer(text)
    ]
    assert found == []


def test_every_setting_is_documented():
    text = documentation("docs/operations.md")
    known = ENVIRONMENT.known | READ_ELSEWHERE
    assert sorted(name for name in known if f"`{name}`" not in text) == []


def test_every_documented_setting_exists():
    text = documentation("docs/operations.md", "README.md", "docs/security.md")
    named = set(re.findall(r"\bATTEST_[A-Z_]*[A-Z]\b", text))
    assert named - ENVIRONMENT.known - READ_ELSEWHERE == set()


def test_the_tests_keep_the_settings_that_are_read_elsewhere():
    assert set(READ_ELSEWHERE) == test_settings.KEPT


def test_every_command_is_documented():
    text = documentation("docs/operations.md")
    missing = [name for name in our_commands() if f"`./manage.py {name}" not in text]
    assert missing == []


def test_every_make_target_is_documented():
    makefile = documentation("Makefile")
    targets = re.findall(r"(?m)^([a-z-]+):.*## ", makefile)
    text = documentation("README.md")
    assert [name for name in targets if f"`make {name}" not in text] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_of_a_source_is_documented(kind):
    text = documentation(f"connectors/{kind}/README.md")
    names = [option.name for option in options_of(kind)]
    assert [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_option_says_what_it_is(kind):
    unsaid = [option.name for option in options_of(kind) if not option.label]
    assert unsaid == []


@pytest.mark.django_db
def test_no_migration_is_missing():
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_the_lock_files_are_in_step():
    checked = subprocess.run(
        [sys.executable, ROOT / "requirements" / "check.py"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stderr) == (0, "")


def test_a_link_between_our_pages_leads_somewhere():
    broken = []
    for path in tracked():
        if path.suffix != ".md" or "tests" in path.parts or "sample" in path.parts:
            continue
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text_of(path) or ""):
            if not (path.parent / target).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []
