"""Who may read what: principals, rules and scopes, as plain values.

A rule is a conjunction of layers, each a set of principals; a scope is what one
reader (a person, or everybody in a channel) may see, and it is required by every
read of a store. Where the two meet, a doubt means no: a rule without layers and a
layer without principals grant nobody.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import NewType
from uuid import UUID

Principal = NewType("Principal", str)

ANYONE = Principal("anyone")
WORKSPACE = Principal("workspace")


def person(person_id: UUID) -> Principal:
    """Return the principal of one person, named by our own id."""
    return Principal(f"person:{person_id}")


def group(origin: UUID | str, vendor_id: str) -> Principal:
    """Return the principal of a group: its source or directory and the vendor's id.

    Never its name, which people change and reuse.
    """
    if not vendor_id:
        raise ValueError("A group needs the id that its vendor gives it.")
    return Principal(f"group:{origin}:{vendor_id}")


class Status(StrEnum):
    """Whether a document holds today; only `current` ones answer by default."""

    CURRENT = "current"
    ARCHIVED = "archived"
    DRAFT = "draft"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class AccessRule:
    """A conjunction of layers; a reader must hold a principal of every layer."""

    layers: frozenset[frozenset[Principal]]

    @classmethod
    def of(cls, *layers: Iterable[Principal]) -> AccessRule:
        """Build a rule from layers; equal layers fall together."""
        return cls(frozenset(frozenset(layer) for layer in layers))

    @property
    def id(self) -> str:
        """Return the rule's name: 32 hex digits that depend on its layers alone."""
        lines = sorted("\x1f".join(sorted(layer)) for layer in self.layers)
        return hashlib.sha256("\x1e".join(lines).encode()).hexdigest()[:32]

    @property
    def token(self) -> str:
        """Return the token that stands for the whole rule."""
        return f"rule:{self.id}"

    @property
    def tokens(self) -> frozenset[str]:
        """Return what a store matches a person's scope against.

        With one layer these are its principals, so that a change of membership never
        touches the store; with several it's the rule's own token, which is granted to
        the people who satisfy every layer. Empty means that nobody may read.
        """
        if len(self.layers) == 1:
            (layer,) = self.layers
            return frozenset(layer)
        return frozenset({self.token}) if self.layers else frozenset()

    def allows(self, principals: Iterable[Principal]) -> bool:
        """Tell whether somebody who holds these principals may read."""
        held = frozenset(principals)
        return bool(self.layers) and all(layer & held for layer in self.layers)


#: What a `files` source has unless its administrator says otherwise.
WORKSPACE_RULE = AccessRule.of([WORKSPACE])
NOBODY_RULE = AccessRule(frozenset())

_CURRENT_ONLY = frozenset({Status.CURRENT})


@dataclass(frozen=True, slots=True)
class Scope:
    """What one question may read. Exactly one of `tokens` and `rules` is set.

    `tokens` is a person's: the principals they hold and the tokens of the rules they
    satisfy. `rules` is a channel's: ids of the rules that everyone who can read it
    satisfies. The other fields only ever narrow it; None means not narrowed.

    Raises ValueError when both or neither of `tokens` and `rules` are given.
    """

    tokens: frozenset[str] | None = None
    rules: frozenset[str] | None = None
    statuses: frozenset[Status] = field(default=_CURRENT_ONLY)
    sources: frozenset[UUID] | None = None
    documents: frozenset[UUID] | None = None
    without_documents: frozenset[UUID] = frozenset()

    def __post_init__(self) -> None:
        """Refuse a scope that names no reader or two."""
        if (self.tokens is None) == (self.rules is None):
            raise ValueError("A scope has either tokens or rules.")

    @classmethod
    def of_person(
        cls, principals: Iterable[Principal], rules: Iterable[AccessRule] = ()
    ) -> Scope:
        """Return a person's scope; `rules` are candidates, only satisfied ones count.

        A rule of one layer needs no token: its principals are what a store matches.
        """
        held = frozenset(principals)
        granted = {
            rule.token for rule in rules if len(rule.layers) > 1 and rule.allows(held)
        }
        return cls(tokens=frozenset(held | granted))

    @classmethod
    def of_channel(cls, rules: Iterable[AccessRule]) -> Scope:
        """Return a channel's scope from the rules that all of its readers satisfy."""
        return cls(rules=frozenset(rule.id for rule in rules if rule.layers))

    def is_empty(self) -> bool:
        """Tell whether nothing at all can match."""
        limits = (
            self.tokens or self.rules,
            self.statuses,
            self.sources,
            self.documents,
        )
        return any(limit is not None and not limit for limit in limits)

    def admits(self, rule: AccessRule) -> bool:
        """Tell whether a document under `rule` may be read (its rule only)."""
        if self.rules is not None:
            return bool(rule.layers) and rule.id in self.rules
        return bool(rule.tokens & (self.tokens or frozenset()))

    def excluding(self, documents: Iterable[UUID]) -> Scope:
        """Return the same scope without these documents."""
        left_out = self.without_documents | frozenset(documents)
        return replace(self, without_documents=left_out)


#: What `ask` without `--as` reads.
WORKSPACE_SCOPE = Scope.of_person([WORKSPACE, ANYONE])
