from typing import ClassVar

import pytest
from cryptography.fernet import Fernet
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from connectors.base import Check, Option
from connectors.credentials import opened
from connectors.errors import AlreadySyncing, OptionError
from connectors.models import Source, SyncRun
from console import sync_now
from console.source_form import form_for
from tests.bots.pages import page
from tests.bots.worlds import make_document, make_person, make_source

ADD = "admin:connectors_source_add"


@pytest.fixture
def root(client, db):
    person = make_person("root", is_staff=True, is_superuser=True)
    client.force_login(person.account)
    return client


@pytest.fixture
def started(monkeypatch):
    """Return what would be synced, instead of syncing it."""
    calls = []
    monkeypatch.setattr(
        "console.sources.start_sync",
        lambda source, **options: calls.append((source.name, options)),
    )
    return calls


def act(client, action, *sources):
    return client.post(
        reverse("admin:connectors_source_changelist"),
        {"action": action, "_selected_action": [source.pk for source in sources]},
        follow=True,
    )


def test_the_list_shows_documents_by_state_and_the_last_run(root):
    source = make_source("Wiki")
    make_document(source, "a.md")
    make_document(source, "b.md")
    make_document(source, "c.md", state="failed")
    SyncRun.objects.create(source=source, state="succeeded")
    text = page(root.get(reverse("admin:connectors_source_changelist")))
    assert "2 indexed</a>" in text
    assert "1 failed</a>" in text
    assert "Succeeded, " in text
    assert f"?source__id__exact={source.pk}&amp;state__exact=failed" in text


def test_a_count_leads_to_those_documents(root):
    source, other = make_source("Wiki"), make_source("Drive")
    make_document(source, "a.md", title="Mine")
    make_document(other, "b.md", title="Theirs")
    address = reverse("admin:connectors_document_changelist")
    query = {"source__id__exact": source.pk, "state__exact": "indexed"}
    text = page(root.get(address, query))
    assert "Mine" in text
    assert "Theirs" not in text


class TestActions:
    def test_a_sync_is_started_for_each(self, root, started):
        act(root, "sync_now", make_source("A"), make_source("B"))
        assert sorted(started) == [("A", {}), ("B", {})]

    def test_only_a_held_source_is_approved(self, root, started):
        held = make_source("Held")
        Source.objects.filter(pk=held.pk).update(state="held")
        act(root, "approve", held, make_source("Other"))
        assert started == [("Held", {"approve_deletions": True})]

    def test_pause_and_resume_change_the_state_and_say_why(self, root):
        source = make_source()
        act(root, "pause", source)
        source.refresh_from_db()
        assert (source.state, source.reason) == ("paused", "Paused by root.")
        act(root, "resume", source)
        source.refresh_from_db()
        assert (source.state, source.reason) == ("active", "")

    @pytest.mark.parametrize(
        ("state", "offered"),
        [
            ("active", {"sync_now", "pause"}),
            ("paused", {"sync_now", "resume"}),
            ("held", {"approve", "sync_now"}),
        ],
    )
    def test_its_page_offers_what_its_state_allows(self, root, state, offered):
        source = make_source()
        Source.objects.update(state=state)
        address = reverse("admin:connectors_source_change", args=[source.pk])
        text = page(root.get(address))
        for action in ("sync_now", "pause", "resume", "approve"):
            assert (f'name="action" value="{action}"' in text) is (action in offered)
        assert f'name="_selected_action" value="{source.pk}"' in text

    def test_a_held_source_is_not_resumed_past_its_approval(self, root):
        source = make_source()
        Source.objects.update(state="held", reason="many are missing")
        act(root, "resume", source)
        source.refresh_from_db()
        assert source.state == "held"

    def test_looking_is_not_enough_to_act(self, client, started, db):
        person = make_person("staff", is_staff=True)
        client.force_login(person.account)
        assert act(client, "sync_now", make_source()).status_code == 403
        assert started == []

    def test_nothing_is_done_by_following_a_link(self, root, started):
        source = make_source()
        root.get(
            reverse("admin:connectors_source_changelist"),
            {"action": "sync_now", "_selected_action": source.pk},
        )
        assert started == []

    def test_a_source_is_not_deleted_here(self, root):
        address = reverse("admin:connectors_source_delete", args=[make_source().pk])
        assert root.post(address, {"post": "yes"}).status_code == 403


class TestForm:
    def fields(self, folder, **values):
        return {
            "name": "Policies",
            "sync_every_minutes": 30,
            "option_path": str(folder),
            "option_include": "*.md\npolicies/**",
            "option_exclude": "",
            "option_access": "workspace",
            "option_max_file_mb": "20",
            **values,
        }

    def test_it_is_built_from_the_connector_s_options(self, root):
        text = page(root.get(reverse(ADD), {"kind": "files"}))
        assert 'name="option_path"' in text
        assert "An absolute path on the machine where syncs run." in text
        assert ">workspace</textarea>" in text

    def test_a_source_is_added_with_its_options(self, root, tmp_path):
        response = root.post(f"{reverse(ADD)}?kind=files", self.fields(tmp_path))
        assert response.status_code == 302
        source = Source.objects.get()
        assert (source.kind, source.name) == ("files", "Policies")
        assert source.options == {
            "path": str(tmp_path),
            "include": ["*.md", "policies/**"],
            "exclude": [],
            "access": ["workspace"],
            "max_file_mb": 20,
            "follow_hidden": False,
        }

    def test_a_check_that_fails_is_shown_and_nothing_is_saved(self, root, tmp_path):
        response = root.post(reverse(ADD), self.fields(tmp_path / "gone"))
        assert response.status_code == 200
        assert "The check “read” failed: " in page(response)
        assert not Source.objects.exists()

    def test_a_wrong_option_is_shown_at_its_field(self, root, tmp_path):
        wrong = self.fields(tmp_path, option_max_file_mb="-1")
        text = page(root.post(reverse(ADD), wrong))
        assert "is a number above 0" in text
        assert not Source.objects.exists()

    def test_a_source_can_not_sync_without_a_pause(self, root, tmp_path):
        wrong = self.fields(tmp_path, sync_every_minutes="0")
        text = page(root.post(reverse(ADD), wrong))
        assert "s at least 1 minute." in text
        assert not Source.objects.exists()

    def test_a_missing_option_is_shown(self, root, tmp_path):
        text = page(root.post(reverse(ADD), self.fields("")))
        assert "This field is required" in text
        assert not Source.objects.exists()

    def test_a_source_is_changed_and_keeps_its_kind(self, root, tmp_path):
        root.post(reverse(ADD), self.fields(tmp_path))
        source = Source.objects.get()
        address = reverse("admin:connectors_source_change", args=[source.pk])
        shown = page(root.get(address))
        assert "*.md\npolicies/**".replace("\n", " ") in shown
        root.post(address, self.fields(tmp_path, name="Rules", option_include=""))
        source.refresh_from_db()
        assert (source.name, source.kind) == ("Rules", "files")
        assert source.options["include"] == []


class Secretive:
    """A kind with a secret; its check tells what it was given."""

    sent: ClassVar[list[tuple[str, str]]] = []
    OPTIONS = (
        Option("base_url", "Address"),
        Option("site", "Site", required=True),
        Option("token", "Token", type="secret"),
    )

    @staticmethod
    def connect(source, options):
        if options["site"] == "bad":
            raise OptionError("“site” is bad.")

        class Connector:
            def check(self):
                Secretive.sent.append((options["base_url"], options["token"]))
                ok = options["token"] == "sesame"
                return [Check("read", ok=ok, message="The token is refused.")]

        return Connector()


class TestSecrets:
    @pytest.fixture(autouse=True)
    def _secretive(self, monkeypatch):
        monkeypatch.setattr("connectors.registry._module", lambda kind: Secretive)

    def test_a_secret_is_kept_when_left_empty_and_never_shown(self, root):
        values = {"name": "S", "sync_every_minutes": 5, "option_site": "x"}
        root.post(reverse(ADD), {**values, "option_token": "sesame"})
        source = Source.objects.get()
        address = reverse("admin:connectors_source_change", args=[source.pk])
        assert "sesame" not in page(root.get(address))
        assert root.post(address, values).status_code == 302
        source.refresh_from_db()
        assert "sesame" not in str(source.options)
        kept = opened(source.options, Secretive.OPTIONS, source=source.name)
        assert kept["token"] == "sesame"

    def test_a_kept_secret_is_not_sent_to_another_address(self, root):
        values = {"name": "S", "sync_every_minutes": 5, "option_site": "x"}
        values["option_base_url"] = "https://wiki.example.com"
        root.post(reverse(ADD), {**values, "option_token": "sesame"})
        source = Source.objects.get()
        address = reverse("admin:connectors_source_change", args=[source.pk])
        assert root.post(address, {**values, "name": "T"}).status_code == 302
        Secretive.sent.clear()
        values["option_base_url"] = "https://other.example.com"
        assert "enter the secret again" in page(root.post(address, values))
        assert Secretive.sent == []
        again = root.post(address, {**values, "option_token": "sesame"})
        assert again.status_code == 302
        assert Secretive.sent == [("https://other.example.com", "sesame")]

    def test_a_lost_key_names_the_source_and_a_new_secret_mends_it(
        self, root, settings
    ):
        values = {"name": "S", "sync_every_minutes": 5, "option_site": "x"}
        root.post(reverse(ADD), {**values, "option_token": "sesame"})
        source = Source.objects.get()
        address = reverse("admin:connectors_source_change", args=[source.pk])
        settings.ATTEST_CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
        assert "of the source “S” was encrypted" in page(root.post(address, values))
        replaced = root.post(address, {**values, "option_token": "sesame"})
        assert replaced.status_code == 302
        source.refresh_from_db()
        kept = opened(source.options, Secretive.OPTIONS, source=source.name)
        assert kept["token"] == "sesame"
        assert "sesame" not in str(list(LogEntry.objects.values()))

    def test_what_the_connector_refuses_is_shown(self, root):
        values = {"name": "S", "sync_every_minutes": 5, "option_site": "bad"}
        assert "“site” is bad." in page(root.post(reverse(ADD), values))
        values["option_site"] = "x"
        text = page(root.post(reverse(ADD), {**values, "option_token": "no"}))
        assert "The check “read” failed: The token is refused." in text
        assert "no" not in Source.objects.values_list("options", flat=True)


class TestSync:
    """The thread's body, run here."""

    @pytest.fixture(autouse=True)
    def _index(self, monkeypatch):
        monkeypatch.setattr(sync_now, "runtime_index", lambda: "index")
        monkeypatch.setattr(sync_now, "connector_for", lambda source: "connector")
        monkeypatch.setattr(sync_now, "close_old_connections", lambda: None)

    def test_it_syncs_the_source(self, monkeypatch, db):
        calls = []
        monkeypatch.setattr(sync_now, "run_sync", lambda *args: calls.append(args))
        source = make_source()
        sync_now.sync(source.id, approve_deletions=True)
        [(synced, connector, index, control)] = calls
        assert (synced, connector, index) == (source, "connector", "index")
        assert control.approve_deletions

    @pytest.mark.parametrize("error", [AlreadySyncing("busy"), RuntimeError("broken")])
    def test_an_error_ends_in_the_log(self, monkeypatch, db, error):
        def fail(*args):
            raise error

        monkeypatch.setattr(sync_now, "run_sync", fail)
        sync_now.sync(make_source().id)

    def test_options_that_can_not_be_pause_the_source(self, monkeypatch, db):
        def fail(source):
            raise OptionError("“path” is gone.")

        monkeypatch.setattr(sync_now, "connector_for", fail)
        source = make_source()
        sync_now.sync(source.id)
        source.refresh_from_db()
        assert (source.state, source.reason) == ("paused", "“path” is gone.")

    def test_it_returns_at_once(self, monkeypatch, db):
        done = []
        monkeypatch.setattr(
            sync_now, "sync", lambda *args, **options: done.append(args)
        )
        monkeypatch.setattr(
            sync_now.threading, "Thread", lambda **values: FakeThread(values)
        )
        source = make_source()
        sync_now.start_sync(source)
        assert done == [(source.id,)]


class FakeThread:
    def __init__(self, values):
        assert values["daemon"]
        self.values = values

    def start(self):
        self.values["target"](*self.values["args"], **self.values["kwargs"])


def test_a_name_that_differs_by_its_capitals_alone_is_refused(db, tmp_path):
    make_source("Staff Handbook")
    values = {"name": "staff handbook ", "sync_every_minutes": 15}
    form = form_for("files")({**values, "option_path": str(tmp_path)})
    assert form.errors["name"] == ["Another source has this name already."]


def test_a_folder_that_was_never_read_is_said_to_be_wrong_and_no_more(tmp_path, db):
    form = form_for("files")(
        {
            "name": "New",
            "sync_every_minutes": 15,
            "option_path": str(tmp_path / "x"),
            "option_access": "workspace",
        }
    )
    [error] = form.non_field_errors()
    assert "can't be opened (No such file or directory)" in error
    assert "deleted" not in error
