"""Sources, documents, runs, people and access in SQL."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower

from memory import access


class AccessRule(models.Model):
    """A conjunction of layers of principals, named by its hash.

    Written before any store carries its id; rows are never changed.
    """

    id = models.CharField(primary_key=True, max_length=32)
    layers = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        """Name the principals as an administrator reads them."""
        layers = [" or ".join(layer) or "nobody" for layer in self.layers]
        return " and ".join(f"({layer})" for layer in layers) or "nobody"

    def as_value(self) -> access.AccessRule:
        """Return the rule as the library has it."""
        return access.AccessRule.of(
            *([access.Principal(name) for name in layer] for layer in self.layers)
        )


class Person(models.Model):
    """Somebody who asks. Identities and console accounts are linked to it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    name = models.CharField(max_length=200, blank=True)
    email = models.EmailField(null=True, blank=True)
    #: A full member of an allow-listed workspace; guests and outsiders are not.
    is_employee = models.BooleanField(default=False)
    account = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="person",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "people"
        ordering: ClassVar[list[str]] = ["name", "email"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                Lower("email"),
                name="one_person_per_address",
                violation_error_message="Somebody has this address already.",
            )
        ]

    def __str__(self) -> str:
        """Return name or address."""
        return self.name or self.email or str(self.id)


class IdentityLink(models.Model):
    """One account of a person at a source or platform, by the vendor's id."""

    person = models.ForeignKey(Person, on_delete=models.CASCADE, related_name="links")
    origin = models.CharField(max_length=100)
    account_id = models.CharField(max_length=200)
    email = models.EmailField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["origin", "account_id"], name="one_person_per_account"
            )
        ]

    def __str__(self) -> str:
        """Return where it is and which."""
        return f"{self.origin}: {self.email or self.account_id}"


class Group(models.Model):
    """A group at a source or directory, named by the vendor's id."""

    principal = models.CharField(max_length=300, unique=True)
    name = models.CharField(max_length=200, blank=True)
    #: Marked by an administrator: everybody in the company is in it.
    is_everybody = models.BooleanField(default=False)
    members = models.ManyToManyField(
        Person, through="Membership", related_name="groups"
    )

    def __str__(self) -> str:
        """Return the current name."""
        return self.name or self.principal


class Membership(models.Model):
    """A person in a group."""

    group = models.ForeignKey(Group, on_delete=models.CASCADE)
    person = models.ForeignKey(Person, on_delete=models.CASCADE)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["group", "person"], name="in_a_group_once")
        ]

    def __str__(self) -> str:
        """Return both by their keys; names would cost a query each."""
        return f"{self.person_id} in {self.group_id}"


class Source(models.Model):
    """A place where documents come from. `kind` is a name in connectors.registry."""

    class State(models.TextChoices):
        """Whether it syncs by itself."""

        ACTIVE = "active"
        PAUSED = "paused"
        HELD = "held"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(max_length=40)
    name = models.CharField(max_length=200, unique=True)
    options = models.JSONField(default=dict, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.ACTIVE)
    #: Why it's paused or held, for an administrator.
    reason = models.TextField(blank=True)
    cursor = models.JSONField(null=True, blank=True)
    sync_every_minutes = models.PositiveIntegerField(default=15)
    local_models_only = models.BooleanField(default=False)
    #: Whoever syncs now; every write of a run is conditional on it (syncing_lease).
    lease_token = models.UUIDField(null=True, blank=True, editable=False)
    lease_until = models.DateTimeField(null=True, blank=True, editable=False)
    #: The process that holds the lease, so that a killed one needn't be waited for.
    lease_holder = models.CharField(max_length=300, blank=True, editable=False)
    last_success_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Encrypt what is secret among the options, whoever saves."""
        from connectors.credentials import sealed
        from connectors.registry import KINDS, options_of

        if self.kind in KINDS:
            self.options = sealed(self.options, options_of(self.kind))
        super().save(*args, **kwargs)


class Document(models.Model):
    """A document as its source has it, whatever became of it here."""

    class State(models.TextChoices):
        """What became of it; `indexed` and `held` ones answer."""

        INDEXED = "indexed"
        SKIPPED = "skipped"
        FAILED = "failed"
        #: Missing at the source, kept until an administrator approves its deletion.
        HELD = "held"
        REMOVED = "removed"

    #: The states in which a document's text is in the store and may answer.
    ANSWERING = (State.INDEXED, State.HELD)

    #: memory.documents.document_id(source, external_id)
    id = models.UUIDField(primary_key=True, editable=False)
    source = models.ForeignKey(
        Source, on_delete=models.CASCADE, related_name="documents"
    )
    external_id = models.TextField()
    url = models.TextField(blank=True)
    title = models.TextField(blank=True)
    kind = models.CharField(max_length=40, blank=True)
    author = models.TextField(blank=True)
    owner = models.TextField(blank=True)
    version = models.TextField(blank=True)
    updated_at = models.DateTimeField(null=True, blank=True)
    status = models.CharField(max_length=20, default=access.Status.CURRENT.value)
    rule = models.ForeignKey(
        AccessRule, null=True, on_delete=models.PROTECT, related_name="documents"
    )
    state = models.CharField(max_length=10, choices=State)
    reason = models.CharField(max_length=60, blank=True)
    message = models.TextField(blank=True)
    warnings = models.JSONField(default=list, blank=True)
    #: The connector's own mark for "unchanged" (connectors.base.Upsert.mark).
    mark = models.TextField(blank=True)
    #: SHA-256 of title and normalised content: another one means another build.
    content_hash = models.CharField(max_length=64, blank=True)
    characters = models.PositiveIntegerField(default=0)
    chunk_count = models.PositiveIntegerField(default=0)
    memory_count = models.PositiveIntegerField(default=0)
    #: The store disagrees with this row, or a write was cut short: the next run
    #: writes the row's content into the store again, or removes it there.
    needs_repair = models.BooleanField(default=False)
    first_seen_at = models.DateTimeField(auto_now_add=True)
    #: When this row was last written; an unchanged document isn't.
    changed_at = models.DateTimeField(auto_now=True)
    indexed_at = models.DateTimeField(null=True, blank=True)
    #: The normalised text and its structure (connectors.content_json). The last
    #: column, as SQLite reads a row up to the last column that is asked for.
    content = models.JSONField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["source", "external_id"], name="one_row_per_document"
            )
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["source", "state"], name="document_source_state"),
            models.Index(
                fields=["source"],
                name="document_needs_repair",
                condition=models.Q(needs_repair=True),
            ),
        ]

    def __str__(self) -> str:
        """Return the title, or the id at the source."""
        return self.title or self.external_id


class MissingMemories(models.Model):
    """What extraction by a model owes of a document; its text answers all the same.

    A table of its own, as nearly no document has a row.
    """

    document = models.OneToOneField(
        Document,
        primary_key=True,
        on_delete=models.CASCADE,
        related_name="missing_memories",
    )
    #: Chunks, and groups of memories, whose extraction failed.
    count = models.PositiveIntegerField()
    tries = models.PositiveSmallIntegerField()
    #: The first run after it asks again.
    again_at = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "missing memories"

    def __str__(self) -> str:
        """Return how much is missing and of what, by its key."""
        return f"{self.count} of {self.document_id}"


class SyncRun(models.Model):
    """One run of one source: what it did, how long each stage took, how it ended."""

    class State(models.TextChoices):
        """How far it is."""

        RUNNING = "running"
        SUCCEEDED = "succeeded"
        FAILED = "failed"
        HELD = "held"
        CANCELLED = "cancelled"
        #: Its worker was killed; the next run went on from its last batch.
        INTERRUPTED = "interrupted"

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="runs")
    state = models.CharField(max_length=12, choices=State, default=State.RUNNING)
    message = models.TextField(blank=True)
    stage = models.CharField(max_length=40, blank=True)
    total = models.PositiveIntegerField(null=True, blank=True)
    #: seen, unchanged, indexed, properties_only, skipped, failed, deleted, held,
    #: repaired, warnings, chunks_embedded, chunks_kept, memories_embedded,
    #: memories_kept, undistilled, items_dropped; one that is missing is 0.
    counts = models.JSONField(default=dict, blank=True)
    #: Seconds by stage: read, sql, chunk, distil, embed, store, optimize.
    stage_seconds = models.JSONField(default=dict, blank=True)
    #: A part of the source was not seen; nothing there was deleted.
    incomplete = models.BooleanField(default=False)
    cancel_requested = models.BooleanField(default=False)
    started_at = models.DateTimeField(auto_now_add=True)
    heartbeat_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["-started_at", "-id"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["source", "-started_at"], name="run_source_started")
        ]

    def __str__(self) -> str:
        """Return its number and how far it is."""
        return f"Run {self.pk}: {self.get_state_display()}"


class SyncIssue(models.Model):
    """Something in a run that an administrator should see, with the document's name."""

    class Severity(models.TextChoices):
        """How bad."""

        NOTICE = "notice"
        WARNING = "warning"
        ERROR = "error"

    run = models.ForeignKey(SyncRun, on_delete=models.CASCADE, related_name="issues")
    #: The document's id at the source, "" for what concerns the run itself.
    external_id = models.TextField(blank=True)
    title = models.TextField(blank=True)
    url = models.TextField(blank=True)
    severity = models.CharField(max_length=10, choices=Severity)
    reason = models.CharField(max_length=60)
    message = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["id"]

    def __str__(self) -> str:
        """Return document and reason, for an administrator."""
        name = self.title or self.external_id
        return f"{name}: {self.message}" if name else self.message
