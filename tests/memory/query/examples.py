"""Small chunks and candidates for tests of the query path."""

from uuid import UUID

from memory.access import WORKSPACE_RULE
from memory.documents import Chunk, Properties, StoredChunk
from memory.query.base import Candidate
from memory.tokens import count_tokens

SOURCE = UUID(int=1)


def candidate(
    number: int,
    *,
    document: int = 1,
    text: str = "Some text.",
    fused: float = 0.0,
    header: str = "",
    title: str = "Policy",
    **signals: float,
) -> Candidate:
    chunk = Chunk(
        id=UUID(int=number),
        document_id=UUID(int=1000 + document),
        text=text,
        path=("Heading",),
        position=number,
        start=0,
        end=len(text),
        tokens=count_tokens(text),
        title=title,
        header=header,
    )
    properties = Properties(
        document_id=chunk.document_id,
        source_id=SOURCE,
        title=title,
        access_rule=WORKSPACE_RULE.id,
        tokens=WORKSPACE_RULE.tokens,
        source_name="Handbook",
        external_id=f"{document}.md",
    )
    return Candidate(StoredChunk(chunk, properties), fused, signals)
