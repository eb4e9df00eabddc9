"""The invariants of ALGORITHMS E1.1, whatever the documents and the model say."""

import json
import string
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory.access import WORKSPACE_SCOPE
from memory.building import Builder
from memory.chunking import Chunker
from memory.distillation.full import FullExtractor
from memory.distillation.mini import MiniExtractor
from memory.documents import ABSTENTION, Hit, Outcome, Question, View
from memory.evaluation.index import properties_of
from memory.language_models.base import ModelUnavailable, Role
from memory.prompts.answering import ANSWER, ATTRIBUTION, VERDICT, WHOLE_ATTRIBUTION
from memory.prompts.extraction import ABSTRACTION, EXTRACTION
from memory.prompts.query import CANONICAL, EXPANSIONS, WORDINGS
from memory.systems import Parts, megamem, megamem_paper
from memory.tokens import count_tokens
from tests.memory.evaluation.fakes import HashEmbedder, ListStore, make_document
from tests.memory.scripted import ScriptedModel

#: Stands in every memory and in no document.
MARK = "distilledonly"
WORDS = ("laptop", "manager", "approves", "months", "intern", "budget", "leave", "IT")
QUESTION = "Who approves laptops for Nadia in 2026?"


class SearchingStore(ListStore):
    """With a keyword route, which the evaluation's fake doesn't need."""

    def keyword(self, view, text, limit, scope):
        asked = set(text.casefold().split())
        hits = []
        for _, item in self._items(view):
            words = item.text if view is View.CHUNKS else item.value
            score = len(asked & set(words.casefold().split()))
            ids = (item.id,) if view is View.CHUNKS else item.chunk_ids
            if score:
                hits.append(Hit(item.id, item.document_id, ids, float(score)))
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[:limit]

    def nearest(self, view, vector, limit, scope):
        if view is View.CHUNKS:
            return super().nearest(view, vector, limit, scope)
        found = [
            Hit(item.id, item.document_id, item.chunk_ids, float(item.vector @ vector))
            for _, item in self._items(view)
        ]
        return sorted(found, key=lambda hit: -hit.score)[:limit]


class RecordingEmbedder(HashEmbedder):
    def __init__(self):
        super().__init__()
        self.queries = []

    def embed_queries(self, texts):
        self.queries.extend(texts)
        return super().embed_queries(texts)


def extraction(request):
    told = json.loads(request.user)
    if request.system == EXTRACTION.system:
        item = {"type": "fact", "key": f"{MARK} {told['content'][:20]}", "value": MARK}
        return {"memories": [item | {"value": f"{MARK} {told['content']}"}]}
    assert request.system == ABSTRACTION.system
    return {
        "search_key": f"{MARK} overview",
        "summary": MARK,
        "source_chunk_ids": told["source_chunk_ids"],
    }


sentences = st.lists(st.sampled_from(WORDS), min_size=3, max_size=60).map(" ".join)
paragraphs = st.lists(sentences, min_size=1, max_size=12).map("\n\n".join)
corpora = st.lists(paragraphs, min_size=1, max_size=9)


def built(texts):
    documents = [make_document(f"{n}.md", text) for n, text in enumerate(texts)]
    store, embedder = SearchingStore(), RecordingEmbedder()
    model = ScriptedModel(extraction)
    extractor = FullExtractor(MiniExtractor(model), model)
    Builder(Chunker(max_tokens=40), extractor, embedder, store).build(
        [(item, properties_of(item, source_name="test")) for item in documents]
    )
    embedder.queries.clear()
    return store, embedder


class Adversary:
    """A model that replies as the example says, and keeps what it was asked."""

    def __init__(self, example):
        self.example = example
        self.model = ScriptedModel(self.reply)

    def reply(self, request):
        by_prompt = {
            CANONICAL.system: "canonical",
            EXPANSIONS.system: "queries",
            WORDINGS.system: "queries",
            VERDICT.system: "verdict",
            ANSWER.system: "answer",
            ATTRIBUTION.system: "attribution",
            WHOLE_ATTRIBUTION.system: "attribution",
        }
        value = self.example[by_prompt[request.system]]
        if request.system in (ATTRIBUTION.system, WHOLE_ATTRIBUTION.system):
            return self.named(request, value)
        return ModelUnavailable("away") if value is None else value

    @staticmethod
    def named(request, value):
        """Name some of the cards' ids, or ids from nowhere."""
        if value is None:
            return ModelUnavailable("away")
        words = request.user.replace('"', " ").split()
        ids = [word for word in words if word.count("-") == 4] + ["nowhere"]
        chosen = [ids[at % len(ids)] for at in value]
        if request.system == WHOLE_ATTRIBUTION.system:
            return {"document_ids": chosen}
        return {"sentences": [{"sentence": 1 + at % 3, "ids": chosen} for at in value]}

    def asked(self, *prompts):
        wanted = {prompt.system for prompt in prompts}
        return [one.user for one in self.model.requests if one.system in wanted]


plain = st.text(string.ascii_letters + " .\n[]()", min_size=1, max_size=60)
examples = st.fixed_dictionaries(
    {
        "canonical": st.none()
        | st.just({"query": "Which person approves laptops for Nadia in 2026?"})
        | plain.map(lambda text: {"query": text}),
        "queries": st.none() | st.lists(plain, max_size=5) | st.just({}),
        "verdict": st.none() | st.just({"answered": "no", "missing": "who"}),
        "answer": st.none() | plain.filter(str.strip) | st.just(ABSTENTION),
        "attribution": st.none() | st.lists(st.integers(0, 30), max_size=5),
    }
)


def systems(store, embedder, adversary, *, max_tokens):
    def models(role):
        assert isinstance(role, Role)
        return adversary.model

    parts = Parts(store, embedder, threshold=0.0, models=models)
    for system in (megamem(parts, on=["verdict"]), megamem_paper(parts)):
        packer = replace(system.packer, max_tokens=max_tokens)
        yield replace(system, packer=packer, confidence=None)


@given(corpora, examples, st.integers(60, 700))
def test_the_invariants_hold(texts, example, max_tokens):
    store, embedder = built(texts)
    chunks = {item.id: item for _, item in store._items(View.CHUNKS)}
    memories = [item for _, item in store._items(View.MEMORIES)]
    # Every distilled hit resolves to chunks that exist.
    assert memories
    assert all(set(memory.chunk_ids) <= chunks.keys() for memory in memories)
    adversary = Adversary(example)
    for system in systems(store, embedder, adversary, max_tokens=max_tokens):
        question = Question(QUESTION, WORKSPACE_SCOPE)
        answer = system.ask(question)
        # The answer's prompt holds raw chunks only.
        for told in adversary.asked(ANSWER, VERDICT, ATTRIBUTION, WHOLE_ATTRIBUTION):
            assert MARK not in told
        for card in answer.evidence:
            assert card.text == chunks[card.chunk_id].text.strip("\n")
        # At most B tokens as they are sent, at most five documents.
        cards = "\n\n".join(system.packer.render(card) for card in answer.evidence)
        assert count_tokens(cards) <= max_tokens
        loaded = {card.document_id for card in answer.evidence}
        assert len(loaded) <= 5
        # What is reported was loaded.
        assert {document.id for document in answer.documents} <= loaded
        # Attribution never changes the text.
        without = replace(system, attributor=None).ask(question)
        assert without.text.encode() == answer.text.encode()
        assert without.outcome == answer.outcome


@given(corpora, examples)
def test_a_failed_transform_searches_with_the_question_alone(texts, example):
    store, embedder = built(texts)
    adversary = Adversary(example | {"canonical": None, "queries": None})
    for system in systems(store, embedder, adversary, max_tokens=700):
        embedder.queries.clear()
        answer = system.ask(Question(QUESTION, WORKSPACE_SCOPE))
        assert set(embedder.queries) <= {QUESTION}
        assert answer.fallbacks[0] == "transform: ModelUnavailable, original question"
        if answer.outcome is Outcome.FAILED:
            assert any(one.startswith("answer:") for one in answer.fallbacks)
