"""deploy/sample: the demo's workspace."""

import importlib.util
import io
import re
import zipfile
from pathlib import Path

import pypdfium2
import pytest

SAMPLE = Path(__file__).resolve().parents[2] / "deploy" / "sample"


@pytest.fixture(scope="module")
def maker():
    spec = importlib.util.spec_from_file_location(
        "make_sample", SAMPLE.parent / "make_sample.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def entries(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def pdf_text(data: bytes) -> str:
    document = pypdfium2.PdfDocument(data)
    try:
        return "\n".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


def test_the_committed_files_are_what_the_script_writes(maker):
    for name, make in maker.FILES.items():
        committed = (maker.FOLDER / name).read_bytes()
        read = pdf_text if name.endswith(".pdf") else entries
        assert read(make()) == read(committed), name


def test_the_script_writes_the_same_bytes_each_time(maker):
    for make in maker.FILES.values():
        assert make() == make()


def test_it_holds_every_kind_of_file_that_a_folder_source_reads():
    suffixes = {path.suffix for path in SAMPLE.rglob("*.*") if path.is_file()}
    assert suffixes >= {
        *(".md", ".html", ".txt", ".csv", ".eml"),
        *(".docx", ".xlsx", ".pptx", ".pdf"),
    }


def test_it_names_no_address_outside_example_com():
    for path in SAMPLE.rglob("*"):
        if path.suffix in {".md", ".html", ".txt", ".eml", ".py"}:
            text = path.read_text(encoding="utf-8")
            for domain in re.findall(r"@([\w.-]+\w)", text):
                assert domain.endswith("example.com"), f"{path.name}: {domain}"


def test_two_pages_disagree_and_are_dated_and_one_is_archived():
    handbook = SAMPLE / "handbook"
    old = (handbook / "working-from-home-2024.md").read_text(encoding="utf-8")
    new = (handbook / "working-from-home-2026.md").read_text(encoding="utf-8")
    assert "up to two days" in old
    assert "up to three days" in new
    assert "updated: 2024" in old
    assert "updated: 2026" in new
    archived = (handbook / "parking-2022.md").read_text(encoding="utf-8")
    assert "status: archived" in archived
