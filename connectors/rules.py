"""Access rules as values, each read from SQL once a process; and rows nobody needs.

A rule is named by its hash and never changes, so what was read once stays right. What
a question asks SQL for is which rules there are, never what they say.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from connectors.models import AccessRule, Document
from memory import access

#: Below the number of variables that a statement of SQLite may have.
AT_ONCE = 5_000
#: Rules that a process remembers; beyond it begins anew.
REMEMBERED = 200_000
#: A rule without documents may be one whose documents are being written right now.
UNUSED_FOR = timedelta(hours=1)

_lock = threading.Lock()
_known: dict[str, access.AccessRule] = {}


def rules_by_id(ids: Collection[str]) -> Mapping[str, access.AccessRule]:
    """Return the rules of these ids; one that SQL hasn't is left out."""
    found = {id_: _known[id_] for id_ in ids if id_ in _known}
    unknown = [id_ for id_ in ids if id_ not in found]
    for start in range(0, len(unknown), AT_ONCE):
        part = unknown[start : start + AT_ONCE]
        rows = AccessRule.objects.filter(id__in=part)
        found.update((row.id, row.as_value()) for row in rows.iterator())
    if unknown:
        with _lock:
            if len(_known) > REMEMBERED:
                _known.clear()
            _known.update(found)
    return found


def layered_rules() -> Collection[access.AccessRule]:
    """Return the rules of several layers: those that need a token of their own."""
    rows = AccessRule.objects.filter(layers__1__isnull=False)
    return rules_by_id(list(rows.values_list("id", flat=True))).values()


def all_rules() -> Collection[access.AccessRule]:
    """Return every rule in SQL."""
    return rules_by_id(list(AccessRule.objects.values_list("id", flat=True))).values()


def forget_unused(now: datetime) -> int:
    """Delete the rules that no document has; return how many.

    Fresh ones are left, and so are all of them when another worker gives one of them
    to a document meanwhile: the next run does it.
    """
    used = Document.objects.filter(rule=OuterRef("pk"))
    rows = AccessRule.objects.filter(~Exists(used), created_at__lt=now - UNUSED_FOR)
    unused = list(rows.values_list("id", flat=True))
    try:
        for start in range(0, len(unused), AT_ONCE):
            with transaction.atomic():
                rows.filter(id__in=unused[start : start + AT_ONCE]).delete()
    except IntegrityError:
        return 0
    return len(unused)
