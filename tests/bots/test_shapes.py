from hypothesis import given
from hypothesis import strategies as st

from bots.shapes import Row, Run, Shape, Shaped, Span, shaped


def words(block):
    return "".join(run.text for run in block.runs)


def test_a_sentence_keeps_its_numbers_after_its_last_character():
    text = "First. Second."
    [block] = shaped(text, [Span(0, 6, (1,)), Span(7, 14, (1, 2), quoted=True)])
    assert block == Shaped(
        Shape.PARAGRAPH,
        runs=(
            Run("First.", (1,)),
            Run(" "),
            Run("Second.", (1, 2), quoted=True),
        ),
    )


def test_a_sentence_over_two_lines_shows_its_numbers_once():
    text = "Steps:\n\n- Ask\n- Wait"
    blocks = shaped(text, [Span(0, len(text), (1,))])
    numbers = [
        number for block in blocks for run in block.runs for number in run.numbers
    ]
    assert numbers == [1]
    assert blocks[-1].runs[-1].numbers == (1,)


def test_list_items_have_depth_and_number():
    blocks = shaped("1. One\n  - Nested\n2) Two")
    assert [(b.shape, b.depth, b.ordinal, words(b)) for b in blocks] == [
        (Shape.ITEM, 0, 1, "One"),
        (Shape.ITEM, 1, None, "Nested"),
        (Shape.ITEM, 0, 2, "Two"),
    ]


def test_a_table_has_a_header_rows_and_the_rows_numbers():
    text = "| Model | Price |\n| --- | --- |\n| A \\| B | 900 |"
    [table] = shaped(text, [Span(text.rindex("| A"), len(text), (3,))])
    assert table.header == ((Run("Model"),), (Run("Price"),))
    assert table.rows == (Row(((Run("A | B"),), (Run("900"),)), (3,)),)


def test_one_table_row_alone_is_no_header():
    [table] = shaped("| Light | 900 |", [Span(0, 15, (1,))])
    assert table.header == ()
    assert table.rows[0].numbers == (1,)


def test_an_empty_cell_keeps_its_place():
    [table] = shaped("| a | b |\n| | 2 |")
    assert table.rows[0].cells == ((), (Run("2"),))


def test_code_is_kept_as_it_stands():
    [block] = shaped("```sh\n- not a list\n\n  # nor a heading\n```")
    assert block.shape is Shape.CODE
    assert words(block) == "- not a list\n\n  # nor a heading"


def test_an_unclosed_fence_is_code_to_the_end():
    [block] = shaped("```\nx = 1\ny = 2")
    assert (block.shape, words(block)) == (Shape.CODE, "x = 1\ny = 2")


def test_headings_and_quotes_lose_their_marks():
    heading, quote = shaped("## Rules\n> Be kind.\n> Always.")
    assert (heading.level, words(heading)) == (2, "Rules")
    assert words(quote).split() == ["Be", "kind.", "Always."]


@given(
    st.lists(
        st.sampled_from(["ab", " ", "\n", "- ", "| ", "1. ", "# ", "> ", "\n\n", "`"])
    ),
    st.integers(0, 5),
)
def test_no_word_is_lost_and_none_is_told_twice(pieces, cut):
    text = "".join(pieces)
    spans = [Span(min(cut, len(text)), len(text), (1,))]
    shown = [
        "".join(run.text for run in runs)
        for block in shaped(text, spans)
        for runs in (
            block.runs,
            *block.header,
            *(cell for row in block.rows for cell in row.cells),
        )
    ]
    assert "".join(shown).count("a") == text.count("a")
