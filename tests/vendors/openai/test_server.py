"""The server speaks as the vendor does: asked by the vendor's own client."""

import httpx2
import openai
import pytest

from tests.vendors.openai import Completion, OpenAIServer, faults

pytestmark = pytest.mark.integration

ASKED = {"model": "model-a", "messages": [{"role": "user", "content": "one two"}]}


@pytest.fixture
def server():
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def client(server):
    with openai.OpenAI(
        api_key="key", base_url=server.base_url, max_retries=0, timeout=5
    ) as made:
        yield made


def test_it_completes_a_chat_with_usage(server, client):
    server.reply = lambda chat: f"You said {chat.user}."
    made = client.chat.completions.create(**ASKED)
    assert made.choices[0].message.content == "You said one two."
    assert made.usage.total_tokens == 6


def test_it_streams_words_and_usage(server, client):
    server.reply = lambda chat: "three small words"
    with client.chat.completions.create(
        **ASKED, stream=True, stream_options={"include_usage": True}
    ) as stream:
        events = list(stream)
    words = [e.choices[0].delta.content or "" for e in events if e.choices]
    assert "".join(words) == "three small words"
    assert events[-1].usage.completion_tokens == 3


def test_it_cuts_a_stream(server, client):
    server.reply = lambda chat: "three small words"
    server.fail(faults.cut())
    lost = pytest.raises((httpx2.TransportError, openai.APIConnectionError))
    with client.chat.completions.create(**ASKED, stream=True) as stream, lost:
        list(stream)


def test_it_embeds_the_same_text_alike(client):
    first, second = (
        client.embeddings.create(model="e", input=["a", "b"], dimensions=8).data
        for _ in range(2)
    )
    assert [row.embedding for row in first] == [row.embedding for row in second]
    assert [len(row.embedding) for row in first] == [8, 8]


def test_a_fault_spoils_one_request(server, client):
    server.fail(None, faults.rate_limited(retry_after=3))
    client.chat.completions.create(**ASKED)
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(**ASKED)
    assert caught.value.response.headers["retry-after"] == "3"
    client.chat.completions.create(**ASKED)


def test_it_refuses_what_this_model_does_not_take(server, client):
    server.refuses = {"temperature"}
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(**ASKED, temperature=0)
    assert (caught.value.code, caught.value.param) == (
        "unsupported_value",
        "temperature",
    )


def test_it_wants_its_key(server, client):
    server.key = "another"
    with pytest.raises(openai.AuthenticationError):
        client.chat.completions.create(**ASKED)


def test_a_reply_may_be_given_in_full(server, client):
    server.reply = lambda chat: Completion("cut", "length", completion_tokens=99)
    made = client.chat.completions.create(**ASKED)
    assert made.choices[0].finish_reason == "length"
    assert made.usage.completion_tokens == 99
