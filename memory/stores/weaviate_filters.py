"""A scope as a Weaviate filter, evaluated inside each search."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote
from uuid import UUID

from memory.access import NOBODY_RULE, AccessRule, Scope
from memory.stores.weaviate_schema import FIRST

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import _Filters as Filters

#: Rules that nobody satisfies; a scope that names them gains nothing by it.
_GRANT_NOBODY = frozenset({NOBODY_RULE.id, AccessRule.of([]).id})
_PLAIN = ":/-_.@+"


def spelt(value: str) -> str:
    """Return a name as it is stored and matched.

    Weaviate cuts blanks off the ends of what it matches as a whole, so that "a" and
    "a " would be the same group: signs that aren't plain are spelt out.
    """
    # Ids and hashes, of which a scope may have tens of thousands, are plain.
    return value if value.isascii() and value.isalnum() else quote(value, safe=_PLAIN)


def unspelt(value: str) -> str:
    """Return the name that was spelt."""
    return unquote(value)


def among(name: str, values: Iterable[str | UUID]) -> Filters:
    """Return "the property is one of these"; there must be one at least."""
    from weaviate.classes.query import Filter

    return Filter.by_property(name).contains_any([spelt(str(each)) for each in values])


def with_ids(ids: Iterable[UUID]) -> Filters:
    """Return "the object is one of these"; there must be one at least."""
    from weaviate.classes.query import Filter

    return Filter.by_id().contains_any(list(ids))


def first_chunks() -> Filters:
    """Return "it's the one chunk by which its document is counted"."""
    from weaviate.classes.query import Filter

    return Filter.by_property(FIRST).equal(val=True)


@lru_cache(maxsize=16)
def scope_filter(scope: Scope) -> Filters | None:
    """Return the filter of everything that the scope admits.

    None when nothing can be admitted: then there's no search at all. The last few are
    kept, as a question searches several times and a scope may name 50,000 rules.
    """
    from weaviate.classes.query import Filter

    if scope.is_empty():
        return None
    if scope.rules is not None:
        rules = scope.rules - _GRANT_NOBODY
        if not rules:
            return None
        parts = [among("access_rule", rules)]
    else:
        tokens = [token for token in scope.tokens or () if token]
        if not tokens:
            return None
        parts = [among("tokens", tokens)]
    parts.append(among("status", scope.statuses))
    if scope.sources is not None:
        parts.append(among("source_id", scope.sources))
    if scope.documents is not None:
        parts.append(among("document_id", scope.documents))
    if scope.without_documents:
        parts.append(Filter.not_(among("document_id", scope.without_documents)))
    return Filter.all_of(parts)
