"""add_source, sync, sources and access as an administrator types them."""

import os
import shutil
import signal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from connectors.models import Document, Group, Membership, Person, Source, SyncRun
from connectors.syncing import Progress
from connectors.syncing_lease import acquire
from console.management.commands import sync as sync_command
from console.management.showing import duration, printable, table
from console.management.sync_progress import watcher, where
from tests.connectors.worlds import DictStore, index_of


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "docs"
    made.mkdir()
    (made / "leave.md").write_text("# Leave\n\nThirty days.\n")
    return made


@pytest.fixture
def store(db, monkeypatch):
    """Return the store that the command `sync` writes into."""
    made = DictStore()
    monkeypatch.setattr(sync_command, "runtime_index", lambda: index_of(made))
    return made


def run(*arguments):
    out = StringIO()
    call_command(*arguments, stdout=out, stderr=out)
    return out.getvalue()


def failing(*arguments):
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command(*arguments, stdout=out, stderr=out)
    assert ended.value.code == 1
    return out.getvalue()


def add(folder, name="Docs", *more):
    return run("add_source", "files", "--name", name, "--set", f"path={folder}", *more)


def test_a_source_is_added_with_its_options(db, folder):
    out = add(folder, "Docs", "include=*.md", "--set", "max_file_mb=5", "--every", "60")
    assert "./manage.py sync 'Docs'" in out
    source = Source.objects.get()
    assert source.options == {
        "path": str(folder),
        "include": ["*.md"],
        "exclude": [],
        "access": ["workspace"],
        "max_file_mb": 5,
        "follow_hidden": False,
    }
    assert source.sync_every_minutes == 60


def test_a_relative_path_counts_from_where_the_command_is_run(db, folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    add("docs", "A")
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    with pytest.raises(CommandError, match="reads the same place"):
        add("..", "B")
    assert [source.options["path"] for source in Source.objects.all()] == [str(folder)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["wiki", "--name", "W"], "There are: files"),
        (["files"], "--name is missing.*path \\(required\\)"),
        (["files", "--name", "D"], "“path” is required"),
        (
            ["files", "--name", "D", "--set", "pth=x"],
            "“pth”.*path \\(required\\), include",
        ),
        (
            ["files", "--name", "D", "--set", "path=/no/such"],
            "/no/such.*can't be opened",
        ),
        (["files", "--name", " ", "--set", "path=/tmp"], "--name is empty"),
        (["files", "--name", "D", "--set", "path=/", "access=x"], "access: “x”"),
        (["files", "--name", "D", "--set", "path=/", "--every", "0"], "--every"),
    ],
)
def test_what_cannot_be_added_says_why(db, arguments, told):
    with pytest.raises(CommandError, match=f"(?s){told}"):
        run("add_source", *arguments)
    assert not Source.objects.exists()


@pytest.mark.parametrize("command", ["sync", "rebuild", "remove_source"])
@pytest.mark.parametrize("name", ["", "Nope\x1b", "x" * 60_000])
def test_a_name_that_no_source_has_is_refused(store, folder, command, name):
    run("add_source", "files", "--name", "Policies", "--set", f"path={folder}")
    with pytest.raises(CommandError, match="No source") as refused:
        call_command(command, name)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 100


def test_duplicates_are_refused_by_name_and_by_place(db, folder, tmp_path):
    add(folder)
    with pytest.raises(CommandError, match="a source “docs” already"):
        add(tmp_path, "docs")
    with pytest.raises(CommandError, match="“Docs” reads the same place"):
        add(folder, "Other")


def test_a_sync_prints_what_it_did(store, folder):
    (folder / "a.png").write_text("")
    (folder / "bad\x1b[2J\nname.png").write_text("")
    add(folder)
    out = run("sync", "docs")
    assert "Docs: succeeded in" in out
    assert "3 seen, 0 unchanged, 1 indexed, 2 skipped, 0 failed, 0 deleted" in out
    assert "1 embedded, 0 kept" in out
    assert "read" in out.split("seconds:")[1]
    assert "notice  a.png: Files ending in “.png” aren't read. [unsupported]" in out
    assert "\x1b" not in out
    assert "bad\\x1b[2J\\nname.png" in out
    assert "1 unchanged" in run("sync")


def test_a_held_sync_exits_with_1_and_approval_goes_on(store, folder):
    for number in range(30):
        (folder / f"{number}.md").write_text(f"Text {number}.")
    add(folder)
    run("sync", "Docs")
    shutil.rmtree(folder)
    assert "can't be opened" in failing("sync", "Docs")
    folder.mkdir()
    out = failing("sync", "Docs")
    assert out.count("31 of 31 documents are missing") == 1
    assert "--approve-deletions" in run("sources")
    out = run("sync", "Docs", "--approve-deletions")
    assert "31 deleted" in out
    assert store.held == {}


def test_a_failed_sync_exits_with_1(store, folder):
    add(folder)
    store.is_down = True
    assert "The store is down." in failing("sync", "Docs")


def test_a_sync_that_runs_elsewhere_is_told(store, folder):
    add(folder)
    acquire(Source.objects.get(), timezone.now)
    assert "already syncing since" in failing("sync", "Docs")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_sync_is_cancelled_and_the_next_goes_on(store, folder, how):
    add(folder)
    real = store.replace_documents
    store.replace_documents = lambda _items: os.kill(os.getpid(), how)
    before = signal.getsignal(signal.SIGTERM)
    assert "cancelled" in failing("sync", "Docs")
    assert signal.getsignal(signal.SIGTERM) == before
    store.replace_documents = real
    assert "1 repaired" in run("sync", "Docs")
    assert set(store.texts()) == {"leave.md"}


def test_sync_all_takes_every_source_that_is_not_paused(store, folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    add(folder)
    add(other, "Other")
    with pytest.raises(CommandError, match="There are: Docs, Other"):
        run("sync")
    Source.objects.filter(name="Other").update(state=Source.State.PAUSED)
    assert "Other" not in run("sync", "--all")
    assert SyncRun.objects.get().source.name == "Docs"


@pytest.mark.parametrize("arguments", [["x"], ["x", "--all"], []])
def test_sync_of_nothing_known_says_what_there_is(db, arguments):
    with pytest.raises(CommandError):
        run("sync", *arguments)


def test_sources_are_listed_with_documents_and_runs(store, folder):
    assert "add_source files" in run("sources")
    add(folder)
    assert "never" in run("sources")
    (folder / "a.png").write_text("")
    run("sync", "Docs")
    head, line = run("sources").splitlines()
    assert head.split() == [
        "name",
        "kind",
        "state",
        "documents",
        "last",
        "run",
        "(UTC)",
        "next",
        "(UTC)",
    ]
    assert "1 indexed, 1 skipped" in line
    assert "succeeded 20" in line


def test_access_tells_what_a_person_may_open(store, folder):
    add(folder)
    run("sync", "Docs")
    Person.objects.create(name="Ada", email="ada@example.com", is_employee=True)
    Person.objects.create(email="guest@example.com")
    line = run("access", "ADA@example.com").splitlines()[-1]
    assert line.split() == ["Docs", "1", "1", "1"]
    line = run("access", "guest@example.com").splitlines()[-1]
    assert line.split() == ["Docs", "0", "0", "1"]
    with pytest.raises(CommandError, match="nobody@example.com"):
        run("access", "nobody@example.com")


def test_access_tells_by_which_layer(store, folder):
    add(folder)
    run("sync", "Docs")
    ada = Person.objects.create(name="Ada", email="ada@example.com", is_employee=True)
    group = Group.objects.create(principal="group:x:1", name="Finance")
    row = Document.objects.get()
    row.rule.layers = [["workspace"], ["group:x:1"]]
    row.rule.save()
    out = run("access", "ada@example.com", "--document", "leave.md")
    assert "workspace: yes, as workspace" in out
    assert "group Finance: no" in out
    assert "Ada may not see it." in out
    Membership.objects.create(group=group, person=ada)
    out = run("access", "ada@example.com", "--document", str(folder / "leave.md"))
    assert "group Finance: yes, as group Finance" in out
    assert "Ada may see it." in out
    Document.objects.update(state=Document.State.FAILED, message="It's damaged.")
    out = run("access", "ada@example.com", "--document", f"http://x/d/{row.id}")
    assert "it doesn't answer: failed. It's damaged." in out
    with pytest.raises(CommandError, match="other.md"):
        run("access", "ada@example.com", "--document", "other.md")


def test_progress_tells_rate_and_time_left():
    at = Progress("read", 50, 200, {}, 700)
    assert where(at, 10) == (
        "read 50/200 documents, 5.0/s, 30.0 s left, 700 texts embedded"
    )
    assert where(Progress("list", 0, None, {}), 0) == "list 0 documents, 0.0/s"


def test_a_terminal_gets_a_bar_and_a_file_gets_lines(monkeypatch):
    class Terminal(StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("console.management.sync_progress.LINE_EVERY_S", 0)
    for out, told in ((Terminal(), "Docs: read"), (StringIO(), "Docs: read 3/9")):
        with watcher("Docs", out) as show:
            show(Progress("read", 3, 9, {}))
        assert told in out.getvalue()
        assert "3/9" in out.getvalue()


def test_text_is_shown_safely_and_in_columns():
    assert printable("a\x1b]0;x\x07\u202eb\n") == "a\\x1b]0;x\\x07\\u202eb\\n"
    assert [duration(s) for s in (3.21, 250, 7500)] == [
        "3.2 s",
        "4 min 10 s",
        "2 h 5 min",
    ]
    assert table(("a", "bb"), [("ccc", "d")]) == ["a    bb", "ccc  d"]
