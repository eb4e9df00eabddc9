"""How statements are worded, for memories and for answers alike."""

from memory.distillation.statements import (
    is_statement,
    item_values,
    lead_in,
    memory_key,
    row_value,
)


def test_a_key_has_the_title_and_the_last_two_headings_each_once():
    assert memory_key("Travel", ("A", "Hotels", "Berlin")) == "Travel / Hotels / Berlin"
    assert memory_key("Travel", ("Travel",)) == "Travel"
    assert memory_key("", ("Hotels",)) == "Hotels"


def test_a_paragraph_that_ends_in_a_colon_leads_in_with_its_last_sentence():
    assert lead_in("Read this. Then do\nthese steps:\n") == "Then do these steps:"
    assert lead_in("Read this.") == ""


def test_a_short_item_stands_under_its_lead_in():
    assert item_values("1. Open a\n ticket", "To order:") == ["To order: Open a ticket"]
    assert item_values("- Open a ticket", "x" * 120) == ["Open a ticket"]


def test_a_long_item_is_taken_sentence_by_sentence():
    sentence = "Word " * 40 + "ends here."
    assert item_values(f"- {sentence} {sentence}", "") == [sentence, sentence]


def test_a_row_names_its_cells_by_the_header():
    row = r"| Berlin \| Munich | | 250 USD | more |"
    value = "City: Berlin | Munich; Price: 250 USD; more"
    assert row_value(row, "| City | Note | Price |") == value


def test_a_statement_has_four_words_and_no_more_than_600_characters():
    assert is_statement("Hotels cost 300 USD.")
    assert not is_statement("See below please.")
    assert not is_statement("word " * 121)
