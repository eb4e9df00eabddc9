"""Nodes and marks are those of the vendor's published schema, read 2026-12-01:
https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion.adf import adf_content
from memory.documents import BlockKind
from tests.connectors.conversion.checks import anchors, blocks, check_content


def node(type_, *content, marks=None, **attrs):
    made = {"type": type_}
    if content:
        made["content"] = [
            text(item) if isinstance(item, str) else item for item in content
        ]
    if attrs:
        made["attrs"] = attrs
    if marks:
        made["marks"] = marks
    return made


def text(value, *marks, href=None):
    found = [{"type": mark} for mark in marks]
    if href:
        found.append({"type": "link", "attrs": {"href": href}})
    return {"type": "text", "text": value, **({"marks": found} if found else {})}


def p(*content):
    return node("paragraph", *content)


def content_of(*nodes):
    content = adf_content({"version": 1, "type": "doc", "content": list(nodes)})
    check_content(content)
    return content


def text_of(*nodes):
    content = content_of(*nodes)
    assert content.unhandled == {}
    return content.text


def item(*content):
    return node("listItem", *content)


def cell(*content, header=False, **attrs):
    return node("tableHeader" if header else "tableCell", *content, **attrs)


#: What a node must leave in the text, word for word, and nothing unhandled.
MUST_KEEP = {
    "paragraph": (p("Plain words."), "Plain words."),
    "heading": (node("heading", "Scope", level=2), "## Scope"),
    "hardBreak": (p("one", node("hardBreak"), "two"), "one\ntwo"),
    "bulletList": (
        node(
            "bulletList", item(p("a"), node("bulletList", item(p("b")))), item(p("c"))
        ),
        "- a\n  - b\n- c",
    ),
    "orderedList": (
        node("orderedList", item(p("three")), item(p("four")), order=3),
        "3. three\n4. four",
    ),
    "taskList": (
        node(
            "taskList",
            node("taskItem", "Order it", state="DONE", localId="1"),
            node("taskList", node("taskItem", "Ship it", state="TODO", localId="2")),
            node("blockTaskItem", p("Pay it"), state="TODO"),
        ),
        "- [x] Order it\n  - [ ] Ship it\n- [ ] Pay it",
    ),
    "decisionList": (
        node("decisionList", node("decisionItem", "We use plan B.", state="DECIDED")),
        "- Decision: We use plan B.",
    ),
    "table": (
        node(
            "table",
            node(
                "tableRow", cell(p("Level"), header=True), cell(p("Pay"), header=True)
            ),
            node("tableRow", cell(p("M6")), cell(p("$411"), p("gross"))),
        ),
        "| Level | Pay |\n| M6 | $411; gross |",
    ),
    "panel": (
        node("panel", p("Never do it."), panelType="warning"),
        "Warning: Never do it.",
    ),
    "panel_info": (
        node("panel", p("Good to know."), panelType="info"),
        "Good to know.",
    ),
    "panel_custom": (node("panel", p("Ours."), panelType="custom"), "Ours."),
    "expand": (node("expand", p("Inside."), title="More"), "More\n\nInside."),
    "nestedExpand": (
        node("nestedExpand", p("Deep."), title="Even more"),
        "Even more\n\nDeep.",
    ),
    "codeBlock": (
        node("codeBlock", "def f():\n    pass", language="python"),
        "```python\ndef f():\n    pass\n```",
    ),
    "blockquote": (node("blockquote", p("Said."), p("Again.")), "> Said.\n\n> Again."),
    "layoutSection": (
        node(
            "layoutSection",
            node("layoutColumn", p("left")),
            node("layoutColumn", p("right")),
        ),
        "left\n\nright",
    ),
    "mediaSingle": (
        node(
            "mediaSingle",
            node("media", type="file", id="1", collection="c", alt="The network plan"),
            node("caption", "Figure 1"),
        ),
        "[image: The network plan]\n\nFigure 1",
    ),
    "mediaGroup": (
        node("mediaGroup", node("media", type="file", id="1", alt="invoice.pdf")),
        "[file: invoice.pdf]",
    ),
    "mediaInline": (
        p("See ", node("mediaInline", id="1", alt="plan.pdf"), "."),
        "See [file: plan.pdf].",
    ),
    "mention": (
        p("Ask ", node("mention", id="5b1", text="@Ada Lovelace"), " first"),
        "Ask @Ada Lovelace first",
    ),
    "emoji": (p("Done ", node("emoji", shortName=":tada:", text="🎉")), "Done 🎉"),
    "emoji_custom": (p(node("emoji", shortName=":our-logo:")), ":our-logo:"),
    "date": (p("Until ", node("date", timestamp="1772582400000")), "Until 2026-03-04"),
    "status": (
        p("Now ", node("status", text="IN REVIEW", color="blue")),
        "Now IN REVIEW",
    ),
    "inlineCard": (
        p("See ", node("inlineCard", url="https://x.test/browse/A-1")),
        "See https://x.test/browse/A-1",
    ),
    "inlineCard_data": (
        p(node("inlineCard", data={"name": "The plan", "url": "https://x.test/p"})),
        "The plan",
    ),
    "blockCard": (node("blockCard", url="https://x.test/page"), "https://x.test/page"),
    "embedCard": (
        node("embedCard", url="https://x.test/board", layout="center"),
        "https://x.test/board",
    ),
    "placeholder": (p(node("placeholder", text="Name the owner")), "Name the owner"),
    "bodiedSyncBlock": (node("bodiedSyncBlock", p("Shared.")), "Shared."),
    "caption": (node("caption", "Alone"), "Alone"),
}


@pytest.mark.parametrize("name", MUST_KEEP)
def test_it_keeps_what_a_node_says(name):
    made, expected = MUST_KEEP[name]
    assert text_of(made) == expected


@pytest.mark.parametrize("name", MUST_KEEP)
def test_it_keeps_what_a_node_says_in_a_table_cell(name):
    made, expected = MUST_KEEP[name]
    found = content_of(
        node("table", node("tableRow", cell(made), cell(p("beside"))))
    ).text
    words = [w.strip("#->|`;") for w in expected.replace("```python", "").split()]
    # Bullets, numbers and panels' words are structure, which a cell has no place for.
    dropped = {"", "3.", "4.", "Decision:", "Warning:"}
    for word in set(words) - dropped:
        assert word in found


def test_a_rule_leaves_nothing():
    assert text_of(p("a"), node("rule"), p("b")) == "a\n\nb"


@pytest.mark.parametrize(
    "mark",
    [
        *("strong", "em", "underline", "code", "subsup", "textColor"),
        *("backgroundColor", "annotation", "alignment", "indentation", "border"),
        *("breakout", "fragment", "dataConsumer"),
    ],
)
def test_a_mark_of_looks_changes_no_word(mark):
    assert text_of(p("un", text("break", mark), "able")) == "unbreakable"


def test_a_number_that_is_raised_is_no_digit_of_the_one_before():
    def raised(value):
        mark = {"type": "subsup", "attrs": {"type": "sup"}}
        return {"type": "text", "text": value, "marks": [mark]}

    assert text_of(p("10", raised("6"), " or 1", raised("st"))) == "10^6 or 1st"


def test_struck_text_is_marked_as_such():
    assert (
        text_of(p("costs ", text("5", "strike"), text(" 6", "strong")))
        == "costs ~~5~~ 6"
    )


def test_text_of_one_link_is_one_link():
    content = content_of(
        p(
            "See ",
            text("the ", href="https://x.test"),
            text("plan", "em", href="https://x.test"),
            ".",
        )
    )
    assert content.text == "See the plan."
    assert anchors(content) == [("the plan", "https://x.test")]


def test_cards_and_links_in_cells_are_links():
    content = content_of(
        node(
            "table",
            node("tableRow", cell(p(text("a", href="https://a.test"))), cell(p("b"))),
        ),
        node("blockCard", url="https://c.test"),
        p(node("inlineCard", data={"name": "D", "url": "https://d.test"})),
    )
    assert anchors(content) == [
        ("a", "https://a.test"),
        ("https://c.test", "https://c.test"),
        ("D", "https://d.test"),
    ]


def test_a_script_is_no_link():
    assert content_of(p(text("x", href="javascript:alert(1)"))).links == ()


def test_words_of_neighbouring_blocks_never_glue():
    body = node("bulletList", item(p("one")), item(p("two")))
    found = content_of(
        node("table", node("tableRow", cell(body, p("three")), cell(p("x"))))
    )
    assert found.text == "| one; two; three | x |"


def test_spanning_cells_repeat_and_header_rows_join():
    found = text_of(
        node(
            "table",
            node(
                "tableRow",
                cell(p("Who"), header=True, rowspan=2),
                cell(p("Days"), header=True, colspan=2),
            ),
            node(
                "tableRow", cell(p("2025"), header=True), cell(p("2026"), header=True)
            ),
            node("tableRow", cell(p("All"), rowspan=2), cell(p("25")), cell(p("26"))),
            node("tableRow", cell(p("30")), cell(p("31"))),
        )
    )
    assert (
        found
        == "| Who | Days / 2025 | Days / 2026 |\n| All | 25 | 26 |\n| All | 30 | 31 |"
    )


def test_a_table_with_titles_at_the_side_has_no_header():
    content = content_of(
        node(
            "table",
            node("tableRow", cell(p("Owner"), header=True), cell(p("Ada"))),
            node("tableRow", cell(p("Team"), header=True), cell(p("People"))),
        )
    )
    assert content.text == "| Owner | Ada |\n| Team | People |"
    assert not blocks(content, BlockKind.TABLE_HEADER)


def test_extensions_are_counted_by_their_key_and_their_text_stays():
    content = content_of(
        node(
            "extension",
            extensionType="com.x",
            extensionKey="gantt",
            text="Plan of 2026",
        ),
        node("bodiedExtension", p("kept"), extensionKey="excerpt"),
        p("a ", node("inlineExtension", extensionKey="jql-count", text="17"), " b"),
        node(
            "multiBodiedExtension",
            node("extensionFrame", p("tab")),
            extensionKey="tabs",
        ),
        node("syncBlock", resourceId="1"),
        node("somethingNew", p("new words")),
    )
    for words in ("Plan of 2026", "kept", "a 17 b", "tab", "new words"):
        assert words in content.text
    assert content.unhandled == {
        "extension gantt": 1,
        "bodiedExtension excerpt": 1,
        "inlineExtension jql-count": 1,
        "multiBodiedExtension tabs": 1,
        "extensionFrame": 1,
        "syncBlock": 1,
        "somethingNew": 1,
    }


def test_an_unknown_mark_and_a_nameless_mention_are_counted():
    content = content_of(p(text("x", "sparkle"), node("mention", id="1")))
    assert content.unhandled == {"mark sparkle": 1, "mention without a name": 1}
    assert content.text == "x@unknown"


def test_an_old_field_holds_plain_text_and_an_empty_one_nothing():
    assert adf_content("Just a line.").text == "Just a line."
    assert adf_content(None).text == ""
    assert adf_content({"type": "doc", "version": 1, "content": []}).text == ""


def test_deep_nesting_keeps_its_words():
    nested = p("at the bottom")
    for _ in range(400):
        nested = node("blockquote", nested)
    assert "at the bottom" in content_of(nested).text
    table = node("table", node("tableRow", cell(nested), cell(p("b"))))
    assert "at the bottom" in content_of(table).text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    [*MUST_KEEP, "tableRow", "tableCell", "listItem", "text", "doc"]
                ),
                "content": inner,
                "attrs": inner,
                "marks": inner,
                "text": inner,
            }
        )
        | st.dictionaries(
            st.sampled_from(["url", "text", "alt", "level", "data"]), inner, max_size=3
        )
    ),
    max_leaves=25,
)


@given(values)
def test_it_never_raises_and_holds_what_every_content_holds(value):
    check_content(adf_content({"type": "doc", "content": [value]}))
    check_content(adf_content(value))
