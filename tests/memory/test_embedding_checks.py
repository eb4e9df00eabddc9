import numpy as np
import pytest

from memory.embedding import checked_vectors
from memory.errors import EmbeddingError

GOOD = np.eye(4, dtype=np.float32)


def test_unit_vectors_pass_unchanged():
    assert checked_vectors(GOOD, count=4, dimensions=4) is GOOD
    assert checked_vectors(GOOD[:0], count=0, dimensions=4).shape == (0, 4)


@pytest.mark.parametrize(("count", "dimensions"), [(3, 4), (4, 5)])
def test_it_rejects_a_wrong_count_or_size(count, dimensions):
    with pytest.raises(EmbeddingError, match="returned"):
        checked_vectors(GOOD, count=count, dimensions=dimensions)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_it_rejects_a_value_that_is_not_finite(value):
    bad = GOOD.copy()
    bad[2, 1] = value
    with pytest.raises(EmbeddingError, match="finite"):
        checked_vectors(bad, count=4, dimensions=4)


@pytest.mark.parametrize("factor", [0.0, 0.5, 2.0])
def test_it_rejects_a_vector_that_is_not_of_length_one(factor):
    with pytest.raises(EmbeddingError, match="length"):
        checked_vectors(GOOD * factor, count=4, dimensions=4)
