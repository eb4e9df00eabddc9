from dataclasses import fields
from importlib import import_module

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from connectors.base import Option
from connectors.confluence.options import ConfluenceOptions
from connectors.credentials import CredentialError, opened, rotated, sealed
from connectors.jira.options import JiraOptions
from connectors.models import Source
from connectors.registry import connector_for, options_of
from console.management.commands.add_source import from_file

OPTIONS = (Option("url", "Address"), Option("token", "Key", type="secret"))
PLAIN = {"url": "https://wiki.example.com", "token": "hunter2-token"}


@pytest.fixture
def keys(settings):
    settings.ATTEST_CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    return settings.ATTEST_CREDENTIAL_KEYS


def test_a_secret_is_encrypted_and_comes_back(keys):
    kept = sealed(PLAIN, OPTIONS)
    assert kept["url"] == PLAIN["url"]
    assert "hunter2" not in str(kept)
    assert opened(kept, OPTIONS, source="Wiki") == PLAIN


def test_sealing_twice_is_sealing_once(keys):
    kept = sealed(PLAIN, OPTIONS)
    assert sealed(kept, OPTIONS) == kept


def test_a_lost_key_names_source_option_and_mend(keys, settings):
    kept = sealed(PLAIN, OPTIONS)
    settings.ATTEST_CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(CredentialError, match="“token” of the source “Wiki”.*restore"):
        opened(kept, OPTIONS, source="Wiki")


def test_rotation_makes_the_old_key_needless(keys, settings):
    old, new = keys[0], Fernet.generate_key().decode()
    kept = sealed(PLAIN, OPTIONS)
    settings.ATTEST_CREDENTIAL_KEYS = [new, old]
    fresh = rotated(kept, OPTIONS, source="Wiki")
    settings.ATTEST_CREDENTIAL_KEYS = [new]
    assert opened(fresh, OPTIONS, source="Wiki") == PLAIN


def jira(name="Tickets", token="hunter2-token"):  # noqa: S107
    return Source.objects.create(
        kind="jira",
        name=name,
        options={
            "base_url": "https://jira.example.com",
            "deployment": "data_center",
            "token": token,
        },
    )


@pytest.mark.django_db
def test_saving_a_source_encrypts_its_secret_and_reading_opens_it():
    source = jira()
    stored = Source.objects.values_list("options", flat=True).get(pk=source.pk)
    assert "hunter2" not in str(stored)
    assert connector_for(Source.objects.get(pk=source.pk)) is not None


@pytest.mark.django_db
def test_the_command_rotates_all_or_nothing(settings):
    old = settings.ATTEST_CREDENTIAL_KEYS
    first, second = jira("One"), jira("Two", "other-token")
    new = Fernet.generate_key().decode()
    settings.ATTEST_CREDENTIAL_KEYS = [new, *old]
    call_command("rotate_credentials")
    settings.ATTEST_CREDENTIAL_KEYS = [new]
    for source in (first, second):
        connector_for(Source.objects.get(pk=source.pk))
    before = list(Source.objects.order_by("name").values_list("options", flat=True))
    settings.ATTEST_CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    with pytest.raises(CommandError, match="“One”"):
        call_command("rotate_credentials")
    after = list(Source.objects.order_by("name").values_list("options", flat=True))
    assert after == before


def test_a_secret_is_read_from_a_file(tmp_path):
    (tmp_path / "key").write_text("hunter2\n")
    assert from_file(f"token=@{tmp_path / 'key'}", OPTIONS) == "token=hunter2"
    assert from_file("url=@home", OPTIONS) == "url=@home"
    with pytest.raises(CommandError, match="token"):
        from_file(f"token=@{tmp_path / 'none'}", OPTIONS)


def encrypt_old_rows():
    migration = import_module("connectors.migrations.0003_encrypt_secrets")
    with connection.schema_editor() as editor:
        migration.encrypt(apps, editor)


@pytest.mark.django_db(transaction=True)
def test_the_migration_encrypts_old_rows_and_leaves_the_rest():
    old, new = jira("Old"), jira("New")
    plain = {**old.options, "token": "hunter2-token"}
    Source.objects.filter(pk=old.pk).update(options=plain)
    encrypt_old_rows()
    stored = Source.objects.get(pk=old.pk).options
    assert "hunter2" not in str(stored)
    known = options_of("jira")
    assert opened(stored, known, source="Old")["token"] == "hunter2-token"
    assert stored["base_url"] == plain["base_url"]
    assert Source.objects.get(pk=new.pk).options == new.options
    encrypt_old_rows()
    assert Source.objects.get(pk=old.pk).options == stored


@pytest.mark.django_db
def test_a_lost_key_stops_no_source_whose_secret_can_be_read(settings):
    lost = jira("Lost")
    settings.ATTEST_CREDENTIAL_KEYS = [Fernet.generate_key().decode()]
    other = jira("Other")
    with pytest.raises(CredentialError, match="“Lost”"):
        connector_for(Source.objects.get(pk=lost.pk))
    connector_for(Source.objects.get(pk=other.pk))


@pytest.mark.parametrize("holder", [ConfluenceOptions, JiraOptions])
def test_a_secret_is_not_in_the_repr_of_the_options(holder):
    told = {
        item.name: "hunter2" if item.name == "token" else 1 for item in fields(holder)
    }
    assert "hunter2" not in repr(holder(**told))
