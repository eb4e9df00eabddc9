"""What every endpoint must do: run over the loopback server and, live, a real one."""

from memory.language_models.base import Request, Role
from memory.language_models.ledger import collecting
from tests.memory.language_models.conftest import SCHEMA, number


class ModelBehaviour:
    """Inherit with a fixture `behaving`: a LanguageModel that answers sensibly."""

    def test_it_writes_a_text(self, behaving):
        request = Request(
            Role.ANSWER,
            "Reply with the one word that the user gives.",
            "Say: lighthouse",
            200,
        )
        assert "lighthouse" in behaving.text(request).lower()

    def test_it_fills_a_schema(self, behaving):
        request = Request(
            Role.EXTRACTION,
            "Give the number of laptops in the text as JSON with the key `number`.",
            "There are 12 laptops.",
            200,
        )
        assert behaving.json(request, "laptops", SCHEMA, number) == 12

    def test_it_reports_what_was_used(self, behaving):
        request = Request(Role.ANSWER, "Reply with one word.", "Say: lighthouse", 200)
        with collecting() as ledger:
            behaving.text(request)
        call = ledger.calls[-1]
        assert (call.outcome, call.model) == ("ok", behaving.name)
        assert call.prompt_tokens > 0
        assert call.completion_tokens > 0

    def test_it_keeps_to_the_same_reply_or_says_another_whole_one(self, behaving):
        request = Request(Role.ANSWER, "Reply with one word.", "Say: lighthouse", 200)
        assert all(behaving.text(request) for _ in range(2))
