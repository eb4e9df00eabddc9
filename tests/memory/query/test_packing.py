from hypothesis import given
from hypothesis import strategies as st

from memory.distillation.statements import memory_key
from memory.query.packing import Packer, render_card
from memory.tokens import count_tokens
from tests.memory.query.examples import candidate


def test_it_packs_in_rank_order_and_says_what_it_left_out():
    long = "word " * 3900
    given_candidates = [
        candidate(1, text="first"),
        candidate(2, text=long),
        candidate(3, text="word " * 400),
        candidate(4, text="fourth"),
    ]
    packed = Packer().pack(given_candidates)
    assert [card.text for card in packed.evidence] == ["first", long, "fourth"]
    assert list(packed.skipped.values()) == ["evidence_token_budget"]


def test_a_sixth_document_is_skipped_but_a_fifth_goes_on():
    given_candidates = [candidate(n, document=n) for n in range(1, 7)]
    given_candidates.append(candidate(8, document=2))
    packed = Packer().pack(given_candidates)
    assert [c.chunk_id.int for c in packed.candidates] == [1, 2, 3, 4, 5, 8]
    assert packed.skipped == {given_candidates[5].chunk_id: "document_budget"}


def test_a_repeated_chunk_is_packed_once():
    packed = Packer().pack([candidate(1), candidate(1)])
    assert len(packed.evidence) == 1


def test_a_card_knows_what_its_chunk_is_about():
    item = candidate(1)
    packed = Packer().pack([item])
    chunk = item.stored.chunk
    assert packed.evidence[0].topic == memory_key(chunk.title, chunk.path)


def test_a_chunk_that_alone_is_too_long_is_skipped_and_the_next_one_packed():
    packed = Packer(max_tokens=200).pack(
        [candidate(1, text="word " * 300), candidate(2, text="short")]
    )
    assert [card.text for card in packed.evidence] == ["short"]
    assert list(packed.skipped.values()) == ["evidence_token_budget"]


def test_a_continued_table_brings_its_header():
    packed = Packer().pack([candidate(1, text="| IC4 | 10 |", header="| Level | N |")])
    assert packed.evidence[0].text == "| Level | N |\n| IC4 | 10 |"


candidates = st.lists(
    st.builds(
        candidate,
        st.integers(1, 40),
        document=st.integers(1, 9),
        text=st.integers(1, 1500).map(lambda n: "word " * n),
    ),
    max_size=12,
)


@given(candidates)
def test_the_cards_fit_the_budget_as_a_model_reads_them(given_candidates):
    packed = Packer().pack(given_candidates)
    rendered = "\n\n".join(render_card(card) for card in packed.evidence)
    assert count_tokens(rendered) <= 4096
    assert len({card.document_id for card in packed.evidence}) <= 5
    assert len({card.chunk_id for card in packed.evidence}) == len(packed.evidence)


@given(candidates)
def test_every_candidate_is_packed_or_skipped_with_a_reason(given_candidates):
    packed = Packer().pack(given_candidates)
    chosen = {item.chunk_id for item in packed.candidates}
    assert {
        item.chunk_id for item in given_candidates
    } == chosen | packed.skipped.keys()
    assert all(packed.skipped.values())
