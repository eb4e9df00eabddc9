import pytest

from connectors.conversion import convert
from connectors.conversion.converted import Warnings
from connectors.conversion.guards import MAX_MARKUP, MAX_TAGS
from connectors.conversion.html import html_content
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion.checks import anchors, blocks, check_content


def content_of(markup: str):
    content = html_content(markup, Warnings())
    check_content(content)
    return content


def text_of(markup: str) -> str:
    return content_of(markup).text


def test_scripts_styles_and_chrome_are_no_text():
    page = """<html><head><title>T</title><style>p{}</style></head><body>
    <nav>Menu</nav><header><a href="/">Logo</a><h1>Leave</h1></header>
    <div id="cookie-banner">We use cookies</div><div role="navigation">Crumbs</div>
    <main><header><h2>Inside</h2></header><p>Text<!-- hidden --></p>
    <script>alert(1)</script><template>t</template><noscript>n</noscript>
    <p hidden>h</p><p style="display: none">s</p><p aria-hidden="true">a</p>
    <form><label>Search</label><button>Go</button><select><option>x</select></form></main>
    <aside>Ads</aside><footer>Imprint</footer></body></html>"""
    assert text_of(page) == "# Leave\n\n## Inside\n\nText\n\nSearch"


def test_a_policy_about_cookies_is_text():
    assert (
        text_of('<div class="cookie-policy"><p>Our cookies.</p></div>')
        == "Our cookies."
    )


def test_lists_nest_and_keep_their_numbers():
    markup = """<ol start="3"><li>three<ul><li>inner <b>bold</b></li></ul></li>
    <li value="7"><p>seven</p><p>more</p></li><li>eight</ol>"""
    assert text_of(markup) == "3. three\n  - inner bold\n7. seven\n\nmore\n\n8. eight"


def test_two_lists_stand_apart():
    assert text_of("<ul><li>a</ul><ul><li>b</ul>") == "- a\n\n- b"


def test_a_table_repeats_spanning_cells_and_joins_header_rows():
    markup = """<table><thead><tr><th rowspan=2>Who</th><th colspan=2>Days</th></tr>
    <tr><th>2025</th><th>2026</th></tr></thead>
    <tbody><tr><td rowspan="2">All</td><td>25</td><td>26</td></tr>
    <tr><td>30</td><td>31</td></tr></tbody></table>"""
    assert text_of(markup) == (
        "| Who | Days / 2025 | Days / 2026 |\n| All | 25 | 26 |\n| All | 30 | 31 |"
    )


def test_the_first_row_is_the_header_and_a_title_row_stands_above():
    markup = """<table><tr><td>Version 2<td><td></tr><tr><td><td><td></tr>
    <tr><td>Level<td>Options<td>$</tr><tr><td>M6<td><p>61,880<p>gross<td>$411</table>"""
    assert text_of(markup) == (
        "Version 2\n\n| Level | Options | $ |\n| M6 | 61,880; gross | $411 |"
    )


def test_a_table_with_titles_at_the_side_has_no_header():
    content = content_of(
        "<table><tr><th>Owner<td>Ada</tr><tr><th>Team<td>People</tr></table>"
    )
    assert content.text == "| Owner | Ada |\n| Team | People |"
    assert {b.header for b in content.blocks} == {""}


def test_cells_join_lists_and_nested_tables_as_text():
    markup = """<table><tr><th>A<th>B</tr><tr><td><ul><li>x<li>y.</ul><p>z
    <td><table><tr><td>in<td>ner</table></tr></table>"""
    assert text_of(markup) == "| A | B |\n| x; y. z | in; ner |"


def test_a_layout_table_is_paragraphs():
    assert text_of("<table><tr><td><h2>A</h2><p>b</td></tr></table>") == "## A\n\nb"


def test_definitions_are_items_with_their_term():
    assert text_of("<dl><dt>PTO<dd>Paid time off<dt>SLA<dd>Promise</dl>") == (
        "- PTO: Paid time off\n- SLA: Promise"
    )


def test_code_keeps_its_lines_and_language():
    markup = '<pre><code class="language-sh">a \n  b<br>c</code></pre><p>use <code>x</code></p>'
    assert text_of(markup) == "```sh\na\n  b\nc\n```\n\nuse x"


def test_quotes_details_and_breaks_keep_their_text():
    markup = (
        "<blockquote><p>a<br>b</blockquote><details><summary>S</summary>t</details>"
    )
    assert text_of(markup) == "> a\n> b\n\nS\n\nt"


def test_links_lie_beside_the_text_and_stay_relative():
    content = content_of(
        '<p>See <a href="../x.md#y"> the <b>page</b></a>, <a href="javascript:x">no</a>'
        '<a href="data:x">, nor</a> <a href=" /z ">z</a></p>'
    )
    assert content.text == "See the page, no, nor z"
    assert anchors(content) == [("the page", "../x.md#y"), ("z", "/z")]


def test_headings_keep_their_ids_as_anchors():
    content = content_of(
        '<h1 id="a">A</h1><h2><a name="b"></a>B</h2><h2></h2><h2>B</h2>'
    )
    assert [(s.path, s.anchor) for s in content.sections] == [
        (("A",), "a"),
        (("A", "B"), "b"),
        (("A", "B"), ""),
    ]


def test_an_image_is_told_by_an_alt_text_that_says_something():
    markup = (
        '<p>a <img alt="Org chart of sales"> <img alt="image.png"> <img alt=""> b</p>'
    )
    assert text_of(markup) == "a [image: Org chart of sales] b"


def test_what_cannot_be_shown_is_counted_and_its_text_kept():
    content = content_of(
        '<iframe src="x"></iframe><video>no video</video><x-y a=1>c</x-y>'
    )
    assert content.text == "no videoc"
    assert content.unhandled == {"iframe": 1, "video": 1, "x-y": 1}


def test_struck_text_is_marked():
    assert text_of("<p><del>36</del> 48 months</p>") == "~~36~~ 48 months"


def test_head_gives_title_author_and_date():
    page = convert(
        b"<html><head><title> A\n page </title><meta name=author content=Ada>"
        b'<meta property="article:modified_time" content="2026-03-01T10:00:00Z">'
        b"</head><body>text",
        name="x.html",
    )
    assert (page.title, page.author, page.kind) == ("A page", "Ada", "html")
    assert page.updated_at is not None
    assert page.updated_at.isoformat() == "2026-03-01T10:00:00+00:00"


@pytest.mark.parametrize("tag", ["div", "span", "ul", "table", "b", "blockquote"])
def test_ten_thousand_nested_elements_lose_no_text(tag):
    markup = f"<{tag}>" * 10_000 + "core" + f"</{tag}>" * 10_000 + "<p>tail</p>"
    warnings = Warnings()
    text = html_content(markup, warnings).text
    assert "core" in text
    assert "tail" in text
    assert [reason for reason, _ in warnings.found] == ["deep_nesting"]


def test_markup_without_text_is_empty():
    with pytest.raises(ConversionError) as refusal:
        convert(b"<html><body><script>x</script><p> </p></body></html>", name="a.html")
    assert refusal.value.reason == "empty"


def test_one_long_paragraph_is_read_whole():
    content = content_of("<p>" + "word <b>and</b> " * 100_000 + "</p>")
    assert blocks(content, BlockKind.PARAGRAPH)[0].count("word") == 100_000


def test_a_span_bomb_is_bounded():
    cell = "<td rowspan=65000 colspan=1000>x</td>"
    content = content_of(f"<table>{('<tr>' + cell * 20 + '</tr>') * 100}</table>")
    assert len(content.text) < 200_000


def test_tags_that_never_end_are_read_at_once():
    """A plain search for their ends took time by the square of their number."""
    assert text_of("<p>word</p>" + "<a" * 100_000).startswith("word")


def test_a_page_that_would_fill_the_memory_is_refused():
    for markup in ("x" * (MAX_MARKUP + 1), "<p>" * (MAX_TAGS + 1)):
        with pytest.raises(ConversionError) as refused:
            html_content(markup, Warnings())
        assert refused.value.reason == "too_large"


def test_a_superscript_keeps_numbers_apart():
    assert text_of("<p>10<sup>6</sup> and 2<sup>nd</sup></p>") == "10^6 and 2nd"
