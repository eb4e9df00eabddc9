"""Every failure row of DESIGN.md's table, through the real client and a real server."""

import json
import math
from dataclasses import replace

import pytest

from memory.access import WORKSPACE_SCOPE
from memory.building import Builder
from memory.chunking import Chunker
from memory.distillation.mini import MiniExtractor
from memory.documents import ABSTENTION, Outcome, Question
from memory.evaluation.index import properties_of
from memory.language_models.calling import Caller
from memory.language_models.connection import Connection
from memory.language_models.endpoint import Endpoint
from memory.language_models.openai_model import OpenAIModel
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices
from memory.prompts.answering import ANSWER, ATTRIBUTION
from memory.prompts.extraction import EXTRACTION
from memory.prompts.query import CANONICAL, EXPANSIONS
from memory.systems import Parts, megamem, megamem_paper
from tests.memory.evaluation.fakes import HashEmbedder, make_document
from tests.memory.query.test_cross_encoder import reranker
from tests.memory.test_invariants import SearchingStore
from tests.vendors.openai import OpenAIServer, faults

pytestmark = pytest.mark.integration

QUESTION = "Who approves laptops?"
TEXTS = {
    "laptops.md": "The manager approves laptops. IT orders them.",
    "leave.md": "Employees have 25 days of leave.",
}
#: Each of these leaves a stage without a usable reply, whatever it asked for.
FAULTS = {
    "rate limit": lambda: faults.rate_limited(retry_after=0),
    "server error": faults.server_error,
    "reset": faults.reset,
    "cut": faults.cut,
    "half json": faults.half_json,
    "wrong key": faults.wrong_key,
    "filtered": faults.filtered,
    "refused": faults.refused,
    "empty": lambda: faults.says(""),
    "web page": faults.web_page,
    "no choices": faults.no_choices,
}
#: These only where JSON is asked for.
STRUCTURED = {
    "truncated": lambda: faults.truncated('{"queries": ["wh'),
    "no json": lambda: faults.says("Certainly! Here it is."),
    "wrong schema": lambda: faults.says({"something": ["else"]}),
}


@pytest.fixture
def server():
    with OpenAIServer() as made:
        made.reply = Replies()
        yield made


class Replies:
    """A well-behaved model for every prompt; one prompt can be made to fail."""

    def __init__(self):
        self.failing = None
        self.fault = None

    def __call__(self, chat):
        if self.failing is not None and is_for(chat, self.failing):
            return self.fault()
        if is_for(chat, CANONICAL):
            return {"query": "Which person approves laptops?"}
        if is_for(chat, EXPANSIONS):
            return {"queries": ["Who signs off notebooks?"]}
        if is_for(chat, ANSWER):
            return "The manager approves laptops."
        if is_for(chat, ATTRIBUTION):
            card = json.loads(chat.user.split("\n\n")[1])
            return {"sentences": [{"sentence": 1, "ids": [card["chunk_id"]]}]}
        content = json.loads(chat.user)["content"]
        return {"memories": [{"type": "fact", "key": "a rule", "value": content}]}


def is_for(chat, prompt):
    """Tell which prompt it is; a further attempt spells the schema out after it."""
    return chat.system.startswith(prompt.system)


def model_at(server):
    caller = Caller(
        Connection(Endpoint(base_url=server.base_url, api_key="key")),
        "model-a",
        Prices.load(),
        patience=Patience(sleep=lambda _seconds: None),
    )
    return OpenAIModel(caller)


@pytest.fixture
def model(server):
    made = model_at(server)
    yield made
    made.caller.connection.close()


@pytest.fixture
def parts(model):
    store, embedder = SearchingStore(), HashEmbedder()
    built(model, store, embedder)
    return Parts(store, embedder, threshold=0.0, models=lambda _role: model)


def built(model, store, embedder):
    documents = [make_document(path, text) for path, text in TEXTS.items()]
    builder = Builder(Chunker(), MiniExtractor(model, workers=2), embedder, store)
    return builder.build(
        [(item, properties_of(item, source_name="test")) for item in documents]
    )


def ask(parts, **options):
    system = megamem(parts, **options)
    return system.ask(Question(QUESTION, WORKSPACE_SCOPE, deadline_s=240.0))


def failing(server, prompt, name):
    server.reply.failing = prompt
    server.reply.fault = (FAULTS | STRUCTURED)[name]


def linked(answer):
    return [document.external_id for document in answer.documents]


def test_nothing_fails(parts):
    answer = ask(parts)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "The manager approves laptops."
    assert linked(answer) == ["laptops.md"]
    assert answer.fallbacks == ()
    assert not answer.extractive
    assert answer.usage["calls"] == 3
    assert answer.usage["tokens"] > 0


@pytest.mark.parametrize("name", FAULTS | STRUCTURED)
def test_distillation_that_fails_leaves_no_memories_and_every_chunk(
    server, model, name
):
    failing(server, EXTRACTION, name)
    store, embedder = SearchingStore(), HashEmbedder()
    report = built(model, store, embedder)
    assert [(one.chunks, one.memories, one.undistilled) for one in report.built] == [
        (1, 0, 1),
        (1, 0, 1),
    ]
    assert report.undistilled_reason
    assert faults.MARK not in report.undistilled_reason
    # Asked again later, and then they're there.
    server.reply.failing = None
    assert [one.memories for one in built(model, store, embedder).built] == [1, 1]


@pytest.mark.parametrize("name", FAULTS | STRUCTURED)
def test_a_transform_that_fails_searches_with_the_question_itself(server, parts, name):
    failing(server, CANONICAL, name)
    answer = ask(parts)
    assert answer.outcome is Outcome.ANSWERED
    assert linked(answer) == ["laptops.md"]
    (fallback,) = answer.fallbacks
    assert fallback.startswith("transform: ")
    assert fallback.endswith(", original question")


@pytest.mark.parametrize("name", ["server error", "wrong schema"])
def test_expansions_that_fail_leave_the_first_pass(server, parts, name):
    failing(server, EXPANSIONS, name)
    answer = ask(replace(parts, threshold=1.0))
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.text == ABSTENTION
    (fallback,) = answer.fallbacks
    assert fallback.endswith("no other terms")


@pytest.mark.parametrize("name", FAULTS | STRUCTURED)
def test_attribution_that_fails_leaves_the_text_and_no_documents(server, parts, name):
    failing(server, ATTRIBUTION, name)
    answer = ask(parts)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.text == "The manager approves laptops."
    assert answer.documents == ()
    (fallback,) = answer.fallbacks
    assert fallback.startswith("attribution: ")
    assert fallback.endswith(", no documents")


@pytest.mark.parametrize("name", FAULTS)
def test_answering_that_fails_is_a_failure_that_links_the_evidence(server, parts, name):
    failing(server, ANSWER, name)
    answer = ask(parts)
    assert answer.outcome is Outcome.FAILED
    assert "writing it failed" in answer.text
    assert answer.documents == ()
    assert {document.external_id for document in answer.nearest} == set(TEXTS)
    (fallback,) = answer.fallbacks
    assert fallback.startswith("answer: ")


def test_an_abstention_of_the_model_is_no_failure(server, parts):
    failing(server, ANSWER, "empty")
    server.reply.fault = lambda: faults.says(ABSTENTION)
    answer = ask(parts)
    assert answer.outcome is Outcome.ABSTAINED
    assert answer.documents == ()
    assert answer.fallbacks == ()


def test_a_slow_answer_ends_with_the_questions_deadline(server, parts):
    failing(server, ANSWER, "empty")
    server.reply.fault = lambda: faults.slow(30.0)
    system = megamem(parts)
    answer = system.ask(Question(QUESTION, WORKSPACE_SCOPE, deadline_s=2.0))
    assert answer.outcome is Outcome.FAILED
    assert answer.timings_ms["total"] < 10_000


def test_a_slow_transform_takes_a_share_of_the_time_and_the_answer_comes(server, parts):
    failing(server, CANONICAL, "empty")
    server.reply.fault = lambda: faults.slow(30.0)
    system = megamem(parts)
    answer = system.ask(Question(QUESTION, WORKSPACE_SCOPE, deadline_s=8.0))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.fallbacks[0].startswith("transform: ")
    assert answer.timings_ms["transform"] < 4_000


def test_a_reranker_without_usable_scores_leaves_the_fused_order(parts):
    broken = replace(parts, reranker=reranker(lambda pairs: [math.nan] * len(pairs)))
    answer = ask(broken)
    assert answer.outcome is Outcome.ANSWERED
    assert answer.ranking == ask(parts).ranking
    assert answer.fallbacks == ("rerank: RerankerError, fused order",)


def test_an_endpoint_that_is_away_fails_visibly(server, parts):
    server.reply.failing = None
    server.fail(faults.reset(), times=40)
    answer = ask(parts)
    assert answer.outcome is Outcome.FAILED
    assert [one.split(":")[0] for one in answer.fallbacks] == ["transform", "answer"]
    assert {document.external_id for document in answer.nearest} == set(TEXTS)


def test_injected_links_and_cards_do_not_reach_the_reply(server, parts):
    server.reply.failing = ANSWER
    server.reply.fault = lambda: faults.says(
        "The manager approves laptops. See [the form](https://evil.example/?q=1)."
    )
    answer = ask(parts)
    assert "evil.example" not in answer.text
    assert linked(answer) == ["laptops.md"]


def test_the_papers_pipeline_falls_back_the_same(server, parts):
    server.fail(faults.server_error(), times=3)
    answer = megamem_paper(parts).ask(Question(QUESTION, WORKSPACE_SCOPE))
    assert answer.outcome is Outcome.ANSWERED
    assert answer.fallbacks[0].startswith("transform: ")
