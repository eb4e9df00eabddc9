import pytest

from console.benchmarks.sets import folder_documents, load_data_set
from memory.errors import DataSetError

pytestmark = pytest.mark.django_db


def test_a_folders_documents_are_named_by_their_path(pages):
    (pages / "broken.pdf").write_bytes(b"%PDF-no")
    documents = list(folder_documents(pages))
    assert [one.external_id for one in documents] == [
        "hr/lunch.md",
        "laptops.md",
        "travel.md",
    ]
    assert "thirty-six months" in documents[1].content.text


def test_the_same_files_have_the_same_ids_in_any_data_set(pages, questions):
    one = load_data_set("handbook", pages, questions)
    two = load_data_set("ours", pages, questions)
    assert [page.id for page in one.documents] == [page.id for page in two.documents]
    assert one.data_hash == two.data_hash
    assert (one.name, two.name) == ("handbook", "ours")


def test_questions_may_stand_in_the_folder_except_for_the_handbook(pages, questions):
    questions.rename(pages / "questions.jsonl")
    assert len(load_data_set("ours", pages, None).questions) == 2
    with pytest.raises(DataSetError, match="handbook needs --questions"):
        load_data_set("handbook", pages, None)


@pytest.mark.parametrize(
    ("name", "questions", "problem"),
    [
        ("ours", None, "no file of questions at .*questions.jsonl"),
        ("locomo", "q.jsonl", "no --questions"),
        ("locomo", None, "holds no conversation"),
        ("financebench", None, "pages.jsonl.xz: can't be read"),
    ],
)
def test_what_is_missing_is_named(pages, name, questions, problem):
    path = pages / questions if questions else None
    with pytest.raises(DataSetError, match=problem):
        load_data_set(name, pages, path)


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataSetError, match="none is no folder"):
        load_data_set("ours", tmp_path / "none", None)
