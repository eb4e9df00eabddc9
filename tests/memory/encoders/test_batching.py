from hypothesis import given
from hypothesis import strategies as st

from memory.encoders.batching import batches_by_length

lengths = st.lists(st.integers(0, 600), max_size=200)


@given(lengths, st.integers(1, 5000))
def test_every_text_is_in_one_batch(lengths, tokens):
    batches = list(batches_by_length(lengths, tokens_per_batch=tokens))
    assert sorted(sum(batches, [])) == list(range(len(lengths)))


@given(lengths, st.integers(1, 5000))
def test_a_padded_batch_stays_within_its_tokens_unless_it_is_one_text(lengths, tokens):
    for batch in batches_by_length(lengths, tokens_per_batch=tokens):
        padded = len(batch) * max(lengths[at] for at in batch)
        assert padded <= tokens or len(batch) == 1


@given(lengths)
def test_texts_of_like_length_stand_together(lengths):
    batches = batches_by_length(lengths, tokens_per_batch=1024)
    in_order = [lengths[at] for batch in batches for at in batch]
    assert in_order == sorted(lengths, reverse=True)
