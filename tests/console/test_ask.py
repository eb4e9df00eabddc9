"""`./manage.py ask`: the text, the JSON, who asks, and what can't be asked."""

import json
from dataclasses import replace
from datetime import datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from connectors.models import Person
from memory import access
from memory.documents import ABSTENTION, Answer, Outcome, Sentence, StageTrace
from memory.errors import StoreError
from memory.systems import PIPELINES, UnknownSystem
from tests.bots.worlds import (
    FakePipeline,
    abstained,
    answered,
    linked,
    make_document,
    make_source,
)

pytestmark = pytest.mark.django_db


class FakeRuntime:
    """Hands out one fake pipeline under any name that there is."""

    def __init__(self):
        self.fake = FakePipeline()
        self.names = []

    def pipeline(self, authority, *, name):
        self.names.append(name)
        if name not in PIPELINES:
            raise UnknownSystem(f"There's no system {name!r}.")
        assert authority is not None
        return self.fake


@pytest.fixture
def runtime(monkeypatch):
    made = FakeRuntime()
    monkeypatch.setattr("memory.runtime.runtime", lambda: made)
    return made


@pytest.fixture
def pipeline(runtime):
    return runtime.fake


@pytest.fixture
def document():
    return make_document(make_source())


def ask(question="How old?", *arguments):
    out = StringIO()
    call_command("ask", question, *arguments, stdout=out)
    return out.getvalue()


def as_json(*arguments):
    return json.loads(ask("How old?", "--json", *arguments))


def test_an_answer_is_printed_with_numbers_links_and_what_was_searched(
    pipeline, document
):
    pipeline.answers.append(answered(document, timings_ms={"total": 41.6}))
    lines = ask().splitlines()
    assert lines[1] == "Laptops are replaced after 36 months. [1]"
    assert lines[3].startswith("[1] Equipment policy · Handbook · updated ")
    assert lines[4].strip().endswith(f"/d/{document.id}")
    assert lines[-2] == "Searched 1 document: Handbook (1)."
    assert lines[-1] == "The documents likely hold this answer (87%). 42 ms."


def test_an_abstention_is_no_error_and_offers_the_nearest(pipeline, document):
    pipeline.answers.append(abstained(document))
    out = ask()
    assert ABSTENTION in out
    assert "Might help:\n- Equipment policy" in out
    assert "[1]" not in out
    assert "The documents very likely don't hold this answer (12%)." in out


def test_a_failed_answer_says_so_and_lists_what_was_found(pipeline, document):
    failed = replace(abstained(document), outcome=Outcome.FAILED, text="It's down.")
    pipeline.answers.append(failed)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("ask", "How old?", stdout=out)
    assert ended.value.code == 1
    assert "It's down." in out.getvalue()
    assert "Found:\n- Equipment policy" in out.getvalue()
    # Nothing is known of documents that weren't searched.
    assert "hold this answer" not in out.getvalue()
    assert "Searched" not in out.getvalue()


def test_the_source_s_own_address_is_printed_where_it_has_one(pipeline):
    url = "https://wiki.example.com/equipment"
    pipeline.answers.append(answered(make_document(make_source(), url=url)))
    assert f"    {url}\n" in ask()


TABLE = "| Model | Price |\n| --- | --- |\n| Light | 900 |\n| Heavy | 1,800 |"


@pytest.mark.parametrize("table", [TABLE, TABLE.replace("| --- | --- |\n", "")])
def test_a_table_s_rows_are_marked_and_its_header_is_not(pipeline, document, table):
    sentences, at = [], 0
    for line in table.split("\n"):
        sentences.append(Sentence(at, at + len(line), (document.id,)))
        at += len(line) + 1
    pipeline.answers.append(answered(document, table, sentences=tuple(sentences)))
    lines = ask().splitlines()
    assert "| Model | Price |" in lines
    assert "| Light | 900 | [1]" in lines
    assert "| Heavy | 1,800 | [1]" in lines
    assert sum("[1]" in line for line in lines) == 3  # two rows and the source


def test_a_number_stands_where_documents_change_or_a_line_ends(pipeline, document):
    other = make_document(document.source, "other.md", title="Other")
    text = "One. Two. Three.\nFour."
    spans = [(0, 4, document), (5, 9, document), (10, 16, other), (17, 22, other)]
    told = answered(
        document,
        text,
        documents=(linked(document), linked(other)),
        sentences=tuple(Sentence(a, b, (of.id,)) for a, b, of in spans),
    )
    pipeline.answers.append(told)
    assert ask().splitlines()[1:3] == ["One. Two. [1] Three. [2]", "Four. [2]"]


SHAPE = {
    "outcome": str,
    "answer": str,
    "answerability": float,
    "confidence": float,
    "documents": list,
    "evidence": list,
    "evidence_tokens": int,
    "timings_ms": dict,
    "usage": dict,
    "fallbacks": list,
    # Beside what DESIGN.md names.
    "nearest": list,
    "trace": list,
}


def test_json_has_every_field_with_its_type(pipeline, document):
    usage = {"tokens": 0, "cost": 0.0}
    told = answered(document, usage=usage, fallbacks=("rerank: it was slow",))
    pipeline.answers.append(told)
    values = as_json()
    assert {name: type(value) for name, value in values.items()} == SHAPE
    assert values["outcome"] == "answered"
    assert values["answer"] == "Laptops are replaced after 36 months."
    assert (values["answerability"], values["confidence"]) == (0.87, 0.8)
    [shown] = values["documents"]
    assert shown.pop("url").endswith(f"/d/{document.id}")
    assert datetime.fromisoformat(shown.pop("updated_at")) == document.updated_at
    assert shown == {
        "id": str(document.id),
        "title": "Equipment policy",
        "source": "Handbook",
        "path": "policies/equipment.md",
    }
    [item] = values["evidence"]
    assert {name: type(value) for name, value in item.items()} == {
        "chunk_id": str,
        "document_id": str,
        "heading": str,
        "text": str,
        "tokens": int,
    }
    assert values["evidence_tokens"] == item["tokens"] == 9
    assert values["timings_ms"] == {"retrieve": 12.5}
    assert values["usage"] == usage
    assert values["fallbacks"] == ["rerank: it was slow"]


def test_json_of_an_abstention_links_nothing(pipeline, document):
    pipeline.answers.append(abstained(document))
    values = as_json()
    assert {name: type(value) for name, value in values.items()} == SHAPE
    assert (values["outcome"], values["answer"]) == ("abstained", ABSTENTION)
    assert values["documents"] == []
    assert [item["id"] for item in values["nearest"]] == [str(document.id)]


def test_a_document_of_another_kind_of_source_has_no_path(pipeline, document):
    document.source.kind = "wiki"
    document.source.save()
    pipeline.answers.append(answered(document))
    assert "path" not in as_json()["documents"][0]


def test_a_renamed_source_is_named_as_it_is_now(pipeline, document):
    pipeline.answers.append(answered(document))
    document.source.name = "Staff handbook"
    document.source.save()
    assert as_json()["documents"][0]["source"] == "Staff handbook"


def test_without_a_person_it_reads_what_every_employee_may_read(pipeline, document):
    ask()
    [question] = pipeline.asked
    assert question.scope.admits(access.WORKSPACE_RULE)
    assert not question.scope.admits(private_to(Person.objects.create()))


def test_as_a_person_it_reads_what_this_person_may_read(pipeline):
    owner = Person.objects.create(email="owner@example.com", is_employee=True)
    other = Person.objects.create(email="other@example.com", is_employee=True)
    source = make_source()
    make_document(source, "diary.md", rule=private_to(owner))
    assert "Searched 1 document" in ask("How?", "--as", "Owner@Example.com")
    assert "Searched 0 documents" in ask("How?", "--as", other.email)
    assert "Searched 0 documents" in ask("How?")
    admitted = [item.scope.admits(private_to(owner)) for item in pipeline.asked]
    assert admitted == [True, False, False]


def private_to(person):
    return access.AccessRule.of([access.person(person.id)])


@pytest.mark.parametrize("email", ["nobody@example.com", "", " "])
def test_an_unknown_person_is_refused(pipeline, email):
    with pytest.raises(CommandError, match=f"“{email.strip()}”.*console"):
        ask("How?", "--as", email)
    assert pipeline.asked == []


def test_an_address_of_60_000_characters_is_refused(pipeline):
    with pytest.raises(CommandError, match="60,000 characters"):
        ask("How?", "--as", "x" * 60_000)


def test_an_address_that_a_terminal_would_obey_is_told_in_letters(pipeline):
    with pytest.raises(CommandError) as refused:
        ask("How?", "--as", "\x1b[2Jnobody")
    assert "“\\x1b[2Jnobody”" in str(refused.value)


def test_a_system_is_chosen_by_name(runtime):
    ask()
    ask("How?", "--system", "megamem-no_keyword")
    assert runtime.names == ["megamem", "megamem-no_keyword"]


def test_an_unknown_system_is_refused(pipeline):
    with pytest.raises(CommandError, match="no system 'megamemory'"):
        ask("How?", "--system", "megamemory")
    assert pipeline.asked == []


@pytest.mark.parametrize("question", ["", "  \n", "?!…", "\x1b\x00"])
def test_a_question_without_words_is_refused(pipeline, question):
    with pytest.raises(CommandError, match="no words"):
        ask(question)
    assert pipeline.asked == []


def test_a_question_of_20_000_characters_is_refused(pipeline):
    with pytest.raises(CommandError, match=r"20,000 characters.*at most 4,000"):
        ask("why " * 4999 + "why?")
    assert pipeline.asked == []


def test_a_store_that_cannot_be_opened_is_told_on_one_line(pipeline):
    pipeline.answers.append(StoreError("The store is gone."))
    with pytest.raises(CommandError, match=r"^The store is gone\.$"):
        ask()


def test_explain_prints_each_stage_with_its_time_and_what_it_did(pipeline, document):
    pipeline.answers.append(answered(document))
    out = ask("How?", "--explain")
    assert "retrieve           12.5 ms\n    hits: 3\n" in out


HOSTILE = "\x1b[2J\x1b]0;owned\x07 over\rwritten \u202edelbasid\u009b31m"


def hostile_answer(document) -> Answer:
    trace = (StageTrace("retrieve", 1.0, {"query": HOSTILE}),)
    text = f"{HOSTILE} months."
    nearest = replace(abstained(document).nearest[0], title=HOSTILE, source=HOSTILE)
    told = answered(document, text, trace=trace, documents=(nearest,))
    return replace(told, fallbacks=(HOSTILE,))


def test_hostile_text_moves_no_terminal(pipeline):
    document = make_document(make_source(HOSTILE), HOSTILE, title=HOSTILE)
    pipeline.answers += [hostile_answer(document), abstained(document)]
    printed = ask("How?", "--explain") + ask("How?", "--explain")
    unprintable = {char for char in printed if not char.isprintable()}
    assert unprintable == {"\n"}
    assert "\\x1b[2J" in printed


def test_hostile_text_in_json_stays_json(pipeline):
    document = make_document(make_source())
    pipeline.answers.append(hostile_answer(document))
    out = ask("How?", "--json")
    assert {char for char in out if not char.isprintable()} == {"\n"}
    assert json.loads(out)["answer"] == f"{HOSTILE} months."


def test_spaces_and_joined_letters_of_a_document_are_shown_as_such(pipeline, document):
    text = "1\u202f200\xa0€ for a \U0001f469\u200d\U0001f4bb."
    pipeline.answers.append(answered(document, text))
    assert "1 200 € for a \U0001f469\u200d\U0001f4bb. [1]" in ask()


@pytest.mark.model
@pytest.mark.integration
def test_the_real_pipeline_answers_and_links_what_it_quotes(manage, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "laptops.md").write_text(
        "# Laptops\n\nA laptop is replaced after 36 months.\n"
    )
    (folder / "leave.md").write_text("# Leave\n\nEverybody has 30 days of leave.\n")
    assert not manage(
        "add_source", "files", "--name", "Docs", "--set", f"path={folder}"
    ).returncode
    assert not manage("sync", "Docs").returncode
    asked = manage("ask", "--json", "After how many months is a laptop replaced?")
    assert asked.returncode == 0, asked.stderr
    values = json.loads(asked.stdout)
    assert values["outcome"] == "answered"
    assert "36 months" in values["answer"]
    assert values["documents"][0]["path"] == "laptops.md"
    assert {name: type(value) for name, value in values.items()} == SHAPE
