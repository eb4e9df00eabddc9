"""The contract suite on a real server, and what is Weaviate's own."""

import pytest
import weaviate as library

from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.access import AccessRule, Scope, group
from memory.documents import View
from memory.errors import StoreError, StoreMismatch, StoreUnreachable
from memory.stores.weaviate import WeaviateStore
from memory.stores.weaviate_connection import Connection, WeaviateAddress
from memory.stores.weaviate_schema import Wanted
from memory.stores.weaviate_writes import Writes
from tests.contracts.corpus import DIMENSIONS, document, put, vector
from tests.contracts.store import StoreContract
from tests.contracts.store_place import PlaceContract

pytestmark = pytest.mark.integration


class TestWeaviateStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, weaviate, prefix, place_at):
        self.server, self.prefix, self.place_at = weaviate, prefix, place_at

    def make_store(self, _folder):
        return self.place_at(self.server, self.prefix).open()


class TestWeaviatePlace(PlaceContract):
    @pytest.fixture(autouse=True)
    def _server(self, weaviate, prefix, place_at):
        self.server, self.prefix, self.place_at = weaviate, prefix, place_at

    def make_place(self, _folder, embedder="fake", dimensions=DIMENSIONS):
        return self.place_at(self.server, self.prefix, embedder, dimensions)


@pytest.fixture
def place(weaviate, prefix, place_at):
    return place_at(weaviate, prefix)


@pytest.fixture
def client(weaviate):
    found = library.connect_to_local(
        port=weaviate.http, grpc_port=weaviate.grpc, skip_init_checks=True
    )
    yield found
    found.close()


def test_blanks_at_the_ends_of_a_name_are_part_of_it(place):
    """Weaviate cuts them off what it matches as a whole."""
    store = place.open()
    names = ["test", "test ", " test", "test\t", "test\n", "test%20"]
    rules = {name: AccessRule.of([group("dir", name)]) for name in names}
    put(store, *(document(f"d{name}", "one", rule=rules[name]) for name in names))
    for name in names:
        scope = Scope.of_person([group("dir", name)])
        [hit] = store.nearest(View.CHUNKS, vector("x"), 9, scope)
        [found] = store.chunks([hit.id], scope)
        assert found.properties.external_id == f"d{name}"


def test_a_property_that_is_cut_into_words_is_refused_at_the_start(
    place, prefix, client
):
    """As the server's own defaults would have it (C46)."""
    fresh = place.fresh()
    name = fresh.fresh_generation.name(View.CHUNKS)
    config = client.collections.use(name).config.get()
    client.collections.delete(name)
    client.collections.create(name, description=config.description)
    client.collections.use(name).config.add_property(
        library.classes.config.Property(
            name="tokens",
            data_type=library.classes.config.DataType.TEXT_ARRAY,
            tokenization=library.classes.config.Tokenization.WORD,
        )
    )
    place.swap(fresh)
    with pytest.raises(StoreMismatch, match="tokens.*rebuild"):
        place.open()


def test_another_tokenization_is_refused_with_the_mend(
    place, place_at, weaviate, prefix
):
    place.open()
    with pytest.raises(StoreMismatch, match="word tokenization.*trigram.*rebuild"):
        place_at(weaviate, prefix, tokenization="trigram").open()


def test_trigrams_find_parts_of_words_in_any_script(weaviate, prefix, place_at):
    store = place_at(weaviate, prefix, tokenization="trigram").open()
    written = put(store, document("a", "笔记本电脑三年更换"), document("b", "a desk"))
    [hit] = store.keyword(View.CHUNKS, "笔记本电脑", 5, EVERYBODY)
    assert hit.id == written.chunks[0].id
    assert store.keyword(View.CHUNKS, "?!", 5, EVERYBODY) == []


def test_a_refused_object_is_told_and_its_document_stays_as_it_was(place, monkeypatch):
    store = place.open()
    put(store, document("a", "old"), document("b", "old b"))
    put_part = Writes._put_part

    def refuse(self, view, part):
        """Refuse memories of "a", as a server that is short of disk would."""
        kept = [pair for pair in part if "new a" not in getattr(pair[0], "value", "")]
        errors = put_part(self, view, kept) if kept else {}
        gone = [item for item, _ in part if (item, _) not in kept]
        return errors | {item.document_id: "no space left" for item in gone}

    monkeypatch.setattr(Writes, "_put_part", refuse)
    with pytest.raises(StoreError, match="1 of 2 documents.*no space left"):
        store.replace_documents([document("a", "new a"), document("b", "new b")])
    texts = {of.external_id: set() for _, of in store.inventory(View.CHUNKS)}
    for hit in store.nearest(View.CHUNKS, vector("x"), 9, EVERYBODY):
        [found] = store.chunks([hit.id], EVERYBODY)
        texts[found.properties.external_id].add(found.chunk.text)
    assert texts == {"a": {"old"}, "b": {"new b"}}
    assert len(list(store.inventory(View.MEMORIES))) == 2


def test_a_server_that_is_away_is_told_with_the_settings_to_look_at():
    store = WeaviateStore(
        Connection(WeaviateAddress("http://127.0.0.1:9", "http://127.0.0.1:10")),
        Wanted("fake", DIMENSIONS, "word"),
    )
    with pytest.raises(StoreUnreachable, match="ATTEST_WEAVIATE_URL"):
        store.keyword(View.CHUNKS, "laptop", 5, EVERYBODY)


def test_one_port_for_both_protocols_is_told(weaviate):
    connection = Connection(WeaviateAddress(weaviate.url, weaviate.url))
    store = WeaviateStore(connection, Wanted("fake", DIMENSIONS, "word"))
    with pytest.raises(StoreError, match="ports of their own"):
        store.check()


def test_the_key_is_never_shown(weaviate):
    assert "secret" not in repr(WeaviateAddress(weaviate.url, api_key="secret"))
