"""A scope as a filter of LanceDB's SQL, evaluated inside each search."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from memory.access import NOBODY_RULE, AccessRule, Scope
from memory.documents import View

#: Rules that nobody satisfies; a scope that names them gains nothing by it.
_GRANT_NOBODY = frozenset({NOBODY_RULE.id, AccessRule.of([]).id})


def quoted(value: str) -> str:
    """Return `value` as a SQL string; only the quote is special in this dialect.

    A NUL can't stand in any stored value, so it's left out.
    """
    return "'" + value.replace("\x00", "").replace("'", "''") + "'"


def among(column: str, values: Iterable[str | UUID]) -> str:
    """Return `column IN (…)`; an empty list matches nothing."""
    listed = ",".join(sorted(quoted(str(value)) for value in values))
    return f"{column} IN ({listed})" if listed else "false"


def scope_filter(scope: Scope, view: View) -> str | None:
    """Return the filter of everything in `view` that the scope admits.

    None when nothing can be admitted: then there's no search at all.
    """
    if scope.is_empty():
        return None
    parts = [f"view = {quoted(view.value)}"]
    if scope.rules is not None:
        rules = scope.rules - _GRANT_NOBODY
        if not rules:
            return None
        parts.append(among("access_rule", rules))
    else:
        held = ",".join(sorted(quoted(token) for token in scope.tokens or ()))
        parts.append(f"array_has_any(tokens, [{held}])")
    parts.append(among("status", scope.statuses))
    if scope.sources is not None:
        parts.append(among("source_id", scope.sources))
    if scope.documents is not None:
        parts.append(among("document_id", scope.documents))
    if scope.without_documents:
        parts.append(f"NOT ({among('document_id', scope.without_documents)})")
    return " AND ".join(parts)
