"""The lazy queue beside a sort of all pairs."""

from hypothesis import given
from hypothesis import strategies as st

from tokenizer import Pair
from tokenizer.lazy_queue import LazyQueue

pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))


@given(counts=st.dictionaries(pairs, st.integers(1, 5)), data=st.data())
def test_the_top_is_that_of_a_sort_however_counts_fall(counts: dict[Pair, int], data: st.DataObject) -> None:
    queue = LazyQueue(counts, lambda pair: pair)
    while counts:
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        assert queue.top() == queue.top() == (best, counts[best])
        most = counts.pop(best)
        for pair in data.draw(st.lists(st.sampled_from(sorted(counts)), max_size=4)) if counts else []:
            if pair in counts:
                counts[pair] -= 1
                if not counts[pair]:
                    del counts[pair]
        for left, right in data.draw(st.lists(pairs, max_size=2)):
            born = (left + 10 * most, right)
            if born not in counts and most > 1:
                counts[born] = data.draw(st.integers(1, most - 1))
                queue.add(born, counts[born])
    assert queue.top() is None


def test_a_pair_that_is_born_as_frequent_as_the_top_takes_its_place_by_the_rule() -> None:
    counts = {(1, 1): 3, (3, 3): 3}
    queue = LazyQueue(counts, lambda pair: pair)
    assert queue.top() == ((1, 1), 3)
    del counts[1, 1]
    counts[2, 2] = 3
    queue.add((2, 2), 3)
    assert queue.top() == ((2, 2), 3)


def test_keys_are_made_only_for_pairs_that_reach_the_top() -> None:
    asked: list[Pair] = []

    def key(pair: Pair) -> Pair:
        asked.append(pair)
        return pair

    counts = {(1, 1): 3, (2, 2): 3, (3, 3): 2}
    queue = LazyQueue(counts, key)
    counts[2, 2] = 1
    assert queue.top() == ((1, 1), 3)
    assert asked == [(1, 1)]
