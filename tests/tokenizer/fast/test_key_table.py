"""A table from keys of two words to numbers, beside a dict."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.fast.key_table import FEWEST_SLOTS, MISSING, KeyTable

WORDS = st.sampled_from([0, 1, 2, 255, 1 << 32, 1 << 63, (1 << 64) - 1]) | st.integers(0, (1 << 64) - 1)
KEYS = st.tuples(WORDS, WORDS)


def columns(keys: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    pairs = np.array(keys, np.uint64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


@given(batches=st.lists(st.lists(KEYS, max_size=20), max_size=4), asked=st.lists(KEYS, max_size=10))
def test_numbers_are_found_by_their_keys_and_no_others(
    batches: list[list[tuple[int, int]]], asked: list[tuple[int, int]]
) -> None:
    table, expected = KeyTable(), dict[tuple[int, int], int]()
    for batch in batches:
        new = [key for key in dict.fromkeys(batch) if key not in expected]
        numbers = range(len(expected), len(expected) + len(new))
        table.add(*columns(new), np.array(numbers, np.int32))
        expected.update(zip(new, numbers, strict=True))
        everything = [*expected, *asked]
        found = table.find(*columns(everything)).tolist()
        assert found == [expected.get(key, MISSING) for key in everything]
    assert len(table) == len(expected)


def test_a_table_grows_and_loses_nothing() -> None:
    table = KeyTable()
    keys = np.arange(20 * FEWEST_SLOTS, dtype=np.uint64)
    numbers = np.arange(len(keys), dtype=np.int32)
    for part in np.array_split(numbers, 7):
        table.add(keys[part], keys[part] * np.uint64(3), part)
    assert len(table) == len(keys)
    assert np.array_equal(table.find(keys, keys * np.uint64(3)), numbers)
    assert (table.find(keys, keys * np.uint64(3) + np.uint64(1)) == MISSING).all()


def test_keys_that_share_a_slot_are_told_apart() -> None:
    table = KeyTable()
    keys = np.arange(1 << 16, dtype=np.uint64)
    slots = table._slots_of(keys, keys)
    crowd = keys[slots == np.bincount(slots).argmax()]
    assert len(crowd) > 10
    table.add(crowd, crowd, np.arange(len(crowd), dtype=np.int32))
    assert table.find(crowd, crowd).tolist() == list(range(len(crowd)))
    others = keys[np.isin(slots, slots[crowd[0]] + np.arange(3)) & ~np.isin(keys, crowd)]
    assert (table.find(others, others) == MISSING).all()
