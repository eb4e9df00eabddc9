"""Markup that was made to be slow, endless or huge, and pages that include others."""

import pytest

from connectors.confluence.macros import Inclusion
from connectors.confluence.storage_format import MAX_INCLUDED, convert
from connectors.conversion.converted import Warnings
from connectors.conversion.guards import MAX_MARKUP, MAX_TAGS
from connectors.errors import ConversionError
from tests.connectors.confluence.test_storage_format import Pages, macro
from tests.connectors.conversion.checks import anchors


def test_included_text_has_its_own_pages_links_and_includes():
    """A page without a space's key is one of the space that the text is from."""

    class Other(Pages):
        def page_url(self, title, space_key, anchor):
            return f"/display/{space_key or 'OTHER'}/{title}"

    class Outer(Pages):
        def included(self, title, space_key, *, excerpt):
            found = super().included(title, space_key, excerpt=excerpt)
            return found and Inclusion(found.markup, Other())

    link = '<ac:link><ri:page ri:content-title="Pay" /></ac:link>'
    include = (
        '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">'
        '<ri:page ri:content-title="Leave" /></ac:parameter></ac:structured-macro>'
    )
    outer = Outer(Leave=f"<p>{link}</p>")
    content = convert(f"<p>{link}</p>{include}", outer, Warnings())
    assert [url for _, url in anchors(content)] == [
        "/display/HOME/Pay",
        "/display/OTHER/Pay",
    ]


def test_pages_that_include_one_another_many_times_stay_small():
    """Three deep and a hundred wide would be a million copies."""

    def including(title):
        return (
            '<ac:structured-macro ac:name="include"><ac:parameter ac:name="">'
            f'<ri:page ri:content-title="{title}" /></ac:parameter>'
            "</ac:structured-macro>"
        )

    pages = {
        "A": including("B") * 100,
        "B": including("C") * 100,
        "C": "<p>core</p>" * 100,
    }
    content = convert(including("A") * 100, Pages(**pages), Warnings())
    assert 0 < len(content.text) < 2 * MAX_INCLUDED
    assert content.unhandled["macro include (too much)"] > 100


def test_a_page_that_would_fill_the_memory_is_refused():
    for markup in ("x" * (MAX_MARKUP + 1), "<p>" * (MAX_TAGS + 1)):
        with pytest.raises(ConversionError) as refused:
            convert(markup, Pages(), Warnings())
        assert refused.value.reason == "too_large"


@pytest.mark.parametrize(
    ("markup", "kept"),
    [
        ("<p>a<ac:parameter />b</p>" * 20_000, "ab"),
        ("<p>" + "a<ac:parameter />" * 100_000 + "z</p>", "aaz"),
        ("<p>a & b</p>" + "<![CDATA[" * 50_000, "a & b"),
        ("<p>a</p>" + "<" * 200_000, "a"),
        ("<p>a</p>" + "&x" * 200_000, "a"),
        (
            "<p>a</p>" + macro("info", macro("tip", "<p>b</p>")) * 2_000,
            "Info:\n\nTip: b",
        ),
        ("<p " + " ".join(f'a{n}="x"' for n in range(20_000)) + ">a</p>", "a"),
    ],
    ids=["dropped", "dropped in text", "open CDATA", "<", "&", "macros", "attributes"],
)
def test_markup_that_was_made_to_be_slow_is_read(markup, kept):
    """Each took time by the square of its length with some plain way of reading it."""
    assert kept in convert(markup, Pages(), Warnings()).text
