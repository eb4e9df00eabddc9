"""The short way through `flatten`, which most cells take, says what the long one says."""

from hypothesis import given
from hypothesis import strategies as st
from lxml.html import fragment_fromstring

from connectors.conversion import html_inline

TEXTS = st.text(st.sampled_from("a|<& \n\t\u00a0\u200b\u00ad"), max_size=8)
TAGS = st.sampled_from(["p", "span", "b", "div", "q", "del", "li", "code", "img", "br"])


def cell_of(before, tag, inside, after, attribute):
    cell = fragment_fromstring(f"<div><{tag}></{tag}></div>")
    cell.text = before
    child = cell[0]
    if tag not in ("img", "br"):
        child.text = inside
    child.tail = after
    if attribute:
        child.set(*attribute)
    return cell


@given(
    TEXTS,
    TAGS,
    TEXTS,
    TEXTS,
    st.sampled_from([None, ("hidden", ""), ("style", "display: none"), ("alt", "Map")]),
)
def test_both_ways_agree(before, tag, inside, after, attribute):
    def flat():
        return html_inline.flatten(
            cell_of(before, tag, inside, after, attribute), joined=True
        )

    short = flat()
    plain = html_inline._is_plain
    html_inline._is_plain = lambda element: False
    try:
        assert short == flat()
    finally:
        html_inline._is_plain = plain


def test_an_empty_cell_is_empty():
    assert html_inline.flatten(fragment_fromstring("<div></div>")).text == ""
