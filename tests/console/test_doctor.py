"""`./manage.py doctor`: each check's verdicts, and the command's exit code."""

import json
from collections import namedtuple
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from connectors.models import Document, Source, SyncRun
from console.accounts import administrator
from console.doctor import data, database, machine
from console.doctor.findings import Level, fail, ok, run_checks, warn
from console.management.commands import doctor

Usage = namedtuple("Usage", "total used free")


def levels(findings):
    return [finding.level.value for finding in findings]


def run(monkeypatch, *checks, **options):
    monkeypatch.setattr(doctor, "CHECKS", checks)
    out = StringIO()
    call_command("doctor", stdout=out, **options)
    return out.getvalue()


def test_it_prints_a_line_each_and_how_to_mend_it(monkeypatch):
    def disk():
        yield ok("disk", "there is room")
        yield warn("disk", "not for long", "make room")

    assert run(monkeypatch, disk) == (
        "ok    disk: there is room\n"
        "warn  disk: not for long\n"
        "      → make room\n"
    )  # fmt: skip


def test_it_exits_with_one_when_something_fails(monkeypatch):
    def broken():
        yield fail("store", "gone", "bring it back")

    with pytest.raises(SystemExit) as caught:
        run(monkeypatch, broken)
    assert caught.value.code == 1


def test_json_is_alone_on_standard_output(monkeypatch):
    def disk():
        yield ok("disk", "fine")

    assert json.loads(run(monkeypatch, disk, json=True)) == [
        {"level": "ok", "subject": "disk", "message": "fine", "mend": ""}
    ]


def test_a_check_that_breaks_is_a_failure_and_the_next_one_runs():
    def first_check():
        raise RuntimeError("unplugged")
        yield

    def second_check():
        yield ok("second", "fine")

    first, second = run_checks([first_check, second_check])
    assert first.level == Level.FAIL
    assert "unplugged" in first.message
    assert first.subject == "first check"
    assert second.level == Level.OK


def test_the_machine_and_the_settings_of_the_tests_are_fine():
    for check in (machine.python, machine.configuration):
        assert levels(check()) == ["ok"]
    assert levels(machine.packages()) in (["ok"], ["warn"])


def test_a_package_that_is_missing_is_a_failure(settings, tmp_path):
    (tmp_path / "requirements").mkdir()
    lock_file = tmp_path / "requirements" / "base.txt"
    settings.BASE_DIR = tmp_path
    lock_file.write_text("django==1.0 \\\n", encoding="utf-8")
    [finding] = machine.packages()
    assert (finding.level, finding.message) == (Level.WARN, "Not as locked: django.")
    lock_file.write_text("not-installed-at-all==1.0\n", encoding="utf-8")
    [finding] = machine.packages()
    assert finding.level == Level.FAIL
    assert finding.mend == "make setup"


@pytest.mark.parametrize(("free", "level"), [(4e8, "fail"), (2e9, "warn"), (4e9, "ok")])
def test_a_full_disk_is_told(monkeypatch, free, level):
    monkeypatch.setattr(
        machine.shutil, "disk_usage", lambda _folder: Usage(1e12, 0, free)
    )
    assert levels(machine.home()) == [level]


@pytest.mark.django_db
def test_the_database_is_brought_up_to_date_and_told():
    [finding] = database.database()
    name, told = finding.message.split(", ")
    assert (finding.level, told) == (Level.OK, "tables up to date")
    assert name.split()[0].lower() == connection.vendor


@pytest.mark.django_db
def test_without_sources_and_accounts_it_says_what_to_do_next():
    [finding] = data.sources()
    assert finding.level == Level.WARN
    assert "add_source" in finding.mend
    [finding] = data.accounts()
    assert "sign_in_link" in finding.mend
    administrator()
    assert levels(data.accounts()) == ["ok"]


@pytest.mark.django_db
def test_a_source_is_checked_and_its_last_run_told(tmp_path):
    source = Source.objects.create(
        kind="files", name="Wiki", options={"path": str(tmp_path)}
    )
    *_, never = data.sources()
    assert (never.level, never.mend) == (Level.WARN, './manage.py sync "Wiki"')
    SyncRun.objects.create(source=source, state="failed", message="no disk")
    assert "no disk" in list(data.sources())[-1].message
    SyncRun.objects.create(source=source, state="succeeded")
    assert set(levels(data.sources())) == {"ok"}
    Document.objects.create(
        id=uuid4(), source=source, external_id="odd.pdf", state="failed"
    )
    unread = list(data.sources())[-1]
    assert unread.level is Level.WARN
    assert "1 document can't be read, such as “odd.pdf”" in unread.message


@pytest.mark.django_db
def test_a_source_whose_folder_is_gone_is_a_failure(tmp_path):
    Source.objects.create(
        kind="files", name="Wiki", options={"path": str(tmp_path / "gone")}
    )
    assert "fail" in levels(data.sources())


@pytest.mark.django_db
def test_a_source_with_wrong_options_does_not_hide_the_others(tmp_path):
    Source.objects.create(kind="files", name="A", options={"pth": "x"})
    source = Source.objects.create(
        kind="files", name="B", options={"path": str(tmp_path)}
    )
    SyncRun.objects.create(source=source, state="succeeded")
    findings = list(data.sources())
    assert findings[0].level == Level.FAIL
    assert findings[-1].subject == "source B"


@pytest.mark.model
@pytest.mark.django_db
def test_model_and_store_are_opened():
    assert levels(data.model()) == ["ok"]
    assert levels(data.store()) == ["ok"]


@pytest.mark.model
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("off", "level", "told"),
    [(frozenset(), "ok", "calibrated"), (frozenset({"gate"}), "warn", "switched off")],
)
def test_the_gate_says_whether_it_is_calibrated(settings, off, level, told):
    settings.ATTEST_STAGES_OFF = off
    (finding,) = data.gate()
    assert (finding.level, told in finding.message) == (level, True)
