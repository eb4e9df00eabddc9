import pytest

from connectors.conversion import convert
from memory.access import Status
from tests.connectors.conversion.checks import anchors, check_content


def page(text: str, name: str = "docs/time-off_policy.md"):
    converted = convert(text.encode(), name=name)
    check_content(converted.content)
    return converted


def text_of(text: str) -> str:
    return page(text).content.text


def test_headings_in_code_are_none_and_setext_ones_are():
    text = "Title\n=====\n\nPart\n----\n```sh\n# no heading\n```\n\n    # nor this\n"
    converted = page(text)
    assert [s.path for s in converted.content.sections] == [
        ("Title",),
        ("Title", "Part"),
    ]
    assert converted.content.text == (
        "# Title\n\n## Part\n\n```sh\n# no heading\n```\n\n```\n# nor this\n```"
    )


def test_inline_formatting_is_dropped_and_entities_are_decoded():
    assert text_of(
        "a **b** _c_ `d e`  f &amp; &lt;g\n[h](i.md 'j') \\* ![Org chart](k.png)"
    ) == ("a b c d e f & <g h * [image: Org chart]")


def test_links_stay_beside_the_text():
    text = "[a b](../c.md#d) [e](<f ü.md>) [g](javascript:alert(1)) <https://x.io/>"
    content = page(text).content
    assert content.text == "a b e g https://x.io/"
    assert anchors(content) == [
        ("a b", "../c.md#d"),
        ("e", "f ü.md"),
        ("https://x.io/", "https://x.io/"),
    ]


def test_html_in_markdown_is_read_as_html():
    text = """# A

<script>alert(1)</script>
<style>x</style>
<div align="center">

**inside** div

</div>

<details><summary>More</summary>

- item

</details>

| Kind | Parts |
| --- | --- |
| x \\| y | <li>one</li><li>two</li> |
| line<br>break | **b** |

<table><tr><td>Level</td><td>Days</td></tr>
<tr><td>IC1</td>

<td>25</td></tr></table>
"""
    assert text_of(text) == (
        "# A\n\ninside div\n\nMore\n\n- item\n\n| Kind | Parts |\n| x \\| y | one; two |\n"
        "| line; break | b |\n\n| Level | Days |\n| IC1 | 25 |"
    )


def test_a_placeholder_is_text():
    assert text_of("Run ssh <host-name> as <user>.") == "Run ssh <host-name> as <user>."


def test_anchors_are_githubs_unless_given():
    content = page("# A & B!\n\n## C\n\n## C\n\n## D {#dee}\n\n- item {#x}\n").content
    assert [s.anchor for s in content.sections] == ["a--b", "c", "c-1", "dee"]
    assert content.text.endswith("## D\n\n- item")


def test_nested_lists_keep_depth_and_numbers():
    assert text_of("3. a\n   - b\n     1. c\n4. d\n\n   more\n") == (
        "3. a\n  - b\n    1. c\n4. d\n\nmore"
    )


def test_front_matter_is_read_and_no_text():
    converted = page(
        "---\ntitle: 'Time off: all'\nstatus: Archived\nauthor: {name: Ada}\n"
        "owners: [People, Legal]\nupdated: 2026-03-01\n---\n# Other\ntext"
    )
    assert converted.content.text == "# Other\n\ntext"
    assert converted.title == "Time off: all"
    assert (converted.author, converted.owner) == ("Ada", "People, Legal")
    assert converted.status is Status.ARCHIVED
    assert converted.updated_at is not None
    assert converted.updated_at.isoformat() == "2026-03-01T00:00:00+00:00"


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("draft: true", Status.DRAFT),
        ("archived: true", Status.ARCHIVED),
        ("archived: false", Status.CURRENT),
        ("status: superseded", Status.SUPERSEDED),
        ("status: [1]", Status.CURRENT),
    ],
)
def test_front_matter_tells_the_status(line, status):
    assert page(f"---\n{line}\n---\ntext").status is status


@pytest.mark.parametrize(
    "source",
    ["title: [", "a: &a [1]\nb: *a", "title: 'x", "date: 2026-99-99", "a:\t- b: c"],
)
def test_broken_front_matter_is_a_warning(source):
    converted = page(f"---\n{source}\n---\ntext")
    assert converted.content.text == "text"
    assert converted.title == "Time off policy"
    assert [reason for reason, _ in converted.warnings] == ["front_matter"]


def test_a_rule_on_top_is_no_front_matter():
    assert text_of("---\n\nJust text\n\n---\n\nmore") == "Just text\n\nmore"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("a/time-off_policy.md", "Time off policy"),
        ("hr/index.md", "Hr"),
        ("README.md", "README"),
    ],
)
def test_a_page_without_title_is_named_by_its_file(name, title):
    assert page("text", name).title == title


def test_the_first_h1_is_the_title():
    assert page("## Before\n\n# The [title](x)\n").title == "The title"


def test_a_paragraph_full_of_links_is_read_whole():
    converted = page("Word *and* [link](x.md) " * 14_000)
    assert len(converted.content.links) == 14_000


def test_a_paragraph_of_two_hundred_thousand_words_is_read_whole():
    assert page("word " * 200_000).content.text.count("word") == 200_000


@pytest.mark.parametrize(
    "mark", [">", "- ", "* a\n", "[", "![", "<b>", "**a", "1. ", "|a"]
)
def test_deep_or_repeated_marks_lose_no_text(mark):
    assert page(mark * 5_000 + " text").content.text.endswith("text")


def test_a_long_rule_is_no_nesting():
    converted = page("a\n\n" + "* " * 60 + "\n\nb")
    assert (converted.content.text, converted.warnings) == ("a\n\nb", ())
