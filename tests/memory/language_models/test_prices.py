"""What calls cost, and what isn't known."""

from datetime import date
from decimal import Decimal

import pytest

from memory.language_models.prices import PriceError, Prices, Tokens


@pytest.fixture
def written(tmp_path):
    def write(text):
        file = tmp_path / "prices.toml"
        file.write_text(text)
        return file

    return write


def test_every_packaged_price_has_a_page_and_a_day():
    prices = Prices.load()
    assert prices.of("gpt-5.4")
    for name, price in prices.models.items():
        assert price.source.startswith("https://"), name
        assert isinstance(price.read, date), name
        assert price.cached_input <= price.input <= price.output or price.output == 0


def test_the_papers_models_have_prices():
    prices = Prices.load()
    names = ("gpt-5.4", "gpt-5.4-mini", "text-embedding-3-small")
    assert all(prices.of(name) for name in names)


def test_cached_and_written_tokens_have_prices_of_their_own():
    price = Prices.load().of("gpt-6-luna")
    tokens = Tokens(prompt=1_000_000, completion=0, cached=400_000, written=200_000)
    # 400,000 fresh at 0.10, 400,000 cached at 0.01, 200,000 written at 0.125
    assert price.cost(tokens) == Decimal("0.069")


def test_reasoning_is_part_of_the_reply():
    tokens = Tokens(prompt=0, completion=1_000_000, reasoning=900_000)
    assert Prices.load().cost("gpt-5.4", tokens) == 15


def test_a_dated_name_has_the_price_of_the_plain_one():
    prices = Prices.load()
    assert prices.of("gpt-5.4-2026-03-05") == prices.of("gpt-5.4")
    assert prices.of("gpt-5.4-pro") is None


def test_what_is_not_known_is_none_and_not_zero():
    prices = Prices.load()
    assert prices.cost("llama", Tokens(10, 10)) is None
    assert prices.cost("gpt-5.4", None) is None


def test_a_file_corrects_and_adds(written):
    file = written(
        '[models."gpt-5.4"]\ninput = 9\noutput = 9.5\n'
        '[models."our-deployment"]\ninput = 0\noutput = 0\n'
    )
    prices = Prices.load(file)
    assert prices.cost("gpt-5.4", Tokens(1_000_000, 0)) == 9
    assert prices.cost("our-deployment", Tokens(5, 5)) == 0
    assert prices.of("gpt-5.4-mini") == Prices.load().of("gpt-5.4-mini")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("models = 3", "prices stand in tables"),
        ("[models.x]\ninput = 1", "both `input` and `output`"),
        ('[models.x]\ninput = "free"\noutput = 1', "dollars per million"),
        ("[models.x]\ninput = -1\noutput = 1", "dollars per million"),
        ("[models.x]\ninput = nan\noutput = 1", "dollars per million"),
        ("[models.x]\ninput = true\noutput = 1", "dollars per million"),
        ("[models", "no TOML"),
    ],
)
def test_a_table_with_a_mistake_is_refused_with_its_place(written, text, told):
    with pytest.raises(PriceError, match=told) as caught:
        Prices.load(written(text))
    assert "prices.toml" in str(caught.value)


def test_a_file_that_is_missing_is_named(tmp_path):
    with pytest.raises(PriceError, match=r"nowhere\.toml"):
        Prices.load(tmp_path / "nowhere.toml")
