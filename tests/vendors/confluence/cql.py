"""The part of CQL that the connector speaks, evaluated over the state.

https://developer.atlassian.com/cloud/confluence/cql-fields/ (read 2026-12): times are those
of the account's zone, minutes are the finest grain; results lag in the index.
"""

from __future__ import annotations

import re
from datetime import datetime

from tests.vendors.confluence.state import Item, State

_TERM = re.compile(
    r'\s*(space|type|container|id|lastmodified)\s*(=|in|>=)\s*("(?:\\.|[^"\\])*"|\([^)]*\)|\w+)\s*'
)


class BadQuery(Exception):
    """The query can't be parsed."""


def found(state: State, cql: str) -> list[Item]:
    """Return the contents that a query finds, in its order."""
    terms, _, order = cql.partition(" order by ")
    items = [
        item
        for item in state.current("page", "blogpost", "comment", "attachment")
        if item.id not in state.unindexed
    ]
    position = 0
    while position < len(terms):
        match = _TERM.match(terms, position)
        if match is None:
            raise BadQuery(cql)
        field, _, value = match.groups()
        items = [item for item in items if _fits(state, item, field, value)]
        position = match.end()
        if terms[position : position + 4] == "and ":
            position += 4
        elif position < len(terms):
            raise BadQuery(cql)
    if order:
        items.sort(key=lambda item: (item.changed_at, item.id))
    return items


def _fits(state: State, item: Item, field: str, value: str) -> bool:
    if field == "lastmodified":
        text = value.strip('"')
        moment = datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=state.zone)
        return item.changed_at.replace(second=0, microsecond=0) >= moment
    values = {part.strip() for part in value.strip("()").split(",")}
    values = {re.sub(r"\\(.)", r"\1", part.strip('"')) for part in values}
    name = {"space": item.space, "type": item.type, "id": item.id}
    return name.get(field, item.container) in values
