"""Who may see what: people's principals, scopes, and the last word on a hit.

Everything here errs to "no": an unknown address is an error, an empty channel reads
nothing, a document whose row and stored properties disagree is left out.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

import structlog
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import DatabaseError
from django.db.models import Q

from connectors.errors import AccessError, OptionError
from connectors.models import Document, Group, Person, Source
from connectors.rules import all_rules, layered_rules
from memory import access
from memory.access import ANYONE, WORKSPACE, Principal, Scope, Status
from memory.documents import Properties

log = structlog.get_logger(__name__)

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


#: Of any address (RFC 5321). SQLite's LIKE refuses patterns of 50,000 bytes.
LONGEST_ADDRESS = 320


def person_for(email: str) -> Person:
    """Return the person with this address, in any case of letters.

    Raises AccessError when nobody has it.
    """
    address = email.strip()
    if len(address) > LONGEST_ADDRESS:
        raise AccessError(f"No address has {len(address):,} characters.")
    found = Person.objects.filter(email__iexact=address).first() if address else None
    if found is None:
        raise AccessError(
            f"Nobody with the address “{address}” is known here. People appear when "
            "they first ask or sign in; an administrator can add them in the console."
        )
    return found


def principals_of(person: Person) -> frozenset[Principal]:
    """Return all that a person holds: anyone, workspace if employed, self, groups."""
    groups = person.groups.values_list("principal", flat=True)
    held = {ANYONE, access.person(person.id), *map(Principal, groups)}
    return frozenset(held | {WORKSPACE} if person.is_employee else held)


def workspace_principals() -> frozenset[Principal]:
    """Return what every employee holds: workspace, anyone, groups that are everybody."""
    everybody = Group.objects.filter(is_everybody=True)
    names = everybody.values_list("principal", flat=True)
    return frozenset({WORKSPACE, ANYONE, *map(Principal, names)})


def scope_of(person: Person) -> Scope:
    """Return what a person may read, as their memberships are at this moment."""
    return Scope.of_person(principals_of(person), layered_rules())


def scope_of_workspace() -> Scope:
    """Return what every employee may read: `ask` without `--as`."""
    return Scope.of_person(workspace_principals(), layered_rules())


def scope_of_members(members: Iterable[Person]) -> Scope:
    """Return what everybody in a closed channel may read: nothing if it's empty."""
    return _shared_scope([principals_of(member) for member in members])


def scope_of_audience(*, outsiders: bool) -> Scope:
    """Return what may be read where every employee can look on, and maybe outsiders."""
    readers = [workspace_principals()]
    return _shared_scope([*readers, frozenset({ANYONE})] if outsiders else readers)


def _shared_scope(readers: Sequence[frozenset[Principal]]) -> Scope:
    if not readers:
        return Scope.of_channel([])
    distinct = set(readers)
    return Scope.of_channel(
        rule for rule in all_rules() if all(rule.allows(held) for held in distinct)
    )


def principals_named(names: Sequence[str]) -> frozenset[Principal]:
    """Return the principals that an administrator wrote: the readers of a source.

    `workspace`, `anyone`, a group's principal as the console shows it, or an e-mail
    address. An address that's new becomes a person without any other right, so that
    the grant is there when they first sign in. Raises OptionError for anything else.
    """
    check_names(names)
    return frozenset(map(_principal_named, map(str.strip, names)))


def check_names(names: Sequence[str]) -> None:
    """Raise OptionError for a name that `principals_named` can't take."""
    for name in map(str.strip, names):
        if name.startswith("group:"):
            if not Group.objects.filter(principal=name).exists():
                raise OptionError(f"access: no group is known as “{name}”.")
        elif name not in (WORKSPACE, ANYONE) and not _is_address(name):
            raise OptionError(
                f"access: “{name}” is none of workspace, anyone, an e-mail address, or "
                "a group's principal (group:…)."
            )


def _is_address(name: str) -> bool:
    try:
        validate_email(name)
    except ValidationError:
        return False
    return True


def _principal_named(name: str) -> Principal:
    if name in (WORKSPACE, ANYONE) or name.startswith("group:"):
        return Principal(name)
    known = Person.objects.filter(email__iexact=name).first()
    return access.person((known or Person.objects.create(email=name)).id)


def documents_named(name: str) -> list[Document]:
    """Return the documents with this link, id, or path in their source.

    A path may be that of the file on disk. Raises AccessError when there's none.
    """
    wanted = Q(url=name) | Q(external_id=name)
    if id_ := _UUID.search(name):
        wanted |= Q(id=id_[0])
    for source in Source.objects.filter(kind="files"):
        # An option that was written by hand may end with a slash of its own.
        folder = f"{str(source.options.get('path', '')).rstrip('/')}/"
        if name.startswith(folder):
            wanted |= Q(source=source, external_id=name.removeprefix(folder))
    rows = Document.objects.filter(wanted).defer("content")
    found = list(rows.select_related("rule", "source").order_by("source__name"))
    if not found:
        raise AccessError(
            f"No document has the link, id or path “{name}”. Either no source lists "
            "it, or it's left out by a source's options."
        )
    return found


class SqlAuthority:
    """The last word on access, from SQL; implements memory.query.base.Authority."""

    def confirmed(self, properties: Collection[Properties], scope: Scope) -> set[UUID]:
        """Return the documents that may be read now; see the protocol.

        One query. A document whose row is gone, doesn't answer, or has another rule or
        status than the store has is left out, and its repair is queued; so is the
        removal of one that SQL doesn't know.
        """
        told = {item.document_id: item for item in properties}
        rows = Document.objects.filter(id__in=list(told)).values_list(
            "id", "state", "rule_id", "status", "rule__layers"
        )
        allowed, disagreeing, found = set(), set(), set()
        for id_, state, rule_id, status, layers in rows:
            found.add(id_)
            item = told[id_]
            rule = _rule_of(layers)
            agrees = state in Document.ANSWERING and (rule_id, status, rule.tokens) == (
                item.access_rule,
                item.status,
                item.tokens,
            )
            if not agrees:
                disagreeing.add(id_)
            elif scope.admits(rule) and Status(status) in scope.statuses:
                allowed.add(id_)
        self._queue_removal([told[id_] for id_ in told.keys() - found])
        self._queue_repair(disagreeing)
        return allowed

    def _queue_removal(self, unknown: Collection[Properties]) -> None:
        """Give unknown documents a row that says they're gone; the next sync removes them.

        Where their source is gone too, `verify --mend` removes them.
        """
        if not unknown:
            return
        ids = [str(item.document_id) for item in unknown]
        log.warning("store_has_unknown_documents", documents=ids)
        try:
            sources = Source.objects.filter(id__in={item.source_id for item in unknown})
            known = set(sources.values_list("id", flat=True))
            Document.objects.bulk_create(
                [_absent(item) for item in unknown if item.source_id in known],
                ignore_conflicts=True,
            )
        except DatabaseError:
            log.exception("removal_not_queued")

    def _queue_repair(self, ids: Collection[UUID]) -> None:
        """Ask the next sync to repair; a question never fails for it."""
        if not ids:
            return
        log.warning("store_disagrees_with_sql", documents=[str(id_) for id_ in ids])
        try:
            Document.objects.filter(id__in=list(ids)).update(needs_repair=True)
        except DatabaseError:
            log.exception("repair_not_queued")


def _absent(item: Properties) -> Document:
    """Return the row of a document that is in the store alone."""
    return Document(
        id=item.document_id,
        source_id=item.source_id,
        external_id=item.external_id,
        title=item.title,
        url=item.url,
        state=Document.State.REMOVED,
        reason="unknown_in_store",
        needs_repair=True,
    )


def _rule_of(layers: Sequence[Sequence[str]] | None) -> access.AccessRule:
    return access.AccessRule.of(
        *([Principal(name) for name in layer] for layer in layers or ())
    )
