"""A folder through whole runs: what is read, kept, hidden, deleted and told."""

import os
import shutil
import socket
from pathlib import Path

import pytest

from connectors import conversion
from connectors.errors import ConversionError
from connectors.files import connector as connector_module
from connectors.files import file as file_module
from connectors.files import reading, walking
from connectors.files.connector import Files
from connectors.files.options import OPTIONS, FilesOptions
from connectors.models import Document, Person, Source, SyncRun
from connectors.options import complete
from memory import access
from tests.connectors.worlds import issues, settle

State = Document.State


class Converter:
    """The real one, with another version and other endings on request."""

    def __init__(self, version="v1", error=None):
        self.version = version
        self.suffixes = {".md", ".txt"}
        self.read = []
        self.error = error

    def convert(self, data, name):
        self.read.append(name)
        if self.error:
            raise self.error
        return conversion.convert(data, name=name)


def connected(files, converter, **options):
    values = complete(files.source.options | options, OPTIONS)
    return Files(files.source.id, FilesOptions.of(values), converter=converter)


def write(folder, name, text="# Title\n\nSome text.\n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(file_module, "READ_AGAIN_AFTER_S", 0)


def test_a_file_becomes_a_document_that_every_employee_may_read(files, folder):
    path = write(folder, "policies/leave.md", "# Leave\n\nThirty days.\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    run = files.sync()
    assert run.state == SyncRun.State.SUCCEEDED
    row = files.row("policies/leave.md")
    assert (row.title, row.url, row.state) == ("Leave", "", State.INDEXED)
    assert row.updated_at.timestamp() == 1_700_000_000
    assert row.rule.as_value() == access.WORKSPACE_RULE
    assert "Thirty days." in files.store.texts()["policies/leave.md"]
    assert run.total == 1


def test_an_unchanged_file_costs_no_reading(files, folder, monkeypatch):
    write(folder, "a.md")
    settle(folder)
    files.sync()
    monkeypatch.setattr(file_module, "read", None)
    run = files.sync()
    assert run.counts == {"seen": 1, "unchanged": 1}
    assert issues(run) == []


def test_a_touched_file_is_hashed_and_not_converted(files, folder):
    path = write(folder, "a.md")
    settle(folder)
    converter = Converter()
    files.sync(connector=connected(files, converter))
    os.utime(path, (5, 5))
    run = files.sync(connector=connected(files, converter))
    assert converter.read == ["a.md"]
    assert run.counts["unchanged"] == 1
    assert ":5000000000:" in files.row("a.md").mark


def test_a_file_that_was_just_written_is_hashed_at_the_next_run(files, folder):
    path = write(folder, "a.md", "first")
    files.sync()
    stat = path.stat()
    path.write_text("other")
    os.utime(path, ns=(stat.st_mtime_ns, stat.st_mtime_ns))
    files.sync()
    assert files.store.texts() == {"a.md": "other"}


def test_an_edited_file_embeds_only_what_changed(files, folder):
    sections = [f"# Part {n}\n\n{f'Sentence {n}. ' * 120}\n\n" for n in range(6)]
    write(folder, "a.md", "".join(sections))
    first = files.sync()
    sections[3] = sections[3].replace("Sentence", "Changed")
    write(folder, "a.md", "".join(sections))
    second = files.sync()
    assert second.counts["chunks_kept"] > 0
    assert 0 < second.counts["chunks_embedded"] < first.counts["chunks_embedded"] / 2


def test_a_better_converter_reads_all_again(files, folder):
    write(folder, "a.md")
    settle(folder)
    files.sync(connector=connected(files, Converter("v1")))
    converter = Converter("v2")
    run = files.sync(connector=connected(files, converter))
    assert converter.read == ["a.md"]
    assert run.counts["unchanged"] == 1  # the same content, so nothing is embedded


def test_a_deleted_file_leaves_in_the_same_run(files, folder):
    write(folder, "a.md")
    write(folder, "b.md")
    files.sync()
    (folder / "a.md").unlink()
    run = files.sync()
    assert files.states() == {"a.md": State.REMOVED, "b.md": State.INDEXED}
    assert set(files.store.texts()) == {"b.md"}
    assert run.counts["deleted"] == 1


@pytest.mark.parametrize(
    "name",
    [
        "two\nlines.md",
        "say \"hi\" 'there'.md",
        "Überstunden 中文 🎉.md",
        "semi;colon & <b>.md",
        "  spaces  .md",
        "%s{0}$(x).md",
    ],
)
def test_odd_names_are_names_like_any(files, folder, name):
    write(folder, name)
    run = files.sync()
    assert files.states() == {name: State.INDEXED}
    assert set(files.store.texts()) == {name}
    assert run.counts["indexed"] == 1
    assert files.sync().counts["unchanged"] == 1


def test_a_name_that_is_no_unicode_has_a_printable_id(files, folder):
    raw = os.fsencode(folder) + b"/caf\xe9.md"
    Path(os.fsdecode(raw)).write_text("# Coffee\n\nFree.\n")
    files.sync()
    assert files.states() == {"caf\\xe9.md": State.INDEXED}
    assert files.sync().counts["unchanged"] == 1


def test_links_are_never_followed(files, folder, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("Top secret.")
    (tmp_path / "outside").mkdir()
    write(tmp_path / "outside", "inner.md", "Also secret.")
    write(folder, "real/a.md")
    (folder / "out.md").symlink_to(secret)
    (folder / "out").symlink_to(tmp_path / "outside")
    (folder / "real" / "up").symlink_to(folder)
    (folder / "self.md").symlink_to(folder / "self.md")
    (folder / "gone.md").symlink_to(folder / "nothing.md")
    (folder / "copy.md").symlink_to(folder / "real" / "a.md")
    run = files.sync()
    assert files.reasons() == {
        "out.md": "symlink_outside",
        "out": "symlink_outside",
        "real/up": "symlink_loop",
        "self.md": "symlink_loop",
        "gone.md": "symlink_broken",
        "copy.md": "symlink",
        "real/a.md": "",
    }
    assert set(files.store.texts()) == {"real/a.md"}
    assert "“real/a.md”" in files.row("copy.md").message
    assert run.counts["skipped"] == 6
    assert issues(files.sync()) == []


def test_the_folder_may_be_reached_by_a_link(files, folder, tmp_path):
    write(folder, "a.md")
    (tmp_path / "link").symlink_to(folder)
    files.source.options = {"path": str(tmp_path / "link")}
    files.source.save()
    files.sync()
    assert files.states() == {"a.md": State.INDEXED}


def test_a_folder_that_becomes_a_link_after_the_walk_is_not_entered(
    files, folder, tmp_path, monkeypatch
):
    write(folder, "sub/a.md")
    write(tmp_path / "outside", "a.md", "Secret.")
    real_walk = connector_module.walk

    def walk_then_swap(*arguments):
        yield from real_walk(*arguments)
        shutil.rmtree(folder / "sub")
        (folder / "sub").symlink_to(tmp_path / "outside")

    monkeypatch.setattr(connector_module, "walk", walk_then_swap)
    run = files.sync()
    assert files.store.held == {}
    assert ("error", "sub/a.md", "unreadable") in issues(run)


def test_hidden_and_version_controlled_files_are_passed_over(files, folder):
    for name in (".hidden.md", ".git/a.md", "x/.cache/a.md", "~$open.md", "a.md"):
        write(folder, name)
    files.sync()
    assert files.states() == {"a.md": State.INDEXED}
    files.source.options |= {"follow_hidden": True}
    files.source.save()
    files.sync()
    assert set(files.states()) == {".hidden.md", "x/.cache/a.md", "a.md"}


def test_unsupported_kinds_are_listed_as_skipped_once(files, folder):
    write(folder, "a.png")
    write(folder, "LICENSE")
    run = files.sync()
    assert files.reasons() == {"a.png": "unsupported", "LICENSE": "unsupported"}
    assert "“.png”" in files.row("a.png").message
    assert len(issues(run)) == 2
    assert issues(files.sync()) == []


def test_pipes_and_sockets_never_block_a_run(files, folder):
    os.mkfifo(folder / "pipe.md")
    listener = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(folder)  # a socket's path is short
    try:
        listener.bind("socket.md")
    finally:
        os.chdir(here)
        listener.close()
    files.sync()
    assert files.reasons() == {"pipe.md": "special_file", "socket.md": "special_file"}


def test_a_pipe_that_takes_a_files_place_never_blocks(files, folder, monkeypatch):
    path = write(folder, "a.md")
    real_walk = connector_module.walk

    def walk_then_swap(*arguments):
        yield from real_walk(*arguments)
        path.unlink()
        os.mkfifo(path)

    monkeypatch.setattr(connector_module, "walk", walk_then_swap)
    files.sync()
    assert files.reasons() == {"a.md": "special_file"}


def test_a_300_mb_log_is_skipped_by_its_size_and_never_read(files, folder, monkeypatch):
    def never(*_arguments):
        pytest.fail("It was read.")

    monkeypatch.setattr(reading, "_bytes", never)
    with (folder / "server.txt").open("wb") as file:
        file.truncate(300_000_000)
    run = files.sync()
    row = files.row("server.txt")
    assert (row.state, row.reason) == (State.SKIPPED, "too_large")
    assert "300.0 MB" in row.message
    assert "max_file_mb" in row.message
    assert "50 MB" in row.message
    assert run.counts["skipped"] == 1


def test_a_lower_limit_hides_what_was_indexed_and_a_higher_one_brings_it_back(
    files, folder
):
    write(folder, "a.md", "word " * 1000)
    settle(folder)
    files.sync()
    small = connected(files, Converter(), max_file_mb=0.001)
    files.sync(connector=small)
    assert files.reasons() == {"a.md": "too_large"}
    assert files.store.held == {}
    files.sync()
    assert files.states() == {"a.md": State.INDEXED}


def test_the_folder_gone_holds_the_run_and_deletes_nothing(files, folder):
    write(folder, "a.md")
    files.sync()
    shutil.rmtree(folder)
    run = files.sync()
    assert run.state == SyncRun.State.HELD
    assert str(folder) in run.message
    assert "Nothing was deleted" in run.message
    assert files.states() == {"a.md": State.INDEXED}
    assert set(files.store.texts()) == {"a.md"}
    folder.write_text("a file in its place")
    assert files.sync().state == SyncRun.State.HELD
    folder.unlink()
    write(folder, "a.md")
    assert files.sync().state == SyncRun.State.SUCCEEDED
    assert files.source.reason == ""


def test_an_emptied_folder_with_many_documents_is_held(files, folder):
    for number in range(25):
        write(folder, f"{number}.md")
    files.sync()
    shutil.rmtree(folder)
    folder.mkdir()
    run = files.sync()
    assert run.state == SyncRun.State.HELD
    assert "25 of 25" in run.message
    assert len(files.store.held) == 25


def test_a_folder_swapped_while_it_is_read_deletes_and_hides_nothing(
    files, folder, monkeypatch
):
    write(folder, "a.md")
    write(folder, "b.md")
    files.sync()
    real_walk = connector_module.walk

    def walk_then_unmount(*arguments):
        yield from real_walk(*arguments)
        folder.rename(folder.with_name("elsewhere"))
        folder.mkdir()

    monkeypatch.setattr(connector_module, "walk", walk_then_unmount)
    run = files.sync()
    assert run.state == SyncRun.State.HELD
    assert set(files.states().values()) == {State.INDEXED}
    assert len(files.store.held) == 2


def test_an_unreadable_folder_deletes_nothing_under_it(files, folder, monkeypatch):
    write(folder, "closed/a.md")
    write(folder, "open/b.md")
    write(folder, "open/c.md")
    files.sync()
    (folder / "open" / "b.md").unlink()
    real = os.scandir

    def scandir(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(walking.os, "scandir", scandir)
    run = files.sync()
    assert run.state == SyncRun.State.SUCCEEDED
    assert run.incomplete
    assert files.states() == {
        "closed/a.md": State.INDEXED,
        "open/b.md": State.REMOVED,
        "open/c.md": State.INDEXED,
    }
    assert ("warning", "closed/", "unreadable_folder") in issues(run)
    assert "Permission denied" in run.issues.get().message


def test_an_unreadable_file_is_hidden_until_it_can_be_read(files, folder, monkeypatch):
    path = write(folder, "a.md")
    settle(folder)
    files.sync()
    os.utime(path, (9, 9))
    real = os.open

    def refuse(name, *arguments, **more):
        if name == "a.md":
            raise PermissionError(13, "Permission denied")
        return real(name, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(reading.os, "open", refuse)
        run = files.sync()
    assert files.reasons() == {"a.md": "unreadable"}
    assert files.store.held == {}
    assert ("error", "a.md", "unreadable") in issues(run)
    files.sync()
    assert files.states() == {"a.md": State.INDEXED}
    assert set(files.store.texts()) == {"a.md"}


def edits(path, times):
    """Return a reader of bytes that lets the file change as often as `times`."""
    left = [times]
    real = reading._bytes

    def read_and_edit(*arguments):
        data = real(*arguments)
        if left[0]:
            left[0] -= 1
            path.write_text(f"Edited, {left[0]} more edits to come.")
        return data

    return read_and_edit


def test_a_file_edited_while_read_is_read_once_more(files, folder, monkeypatch):
    path = write(folder, "a.md", "Before.")
    monkeypatch.setattr(reading, "_bytes", edits(path, 1))
    files.sync()
    assert files.store.texts() == {"a.md": "Edited, 0 more edits to come."}


def test_a_file_that_never_rests_fails_with_its_reason(files, folder, monkeypatch):
    path = write(folder, "a.md", "Before.")
    with monkeypatch.context() as patched:
        patched.setattr(reading, "_bytes", edits(path, 2))
        run = files.sync()
    assert issues(run) == [("error", "a.md", "changed_while_read")]
    assert files.store.held == {}
    files.sync()
    assert files.states() == {"a.md": State.INDEXED}


def test_a_file_replaced_while_read_is_read_once_more(files, folder, monkeypatch):
    path = write(folder, "a.md", "Before.")
    real = reading._bytes

    def replace_once(*arguments):
        data = real(*arguments)
        if path.read_text() == "Before.":
            path.with_name("draft").write_text("After.")
            path.with_name("draft").replace(path)
        return data

    monkeypatch.setattr(reading, "_bytes", replace_once)
    files.sync()
    assert files.store.texts() == {"a.md": "After."}


def test_a_file_that_vanishes_is_told_and_deleted_at_the_next_run(
    files, folder, monkeypatch
):
    path = write(folder, "a.md")
    write(folder, "b.md")
    files.sync()
    real_walk = connector_module.walk

    def walk_then_delete(*arguments):
        yield from real_walk(*arguments)
        path.unlink()

    with monkeypatch.context() as patched:
        patched.setattr(connector_module, "walk", walk_then_delete)
        run = files.sync()
    assert issues(run) == [("error", "a.md", "vanished")]
    assert set(files.store.texts()) == {"b.md"}
    files.sync()
    assert files.states() == {"a.md": State.REMOVED, "b.md": State.INDEXED}


def test_a_subfolder_that_vanishes_hides_nothing(files, folder, monkeypatch):
    write(folder, "disk/a.md")
    write(folder, "disk/b.md")
    files.sync()
    real_walk = connector_module.walk

    def walk_then_unmount(*arguments):
        yield from real_walk(*arguments)
        (folder / "disk").rename(folder.with_name("away"))

    monkeypatch.setattr(connector_module, "walk", walk_then_unmount)
    run = files.sync()
    assert issues(run) == [("warning", "disk/", "vanished_folder")]
    assert set(files.states().values()) == {State.INDEXED}


@pytest.mark.parametrize(
    ("error", "reason", "state"),
    [
        (ConversionError("damaged", "It's damaged."), "damaged", State.FAILED),
        (ConversionError("unsupported", "Not text."), "unsupported", State.SKIPPED),
        (ValueError("the body"), "converter_failed", State.FAILED),
        (RecursionError(), "converter_failed", State.FAILED),
    ],
)
def test_a_file_that_cannot_be_converted_says_why(files, folder, error, reason, state):
    write(folder, "a.md")
    settle(folder)
    converter = Converter(error=error)
    run = files.sync(connector=connected(files, converter))
    row = files.row("a.md")
    assert (row.state, row.reason) == (state, reason)
    assert "body" not in row.message
    assert run.state == SyncRun.State.SUCCEEDED
    files.sync(connector=connected(files, converter))
    # A failed one is tried again, a skipped one only when it changes.
    assert len(converter.read) == (2 if state == State.FAILED else 1)
    assert files.states() == {"a.md": state}


def test_another_access_is_written_without_reading_a_file(files, folder, monkeypatch):
    write(folder, "a.md")
    settle(folder)
    files.sync()
    files.source.options |= {"access": ["Ada@Example.com", "anyone"]}
    files.source.save()
    monkeypatch.setattr(file_module, "read", None)
    run = files.sync()
    person = Person.objects.get()
    assert (person.email, person.is_employee) == ("Ada@Example.com", False)
    assert files.row("a.md").rule.as_value() == access.AccessRule.of(
        [access.ANYONE, access.person(person.id)]
    )
    assert run.counts["properties_only"] == 1


def test_an_access_that_names_nobody_known_pauses_the_source(files, folder):
    write(folder, "a.md")
    files.source.options |= {"access": ["group:x:1"]}
    files.source.save()
    run = files.sync()
    assert run.state == SyncRun.State.FAILED
    assert "group:x:1" in run.message
    assert files.source.state == Source.State.PAUSED


def test_checks_say_what_does_not_work(files, folder):
    good = connected(files, Converter())
    assert all(check.ok for check in good.check())
    shutil.rmtree(folder)
    read, readers, _ = connected(files, Converter(), access=["nobody"]).check()
    assert not read.ok
    assert str(folder) in read.message
    assert not readers.ok
    assert "nobody" in readers.message


def test_listing_and_access_name_every_file(files, folder):
    write(folder, "b/c.md")
    write(folder, "a.png")
    made = connected(files, Converter())
    assert list(made.listing()) == ["a.png", "b/c.md"]
    assert dict(made.access()) == {
        "a.png": access.WORKSPACE_RULE,
        "b/c.md": access.WORKSPACE_RULE,
    }


def test_the_walk_is_in_the_order_of_names_at_any_depth(files, folder):
    for name in ("b.md", "a/z.md", "a/b/c.md", "B.md", "c/a.md"):
        write(folder, name)
    found = list(connected(files, Converter()).listing())
    assert found == ["B.md", "a/b/c.md", "a/z.md", "b.md", "c/a.md"]


def test_300_nested_folders_are_walked(files, folder):
    deep = folder
    for _ in range(300):
        deep = deep / "d"
    write(deep, "a.md")
    files.sync()
    assert list(files.states().values()) == [State.INDEXED]
