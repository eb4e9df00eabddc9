"""A process that syncs a Drive in children of its own, as tests.connectors.one_sync does.

Arguments: the store's folder, the source's options as JSON.
"""

import json
import os
import sys
from uuid import UUID

import django
from django.conf import settings

from tests.connectors.one_sync import sync, tell, watch

os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"


def main(store_folder, options):
    """Import everything once, then fork a child for every sync."""
    django.setup()
    from console.preparation import prepare_home

    prepare_home(settings.ATTEST_HOME)
    from django.db import connections

    from connectors.models import Source
    from connectors.registry import connector_for
    from memory.tokens import count_tokens

    values = {"kind": "google_drive", "name": "Drive", "options": json.loads(options)}
    source, _ = Source.objects.get_or_create(id=UUID(int=1), defaults=values)
    connector_for(source)
    count_tokens("Load the tokenizer.")
    connections.close_all()
    tell({"state": "ready"})
    for line in sys.stdin:
        child = os.fork()
        if not child:
            source.refresh_from_db()
            sync(source, store_folder)
            os._exit(0)
        watch(child, json.loads(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
