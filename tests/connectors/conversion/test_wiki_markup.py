"""The notation is the vendor's "Text Formatting Notation Help", read 2026-12-01:
https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion.wiki_markup import MAX_WIKI, wiki_content
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion.checks import anchors, blocks, check_content


def content_of(markup):
    content = wiki_content(markup)
    check_content(content)
    return content


def text_of(markup):
    content = content_of(markup)
    assert content.unhandled == {}
    return content.text


#: Each notation of the help page, and what a reader sees of it.
NOTATIONS = {
    "h1. Biggest heading": "# Biggest heading",
    "h6. Smallest heading": "###### Smallest heading",
    "*strong* text": "strong text",
    "_emphasis_": "emphasis",
    "??citation??": "citation",
    "-deleted- kept": "~~deleted~~ kept",
    "+inserted+": "inserted",
    "10^6^ units": "10^6 units",
    "the 1^st^ one": "the 1st one",
    "H ~2~ O": "H 2 O",
    "{{monospaced *not bold*}}": "monospaced *not bold*",
    "bq. Some quoted line": "> Some quoted line",
    "{quote}one\ntwo{quote}": "> one\n> two",
    "{quote}\nfirst\n\nsecond\n{quote}\nafter": "> first\n\n> second\n\nafter",
    "{color:red}look *here*{color}": "look here",
    "one\\\\ two": "one\ntwo",
    "a\nb": "a\nb",
    "a\n\nb": "a\n\nb",
    "a\n----\nb": "a\n\nb",
    "a --- b -- c": "a — b – c",
    "[#anchor]": "anchor",
    "[^report.pdf]": "report.pdf",
    "[the report|^report.pdf]": "the report",
    "[~fred] knows": "@fred knows",
    "{anchor:here}Text": "Text",
    "* some\n** nested\n* more": "- some\n  - nested\n- more",
    "- dashes\n- too": "- dashes\n- too",
    "# one\n## inner\n# two": "1. one\n  1. inner\n2. two",
    "# a\n#* mixed\n# b": "1. a\n  - mixed\n2. b",
    "* an item\nthat goes on": "- an item that goes on",
    "!plan.png!": "[file: plan.png]",
    "!plan.png|thumbnail!": "[file: plan.png]",
    '!plan.png|alt="The network plan", width=300!': "[image: The network plan]",
    "!http://x.test/pic.gif!": "[file: pic.gif]",
    "||Level||Pay||\n|M6|411|": "| Level | Pay |\n| M6 | 411 |",
    "{noformat}\n*raw* {code}\n{noformat}": "```\n*raw* {code}\n```",
    "{code:java}\nint a;\n{code}": "```java\nint a;\n```",
    "{code:title=A.java|borderStyle=solid}\nint a;\n{code}": "A.java\n\n```\nint a;\n```",
    "{code:xml|title=a.xml}<a>*</a>{code}": "a.xml\n\n```xml\n<a>*</a>\n```",
    "{panel}\nBoxed.\n{panel}\nafter": "Boxed.\n\nafter",
    "{panel:title=Mind this|borderStyle=dashed}\nBoxed.\n{panel}": "Mind this\n\nBoxed.",
    "\\*not strong\\*": "*not strong*",
    "done (/) failed (x)": "done ✓ failed ✗",
    "un{*}break{*}able": "unbreakable",
}


@pytest.mark.parametrize("markup", NOTATIONS)
def test_it_keeps_what_a_notation_says(markup):
    assert text_of(markup) == NOTATIONS[markup]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("[Jira|http://jira.test]", [("Jira", "http://jira.test")]),
        ("[http://jira.test]", [("http://jira.test", "http://jira.test")]),
        ("[*Plan*|http://p.test|A tip]", [("Plan", "http://p.test")]),
        ("[mailto:a@b.test]", [("a@b.test", "mailto:a@b.test")]),
        ("[file:///c:/x]", [("file:///c:/x", "file:///c:/x")]),
        ("[x|https://a.test|smart-link]", [("x", "https://a.test")]),
        (
            "See https://a.test/b_c_d?e=*f*.",
            [("https://a.test/b_c_d?e=*f*", "https://a.test/b_c_d?e=*f*")],
        ),
        ("(https://a.test/x)", [("https://a.test/x", "https://a.test/x")]),
        ("*[bold|http://b.test]*", [("bold", "http://b.test")]),
        ("|[a|http://a.test]|b|", [("a", "http://a.test")]),
    ],
)
def test_links_keep_their_text_and_target(markup, expected):
    assert anchors(content_of(markup)) == expected


@pytest.mark.parametrize(
    "plain",
    [
        *(
            "2 * 3 * 4 = 24",
            "snake_case_name and other_one",
            "a-b-c",
            "5 - 3 - 1",
            "C++ or C++",
        ),
        *(
            "[INFO] started [thread|7]",
            "Hey! Look! Here!",
            "{customer_id} is set",
            "x^2",
            "~5 days",
        ),
        *(
            "a | b",
            "--verbose is a flag",
            "1. one",
            "#hashtag",
            "*",
            "[]",
            "{}",
            "!!",
            "|",
        ),
        *("What?? Really??!", "A *lonely star", "path\\to\\file", "wow!great.png"),
    ],
)
def test_what_is_no_markup_stays_as_it_is(plain):
    found = content_of(plain).text.strip("| ").strip()
    assert found == plain.strip("| ").strip()


def test_a_cell_may_hold_lines_lists_links_and_code():
    markup = (
        "||Step||What||\n"
        "|1|first line\nsecond line\n* an item|\n"
        "|2|see [the plan|http://p.test] and {{a|b}} or !x.png|thumbnail!|\n"
        "|3|{code:sql}select *\nfrom t{code}|\n"
    )
    content = content_of(markup)
    assert content.text == (
        "| Step | What |\n"
        "| 1 | first line; second line; an item |\n"
        "| 2 | see the plan and a\\|b or [file: x.png] |\n"
        "| 3 | select * from t |"
    )
    assert anchors(content) == [("the plan", "http://p.test")]


def test_a_table_with_titles_at_the_side_has_no_header():
    content = content_of("||Owner|Ada|\n||Team|People|")
    assert content.text == "| Owner | Ada |\n| Team | People |"
    assert not blocks(content, BlockKind.TABLE_HEADER)


def test_text_stands_before_and_after_a_table_and_code():
    markup = "Before\n||a||b||\n|1|2|\nAfter\n{code}\nx\n{code}\nEnd"
    assert text_of(markup) == (
        "Before\n\n| a | b |\n| 1 | 2 |\n\nAfter\n\n```\nx\n```\n\nEnd"
    )


def test_code_below_an_item_follows_it():
    assert text_of("# run\n{code}\nmake\n{code}\n# look") == (
        "1. run\n\n```\nmake\n```\n\n2. look"
    )


def test_two_lists_stand_apart_and_count_anew():
    assert text_of("# a\n# b\n\n# c") == "1. a\n2. b\n\n1. c"


def test_code_left_open_loses_no_word():
    assert "int a;" in content_of("text {code:java} int a;").text


def test_an_unknown_macro_is_counted_and_stays():
    content = content_of("{chart:type=pie}")
    assert content.unhandled == {"macro chart": 1}
    assert content.text == "{chart:type=pie}"


def test_a_moved_mention_says_that_its_name_is_unknown():
    content = content_of("Ask [~accountid:5b10ac8d82e05b22cc7d4ef5].")
    assert content.text == "Ask @unknown."
    assert content.unhandled == {"mention without a name": 1}


def test_a_script_is_no_link():
    assert content_of("[x|javascript://a]").links == ()


def test_nothing_is_no_text():
    assert wiki_content(None).text == ""
    assert wiki_content("  \n ").text == ""


words = st.text(alphabet="ab1 *_-+^~?{}[]|!\\\n#h.:()/", max_size=80)


@given(words)
def test_it_never_raises_and_holds_what_every_content_holds(markup):
    check_content(wiki_content(markup))


@given(st.text(max_size=60))
def test_it_takes_any_text(markup):
    check_content(wiki_content(markup))


@pytest.mark.parametrize(
    "piece",
    [
        "*a ",
        "_a",
        "-a ",
        "[a",
        "{{a",
        "!a.b",
        "??a",
        "{code}a",
        "|a",
        "^a",
        "~a ",
        "{quote}",
        "\\\\",
    ],
)
def test_a_hostile_text_of_the_largest_size_is_read(piece):
    content_of(piece * (32_767 // len(piece)))


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        ("*" * 100_000 + " word", "word"),
        ("{code:a}" * 20_000 + " word", "word"),
        ("{code}a{code}" + "{noformat:b}" * 20_000 + " word", "word"),
        ("{panel:" * 20_000 + " word", "word"),
        ("|" + "{{" * 2_000 + "|word|", "word"),
        ("|a\n" + "b\n" * 50_000 + "word", "word"),
        ("word " + "{{" * 5_000, "word"),
        ("word " + "[a|" * 50_000, "word"),
    ],
    ids=["*", "open code", "open after code", "open panel", "mono", "row", "{{", "["],
)
def test_markup_that_was_made_to_be_slow_is_read(markup, kept):
    """Each took time by the square of its length with some plain way of reading it."""
    assert kept in wiki_content(markup).text


def test_code_that_is_not_closed_hides_no_other():
    text = wiki_content("{noformat}a{code}b\n{code:java}x = 1{code}\nword").text
    assert "word" in text
    assert "```" in text


def test_a_text_longer_than_anybody_writes_is_refused():
    with pytest.raises(ConversionError) as refused:
        wiki_content("x" * (MAX_WIKI + 1))
    assert refused.value.reason == "too_large"
