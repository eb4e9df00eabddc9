import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.replies import (
    ago,
    likelihood,
    named_documents,
    permitted,
    reply_to,
    web_address,
)
from memory.documents import (
    ABSTENTION,
    Answer,
    Evidence,
    LinkedDocument,
    Outcome,
    Sentence,
)

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
IDS = [uuid.UUID(int=n) for n in range(1, 5)]


def document(id_, **values):
    return LinkedDocument(
        id_, **{"title": f"T{id_.int}", "url": "", "source": "S", **values}
    )


def answer(text="One. Two.", outcome=Outcome.ANSWERED, **values):
    return Answer(outcome, text, answerability=0.8, confidence=0.7, **values)


def numbers_in(reply):
    runs = [run for block in reply.blocks for run in block.runs]
    return [number for run in runs for number in run.numbers]


def test_numbers_follow_the_link_order():
    reply = reply_to(
        answer(
            documents=(document(IDS[1]), document(IDS[0])),
            sentences=(
                Sentence(0, 4, (IDS[0],)),
                Sentence(5, 9, (IDS[1], IDS[0])),
            ),
        )
    )
    assert [(source.number, source.id) for source in reply.sources] == [
        (1, IDS[1]),
        (2, IDS[0]),
    ]
    assert numbers_in(reply) == [2, 1, 2]


@given(
    st.lists(st.sampled_from(IDS), unique=True),
    st.lists(st.lists(st.sampled_from(IDS)), max_size=2),
    st.sampled_from(Outcome),
)
def test_no_number_is_without_its_source(listed, cited, outcome):
    places = [(0, 4), (5, 9)]
    reply = reply_to(
        answer(
            outcome=outcome,
            documents=tuple(document(id_) for id_ in listed),
            sentences=tuple(
                Sentence(*place, tuple(ids))
                for place, ids in zip(places, cited, strict=False)
            ),
        )
    )
    assert set(numbers_in(reply)) <= {source.number for source in reply.sources}


def test_an_abstention_has_its_exact_text_and_keeps_nearest_apart():
    reply = reply_to(answer("whatever", Outcome.ABSTAINED, nearest=(document(IDS[0]),)))
    [block] = reply.blocks
    assert "".join(run.text for run in block.runs) == ABSTENTION
    assert reply.sources == ()
    assert [(source.number, source.id) for source in reply.nearest] == [(0, IDS[0])]


def test_an_answer_without_documents_says_so():
    assert reply_to(answer()).notes == (
        "I couldn't tell which documents support this answer.",
    )


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "/relative",
        "file:///etc/passwd",
        "https://",
        "java\nscript:alert(1)",
        "https:\\\\evil.example",
        "http://[broken",
    ],
)
def test_a_source_links_only_where_a_browser_may_go(url):
    assert web_address(url) == ""


def test_a_web_address_stays_as_it_is():
    assert (
        web_address(" https://wiki.example/a?b=1#c ") == "https://wiki.example/a?b=1#c"
    )


def evidence(document_id):
    return Evidence(uuid.uuid4(), document_id, "", "One.", tokens=1)


def test_an_answer_is_withheld_when_a_document_behind_it_may_not_be_read():
    given_answer = answer(
        documents=(document(IDS[0]),), sentences=(Sentence(0, 4, (IDS[0], IDS[1])),)
    )
    assert permitted(given_answer, {IDS[0]}) is None
    assert permitted(given_answer, {IDS[0], IDS[1]}) is not None


def test_an_answer_that_could_not_be_attributed_rests_on_all_of_its_evidence():
    given_answer = answer(evidence=(evidence(IDS[0]), evidence(IDS[1])))
    assert permitted(given_answer, {IDS[0]}) is None
    assert permitted(given_answer, {IDS[0], IDS[1]}) is not None


def test_only_what_may_be_read_is_kept_of_the_rest():
    given_answer = answer(
        outcome=Outcome.ABSTAINED,
        nearest=(document(IDS[0]), document(IDS[1])),
        evidence=(evidence(IDS[0]), evidence(IDS[1])),
        ranking=(IDS[1], IDS[0]),
    )
    kept = permitted(given_answer, {IDS[1]})
    assert named_documents(given_answer) == {IDS[0], IDS[1]}
    assert named_documents(kept) == {IDS[1]}
    assert kept.ranking == (IDS[1],)


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (-1, "today"),
        (0, "today"),
        (1, "yesterday"),
        (6, "6 days ago"),
        (7, "1 week ago"),
        (21, "3 weeks ago"),
        (31, "1 month ago"),
        (364, "12 months ago"),
        (800, "2 years ago"),
    ],
)
def test_ages_are_told_in_one_unit(days, words):
    assert ago(NOW - timedelta(days=days), NOW) == words


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (1.0, "almost certainly hold"),
        (0.89, "likely hold"),
        (0.5, "may hold"),
        (0.3, "probably don't hold"),
        (0.0, "very likely don't hold"),
    ],
)
def test_a_probability_is_told_in_words(probability, words):
    assert words in likelihood(probability)


def test_an_older_page_that_says_otherwise_is_named_with_both_dates():
    two, three = "Up to two days a week.", "Up to three days a week."
    documents = [
        LinkedDocument(
            uuid.uuid4(),
            f"Rules {year}",
            "",
            "Wiki",
            updated_at=datetime(year, 3, 1, tzinfo=UTC),
        )
        for year in (2026, 2024)
    ]
    text = f"{three} {two}"
    sentences = (
        Sentence(0, len(three), (documents[0].id,)),
        Sentence(len(three) + 1, len(text), (documents[1].id,)),
    )
    answer = Answer(
        Outcome.ANSWERED,
        text,
        0.9,
        0.9,
        documents=tuple(documents),
        sentences=sentences,
        extractive=True,
    )
    assert reply_to(answer).notes == (
        "“Rules 2024” (1 March 2024) says otherwise than “Rules 2026” (1 March 2026), "
        "which is newer.",
    )
    assert reply_to(replace(answer, extractive=False)).notes == ()
