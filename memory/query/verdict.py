"""Whether the evidence states the answer, in a model's own word (ours)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory.documents import Evidence
from memory.language_models.base import LanguageModel
from memory.prompts.answering import VERDICT
from memory.query.base import Judgement
from memory.query.packing import Render, render_cards, render_quoted

_VALUES = {"yes": 1.0, "partly": 0.5, "no": 0.0}
_MISSING_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class ModelVerdict:
    """Asks the model before it answers; the gate weighs the word with raw signals."""

    model: LanguageModel
    render: Render = render_quoted

    def judge(self, text: str, evidence: Sequence[Evidence]) -> Judgement:
        """Return the judgement; 0.0 without evidence. Raises LanguageModelError."""
        if not evidence:
            return Judgement(0.0)
        user = render_cards({"question": text}, evidence, self.render)
        schema = VERDICT.schema or {}
        return self.model.json(
            VERDICT.request(user), "verdict", schema, parse_judgement
        )


def parse_judgement(value: Any) -> Judgement:
    """Return a reply's judgement. Raises ValueError where it's none of the three."""
    answered = value.get("answered") if isinstance(value, dict) else None
    if not isinstance(answered, str) or answered.strip().casefold() not in _VALUES:
        raise ValueError("`answered` must be yes, partly or no.")
    missing = value.get("missing")
    text = " ".join(missing.split()) if isinstance(missing, str) else ""
    number = _VALUES[answered.strip().casefold()]
    return Judgement(number, text[:_MISSING_CHARACTERS])
