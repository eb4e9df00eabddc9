"""One worker a source: a lease whose token fences every write of a run.

The token changes hands by a conditional UPDATE. Every transaction of a run starts with
`fence`, an UPDATE that matches only while the token is ours: it takes the row's lock,
renews the lease, and raises LeaseLost for a worker that slept through its own.
"""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q

from connectors.errors import AlreadySyncing, LeaseLost
from connectors.models import Source, SyncRun

#: Renewed with every batch and while a long one is being embedded.
LEASE = timedelta(minutes=5)
RENEW_EVERY = timedelta(seconds=20)

#: Set by the last fence of a run, to give the lease back in its transaction.
NOBODY_HOLDS_IT: Mapping[str, Any] = {
    "lease_token": None,
    "lease_until": None,
    "lease_holder": "",
}

INTERRUPTED_MESSAGE = (
    "Its worker stopped without a word; the next run went on from there."
)


@dataclass(slots=True)
class Lease:
    """The right to write what a run of one source finds."""

    source_id: uuid.UUID
    token: uuid.UUID
    clock: Callable[[], datetime]
    _renewed_at: datetime = field(init=False)

    def __post_init__(self) -> None:
        """Count the time to the next renewal from now."""
        self._renewed_at = self.clock()

    def fence(self, **values: object) -> None:
        """Renew the lease and set fields of the source, or raise LeaseLost.

        Call it first in a transaction, so that all the rest of it stands or falls
        with the lease.
        """
        now = self.clock()
        ours = Source.objects.filter(id=self.source_id, lease_token=self.token)
        if not ours.update(**({"lease_until": now + LEASE} | values)):
            raise LeaseLost("Another worker took this source over.")
        self._renewed_at = now

    @contextmanager
    def transaction(self, **values: object) -> Iterator[None]:
        """Run a block in one fenced transaction."""
        with transaction.atomic():
            self.fence(**values)
            yield

    def keep(self) -> None:
        """Renew the lease if that's due: for work that takes long between writes."""
        if self.clock() - self._renewed_at >= RENEW_EVERY:
            self.fence()


def acquire(
    source: Source,
    clock: Callable[[], datetime],
    *,
    wanted_since: datetime | None = None,
) -> tuple[Lease, SyncRun]:
    """Take the source's lease and start a run, or raise AlreadySyncing.

    An expired lease is taken over, and one of this machine's whose process is dead;
    the run that held it is marked interrupted. A wish that a run has granted since it
    was made is AlreadySyncing, too.
    """
    token, now = uuid.uuid4(), clock()
    with transaction.atomic():
        free = Q(lease_token=None) | Q(lease_until__lt=now)
        dead = _dead_holders(source)
        taken = Source.objects.filter(free | dead, id=source.id).update(
            lease_token=token, lease_until=now + LEASE, lease_holder=this_process()
        )
        if not taken:
            raise AlreadySyncing(_busy_message(source, clock))
        began = source.runs.filter(started_at__gte=wanted_since or now)
        if wanted_since is not None and began.exists():
            raise AlreadySyncing(f"“{source.name}” was synced meanwhile.")
        SyncRun.objects.filter(source=source, state=SyncRun.State.RUNNING).update(
            state=SyncRun.State.INTERRUPTED,
            message=INTERRUPTED_MESSAGE,
            finished_at=now,
        )
        run = SyncRun.objects.create(source=source, stage="read", heartbeat_at=now)
    return Lease(source.id, token, clock), run


def _busy_message(source: Source, clock: Callable[[], datetime]) -> str:
    run = source.runs.filter(state=SyncRun.State.RUNNING).first()
    since = (
        f" since {run.started_at:%Y-%m-%d %H:%M:%S} UTC (run {run.pk})" if run else ""
    )
    until = Source.objects.values_list("lease_until", flat=True).get(id=source.id)
    seconds = max(0, round((until - clock()).total_seconds())) if until else 0
    return (
        f"“{source.name}” is already syncing{since}. If its worker is dead, the source "
        f"is free again in {seconds} s."
    )


def _dead_holders(source: Source) -> Q:
    """Match the lease as it stands if its holder is certainly dead, else nothing."""
    row = (
        Source.objects.filter(id=source.id).values("lease_token", "lease_holder").get()
    )
    if row["lease_holder"] and is_dead(row["lease_holder"]):
        return Q(lease_token=row["lease_token"])
    return Q(pk__in=[])


def this_process() -> str:
    """Name this process: host, boot, process namespace, id and start."""
    return "/".join([*_machine(), str(os.getpid()), _started(os.getpid()) or "?"])


def is_dead(holder: str) -> bool:
    """Tell whether a named process is certainly dead; any doubt means no.

    Only a process of this host and namespace can be looked up. Ids are used again,
    so the start is compared too.
    """
    *machine, pid, started = holder.split("/")
    if machine[:1] != _machine()[:1] or "?" in (*machine, *_machine(), started):
        return False
    if machine[1] != _machine()[1]:
        return True  # this host was started again since
    return machine[2] == _machine()[2] and _started(int(pid)) != started


def _machine() -> list[str]:
    return [socket.gethostname().replace("/", "_"), _boot(), _namespace()]


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return "?"


def _namespace() -> str:
    try:
        return Path("/proc/self/ns/pid").readlink().name
    except OSError:
        return "?"


def _started(pid: int) -> str | None:
    """Return a process's start in clock ticks, None if there's no such process."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace")
    except OSError:
        return None
    # proc(5): field 22; the name in parentheses may hold spaces.
    return stat.rpartition(")")[2].split()[19]
