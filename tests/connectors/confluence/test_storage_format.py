"""Storage format to text: what has to be kept of every element, word for word.

FIELD row C25. The elements are those of
https://confluence.atlassian.com/conf91/confluence-storage-format-1442847767.html (read
2026-12).
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.confluence.macros import Inclusion
from connectors.confluence.storage_format import convert, excerpts_of
from connectors.conversion.converted import Warnings
from memory.documents import BlockKind
from tests.connectors.conversion.checks import anchors, blocks, check_content


class Pages:
    """Answers what a page asks."""

    def __init__(self, **included):
        self.pages = included
        self.asked = []

    def user_name(self, account):
        return {"a1": "Ada Lovelace"}.get(account, account)

    def page_url(self, title, space_key, anchor):
        return f"/display/{space_key or 'HOME'}/{title}{'#' if anchor else ''}{anchor}"

    def file_url(self, name):
        return f"/files/{name}"

    def id_url(self, content_id):
        return f"/id/{content_id}"

    def issue_url(self, key):
        return f"/browse/{key}"

    def included(self, title, space_key, *, excerpt):
        self.asked.append((title, space_key, excerpt))
        body = self.pages.get(title)
        if body is not None and excerpt is not None:
            body = excerpts_of(body).get(excerpt)
        return None if body is None else Inclusion(body, self)


def content_of(markup, **included):
    content = convert(markup, Pages(**included), Warnings())
    check_content(content)
    return content


def text_of(markup, **included):
    return content_of(markup, **included).text


def macro(kind, body="", plain="", **parameters):
    inside = "".join(
        f'<ac:parameter ac:name="{key}">{value}</ac:parameter>'
        for key, value in parameters.items()
    )
    if body:
        inside += f"<ac:rich-text-body>{body}</ac:rich-text-body>"
    if plain:
        inside += f"<ac:plain-text-body><![CDATA[{plain}]]></ac:plain-text-body>"
    return (
        f'<ac:structured-macro ac:name="{kind}" ac:schema-version="1" ac:macro-id="x">'
        f"{inside}</ac:structured-macro>"
    )


def test_headings_paragraphs_lists_and_quotes():
    markup = (
        "<h1>Leave</h1><p>Thirty <strong>days</strong>.</p><h2>Sick</h2>"
        "<ul><li><p>Call</p><ul><li><p>by nine</p></li></ul></li></ul>"
        "<ol><li>First</li><li>Second</li></ol><blockquote><p>Said.</p></blockquote>"
        "<p>One<br />Two</p><hr />"
    )
    assert text_of(markup) == (
        "# Leave\n\nThirty days.\n\n## Sick\n\n- Call\n  - by nine\n\n1. First\n2. Second"
        "\n\n> Said.\n\nOne\nTwo"
    )


def test_headings_have_the_anchors_that_links_use():
    content = convert("<h2>My  big Plan</h2>", Pages(), Warnings())
    assert content.sections[0].anchor == "My-big-Plan"
    content = convert("<h2>My Plan</h2>", Pages(), Warnings(), anchors="The Page")
    assert content.sections[0].anchor == "ThePage-MyPlan"


def test_a_tables_rows_keep_their_headers():
    """C25: tables are no flat text."""
    markup = (
        '<table data-layout="default"><colgroup><col /></colgroup><tbody>'
        "<tr><th><p>Level</p></th><th><p>Days</p></th></tr>"
        "<tr><td><p>Junior</p></td><td><p>25</p></td></tr>"
        f"<tr><td><p>Senior</p></td><td>{macro('status', title='30 DAYS')}</td></tr>"
        "</tbody></table>"
    )
    content = content_of(markup)
    assert content.text == "| Level | Days |\n| Junior | 25 |\n| Senior | 30 DAYS |"
    rows = [b for b in content.blocks if b.kind is BlockKind.TABLE_ROW]
    assert {row.header for row in rows} == {"| Level | Days |"}


def test_a_table_in_a_macro_and_macros_in_cells():
    cell = macro("info", "<p>Ask first.</p>") + macro("code", plain="x = 1")
    table = f"<table><tr><th>A</th><th>B</th></tr><tr><td>a</td><td>{cell}</td></tr></table>"
    text = text_of(macro("details", table))
    assert "| a | Info: Ask first. x = 1 |" in text


def test_code_keeps_every_character_and_its_language():
    code = 'if a < b && c:\n    print("&nbsp;")  # <b>'
    content = content_of(macro("code", plain=code, language="python", title="run.py"))
    assert content.text == f"run.py\n\n```python\n{code}\n```"
    assert blocks(content, BlockKind.CODE) == [f"```python\n{code}\n```"]
    assert "a <b> b" in text_of(macro("noformat", plain="a <b> b"))
    assert "nested ]]> end" in text_of(
        macro("code", plain="nested ]]]]><![CDATA[> end")
    )


@pytest.mark.parametrize(
    ("name", "word"),
    [("info", "Info"), ("note", "Note"), ("warning", "Warning"), ("tip", "Tip")],
)
def test_a_panel_says_what_kind_it_is(name, word):
    assert text_of(macro(name, "<p>Back up first.</p>")) == f"{word}: Back up first."
    titled = macro(name, "<ul><li>Back up</li></ul>", title="Before")
    assert text_of(titled) == f"{word}: Before:\n\n- Back up"
    assert text_of(macro(name, "Bare text.")) == f"{word}: Bare text."


def test_a_panel_of_the_new_editor_isnt_said_twice():
    markup = (
        '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">'
        "note</ac:adf-attribute><ac:adf-content><p>Back up first.</p></ac:adf-content>"
        "</ac:adf-node><ac:adf-fallback><div><p>Back up first.</p></div></ac:adf-fallback>"
        "</ac:adf-extension>"
    )
    content = content_of(markup)
    assert content.text == "Note: Back up first."
    assert content.unhandled == {}


def test_decisions_are_kept():
    markup = (
        '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-content>'
        '<ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED'
        "</ac:adf-attribute><ac:adf-content>We take the train.</ac:adf-content>"
        "</ac:adf-node></ac:adf-content></ac:adf-node></ac:adf-extension>"
    )
    assert text_of(markup) == "Decision: We take the train."


def test_an_expand_shows_title_and_text():
    assert text_of(macro("expand", "<p>Inside.</p>", title="More")) == "More\n\nInside."


def test_a_status_stands_in_its_sentence():
    markup = f"<p>It is {macro('status', title='DONE', colour='Green')} now.</p>"
    assert text_of(markup) == "It is DONE now."


def test_tasks_say_whether_they_are_done():
    markup = (
        "<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-uuid>u</ac:task-uuid>"
        "<ac:task-status>complete</ac:task-status><ac:task-body><span>Order </span>"
        '<time datetime="2026-03-01" /> <ac:link><ri:user ri:account-id="a1" /></ac:link>'
        "</ac:task-body></ac:task><ac:task><ac:task-id>2</ac:task-id><ac:task-status>"
        "incomplete</ac:task-status><ac:task-body>Sign</ac:task-body></ac:task>"
        "</ac:task-list>"
    )
    assert text_of(markup) == "- [x] Order 2026-03-01 @Ada Lovelace\n- [ ] Sign"


def test_layouts_read_cell_by_cell():
    markup = (
        '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>Left.</p>'
        "</ac:layout-cell><ac:layout-cell><h2>Right</h2></ac:layout-cell>"
        "</ac:layout-section></ac:layout>"
    )
    assert text_of(markup) == "Left.\n\n## Right"
    assert text_of(macro("section", macro("column", "<p>A</p>"))) == "A"


def test_mentions_are_names_and_else_ids():
    markup = (
        '<p><ac:link><ri:user ri:account-id="a1" /></ac:link> and '
        '<ac:link><ri:user ri:userkey="k9" /></ac:link></p>'
    )
    assert text_of(markup) == "@Ada Lovelace and @k9"


def test_links_to_pages_files_and_headings():
    content = content_of(
        '<p><ac:link ac:anchor="Sick"><ri:page ri:content-title="Leave &amp; co" '
        'ri:space-key="HR" /><ac:plain-text-link-body><![CDATA[the <rules>]]>'
        "</ac:plain-text-link-body></ac:link>, "
        '<ac:link><ri:page ri:content-title="Travel" /></ac:link>, '
        '<ac:link><ri:page ri:content-title="Pay" /><ac:link-body>our <b>pay</b>'
        "</ac:link-body></ac:link>, "
        '<ac:link><ri:attachment ri:filename="a.pdf" /></ac:link>, '
        '<ac:link ac:anchor="Top" />, <a href="https://x.example/">out</a></p>'
    )
    assert content.text == "the <rules>, Travel, our pay, a.pdf, Top, out"
    assert anchors(content) == [
        ("the <rules>", "/display/HR/Leave & co#Sick"),
        ("Travel", "/display/HOME/Travel"),
        ("our pay", "/display/HOME/Pay"),
        ("a.pdf", "/files/a.pdf"),
        ("Top", "#Top"),
        ("out", "https://x.example/"),
    ]


def test_an_issue_is_linked_and_a_query_is_counted():
    content = content_of(f"<p>{macro('jira', key='IT-7', server='Jira')}</p>")
    assert anchors(content) == [("IT-7", "/browse/IT-7")]
    query = content_of(f"<p>a</p>{macro('jira', jqlQuery='project = IT')}")
    assert (query.text, query.unhandled) == ("a", {"macro jira (query)": 1})


def test_a_page_and_an_excerpt_are_included():
    excerpt = macro("excerpt", "<p>Thirty days.</p>")
    named = macro("excerpt", "<p>Call by nine.</p>", name="sick")
    page = f"<h2>Rules</h2>{excerpt}{named}<p>The rest.</p>"
    link = '<ac:link><ri:page ri:content-title="Leave" ri:space-key="HR" /></ac:link>'
    whole = f'<ac:structured-macro ac:name="include"><ac:parameter ac:name="">{link}</ac:parameter></ac:structured-macro>'
    part = whole.replace("include", "excerpt-include")
    other = part.replace(
        "</ac:structured-macro>",
        '<ac:parameter ac:name="name">sick</ac:parameter></ac:structured-macro>',
    )
    assert text_of(whole, Leave=page) == (
        "## Rules\n\nThirty days.\n\nCall by nine.\n\nThe rest."
    )
    assert text_of(part, Leave=page) == "Thirty days."
    assert text_of(other, Leave=page) == "Call by nine."


def test_an_include_that_may_not_be_shown_is_counted():
    link = '<ri:page ri:content-title="Pay" />'
    markup = f'<p>a</p><ac:structured-macro ac:name="include"><ac:parameter ac:name="">{link}</ac:parameter></ac:structured-macro>'
    content = content_of(markup)
    assert (content.text, content.unhandled) == ("a", {"macro include (left out)": 1})


def test_a_page_that_includes_itself_ends():
    link = '<ri:page ri:content-title="Loop" />'
    markup = f'<p>a</p><ac:structured-macro ac:name="include"><ac:parameter ac:name="">{link}</ac:parameter></ac:structured-macro>'
    content = content_of(markup, Loop=markup)
    assert content.text.count("a") == 4
    assert content.unhandled == {"macro include (too deep)": 1}


def test_an_unknown_macro_is_counted_and_its_text_is_kept():
    markup = (
        macro("table-filter", "<p>Rows.</p>")
        + macro("plantuml", plain="A -> B")
        + macro("children")
        + macro("toc", maxLevel="2")
        + "<ac:custom-thing><p>Kept.</p></ac:custom-thing>"
    )
    content = content_of(markup)
    assert content.text == "Rows.\n\n```\nA -> B\n```\n\nKept."
    assert content.unhandled == {
        "ac:custom-thing": 1,
        "macro children": 1,
        "macro plantuml": 1,
        "macro table-filter": 1,
    }


def test_a_hidden_excerpt_is_hidden():
    assert text_of("<p>a</p>" + macro("excerpt", "<p>b</p>", hidden="true")) == "a"


def test_files_in_macros_are_linked():
    markup = f"<p>{macro('viewpdf', name='<ri:attachment ri:filename=' + chr(34) + 'a.pdf' + chr(34) + ' />')}</p>"
    assert anchors(content_of(markup)) == [("a.pdf", "/files/a.pdf")]


def test_images_are_told_by_what_their_author_wrote():
    markup = (
        '<p>See <ac:image ac:alt="Org chart of sales"><ri:attachment '
        'ri:filename="x.png" /><ac:caption><p>Sales in 2026</p></ac:caption></ac:image>'
        '<ac:image><ri:attachment ri:filename="y.png" /></ac:image></p>'
    )
    text = text_of(markup)
    assert "[image: Org chart of sales]" in text
    assert "Sales in 2026" in text
    assert "png" not in text


def test_ticks_and_crosses_are_text_and_smiles_are_not():
    markup = (
        '<p><ac:emoticon ac:name="tick" />yes <ac:emoticon ac:name="cross" />no '
        '<ac:emoticon ac:name="blue-star" ac:emoji-fallback="🚀" />go '
        '<ac:emoticon ac:name="smile" ac:emoji-fallback=":smile:" /></p>'
    )
    assert text_of(markup) == "✓yes ✗no 🚀go"


def test_an_emoji_of_cloud_is_itself_and_not_the_star_of_older_editors():
    """Cloud names every emoji that older editors lack “blue-star”."""
    markup = (
        '<p><ac:emoticon ac:emoji-fallback="✅" ac:emoji-id="2705" ac:emoji-shortname='
        '":white_check_mark:" ac:name="blue-star" />yes <ac:emoticon ac:name="tick" '
        'ac:emoji-fallback=":check_mark:" />yes <ac:emoticon ac:name="blue-star" '
        'ac:emoji-fallback=":our-logo:" />we <ac:emoticon ac:name="blue-star" />5</p>'
    )
    assert text_of(markup) == "✅yes ✓yes we ★5"


def test_a_superscript_keeps_numbers_apart():
    markup = "<p>10<sup>6</sup> m<sup>2</sup>, 2<sup>nd</sup>, H<sub>2</sub>O</p>"
    assert text_of(markup) == "10^6 m^2, 2nd, H2O"


def test_tasks_in_paragraphs_and_below_one_another():
    def task(status, body):
        return (
            f"<ac:task><ac:task-status>{status}</ac:task-status>"
            f"<ac:task-body>{body}</ac:task-body></ac:task>"
        )

    inner = f"<ac:task-list>{task('incomplete', 'Sign')}</ac:task-list>"
    markup = task("complete", f"Order{inner}") + task("incomplete", "<p>Pay</p>")
    assert text_of(f"<ac:task-list>{markup}</ac:task-list>") == (
        "- [x] Order\n  - [ ] Sign\n- [ ] Pay"
    )


def test_links_without_text_say_where_they_lead():
    content = content_of(
        '<p><ac:link><ri:url ri:value="https://x.example/" /></ac:link> '
        '<ac:link><ri:content-entity ri:content-id="12" /><ac:link-body>doc'
        "</ac:link-body></ac:link> "
        '<ac:link><ri:shortcut ri:key="jira" ri:parameter="IT-1" /></ac:link> '
        '<ac:link><ri:space ri:space-key="HR" /></ac:link> '
        '<ac:link><ri:attachment ri:filename="a.pdf"><ri:page ri:content-title="Pay" />'
        "</ri:attachment></ac:link></p>"
    )
    assert content.text == "https://x.example/ doc IT-1 HR a.pdf"
    assert anchors(content) == [
        ("https://x.example/", "https://x.example/"),
        ("doc", "/id/12"),
        # A file on another page: that page has it.
        ("a.pdf", "/display/HOME/Pay"),
    ]


def test_what_a_macro_embeds_is_counted_and_its_address_is_kept():
    video = '<ri:url ri:value="https://video.example/1" />'
    content = content_of(f"<p>See {macro('widget', url=video)}</p>")
    assert anchors(content) == [("https://video.example/1", "https://video.example/1")]
    assert content.unhandled == {"macro widget": 1}
    profile = macro("profile", user='<ri:user ri:account-id="a1" />')
    assert text_of(f"<p>Ask {profile}.</p>") == "Ask @Ada Lovelace."


def test_what_the_new_editor_cant_say_otherwise_is_its_fallback():
    markup = (
        '<ac:adf-extension><ac:adf-node type="extension"><ac:adf-attribute key="k">v'
        "</ac:adf-attribute></ac:adf-node><ac:adf-fallback><p>Only here.</p>"
        "</ac:adf-fallback></ac:adf-extension>"
    )
    content = content_of(markup)
    assert content.text == "Only here."
    assert content.unhandled == {"node extension": 1}


def test_a_page_has_no_frame_that_could_be_left_out():
    markup = '<header>One</header><aside>Two</aside><div class="cookie-bar">3</div>'
    assert text_of(markup) == "One\n\nTwo\n\n3"


def test_struck_text_is_marked():
    style = "color: red; text-decoration: line-through;"
    markup = f'<p><span style="{style}">36</span> <del>40</del> 48 months</p>'
    assert text_of(markup) == "~~36~~ ~~40~~ 48 months"


def test_what_is_no_text_is_left_out():
    markup = (
        "<p>a<ac:placeholder>Type here</ac:placeholder></p>"
        '<p><ac:inline-comment-marker ac:ref="r">b</ac:inline-comment-marker></p>'
        "<!-- no -->" + macro("anchor", **{"": "here"})
    )
    content = content_of(markup)
    assert (content.text, content.unhandled) == ("a\n\nb", {})


def test_named_characters_are_read_and_unknown_ones_kept():
    assert text_of(
        "<p>&nbsp;a&nbsp;&mdash;&rsquo;&Auml;&lt;b&gt;&#233;&bogus; &</p>"
    ) == ("a —’Ä<b>é&bogus; &")


def test_no_entity_is_expanded_and_nothing_is_fetched():
    markup = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><p>a &e;</p>'
    assert "root:" not in text_of(markup)


def test_damaged_markup_is_read_with_a_warning():
    warnings = Warnings()
    content = convert("<p>Begins <b>here</p><p>and ends", Pages(), warnings)
    check_content(content)
    assert "Begins here" in content.text
    assert "and ends" in content.text
    assert [reason for reason, _ in warnings.found] == ["damaged_markup"]


def test_ten_thousand_nested_elements_lose_no_text():
    for tag in ("div", "blockquote", "ac:layout-cell"):
        markup = f"<{tag}>" * 10_000 + "core" + f"</{tag}>" * 10_000 + "<p>tail</p>"
        text = convert(markup, Pages(), Warnings()).text
        assert "core" in text
        assert "tail" in text


def test_an_empty_page_is_empty():
    for markup in ("", " ", "<p />", "<p>&nbsp;</p>", macro("toc")):
        assert text_of(markup) == ""


WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1)


@st.composite
def elements(draw, depth=3):
    """Return markup of any nesting, with words that have to be kept."""
    if depth == 0 or draw(st.booleans()):
        word = draw(WORDS)
        return f"<p>{word}</p>", [word]
    parts = draw(st.lists(elements(depth=depth - 1), min_size=1, max_size=3))
    inside = "".join(markup for markup, _ in parts)
    kept = [word for _, words in parts for word in words]
    kind = draw(
        st.sampled_from(
            ["div", "info", "expand", "section", "strange", "layout", "list", "cell"]
        )
    )
    if kind == "div":
        return f"<div>{inside}</div>", kept
    if kind == "layout":
        return f"<ac:layout><ac:layout-cell>{inside}</ac:layout-cell></ac:layout>", kept
    if kind == "list":
        return f"<ul><li>{inside}</li></ul>", kept
    if kind == "cell":
        return (
            f"<table><tr><th>H</th><th>I</th></tr><tr><td>{inside}</td><td>x</td></tr></table>",
            kept,
        )
    return macro(kind, inside), kept


@given(elements())
def test_no_word_is_lost_in_any_nesting(made):
    markup, kept = made
    content = content_of(markup)
    for word in kept:
        assert word in content.text


@given(st.text(max_size=200))
def test_any_text_at_all_gives_content(markup):
    content_of(markup)
