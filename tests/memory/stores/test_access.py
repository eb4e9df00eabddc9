"""Searches against an oracle that knows people and layers, but no token and no SQL."""

from collections import Counter
from dataclasses import dataclass, replace
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.access import AccessRule, Principal, Scope, Status
from memory.documents import View
from memory.stores.embedded import EmbeddedStore
from memory.stores.weaviate_connection import WeaviateAddress
from memory.stores.weaviate_place import WeaviatePlace
from memory.stores.weaviate_schema import Wanted
from tests.contracts.corpus import DIMENSIONS, document, vector

SOURCES = [UUID(int=at) for at in (1, 2, 3)]
PAIRS = [frozenset(SOURCES[:2]), frozenset(SOURCES[1:])]
NARROWED_STATUSES = [
    frozenset({Status.CURRENT}),
    frozenset(Status),
    frozenset({Status.CURRENT, Status.ARCHIVED}),
    frozenset({Status.DRAFT}),
]
PRINCIPALS = [
    *("anyone", "workspace", "person:1", "person:11", "group:a:1", "group:a:11"),
    *("group:a:test", "group:a:test_domain", "rule:group:a:1", "it's", 'x\\y" OR true'),
]

principals = st.sets(st.sampled_from(PRINCIPALS), min_size=2, max_size=8)
layer = st.frozensets(st.sampled_from(PRINCIPALS), min_size=2, max_size=6)
# Sets that grant something most of the time; test_a_corpus_is_partly_readable counts.
layers = st.one_of(
    st.lists(layer, min_size=1, max_size=1),
    st.lists(layer, min_size=1, max_size=3),
    st.lists(layer | st.just(frozenset()), max_size=3),
)
statuses = st.sampled_from([Status.CURRENT, Status.CURRENT, *Status])


@dataclass(frozen=True)
class Page:
    """A document as its source describes it."""

    name: str
    layers: tuple[frozenset[str], ...]
    status: Status
    source: UUID
    texts: int

    @property
    def rule(self):
        return AccessRule.of(*(map(Principal, layer) for layer in self.layers))

    def written(self):
        texts = [f"laptop {self.name} {at}" for at in range(self.texts)]
        others = {"rule": self.rule, "source": self.source, "status": self.status}
        return document(self.name, *texts, **others)

    @property
    def id(self):
        return self.written().properties.document_id


@st.composite
def pages(draw):
    count = draw(st.integers(3, 8))
    # Few different rules, so that documents share them.
    kinds = draw(st.lists(layers.map(tuple), min_size=1, max_size=4))
    return [
        Page(
            f"d{at}",
            draw(st.sampled_from(kinds)),
            draw(statuses),
            draw(st.sampled_from(SOURCES)),
            draw(st.integers(1, 3)),
        )
        for at in range(count)
    ]


@dataclass(frozen=True)
class Reader:
    """People who all read the answer, and what they narrow the search to."""

    people: tuple[frozenset[str], ...]
    is_channel: bool
    statuses: frozenset[Status]
    sources: frozenset[UUID] | None
    only: frozenset[int] | None
    without: frozenset[int]

    def may_read(self, at, page):
        """Tell it from first principles: each of them is in each layer of the page."""
        in_each_layer = all(
            any(principal in layer for principal in person)
            for person in self.people
            for layer in page.layers
        )
        return (
            len(page.layers) > 0
            and in_each_layer
            and page.status in self.statuses
            and (self.sources is None or page.source in self.sources)
            and (self.only is None or at in self.only)
            and at not in self.without
        )

    def scope(self, corpus):
        rules = [page.rule for page in corpus]
        if self.is_channel:
            allowed = (
                rule
                for rule in rules
                if all(rule.allows(map(Principal, person)) for person in self.people)
            )
            scope = Scope.of_channel(allowed)
        else:
            scope = Scope.of_person(map(Principal, self.people[0]), rules)
        ids = [page.id for page in corpus]
        named = [at for at in self.only or () if at < len(ids)]
        return replace(
            scope,
            statuses=self.statuses,
            sources=self.sources,
            documents=None if self.only is None else frozenset(ids[at] for at in named),
            without_documents=frozenset(
                ids[at] for at in self.without if at < len(ids)
            ),
        )


@st.composite
def readers(draw):
    is_channel = draw(st.booleans())
    people = draw(
        st.lists(principals.map(frozenset), min_size=1, max_size=3 if is_channel else 1)
    )
    places = st.frozensets(st.integers(0, 7), min_size=1)
    return Reader(
        tuple(people),
        is_channel,
        draw(st.sampled_from(NARROWED_STATUSES)),
        draw(st.sampled_from([None, None, frozenset(), *PAIRS])),
        draw(st.none() | st.none() | places),
        draw(st.just(frozenset()) | places),
    )


def test_a_corpus_is_partly_readable():
    """The properties below would hold of nothing if nobody ever read anything."""
    seen = Counter()

    @settings(database=None)
    @given(pages(), readers())
    def count(corpus, reader):
        everything = replace(
            reader,
            statuses=frozenset(Status),
            sources=None,
            only=None,
            without=frozenset(),
        )
        for at, page in enumerate(corpus):
            seen[everything.may_read(at, page), reader.may_read(at, page)] += 1

    count()
    share = {outcome: number / seen.total() for outcome, number in seen.items()}
    assert share[True, True] > 0.1
    assert share[True, False] > 0.1
    assert share[False, False] > 0.1


@pytest.fixture(
    scope="module",
    params=["embedded", pytest.param("weaviate", marks=pytest.mark.integration)],
)
def store(request, tmp_path_factory):
    if request.param == "embedded":
        store = EmbeddedStore(tmp_path_factory.mktemp("access"), "fake", DIMENSIONS)
    else:
        server = request.getfixturevalue("weaviate")
        address = WeaviateAddress(server.url, server.grpc_url)
        wanted = Wanted("fake", DIMENSIONS, "word")
        store = WeaviatePlace(address, wanted, prefix="Access").open()
    yield store
    store.close()


def write(store, corpus):
    """Make the corpus all that the store has."""
    old = {of.document_id for _, of in store.inventory(View.CHUNKS)}
    store.delete_documents(old - {page.id for page in corpus})
    store.replace_documents([page.written() for page in corpus])


def check(store, corpus, reader, limit):
    """Compare every read with the oracle."""
    scope = reader.scope(corpus)
    written = [page.written() for page in corpus]
    readable = [at for at, page in enumerate(corpus) if reader.may_read(at, page)]
    for view in View:
        objects = {
            each.id for at in readable for each in getattr(written[at], view.value)
        }
        for hits in (
            store.nearest(view, vector("a question"), 1000, scope),
            store.keyword(view, "laptop", 1000, scope),
        ):
            assert [hit.id for hit in hits] == list(dict.fromkeys(h.id for h in hits))
            assert {hit.id for hit in hits} == objects
        full = store.nearest(view, vector("a question"), 1000, scope)
        # The limit counts what is allowed, so it cuts the full list and nothing else.
        assert store.nearest(view, vector("a question"), limit, scope) == full[:limit]
        some = store.keyword(view, "laptop", limit, scope)
        assert len(some) == min(limit, len(objects))
        assert {hit.id for hit in some} <= objects
    ids = [each.id for document in written for each in document.chunks]
    found = [stored.chunk.id for stored in store.chunks(ids, scope)]
    allowed = [each.id for at in readable for each in written[at].chunks]
    assert found == allowed
    assert store.count_documents(scope) == len(readable)


@given(pages(), st.lists(readers(), min_size=1, max_size=4), st.integers(1, 5))
def test_every_read_returns_exactly_what_may_be_read(store, corpus, asking, limit):
    write(store, corpus)
    for reader in asking:
        check(store, corpus, reader, limit)


@given(pages(), readers(), st.integers(0, 7), layers, statuses)
def test_rewritten_properties_count_at_once(store, corpus, reader, at, new, status):
    write(store, corpus)
    at %= len(corpus)
    changed = replace(corpus[at], layers=tuple(new), status=status)
    store.set_properties(changed.written().properties)
    after = [*corpus[:at], changed, *corpus[at + 1 :]]
    check(store, after, reader, 3)


def test_indexes_change_no_access(store):
    """With indexes on tokens and vectors, as above a thousand objects."""
    kinds = [
        (frozenset({"group:a:1"}),),
        (frozenset({"group:a:11", "workspace"}),),
        (frozenset({"group:a:1"}), frozenset({"person:1"})),
        (),
        (frozenset(),),
    ]
    statuses = [Status.CURRENT, Status.CURRENT, Status.ARCHIVED]
    corpus = [
        Page(f"i{at}", kinds[at % 5], statuses[at % 3], SOURCES[at % 2], 2)
        for at in range(450)
    ]
    write(store, corpus)
    store.optimize()
    narrowed = frozenset({Status.CURRENT}), None, None, frozenset()
    held = [{"group:a:1"}, {"group:a:11"}, {"group:a:1", "person:1"}, {"anyone"}]
    for people in (*((one,) for one in held), (held[0], held[2]), (held[1], held[3])):
        for is_channel in (True, False) if len(people) == 1 else (True,):
            frozen = tuple(map(frozenset, people))
            reader = Reader(frozen, is_channel, *narrowed)
            check(store, corpus, reader, 7)
