"""The lazy queue beside a sort of all pairs."""

from hypothesis import given
from hypothesis import strategies as st

from tokenizer import Pair
from tokenizer.fast.counted_pair import CountedPair
from tokenizer.lazy_queue import LazyQueue

pairs = st.tuples(st.integers(0, 3), st.integers(0, 3))


def counted(pair: Pair, count: int) -> CountedPair:
    return CountedPair(pair, count, [])


@given(counts=st.dictionaries(pairs, st.integers(1, 5)), least=st.integers(1, 3), data=st.data())
def test_the_top_is_that_of_a_sort_however_counts_fall(
    counts: dict[Pair, int], least: int, data: st.DataObject
) -> None:
    known = {pair: counted(pair, count) for pair, count in counts.items()}
    ever = set(known)
    queue = LazyQueue(known.values(), lambda pair: pair, least)
    while frequent := [one for one in known.values() if one.count >= least]:
        best = min(frequent, key=lambda one: (-one.count, one.pair))
        assert queue.top() is queue.top() is best
        most = best.count
        known.pop(best.pair).count = 0
        for pair in data.draw(st.lists(st.sampled_from(sorted(known)), max_size=4)) if known else []:
            known[pair].count = max(0, known[pair].count - 1)
        for left, right in data.draw(st.lists(pairs, max_size=2)):
            born = (left + 10 * most, right)
            if born not in ever:
                ever.add(born)
                known[born] = counted(born, data.draw(st.integers(0, most)))
                queue.add(known[born])
    assert queue.top() is None


def test_a_pair_that_is_born_as_frequent_as_the_top_takes_its_place_by_the_rule() -> None:
    first, last = counted((1, 1), 3), counted((3, 3), 3)
    queue = LazyQueue([last, first], lambda pair: pair)
    assert queue.top() is first
    first.count = 0
    queue.add(born := counted((2, 2), 3))
    assert queue.top() is born


def test_keys_are_made_only_for_pairs_that_reach_the_top() -> None:
    asked: list[Pair] = []

    def key(pair: Pair) -> Pair:
        asked.append(pair)
        return pair

    fallen = counted((2, 2), 3)
    queue = LazyQueue([counted((1, 1), 3), fallen, counted((3, 3), 2)], key)
    fallen.count = 1
    assert queue.top() is not None
    assert asked == [(1, 1)]
