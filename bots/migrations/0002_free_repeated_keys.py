"""Frees keys that exchanges without an account share, before 0003 makes them unique."""

from django.db import migrations


def free_repeated_keys(apps, schema_editor):
    """Leave a key with the first exchange that has it; the others were asked anyway."""
    Exchange = apps.get_model("bots", "Exchange")
    keyed = Exchange.objects.filter(account=None).exclude(request_key="")
    seen = set()
    for id_, platform, key in (
        keyed.order_by("asked_at")
        .values_list("id", "platform", "request_key")
        .iterator()
    ):
        if (platform, key) in seen:
            Exchange.objects.filter(id=id_).update(request_key="")
        seen.add((platform, key))


class Migration(migrations.Migration):
    dependencies = [("bots", "0001_initial")]

    operations = [migrations.RunPython(free_repeated_keys, migrations.RunPython.noop)]
