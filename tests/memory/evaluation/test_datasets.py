import json
import lzma

import pytest

from memory.documents import BlockKind, Turn
from memory.errors import DataSetError
from memory.evaluation.datasets import Quote, hash_documents
from memory.evaluation.financebench import load_financebench
from memory.evaluation.handbook import load_handbook
from memory.evaluation.locomo import load_locomo
from memory.evaluation.sections import headed_document
from tests.memory.evaluation.fakes import SOURCE, make_document

PAGES = [
    make_document("a.md", "Laptops are replaced after 36 months."),
    make_document("b.md", "Interns keep [theirs](x)."),
]
GOOD = {
    "id": "h1",
    "type": "lookup",
    "question": "When?",
    "documents": ["a.md"],
    "evidence": [{"document": "a.md", "quote": "after 36 months"}],
}


def write_lines(path, *records):
    path.write_text("\n".join(json.dumps(one) for one in records), encoding="utf-8")
    return path


def load(tmp_path, *records):
    return load_handbook(PAGES, write_lines(tmp_path / "q.jsonl", *records))


def test_a_question_is_read_with_all_it_needs(tmp_path):
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "?"}]
    more = {
        "history": history,
        "alternatives": [["b.md", "a.md"]],
        "answer": "36",
        "facts": ["36 months"],
    }
    data = load(tmp_path, GOOD | more)
    (question,) = data.questions
    a, b = (page.id for page in PAGES)
    assert question.needed == (frozenset({a}), frozenset({a, b}))
    assert question.gold == (Quote(a, "after 36 months"),)
    assert question.history == (Turn("user", "Hi"), Turn("assistant", "?"))
    assert (question.answer, question.facts) == ("36", ("36 months",))
    assert question.answerable
    assert data.notes == {}


def test_a_question_that_needs_no_documents_is_unanswerable(tmp_path):
    line = {"id": "u", "type": "unanswerable", "question": "Why?", "documents": []}
    (question,) = load(tmp_path, line).questions
    assert not question.answerable
    assert question.needed == ()


def test_quotes_that_their_document_lacks_and_unknown_fields_are_counted(tmp_path):
    quotes = [
        {"document": "a.md", "quote": "after 48 months"},
        {"document": "b.md", "quote": "Interns keep theirs"},
    ]
    data = load(tmp_path, GOOD | {"evidence": quotes, "remark": "x"})
    assert data.notes == {"quotes_not_in_their_document": 1, "unknown_fields": 1}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"documents": ["c.md"]}, "'c.md' isn't among"),
        ({"alternatives": [["c.md"]]}, "'c.md' isn't among"),
        ({"alternatives": [[]]}, "empty set"),
        ({"alternatives": ["a.md"]}, "`alternatives` must be a list"),
        ({"documents": "a.md"}, "`documents` must be a list"),
        ({"documents": []}, "has facts or evidence but needs no documents"),
        ({"documents": [], "alternatives": [["a.md"]]}, "no `documents`"),
        ({"type": "unanswerable"}, "but needs documents"),
        ({"type": "withheld"}, "kept for --withhold"),
        ({"type": None}, "`type` must be a string"),
        ({"question": ""}, "`question` is blank"),
        ({"evidence": [{"document": "a.md"}]}, r"evidence\[0\]: `quote` is missing"),
        ({"evidence": [{"document": "a.md", "quote": "--"}]}, "no letter or digit"),
        ({"evidence": [{"document": "c.md", "quote": "x"}]}, "'c.md' isn't among"),
        ({"history": [{"role": "bot", "content": "x"}]}, "must be user or assistant"),
        ({"id": "h0"}, "'h0' is used twice"),
    ],
)
def test_a_bad_line_is_refused_with_its_place(tmp_path, change, problem):
    with pytest.raises(DataSetError, match=rf"q.jsonl:2.*{problem}"):
        load(tmp_path, GOOD | {"id": "h0"}, GOOD | change)


def test_an_empty_set_of_documents_or_questions_is_refused(tmp_path):
    with pytest.raises(DataSetError, match="holds no question"):
        load(tmp_path)
    with pytest.raises(DataSetError, match="holds no document"):
        load_handbook([], write_lines(tmp_path / "q.jsonl", GOOD))


def test_the_hash_of_documents_changes_with_text_and_not_with_order():
    other = [PAGES[0], make_document("b.md", "Interns keep [theirs](x)!")]
    assert hash_documents(PAGES) == hash_documents(PAGES[::-1])
    assert hash_documents(PAGES) != hash_documents(other)


def test_a_headed_document_is_tiled_by_its_sections():
    parts = [("Page 1", "One.\n \nTwo\nlines.\n"), ("Page 2", ""), ("Page 3", "Three.")]
    document, places = headed_document(SOURCE, "x", title="Report", parts=parts)
    text = document.content.text
    assert [text[start:end] for start, end in places] == [body for _, body in parts]
    ends = [section.end for section in document.content.sections]
    assert [section.start for section in document.content.sections] == [0, *ends[:-1]]
    assert ends[-1] == len(text)
    assert document.content.sections[1].path == ("Report", "Page 1")
    blocks = [text[block.start : block.end] for block in document.content.blocks]
    assert blocks[:4] == ["# Report", "## Page 1", "One.", "Two\nlines."]
    assert document.content.blocks[3].kind is BlockKind.PARAGRAPH


PAGE = {"document": "ACME_2020_10K", "page": 0, "text": "Revenue was 5."}
FINANCE = {
    "id": "f1",
    "type": "metrics",
    "question": "Revenue?",
    "documents": ["ACME_2020_10K"],
    "answer": "5",
    "pages": [["ACME_2020_10K", 1]],
}


def finance(folder, *, pages=(PAGE, PAGE | {"page": 1, "text": "Costs."}), change=None):
    lines = "\n".join(map(json.dumps, pages))
    (folder / "pages.jsonl.xz").write_bytes(lzma.compress(lines.encode()))
    write_lines(folder / "questions.jsonl", FINANCE | (change or {}))
    return load_financebench(folder)


def test_a_filing_is_a_document_and_its_pages_are_sections(tmp_path):
    data = finance(tmp_path)
    (filing,) = data.documents
    (question,) = data.questions
    (page,) = question.gold
    assert filing.title == "ACME 2020 10K"
    assert question.needed == (frozenset({filing.id}),)
    assert filing.content.text[page.start : page.end] == "Costs."
    assert (page.document_id, page.label, page.whole) == (filing.id, "page 2", False)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"pages": [["ACME_2020_10K", 2]]}, "page 2 of 'ACME_2020_10K' isn't among"),
        ({"pages": [["OTHER", 0]]}, "page 0 of 'OTHER' isn't among"),
        ({"pages": [["ACME_2020_10K"]]}, "pairs of filing and page"),
        ({"pages": [["ACME_2020_10K", "1"]]}, "pairs of filing and page"),
        ({"pages": None}, "`pages` must be a list"),
        ({"documents": ["OTHER"]}, "'OTHER' isn't among the filings"),
        ({"documents": []}, "`documents` is empty"),
    ],
)
def test_a_bad_question_on_filings_is_refused(tmp_path, change, problem):
    with pytest.raises(DataSetError, match=rf"questions.jsonl:1: .*{problem}"):
        finance(tmp_path, change=change)


def test_a_bad_page_of_a_filing_is_refused(tmp_path):
    with pytest.raises(DataSetError, match=r"xz:2: page 0 .* twice"):
        finance(tmp_path, pages=(PAGE, PAGE))
    with pytest.raises(DataSetError, match=r"xz:1: `page` must be a whole number"):
        finance(tmp_path, pages=(PAGE | {"page": "0"},))
    with pytest.raises(DataSetError, match="holds no page"):
        finance(tmp_path, pages=())


def turn(name, text, **more):
    return {"speaker": "Ann", "dia_id": name, "text": text, **more}


def question(category, *evidence, **more):
    return {"question": "What?", "category": category, "evidence": evidence, **more}


def conversation(folder, *questions, name="26", **change):
    values = {
        "session_1_date_time": "8 May 2023",
        "session_1": [turn("D1:1", "Hello."), turn("D1:2", "I ran.")],
        "session_2_date_time": "9 May 2023",
        "session_2": [turn("D2:1", "Look!", blip_caption="a dog")],
        "qa": questions or [question(1, "D1:2", answer="ran")],
    }
    path = folder / f"{name}.json"
    path.write_text(json.dumps(values | change), encoding="utf-8")
    return folder


def test_a_session_is_a_document_and_its_turns_are_sections(tmp_path):
    data = load_locomo(conversation(tmp_path))
    assert [one.external_id for one in data.documents] == [
        "26/session_1",
        "26/session_2",
    ]
    first, second = data.documents
    (asked,) = data.questions
    (gold,) = asked.gold
    assert first.content.text[gold.start : gold.end] == "I ran."
    assert (gold.whole, gold.label) == (True, "D1:2")
    assert asked.needed == (frozenset({first.id}),)
    assert "8 May 2023" in first.title
    assert "Look! (shares a picture: a dog)" in second.content.text


def test_ids_of_sessions_and_questions_include_their_file(tmp_path):
    conversation(tmp_path, name="26")
    data = load_locomo(conversation(tmp_path, name="30"))
    assert len({one.id for one in data.documents}) == 4
    assert [one.id for one in data.questions] == ["26/0", "30/0"]


def test_an_evidence_string_may_hold_several_ids_and_unknown_ones_are_dropped(tmp_path):
    evidence = ["D1:1; D2:1", "D1:1 D9:9", "D", "D:1:2"]
    data = load_locomo(conversation(tmp_path, question(2, *evidence)))
    (asked,) = data.questions
    assert [gold.label for gold in asked.gold] == ["D1:1", "D2:1"]
    assert asked.needed == (frozenset(one.id for one in data.documents),)
    assert data.notes == {"evidence_ids_dropped": 3}


def test_category_five_is_unanswerable_and_its_evidence_is_no_gold(tmp_path):
    adversarial = question(5, "D1:1", adversarial_answer="x")
    (asked,) = load_locomo(conversation(tmp_path, adversarial)).questions
    assert asked.type == "adversarial"
    assert not asked.answerable
    assert not asked.needed
    assert not asked.gold


def test_a_question_left_without_evidence_stays_answerable_and_is_counted(tmp_path):
    data = load_locomo(conversation(tmp_path, question(4, "D9:9"), question(4)))
    assert [one.answerable for one in data.questions] == [True, True]
    assert data.notes == {"evidence_ids_dropped": 1, "without_evidence": 2}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"qa": [{"question": "x", "category": 6, "evidence": []}]}, "must be 1 to 5"),
        ({"qa": [{"question": "x", "category": 1}]}, "`evidence` is missing"),
        ({"qa": [{"category": 1, "evidence": []}]}, "`question` is missing"),
        ({"session_1": [turn("D1:1", "a"), turn("D1:1", "b")]}, "used twice"),
        ({"session_1": [{"speaker": "Ann", "text": "a"}]}, "`dia_id` is missing"),
        ({"session_1": "text"}, "`session_1` must be a list"),
        ({"session_3": []}, "`session_3_date_time` is missing"),
    ],
)
def test_a_bad_conversation_is_refused(tmp_path, change, problem):
    with pytest.raises(DataSetError, match=rf"26.json.*{problem}"):
        load_locomo(conversation(tmp_path, **change))


def test_a_folder_without_conversations_is_refused(tmp_path):
    with pytest.raises(DataSetError, match="holds no conversation"):
        load_locomo(tmp_path)
    (tmp_path / "a.json").write_text("{}", encoding="utf-8")
    with pytest.raises(DataSetError, match="has no `session_1`"):
        load_locomo(tmp_path)


def test_the_shared_sets_are_read_whole(shared):
    locomo = load_locomo(shared / "benchmarks" / "locomo")
    assert len(locomo.questions) == 1353
    assert sum(not one.answerable for one in locomo.questions) == 312
    assert locomo.notes == {"evidence_ids_dropped": 3, "without_evidence": 2}
