"""An OpenAI-compatible server on loopback, for tests through the real client.

    from tests.vendors.openai import OpenAIServer, faults

    @pytest.fixture
    def openai_server():
        with OpenAIServer() as server:
            yield server

    @pytest.mark.integration          # the network is blocked in other tests
    def test_it_answers(openai_server):
        openai_server.reply = lambda chat: "By 3 March."      # text, or a JSON value
        openai_server.fail(faults.rate_limited(retry_after=2))  # spoils the next request

`reply` is a function of the request (`Chat`: role of ours it isn't told, but `system`,
`user`, `schema_name`, `schema`, `model`). It returns a text, a JSON value (dict or list),
a `Completion` for full control, or a fault for this one request. Without one, a text is
"ok" and a structured reply the smallest value that its schema allows.

`server.base_url` is for ATTEST_OPENAI_BASE_URL, `server.url` for Azure's endpoint.
`server.chats` and `server.embedded` are what was asked, in order. `server.refuses` holds
parameters that this "model" takes as unsupported ("temperature", "max_tokens",
"json_schema", …), `server.reports_usage = False` leaves usage out.
Embeddings are unit vectors seeded by the text: deterministic, without meaning.
"""

from tests.vendors.openai import faults
from tests.vendors.openai.chats import Chat, Completion
from tests.vendors.openai.server import OpenAIServer

__all__ = ["Chat", "Completion", "OpenAIServer", "faults"]
