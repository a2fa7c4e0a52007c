"""A memo: each string is asked for once, and keeps its number."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.fast.memo import Memo

STRINGS = st.lists(
    st.sampled_from([b"", b"a", b"b", b"ab", b"\0", b"\0\0", b"given"]) | st.binary(max_size=2), max_size=12
)


@given(batches=st.lists(STRINGS, max_size=5))
def test_each_new_string_is_asked_for_once_in_the_order_of_first_occurrence(batches: list[list[bytes]]) -> None:
    asked: list[bytes] = []

    def number(new: Sequence[bytes]) -> np.ndarray:
        asked.extend(new)
        return np.array([int.from_bytes(string, "big") + 1000 * len(string) for string in new], np.int64)

    memo = Memo(number, {b"given": 7})
    for batch in batches:
        expected = [7 if string == b"given" else int.from_bytes(string, "big") + 1000 * len(string) for string in batch]
        assert memo.numbers(batch).tolist() == expected
    assert asked == [string for string in dict.fromkeys(chain.from_iterable(batches)) if string != b"given"]
