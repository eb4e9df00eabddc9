"""Weaviate's two collections: what is indexed how, and the check of what is there."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory.documents import View
from memory.errors import StoreMismatch

if TYPE_CHECKING:
    from weaviate import WeaviateClient

#: Raised when a property changes its meaning; a store of another version is rebuilt.
SCHEMA_VERSION = 1
CLASS = {View.CHUNKS: "RawChunk", View.MEMORIES: "DistilledMemory"}
#: What scopes and look-ups match, each value as a whole (FIELD.md, C46).
FILTERED = ("document_id", "source_id", "access_rule", "status", "part")
FILTERED_LISTS = ("tokens",)
#: What is only given back.
KEPT = ("title", "url", "source_name", "external_id", "updated_at")
KEPT_OBJECT = ("text_hash", "payload")
KEPT_LISTS = ("chunk_ids",)
WORDS = "words"
#: True of one chunk of each document, so that documents can be counted.
FIRST = "first"

#: Graph search: candidates kept while searching, as measured for recall 0.98 at 20 of 100,000.
_EF = 512
_EF_CONSTRUCTION = 128
_MAX_CONNECTIONS = 32


@dataclass(frozen=True, slots=True)
class Wanted:
    """What collections must have been made for."""

    embedder: str
    dimensions: int
    tokenization: str
    replicas: int = 1

    def note(self) -> dict[str, Any]:
        """Return what is kept with a collection, as its description."""
        return {
            "schema": SCHEMA_VERSION,
            "embedder": self.embedder,
            "dimensions": self.dimensions,
            "tokenization": self.tokenization,
        }


def create(client: WeaviateClient, name: str, view: View, wanted: Wanted) -> None:
    """Make an empty collection."""
    from weaviate.classes.config import Configure, VectorDistances, VectorFilterStrategy
    from weaviate.collections.classes.config import StopwordsPreset

    client.collections.create(
        name,
        description=json.dumps(wanted.note()),
        properties=_properties(wanted.tokenization),
        vector_config=Configure.Vectors.self_provided(
            # Scores are raw cosines: compressed vectors would blur them.
            quantizer=Configure.VectorIndex.Quantizer.none(),
            vector_index_config=Configure.VectorIndex.hnsw(
                distance_metric=VectorDistances.COSINE,
                ef=_EF,
                ef_construction=_EF_CONSTRUCTION,
                max_connections=_MAX_CONNECTIONS,
                filter_strategy=VectorFilterStrategy.ACORN,
            ),
        ),
        # Which words don't count is decided in `analysis`, for each question.
        inverted_index_config=Configure.inverted_index(
            stopwords_preset=StopwordsPreset.NONE
        ),
        replication_config=Configure.replication(factor=wanted.replicas),
    )


def check(client: WeaviateClient, name: str, wanted: Wanted) -> None:
    """Raise StoreMismatch where a collection was made for something else."""
    config = client.collections.use(name).config.get()
    note = _note(config.description)
    if note != wanted.note():
        raise StoreMismatch(
            f"Weaviate's collection {name} was built for {_described(note)}; the "
            f"settings say {_described(wanted.note())}. Choose the old ones again, or "
            "run `./manage.py rebuild`."
        )
    found = {each.name: _traits(each) for each in config.properties}
    expected = {each.name: _traits(each) for each in _properties(wanted.tokenization)}
    wrong = sorted(name for name, is_ in expected.items() if found.get(name) != is_)
    if wrong:
        raise StoreMismatch(
            f"Weaviate's collection {name} has other properties than Attest makes: "
            f"{', '.join(wrong)}. Near-equal names would match. Run "
            "`./manage.py rebuild`."
        )


def _properties(tokenization: str) -> list[Any]:
    from weaviate.classes.config import DataType, Property, Tokenization

    def text(name: str, *, is_list: bool, filtered: bool) -> Property:
        return Property(
            name=name,
            data_type=DataType.TEXT_ARRAY if is_list else DataType.TEXT,
            tokenization=Tokenization.FIELD,
            index_filterable=filtered,
            index_searchable=False,
        )

    return [
        *(text(name, is_list=False, filtered=True) for name in FILTERED),
        *(text(name, is_list=True, filtered=True) for name in FILTERED_LISTS),
        *(text(name, is_list=False, filtered=False) for name in (*KEPT, *KEPT_OBJECT)),
        *(text(name, is_list=True, filtered=False) for name in KEPT_LISTS),
        Property(
            name=WORDS,
            data_type=DataType.TEXT,
            tokenization=Tokenization(tokenization),
            index_filterable=False,
            index_searchable=True,
        ),
        Property(name=FIRST, data_type=DataType.BOOL, index_filterable=True),
    ]


def _traits(prop: Any) -> tuple[Any, ...]:
    """Return what of a property decides what matches it, wished for or found."""
    names = {
        "type": ("dataType", "data_type"),
        "tokenization": ("tokenization",),
        "filterable": ("indexFilterable", "index_filterable"),
        "searchable": ("indexSearchable", "index_searchable"),
    }
    traits = [
        next((getattr(prop, each) for each in spelt if hasattr(prop, each)), None)
        for spelt in names.values()
    ]
    # A server answers "not searched" of what can't be.
    return (*traits[:3], bool(traits[3]))


def _note(description: str | None) -> dict[str, Any]:
    try:
        found = json.loads(description or "")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _described(note: dict[str, Any]) -> str:
    if not note:
        return "something else than Attest"
    return (
        f"schema {note.get('schema')}, embedding model {note.get('embedder')!r} of "
        f"{note.get('dimensions')} dimensions, {note.get('tokenization')} tokenization"
    )
