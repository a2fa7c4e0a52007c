"""Runs of ids by number, beside a list of lists."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.fast.runs import Runs

RUNS = st.lists(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=5), max_size=8)


@given(batches=st.lists(RUNS, max_size=5), data=st.data())
def test_runs_are_given_back_by_their_numbers(batches: list[list[list[int]]], data: st.DataObject) -> None:
    runs, expected = Runs(), list[list[int]]()
    for batch in batches:
        ids = np.array([token for run in batch for token in run], np.uint32)
        numbers = runs.add(ids, np.array([len(run) for run in batch], np.int64))
        assert numbers.tolist() == list(range(len(expected), len(expected) + len(batch)))
        expected += batch
    assert (len(runs), runs.size) == (len(expected), sum(map(len, expected)))
    asked = data.draw(st.lists(st.sampled_from(range(len(expected))), max_size=10) if expected else st.just([]))
    numbers = np.array(asked, np.int64)
    assert runs.ids(numbers).tolist() == [token for number in asked for token in expected[number]]
    assert runs.lengths(numbers).tolist() == [len(expected[number]) for number in asked]


def test_many_runs_keep_their_ids() -> None:
    runs = Runs()
    for first in range(0, 10_000, 100):
        runs.add(np.arange(2 * first, 2 * first + 200, dtype=np.uint32), np.full(100, 2))
    assert np.array_equal(runs.ids(np.arange(10_000)), np.arange(20_000))
