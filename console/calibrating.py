"""Judged exchanges -> examples to calibrate with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bots.models import Exchange, Feedback
from memory.documents import Outcome
from memory.evaluation.calibrating import Example

#: Reasons for a thumb down that say nothing of whether the answer was right.
_NOT_ABOUT_RIGHT = (Feedback.Reason.NOT_PERMITTED, Feedback.Reason.OTHER)


def judged_examples(running: str) -> list[Example]:
    """Return this workspace's judged answers, one a question, newest thumb first.

    A thumb up: the answer was right; down: it wasn't, unless its reason is about
    something else. Only answers that the gate judged with what runs now count, with
    the features that it saw then; abstentions have no answer to judge. A thread is one
    group, as its questions are alike.
    """
    rows = (
        Feedback.objects.filter(exchange__outcome=Outcome.ANSWERED)
        .exclude(value=Feedback.Value.DOWN, reason__in=_NOT_ABOUT_RIGHT)
        .order_by("exchange_id", "-updated_at", "-id")
        .values_list("exchange_id", "value")
    )
    thumbs: dict[Any, str] = {}
    for exchange_id, value in rows:
        thumbs.setdefault(exchange_id, value)
    exchanges = Exchange.objects.filter(id__in=thumbs).only("id", "thread", "answer")
    return [
        Example(features, thumbs[item.id] == Feedback.Value.UP, f"thread {item.thread}")
        for item in exchanges.iterator(chunk_size=200)
        if (features := judged_features(item.answer.get("trace", ()), running))
    ]


def judged_features(
    trace: Iterable[Mapping[str, Any]], running: str
) -> dict[str, float]:
    """Return the features of a kept trace's last judgement, {} where it's another's."""
    found: dict[str, float] = {}
    for stage in trace:
        detail = stage.get("detail") or {}
        if stage.get("stage") != "answerability":
            continue
        fingerprint = str(detail.get("fingerprint", "")).removeprefix("uncalibrated: ")
        found = dict(detail.get("features") or {}) if fingerprint == running else {}
    return {name: float(value) for name, value in found.items() if value is not None}
