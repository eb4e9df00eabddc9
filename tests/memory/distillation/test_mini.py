"""The extractors that ask a model: validation, repeats, failures, order, identity."""

import json
import time
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.distillation.base import BatchExtractor
from memory.distillation.full import FullExtractor
from memory.distillation.local import LocalExtractor
from memory.distillation.mini import MiniExtractor, parse_memories
from memory.distillation.routed import RoutedExtractor
from memory.documents import MemoryType
from memory.language_models.base import ModelRefused, ModelUnavailable
from memory.language_models.ledger import BudgetReached
from memory.prompts.extraction import ABSTRACTION, EXTRACTION
from tests.memory.evaluation.fakes import make_chunk, make_document
from tests.memory.scripted import ScriptedModel

DOCUMENT = make_document("a.md", "Some text.", title="Equipment")


def chunks(*texts, document=DOCUMENT):
    return [make_chunk(document.id, n, text) for n, text in enumerate(texts)]


def item(value, key="who approves a laptop", type="fact"):
    return {"type": type, "key": key, "value": value}


def echo(request):
    """Reply with one memory that says what the chunk says."""
    content = json.loads(request.user)["content"]
    return {"memories": [item(content, key=f"about {content}")]}


def values(memories):
    return [memory.value for memory in memories]


def test_it_tells_the_model_chunk_document_headings_and_the_whole_text():
    model = ScriptedModel({"memories": []})
    chunk = replace(
        make_chunk(DOCUMENT.id, 0, "| 36 | months |"),
        path=("IT", "Laptops"),
        header="| n | unit |",
        title="Equipment",
    )
    MiniExtractor(model).extract(DOCUMENT, [chunk])
    (request,) = model.requests
    assert json.loads(request.user) == {
        "chunk_id": str(chunk.id),
        "doc_id": str(DOCUMENT.id),
        "title": "Equipment",
        "section_path": "IT / Laptops",
        "content": "| n | unit |\n| 36 | months |",
    }
    assert request.system == EXTRACTION.system
    assert request.max_tokens == 1000


def test_memories_come_in_the_order_of_documents_and_chunks():
    other = make_document("b.md", "Other text.")
    work = [
        (DOCUMENT, chunks(*(f"a{n}" for n in range(9)))),
        (other, chunks(*(f"b{n}" for n in range(9)), document=other)),
    ]
    first, second = MiniExtractor(ScriptedModel(echo), workers=4).distil(work)
    assert values(first.memories) == [f"a{n}" for n in range(9)]
    assert values(second.memories) == [f"b{n}" for n in range(9)]
    assert {memory.document_id for memory in second.memories} == {other.id}


def test_a_fourth_memory_and_bad_ones_are_dropped_singly_and_counted():
    reply = {
        "memories": [
            item("one"),
            item("two", type="opinion"),
            item("   "),
            item("three", key="?!"),
            "not an object",
            {"type": "fact", "key": "no value"},
            {"type": ["fact"], "key": "k", "value": "v"},
            item("four", type="abstraction"),
            item(" five "),
            item("six", type="decision"),
            item("seven"),
        ]
    }
    (distilled,) = MiniExtractor(ScriptedModel(reply)).distil([(DOCUMENT, chunks("x"))])
    assert values(distilled.memories) == ["one", "five", "six"]
    assert distilled.dropped == 8
    assert distilled.failed == 0
    assert distilled.memories[2].type is MemoryType.DECISION


def test_exact_repeats_in_a_document_are_one_memory_of_both_chunks():
    def reply(request):
        second = json.loads(request.user)["content"] == "second"
        return {"memories": [item("It's 36  months!" if second else "It's 36 months")]}

    own = chunks("first", "second")
    (memory,) = MiniExtractor(ScriptedModel(reply)).extract(DOCUMENT, own)
    assert memory.value == "It's 36 months"
    assert memory.chunk_ids == (own[0].id, own[1].id)


def test_a_failed_chunk_has_no_memories_and_is_counted():
    def reply(request):
        return {"nothing": 1} if '"bad"' in request.user else echo(request)

    (distilled,) = MiniExtractor(ScriptedModel(reply)).distil(
        [(DOCUMENT, chunks("good", "bad", "fine"))]
    )
    assert values(distilled.memories) == ["good", "fine"]
    assert distilled.failed == 1
    assert "memories" in distilled.reason
    assert not distilled.stopped


def test_an_unexpected_error_costs_one_chunk():
    def reply(request):
        return KeyError("odd") if '"bad"' in request.user else echo(request)

    (distilled,) = MiniExtractor(ScriptedModel(reply)).distil(
        [(DOCUMENT, chunks("bad", "fine"))]
    )
    assert values(distilled.memories) == ["fine"]
    assert distilled.failed == 1


def test_at_the_budget_nothing_more_is_asked_and_it_says_so():
    def reply(request):
        return BudgetReached("used up") if '"c1"' in request.user else echo(request)

    model = ScriptedModel(reply)
    (distilled,) = MiniExtractor(model, workers=1).distil(
        [(DOCUMENT, chunks("c0", "c1", "c2", "c3"))]
    )
    assert values(distilled.memories) == ["c0"]
    assert distilled.failed == 3
    assert distilled.reason == "used up"
    assert distilled.stopped
    assert len(model.requests) == 2


@pytest.mark.parametrize("error", [ModelRefused("wrong key"), ModelUnavailable("away")])
def test_an_endpoint_that_always_fails_is_given_up(error):
    model = ScriptedModel(error)
    own = chunks(*(f"c{n}" for n in range(40)))
    (distilled,) = MiniExtractor(model, workers=2).distil([(DOCUMENT, own)])
    assert distilled.failed == 40
    assert distilled.stopped
    assert 8 <= len(model.requests) <= 10


def test_refusals_here_and_there_do_not_end_a_batch():
    def reply(request):
        return ModelRefused("filtered") if "odd" in request.user else echo(request)

    own = chunks(*(f"{'odd' if n % 2 else 'even'} {n}" for n in range(40)))
    (distilled,) = MiniExtractor(ScriptedModel(reply), workers=1).distil(
        [(DOCUMENT, own)]
    )
    assert distilled.failed == 20
    assert not distilled.stopped
    assert len(distilled.memories) == 20


def test_prompt_and_model_are_part_of_every_memorys_id():
    def ids(extractor):
        return [memory.id for memory in extractor.extract(DOCUMENT, chunks("x"))]

    mini = MiniExtractor(ScriptedModel(echo))
    assert ids(mini) == ids(MiniExtractor(ScriptedModel(echo)))
    other_model = MiniExtractor(ScriptedModel(echo, name="other"))
    edited = replace(EXTRACTION, system=EXTRACTION.system + " Be brief.")
    assert ids(mini) != ids(other_model)
    assert ids(mini) != ids(replace(mini, prompt=edited))
    assert EXTRACTION.version in mini.version
    assert EXTRACTION.version != edited.version


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["type", "key", "value", "x"]), inner)
    ),
    max_leaves=12,
)


@given(JSON | st.fixed_dictionaries({"memories": JSON | st.lists(JSON)}))
def test_any_reply_is_read_or_refused_by_value_error_alone(value):
    try:
        reply = parse_memories(value)
    except ValueError:
        return
    assert len(reply.statements) <= 3
    assert len(reply.statements) + reply.dropped == len(value["memories"])
    for statement in reply.statements:
        assert statement.key.strip()
        assert statement.value.strip()


def full_reply(request):
    told = json.loads(request.user)
    if request.system != ABSTRACTION.system:
        return echo(request)
    return {
        "search_key": f"overview of {len(told['memories'])}",
        "summary": " ".join(memory["value"] for memory in told["memories"]),
        "source_chunk_ids": told["source_chunk_ids"],
    }


def full(reply=full_reply):
    model = ScriptedModel(reply)
    return FullExtractor(MiniExtractor(model), model), model


def test_full_adds_an_abstraction_for_every_twelve_memories_in_order():
    extractor, _ = full()
    own = chunks(*(f"c{n}" for n in range(25)))
    memories = extractor.extract(DOCUMENT, own)
    abstractions = [m for m in memories if m.type is MemoryType.ABSTRACTION]
    assert len(memories) == 28
    assert [m.key for m in abstractions] == [
        "overview of 12",
        "overview of 12",
        "overview of 1",
    ]
    assert abstractions[0].chunk_ids == tuple(chunk.id for chunk in own[:12])
    assert abstractions[2].chunk_ids == (own[24].id,)


def test_fulls_atomic_memories_are_minis_own():
    extractor, model = full()
    own = chunks("a", "b")
    atomic = MiniExtractor(model).extract(DOCUMENT, own)
    assert extractor.extract(DOCUMENT, own)[:2] == atomic


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["source_chunk_ids"][::-1],
        lambda told: told["source_chunk_ids"][:1],
        lambda told: [*told["source_chunk_ids"], str(UUID(int=9))],
        lambda told: None,
    ],
)
def test_an_abstraction_whose_ids_come_back_changed_is_asked_again_then_left_out(
    change,
):
    def reply(request):
        value = full_reply(request)
        if request.system == ABSTRACTION.system:
            value["source_chunk_ids"] = change(json.loads(request.user))
        return value

    extractor, model = full(reply)
    (distilled,) = extractor.distil([(DOCUMENT, chunks("a", "b"))])
    assert len(distilled.memories) == 2
    assert distilled.failed == 1
    assert len(model.requests) == 2 + 3


def test_the_ids_that_come_back_right_at_the_second_try_are_taken():
    tries = []

    def reply(request):
        value = full_reply(request)
        if request.system == ABSTRACTION.system:
            tries.append(1)
            if len(tries) == 1:
                value["source_chunk_ids"] = []
        return value

    (distilled,) = full(reply)[0].distil([(DOCUMENT, chunks("a", "b"))])
    assert len(distilled.memories) == 3
    assert distilled.failed == 0


def test_a_document_with_untold_chunks_gets_its_abstractions_later():
    def reply(request):
        return (
            BudgetReached("used up") if '"c1"' in request.user else full_reply(request)
        )

    model = ScriptedModel(reply)
    extractor = FullExtractor(MiniExtractor(model, workers=1), model)
    other = make_document("b.md", "Other text.")
    first, second = extractor.distil(
        [(other, chunks("x", document=other)), (DOCUMENT, chunks("c0", "c1"))]
    )
    # Nothing more is asked after the budget: the whole document's group is missing.
    assert (first.failed, second.failed) == (1, 1)
    assert first.stopped
    assert second.stopped
    assert values(first.memories) == ["x"]


def test_documents_of_a_source_that_stays_are_read_locally():
    text = "Laptops must be returned on the last day of employment."
    other = replace(make_document("b.md", text), source_id=UUID(int=99))
    model = ScriptedModel(echo)
    extractor = RoutedExtractor(
        MiniExtractor(model), LocalExtractor(), lambda: frozenset({UUID(int=99)})
    )
    assert isinstance(extractor, BatchExtractor)
    own = [replace(chunk, end=len(text)) for chunk in chunks(text, document=other)]
    first, second = extractor.distil([(other, own), (DOCUMENT, chunks("open"))])
    assert values(first.memories) == [text]
    assert first.memories[0].extractor.startswith("local")
    assert values(second.memories) == ["open"]
    assert all(text not in request.user for request in model.requests)


def test_what_stays_is_asked_before_every_batch():
    stays = set()
    model = ScriptedModel(echo)
    extractor = RoutedExtractor(
        MiniExtractor(model), LocalExtractor(), lambda: frozenset(stays)
    )
    extractor.distil([(DOCUMENT, chunks("one"))])
    stays.add(DOCUMENT.source_id)
    extractor.distil([(DOCUMENT, chunks("two"))])
    assert len(model.requests) == 1


@pytest.mark.parametrize("kind", [MiniExtractor, None], ids=["mini", "full"])
def test_it_says_that_it_goes_on_while_a_call_takes_long(monkeypatch, kind):
    monkeypatch.setattr("memory.distillation.threads.WAIT_S", 0.01)
    told = []
    # Replies only once the one who waits was told three times more.
    model = ScriptedModel(lambda request: _patient(request, told))
    extractor = MiniExtractor(model, workers=1)
    if kind is None:
        extractor = FullExtractor(extractor, model, workers=1)
    (found,) = extractor.distil([(DOCUMENT, chunks("a"))], on_progress=told.append)
    assert found.failed == 0
    assert len(model.requests) == (1 if kind else 2)
    assert set(told) == {0}


def test_who_no_longer_wants_it_ends_it_while_a_call_takes_long(monkeypatch):
    monkeypatch.setattr("memory.distillation.threads.WAIT_S", 0.01)
    told = []

    def lost(texts):
        told.append(texts)
        if len(told) > 2:
            raise TimeoutError("Another worker took it over.")

    model = ScriptedModel(lambda request: _patient(request, told))
    with pytest.raises(TimeoutError):
        MiniExtractor(model, workers=1).distil(
            [(DOCUMENT, chunks("a", "b", "c"))], on_progress=lost
        )
    assert len(model.requests) <= 2


def _patient(request, told):
    began, ends = len(told), time.monotonic() + 5
    while len(told) < began + 2:
        assert time.monotonic() < ends, "Nobody was told that it goes on."
        time.sleep(0.002)
    if request.system == ABSTRACTION.system:
        ids = json.loads(request.user)["source_chunk_ids"]
        return {"search_key": "k", "summary": "s", "source_chunk_ids": ids}
    return echo(request)
