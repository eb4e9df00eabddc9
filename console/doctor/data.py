"""Model, store, sources, accounts."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.auth import get_user_model

from connectors.errors import OptionError
from connectors.models import Document, Source, SyncRun
from connectors.registry import connector_for
from console.doctor.findings import Finding, fail, ok, warn
from memory.errors import AttestError


def model() -> Iterator[Finding]:
    """Load the encoder and embed a word with it."""
    from memory.runtime import runtime

    try:
        embedder = runtime().embedder
        embedder.embed_queries(["ready"])
    except AttestError as error:
        yield fail("model", str(error), "make setup")
    else:
        yield ok("model", f"{embedder.name}, {embedder.dimensions} dimensions")


def gate() -> Iterator[Finding]:
    """Say whether the gate's coefficients were fitted for the encoder that runs."""
    from memory.runtime import runtime

    pipeline = runtime().pipeline()
    if pipeline.gate is None:
        yield warn(
            "gate",
            "switched off: every question is answered, held by the documents or not",
            "Take gate out of ATTEST_STAGES_OFF.",
        )
    elif not pipeline.gate.is_calibrated:
        yield warn(
            "gate",
            f"{pipeline.gate.fingerprint}: it abstains more than it need",
            "Use the packaged encoder, or fit it: ./manage.py fit_answerability --help",
        )
    else:
        yield ok("gate", f"answers from {pipeline.threshold:.0%} on, calibrated")


def store() -> Iterator[Finding]:
    """Open the store, which compares its model and schema with the configured ones."""
    from memory.documents import View
    from memory.runtime import runtime

    try:
        chunks = sum(1 for _ in runtime().store.inventory(View.CHUNKS))
    except AttestError as error:
        yield fail("store", str(error), "")
    else:
        yield ok("store", f"{chunks} chunks")


def sources() -> Iterator[Finding]:
    """Ask every source what works, and how its last run ended."""
    rows = Source.objects.all()
    if not rows:
        yield warn(
            "sources",
            "There are none, so every answer is an abstention.",
            "./manage.py add_source files --name NAME --set path=FOLDER",
        )
    for source in rows:
        yield from _capabilities(source)
        yield from _last_run(source)
        yield from _unread(source)


def _capabilities(source: Source) -> Iterator[Finding]:
    subject = f"source {source.name}"
    try:
        checks = connector_for(source).check()
    except OptionError as error:
        yield fail(subject, str(error), "Correct the source's options in the console.")
        return
    for check in checks:
        told = f"{check.capability}: {check.message or 'works'}"
        yield ok(subject, told) if check.ok else fail(subject, told, "")


def _last_run(source: Source) -> Iterator[Finding]:
    subject = f"source {source.name}"
    if source.state != Source.State.ACTIVE:
        yield warn(
            subject,
            f"It is {source.state}: {source.reason or 'no reason given'}",
            f'./manage.py sync "{source.name}"',
        )
    run = source.runs.first()
    if run is None:
        yield warn(subject, "It was never synced.", f'./manage.py sync "{source.name}"')
    elif run.state in {SyncRun.State.SUCCEEDED, SyncRun.State.RUNNING}:
        yield ok(subject, f"last run {run.state}, {run.started_at:%Y-%m-%d %H:%M} UTC")
    else:
        yield warn(
            subject,
            f"The last run is {run.state}: {run.message or 'no message'}",
            f'./manage.py sync "{source.name}"',
        )


def _unread(source: Source) -> Iterator[Finding]:
    """Say how many documents can't be read, however well the last run ended."""
    failed = source.documents.filter(state=Document.State.FAILED)
    count = failed.count()
    if count:
        first = failed.order_by("external_id").values_list("external_id", flat=True)[0]
        yield warn(
            f"source {source.name}",
            f"{count:,} document{'s' * (count > 1)} can't be read, such as “{first}”",
            "The console lists them with their reasons: Documents, state failed.",
        )


def accounts() -> Iterator[Finding]:
    """Look for somebody who may administer."""
    people = get_user_model().objects.filter(is_superuser=True, is_active=True)
    if people.exists():
        yield ok("accounts", f"{people.count()} administrators")
    else:
        yield warn(
            "accounts", "There is no administrator.", "./manage.py sign_in_link ADDRESS"
        )
