import re

from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion.rich import clean, collapsed

ODD = st.sampled_from(
    "a b\t\n\r\x00\x07\x0b\x1c\x1f\x7f\x85\xa0\xad\u200b\u2028\u3000\ufeff"
)


@given(st.text(ODD | st.characters()))
def test_white_space_collapses_however_a_text_is_read(text):
    """The quick way says what the plain one says."""
    assert collapsed(text) == re.sub(r"\s+", " ", clean(text))
