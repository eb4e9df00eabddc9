"""`./manage.py demo`: which sources it makes, what it asks, where it serves."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from connectors.models import Source, SyncRun
from console import demonstration
from console.management.commands import demo

pytestmark = pytest.mark.django_db


@pytest.fixture
def calls(monkeypatch):
    """Record the commands that demo calls; adding a source adds its row alone."""
    called = []

    def call(name, *arguments, **options):
        called.append((name, *arguments))
        if name == "add_source":
            Source.objects.create(
                kind="files",
                name=arguments[2],
                options={"path": arguments[4].removeprefix("path=")},
            )

    monkeypatch.setattr(demo, "call_command", call)
    return called


def run(**options):
    out, err = StringIO(), StringIO()
    call_command("demo", no_serve=True, stdout=out, stderr=err, **options)
    return out.getvalue() + err.getvalue()


def names(calls, command):
    return [call[1] for call in calls if call[0] == command]


def test_the_sample_becomes_sources_and_three_questions_are_asked(calls):
    run()
    assert Source.objects.count() == 3
    assert names(calls, "sync") == [
        folder.name for folder in demonstration.sample_folders()
    ]
    assert names(calls, "ask") == list(demonstration.QUESTIONS)
    assert len(demonstration.QUESTIONS) == 3


def test_a_second_run_uses_the_sources_of_the_first(calls):
    run()
    calls.clear()
    run()
    assert names(calls, "add_source") == []
    assert len(names(calls, "sync")) == 3
    assert Source.objects.count() == 3


def test_a_folder_of_ones_own_takes_the_place_of_the_sample(calls, tmp_path):
    out = run(docs=str(tmp_path))
    [source] = Source.objects.all()
    assert source.options["path"] == str(tmp_path.resolve())
    assert names(calls, "ask") == []
    assert './manage.py ask "…"' in out


def test_a_relative_path_counts_from_where_the_command_is_run(
    calls, tmp_path, monkeypatch
):
    (tmp_path / "mine" / "docs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "mine")
    run(docs="docs")
    run(docs="../mine/docs/")
    [source] = Source.objects.all()
    assert source.options["path"] == str((tmp_path / "mine" / "docs").resolve())


def test_the_sample_of_an_earlier_demo_makes_way(calls, tmp_path):
    run()
    run(docs=str(tmp_path))
    assert names(calls, "remove_source") == [
        folder.name for folder in demonstration.sample_folders()
    ]


def test_two_folders_of_one_name_are_two_sources(calls, tmp_path):
    for parent in ("a", "b", "a"):
        folder = tmp_path / parent / "docs"
        folder.mkdir(parents=True, exist_ok=True)
        run(docs=str(folder))
    assert sorted(Source.objects.values_list("name", flat=True)) == ["docs", "docs 2"]


def test_a_folder_that_is_none_is_refused(calls, tmp_path):
    with pytest.raises(CommandError, match="is no folder"):
        run(docs=str(tmp_path / "absent"))
    assert calls == []


@pytest.mark.parametrize(("state", "goes_on"), [("failed", True), ("cancelled", False)])
def test_it_goes_on_after_a_failed_sync_but_not_after_ctrl_c(
    calls, monkeypatch, tmp_path, state, goes_on
):
    recorded = demo.call_command

    def call(name, *arguments, **options):
        recorded(name, *arguments, **options)
        if name == "sync":
            source = Source.objects.get(name=arguments[0])
            SyncRun.objects.create(source=source, state=state)
            raise SystemExit(1)

    monkeypatch.setattr(demo, "call_command", call)
    if goes_on:
        assert "not complete" in run(docs=str(tmp_path))
    else:
        with pytest.raises(CommandError, match="Stopped"):
            run(docs=str(tmp_path))


@pytest.mark.integration
def test_a_busy_port_means_the_next_free_one_in_the_link_too(calls, monkeypatch):
    served = []
    monkeypatch.setattr(
        demo, "serve", lambda listener, **_options: served.append(listener)
    )
    monkeypatch.setattr(demo, "background_work", tuple)
    with demo.listen("127.0.0.1", 0) as busy:
        busy.listen()
        port = busy.getsockname()[1]
        out = StringIO()
        call_command("demo", port=port, stdout=out)
    [listener] = served
    other = listener.getsockname()[1]
    listener.close()
    assert other > port
    assert f"Port {port} is taken" in out.getvalue()
    assert f"http://127.0.0.1:{other}/" in out.getvalue()
    assert calls[-1][0] == "sign_in_link"
