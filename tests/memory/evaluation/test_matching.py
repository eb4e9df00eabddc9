import pytest

from memory.evaluation.matching import is_verbatim, letters_and_digits, plain_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See [the Policy](https://example.com/a(b)?c=1) now.", "seethepolicynow"),
        ("![badge](x.png) done", "badgedone"),
        ("[![badge](x.png)](y) done", "badgedone"),
        ("[label][ref] and <https://example.com/x>", "labelandhttpsexamplecomx"),
        ("| Basic | 40 days |", "basic40days"),
        ("Größe: 6,830 €", "grösse6830"),
        ("STRASSE Straße", "strassestrasse"),
        ("<td>SHA256</td> <a href='x'>a</a><br/>1 < 2 > 1", "sha256a121"),
        ("...", ""),
    ],
)
def test_a_quote_is_compared_by_letters_and_digits(text, expected):
    assert letters_and_digits(text) == expected


def test_list_markers_borders_and_rules_do_not_count():
    text = "1. First\n  - second  thing\n| a | b |\n| --- | --- |\n> quoted\n# Head"
    assert plain_text(text) == "First second thing a b quoted Head"


@pytest.mark.parametrize(
    "answer",
    [
        "Laptops are replaced after 36 months.",
        "- Laptops are  replaced after 36 months.\n- Ask IT.",
        "Ask IT. Laptops are replaced after 36 months.",
        "| Plan | Price |\n| --- | --- |\n| Basic | 40 |",
        "3. Ask IT.",
        "",
    ],
)
def test_an_answer_in_the_evidence_is_verbatim(answer):
    evidence = [
        "# Laptops\n\nLaptops are replaced\nafter 36 months. They are grey.",
        "* Ask IT.",
        "| Plan | Price |\n|---|---|\n| Basic | 40 |",
    ]
    assert is_verbatim([answer], evidence)


@pytest.mark.parametrize(
    "answer",
    [
        "Laptops are replaced after 48 months.",
        "laptops are replaced after 36 months.",
        "Laptops are replaced after 36 months!",
        "So: Laptops are replaced after 36 months.",
        "Laptops are replaced after 36 months. They are blue.",
        "Laptops are replaced after 36 months. Ask IT. Or don't.",
    ],
)
def test_an_answer_with_other_words_is_not_verbatim(answer):
    evidence = ["Laptops are replaced after 36 months.", "Ask IT."]
    assert not is_verbatim([answer], evidence)


def test_nothing_is_verbatim_without_evidence_but_nothing():
    assert not is_verbatim(["Ask IT."], [])
    assert is_verbatim(["  \n"], [])
