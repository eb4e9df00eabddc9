from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.documents import Hit
from memory.query.fusion import Route, fuse, resolve

DOCUMENT = UUID(int=99)


def hit(number: int, *chunks: int, score: float = 0.5) -> Hit:
    ids = tuple(UUID(int=chunk) for chunk in chunks or (number,))
    return Hit(UUID(int=number), DOCUMENT, ids, score)


def test_scores_are_the_weighted_sum_of_reciprocal_ranks():
    fused = fuse([Route("a", 1.0, [hit(1), hit(2)]), Route("b", 0.5, [hit(2)])])
    assert dict(fused) == {
        UUID(int=2): pytest.approx(1 / 62 + 0.5 / 61),
        UUID(int=1): pytest.approx(1 / 61),
    }
    assert fused[0][0] == UUID(int=2)


def test_ties_go_by_chunk_id():
    fused = fuse([Route("a", 1.0, [hit(7)]), Route("b", 1.0, [hit(3)])])
    assert [chunk for chunk, _ in fused] == [UUID(int=3), UUID(int=7)]


def test_a_memory_counts_for_its_chunks_and_a_chunk_once():
    memories = [hit(100, 1, 2), hit(101, 2), hit(102, 3)]
    assert list(resolve(memories)) == [UUID(int=1), UUID(int=2), UUID(int=3)]


def test_ranks_are_renumbered_over_resolved_chunks():
    fused = dict(fuse([Route("m", 1.0, [hit(100, 1, 2), hit(101, 3)])]))
    assert fused[UUID(int=3)] == pytest.approx(1 / 63)


def test_a_hit_stands_for_at_most_five_chunks():
    assert len(resolve([hit(100, *range(1, 13))])) == 5


routes = st.lists(
    st.builds(
        Route,
        st.just("r"),
        st.floats(0.1, 2.0),
        st.lists(st.integers(1, 30), max_size=20, unique=True).map(
            lambda numbers: [hit(number) for number in numbers]
        ),
    ),
    max_size=6,
)


@given(routes, st.randoms())
def test_the_order_of_routes_does_not_matter(given_routes, random):
    shuffled = list(given_routes)
    random.shuffle(shuffled)
    left, right = dict(fuse(given_routes)), dict(fuse(shuffled))
    assert left.keys() == right.keys()
    for chunk, score in left.items():
        assert score == pytest.approx(right[chunk])


@given(routes)
def test_every_chunk_found_is_there_once_best_first(given_routes):
    fused = fuse(given_routes)
    found = {
        chunk for route in given_routes for h in route.hits for chunk in h.chunk_ids
    }
    assert {chunk for chunk, _ in fused} == found
    assert len(fused) == len(found)
    scores = [score for _, score in fused]
    assert scores == sorted(scores, reverse=True)
