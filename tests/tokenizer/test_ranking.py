"""The ranking beside a sort of all pairs."""

from hypothesis import given
from hypothesis import strategies as st

from tokenizer import Pair
from tokenizer.ranking import Ranking

pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(counts=st.dictionaries(pairs, st.integers(1, 4)), changes=st.lists(st.tuples(pairs, st.integers(0, 5))))
def test_the_order_is_that_of_a_sort_whatever_changes(counts: dict[Pair, int], changes: list[tuple[Pair, int]]) -> None:
    ranking = Ranking(counts, lambda pair: pair)
    for pair, after in changes:
        ranking.change(pair, counts.pop(pair, 0), after)
        if after:
            counts[pair] = after
        expected = sorted(counts, key=lambda pair: (-counts[pair], pair))
        for size in (3, 100):
            assert ranking.first(size) == (expected[:size], [counts[pair] for pair in expected[:size]])
        if expected:
            most = counts[expected[0]]
            assert ranking.top() == (expected[0], most, list(counts.values()).count(most))
        else:
            assert ranking.top() is None


def test_while_changes_come_in_two_pairs_may_have_the_same_key() -> None:
    keys = {(1, 1): 5, (2, 2): 7}
    ranking = Ranking({(1, 1): 2, (2, 2): 2, (3, 3): 3}, lambda pair: keys.get(pair, 0))
    assert ranking.first(3) == ([(3, 3), (1, 1), (2, 2)], [3, 2, 2])
    keys[3, 3] = 5  # where (1, 1) was, which is about to be said to have lost it
    ranking.change((3, 3), 3, 2)
    ranking.change((1, 1), 2, 0)
    assert ranking.first(3) == ([(3, 3), (2, 2)], [2, 2])
