import json

import pytest

from memory.answerability import Calibration
from tests.memory.evaluation.fakes import HashEmbedder

PAGES = {
    "laptops.md": "# Laptops\n\nLaptops are replaced after thirty-six months by IT.\n",
    "travel.md": "# Travel\n\nBook flights two weeks ahead with the travel desk.\n",
    "hr/lunch.md": "# Lunch\n\nLunch is free on Thursdays for everybody.\n",
}
QUESTIONS = [
    {
        "id": "h1",
        "type": "lookup",
        "question": "When are laptops replaced?",
        "documents": ["laptops.md"],
        "evidence": [
            {"document": "laptops.md", "quote": "replaced after thirty-six months"}
        ],
    },
    {
        "id": "u1",
        "type": "unanswerable",
        "question": "Is dental paid?",
        "documents": [],
    },
]


@pytest.fixture
def pages(tmp_path):
    folder = tmp_path / "pages"
    for name, text in PAGES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path, settings):
    settings.ATTEST_HOME = tmp_path / "home"
    settings.ATTEST_CACHE = tmp_path / "cache"
    settings.ATTEST_HOME.mkdir()
    return settings.ATTEST_HOME


@pytest.fixture
def encoder(home, monkeypatch):
    """Make the process's runtime use words' hashes for an encoder, in this home."""
    # Here, as it loads torch and the store.
    from memory import runtime as runtime_module
    from memory import systems

    encoder = HashEmbedder()
    fresh = runtime_module.Runtime()
    fresh.use_encoder(encoder)
    runtime_module.made_runtime.cache_clear()
    monkeypatch.setattr(runtime_module, "Runtime", lambda: fresh)
    # The shipped coefficients say nothing about such vectors: a gate that is open.
    gate = Calibration("tests", features={}, intercept=3.0, threshold=0.5)
    monkeypatch.setattr(systems, "shipped_calibrations", lambda: (gate, gate))
    yield encoder
    fresh.store.close()
    runtime_module.made_runtime.cache_clear()
