"""Encrypt the secrets of sources that were added before secrets were encrypted.

Self-contained, as the kinds and their options may change later.
"""

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.db import migrations

SECRETS = {"confluence": ("token",), "jira": ("token",)}


def encrypt(apps, schema_editor):
    """Rewrite each row that still is as it was read: an edit meanwhile has sealed it."""
    keys = MultiFernet([Fernet(key) for key in settings.ATTEST_CREDENTIAL_KEYS])
    rows = apps.get_model("connectors", "Source").objects.using(
        schema_editor.connection.alias
    )
    for source in rows.filter(kind__in=SECRETS).order_by("pk"):
        changed = {
            name: {"encrypted": keys.encrypt(value.encode()).decode("ascii")}
            for name in SECRETS[source.kind]
            if isinstance(value := source.options.get(name), str) and value
        }
        if changed:
            rows.filter(pk=source.pk, options=source.options).update(
                options={**source.options, **changed}
            )


class Migration(migrations.Migration):
    """Backwards nothing is done: what is encrypted goes on being read."""

    dependencies = [("connectors", "0002_missing_memories")]
    operations = [migrations.RunPython(encrypt, migrations.RunPython.noop)]
