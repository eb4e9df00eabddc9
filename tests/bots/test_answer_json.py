import json
import math
import uuid
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.answer_json import answer_from_json, answer_to_json
from memory.documents import (
    Answer,
    Evidence,
    LinkedDocument,
    Outcome,
    Sentence,
    StageTrace,
)

texts = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40
)
shares = st.floats(0, 1)
documents = st.builds(
    LinkedDocument,
    id=st.uuids(),
    title=texts,
    url=texts,
    source=texts,
    external_id=texts,
    updated_at=st.none() | st.datetimes(timezones=st.just(UTC)),
)
answers = st.builds(
    Answer,
    outcome=st.sampled_from(Outcome),
    text=texts,
    answerability=shares,
    confidence=shares,
    documents=st.lists(documents, max_size=3).map(tuple),
    sentences=st.lists(
        st.builds(
            Sentence,
            start=st.integers(0, 9),
            end=st.integers(0, 9),
            document_ids=st.lists(st.uuids(), max_size=2).map(tuple),
            chunk_ids=st.lists(st.uuids(), max_size=2).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    evidence=st.lists(
        st.builds(
            Evidence,
            chunk_id=st.uuids(),
            document_id=st.uuids(),
            heading=texts,
            text=texts,
            tokens=st.integers(0, 400),
            anchor=texts,
            topic=texts,
            updated_at=st.none() | st.datetimes(timezones=st.just(UTC)),
        ),
        max_size=3,
    ).map(tuple),
    nearest=st.lists(documents, max_size=2).map(tuple),
    ranking=st.lists(st.uuids(), max_size=3).map(tuple),
    extractive=st.booleans(),
    searched_documents=st.none() | st.integers(0, 10**6),
    timings_ms=st.dictionaries(texts, shares, max_size=2),
    usage=st.dictionaries(texts, st.none() | st.integers(0, 9), max_size=2),
    fallbacks=st.lists(texts, max_size=2).map(tuple),
    trace=st.lists(
        st.builds(
            StageTrace,
            stage=texts,
            milliseconds=shares,
            detail=st.dictionaries(texts, st.integers(0, 9), max_size=2),
        ),
        max_size=2,
    ).map(tuple),
)


@given(answers)
def test_an_answer_comes_back_equal_through_json(answer):
    assert answer_from_json(json.loads(json.dumps(answer_to_json(answer)))) == answer


def test_values_that_json_lacks_become_plain_ones():
    chunk_id = uuid.uuid4()
    detail = {
        "id": chunk_id,
        "score": np.float32(0.5),
        "lost": math.nan,
        "when": datetime(2026, 1, 2, tzinfo=UTC),
        "ids": {chunk_id},
        "text\0": "a\0b\ud800",
    }
    answer = Answer(
        Outcome.FAILED, "", 0.0, 0.0, trace=(StageTrace("retrieve", 1.0, detail),)
    )
    [stage] = json.loads(json.dumps(answer_to_json(answer)))["trace"]
    assert stage["detail"] == {
        "id": str(chunk_id),
        "score": 0.5,
        "lost": None,
        "when": "2026-01-02T00:00:00+00:00",
        "ids": [str(chunk_id)],
        # One for one, as sentences are parts of a text by their place.
        "text\ufffd": "a\ufffdb\ufffd",
    }


def test_a_row_of_an_earlier_version_has_defaults_and_of_a_later_one_is_read():
    old = {"outcome": "answered", "text": "x", "answerability": 0.5, "confidence": 0.5}
    assert answer_from_json(old | {"unknown": 1}).documents == ()


def test_what_is_no_answer_is_refused():
    with pytest.raises(KeyError):
        answer_from_json({})
