from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion import convert
from memory.chunking import Chunker
from memory.distillation.local import LocalExtractor
from memory.distillation.statements import memory_key
from memory.documents import Document, MemoryType

SOURCE = UUID(int=1)


def memories_of(markdown, *, per_chunk=8, title=""):
    converted = convert(markdown.encode(), name="page.md")
    document = Document(SOURCE, "page.md", title or converted.title, converted.content)
    chunks = Chunker().chunks(document)
    return chunks, LocalExtractor(per_chunk).extract(document, chunks)


def values(markdown, **options):
    return [memory.value for memory in memories_of(markdown, **options)[1]]


def test_a_sentence_is_a_memory_under_its_headings():
    _, (memory,) = memories_of(
        "# Equipment\n\n## Laptops\n\nLaptops are replaced after 36 months of use.\n"
    )
    assert memory.key == "Equipment / Laptops"
    assert memory.value == "Laptops are replaced after 36 months of use."


def test_a_list_item_brings_its_lead_in():
    found = values(
        "# Leave\n\nYou need approval from:\n\n- your manager and the people team\n"
    )
    assert "You need approval from: your manager and the people team" in found


def test_a_table_row_brings_its_headers():
    found = values("# Pay\n\n| Level | Options |\n|---|---|\n| IC4 | 6,830 a year |\n")
    assert found == ["Level: IC4; Options: 6,830 a year"]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Receipts must be uploaded within 30 days.", MemoryType.REQUIREMENT),
        ("We decided to move all backups to Frankfurt.", MemoryType.DECISION),
        ("A sponsor is the person who pays for a project.", MemoryType.DEFINITION),
        ("Click the button and choose a date for it.", MemoryType.PROCEDURE),
        ("The Berlin office opened in a former brewery.", MemoryType.FACT),
    ],
)
def test_the_type_follows_the_wording(sentence, kind):
    _, (memory,) = memories_of(f"# Page\n\n{sentence}\n")
    assert memory.type is kind


def test_at_most_so_many_a_chunk_and_the_telling_ones_first():
    filler = "It was a nice day and people were happy about that. "
    text = f"# Page\n\n{filler}You must ask within 5 days of the event. Then it rained all day.\n"
    assert values(text, per_chunk=1) == ["You must ask within 5 days of the event."]


def test_the_same_statement_in_two_chunks_is_one_memory_of_both():
    body = "Ask the people team before you sign anything at all. "
    other = "word " * 300
    markdown = f"# Page\n\n{body}\n\n{other}\n\n{body}\n\n{other}\n"
    chunks, found = memories_of(markdown)
    (memory,) = [item for item in found if item.value == body.strip()]
    assert len(memory.chunk_ids) == 2
    assert set(memory.chunk_ids) <= {chunk.id for chunk in chunks}


def test_headings_short_scraps_and_code_are_no_memories():
    assert (
        values("# Page\n\nSee below.\n\n```sh\nrm -rf build and more words\n```\n")
        == []
    )


def test_ids_depend_on_what_a_memory_says_and_on_the_rules():
    text = "# Page\n\nLaptops are replaced after 36 months of use.\n"
    _, (first,) = memories_of(text)
    _, (again,) = memories_of(text)
    _, (other,) = memories_of(text, per_chunk=3)
    assert first.id == again.id
    assert first.id != other.id
    assert other.extractor == "local-1/3"


def test_a_key_names_title_and_the_last_two_headings_once():
    assert memory_key("Pay", ("Pay", "Levels", "IC4")) == "Pay / Levels / IC4"
    assert memory_key("Pay", ("A", "B", "C")) == "Pay / B / C"
    assert memory_key("", ()) == ""


lines = st.lists(
    st.sampled_from(
        [
            "Plain words without an end",
            "A sentence. Another one here! A third?",
            "- an item with several words in it",
            "1. a step with several words in it",
            "| a | b |\n|---|---|\n| one two | three four |",
            "## A heading",
            "> quoted words that somebody said once",
            "漢字で書かれた文章です。もう一つの文です。",
            "```\ncode\n```",
        ]
    ),
    min_size=1,
    max_size=12,
)


@given(lines)
def test_every_memory_is_entailed_by_its_chunks(given_lines):
    chunks, found = memories_of("# Page\n\n" + "\n\n".join(given_lines))
    texts = {chunk.id: f"{chunk.header} {chunk.text}" for chunk in chunks}
    assert len({memory.id for memory in found}) == len(found)
    for memory in found:
        assert memory.chunk_ids
        sources = " ".join(texts[chunk] for chunk in memory.chunk_ids)
        for word in memory.value.replace(";", " ").replace(":", " ").split():
            assert word in sources
