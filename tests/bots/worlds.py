"""A small company in SQL, and a pipeline that answers what a test tells it to."""

import uuid
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.contrib.auth.models import User

from connectors.content_json import to_json
from connectors.models import AccessRule, Document, Person, Source
from memory import access
from memory.documents import (
    ABSTENTION,
    Answer,
    Block,
    BlockKind,
    Content,
    Evidence,
    LinkedDocument,
    Outcome,
    Question,
    Section,
    Sentence,
    StageTrace,
    document_id,
)

LAPTOPS = """# Equipment policy

Laptops are replaced after 36 months.

- Your manager approves it.
- IT orders it within five working days.

| Model | Price |
| Light | 900 |
"""


@dataclass
class FakePipeline:
    """Gives the queued answers in turn; an exception in the queue is raised."""

    answers: deque = field(default_factory=deque)
    asked: list[Question] = field(default_factory=list)

    def ask(self, question: Question) -> Answer:
        self.asked.append(question)
        answer = self.answers.popleft() if self.answers else abstained()
        if isinstance(answer, Exception):
            raise answer
        return answer


def rule_row(rule: access.AccessRule) -> AccessRule:
    layers = [sorted(layer) for layer in rule.layers]
    return AccessRule.objects.get_or_create(id=rule.id, defaults={"layers": layers})[0]


def make_person(name: str, *, employee: bool = True, **account: bool) -> Person:
    user = User.objects.create_user(name, f"{name}@example.com", "s3cret", **account)
    return Person.objects.create(
        name=name.title(),
        email=f"{name}@example.com",
        is_employee=employee,
        account=user,
    )


def make_source(name: str = "Handbook") -> Source:
    return Source.objects.create(kind="files", name=name)


def content_of(text: str, **rest) -> Content:
    """Return content whose blocks are its lines, by their first characters."""
    blocks, sections, at = [], [], 0
    for line in text.splitlines(keepends=True):
        end = at + len(line.rstrip("\n"))
        if line.startswith("#"):
            title = line.lstrip("# ").strip()
            level = len(line) - len(line.lstrip("#"))
            anchor = title.lower().replace(" ", "-")
            sections.append(Section((title,), level, at, len(text), anchor))
            blocks.append(Block(BlockKind.HEADING, at, end))
        elif line.lstrip().startswith("- "):
            depth = (len(line) - len(line.lstrip())) // 2
            blocks.append(Block(BlockKind.LIST_ITEM, at, end, depth=depth))
        elif line.startswith("|"):
            table = (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW)
            kind = BlockKind.TABLE_HEADER
            if blocks and blocks[-1].kind in table and blocks[-1].end == at - 1:
                kind = BlockKind.TABLE_ROW
            blocks.append(Block(kind, at, end))
        elif line.strip():
            blocks.append(Block(BlockKind.PARAGRAPH, at, end))
        at += len(line)
    return Content(text, tuple(sections), tuple(blocks), **rest)


def make_document(
    source: Source,
    external_id: str = "policies/equipment.md",
    *,
    rule: access.AccessRule = access.WORKSPACE_RULE,
    content: Content | None = None,
    **values,
) -> Document:
    content = content if content is not None else content_of(LAPTOPS)
    defaults = {
        "title": "Equipment policy",
        "state": Document.State.INDEXED,
        "updated_at": datetime(2026, 11, 1, 9, 30, tzinfo=UTC),
    }
    return Document.objects.create(
        id=document_id(source.id, external_id),
        source=source,
        external_id=external_id,
        rule=rule_row(rule),
        content=to_json(content),
        **{**defaults, **values},
    )


def linked(document: Document) -> LinkedDocument:
    return LinkedDocument(
        id=document.id,
        title=document.title,
        url=document.url,
        source=document.source.name,
        external_id=document.external_id,
        updated_at=document.updated_at,
    )


def answered(
    document: Document,
    text: str = "Laptops are replaced after 36 months.",
    **rest,
) -> Answer:
    chunk_id = uuid.uuid5(document.id, text)
    evidence = Evidence(chunk_id, document.id, "Equipment policy", text, tokens=9)
    values = {
        "documents": (linked(document),),
        "sentences": (Sentence(0, len(text), (document.id,), (chunk_id,)),),
        "evidence": (evidence,),
        "searched_documents": 1204,
        "trace": (StageTrace("retrieve", 12.5, {"hits": 3}),),
        "timings_ms": {"retrieve": 12.5},
    }
    return Answer(Outcome.ANSWERED, text, 0.87, 0.8, **{**values, **rest})


def abstained(*nearest: Document) -> Answer:
    return Answer(
        Outcome.ABSTAINED,
        ABSTENTION,
        answerability=0.12,
        confidence=0.1,
        nearest=tuple(linked(document) for document in nearest),
        searched_documents=1204,
    )
