"""Keys: counts of short strings as numbers, exact, with the place where each is first."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.fast import keys
from tokenizer.fast.keys import LONGEST, PADDING, KeyCounter, Keys, has_key

STRINGS = st.sampled_from([b"a", b"b", b"aaaaaaaa", b"aaaaaaaab", b"\xff" * 8, b"\xff" * 9]) | st.binary(
    min_size=1, max_size=20
).map(lambda string: string.replace(b"\0", b"\1"))


def as_dict(found: Keys) -> dict[bytes, tuple[int, int]]:
    strings = [bytes(row[:length]) for row, length in zip(found.strings(), found.lengths().tolist(), strict=True)]
    return dict(zip(strings, zip(found.counts.tolist(), found.firsts.tolist(), strict=True), strict=True))


@given(
    blocks=st.lists(st.lists(STRINGS, max_size=12), max_size=6),
    slots=st.sampled_from([1, 2, 5, 16]),
    left=st.integers(0, 3),
)
def test_every_string_is_counted_with_its_first_place(blocks: list[list[bytes]], slots: int, left: int) -> None:
    expected: dict[bytes, tuple[int, int]] = {}
    with patch.multiple(keys, _SLOT_BITS=slots, _MOST_MISSED=3):
        counter, offset = KeyCounter(), 0
        for strings in blocks:
            starts, lengths, at = [], [], 0
            for number, string in enumerate(strings):
                starts.append(at)
                lengths.append(0 if number == left else len(string))
                if number != left:
                    count, first = expected.get(string, (0, offset + at))
                    expected[string] = count + 1, first
                at += len(string)
            data = b"".join(strings) + PADDING
            counter.add(data, np.array(starts, np.int64), np.array(lengths, np.int64), offset=offset)
            offset += at
        found = counter.keys()
    assert as_dict(found) == {string: numbers for string, numbers in expected.items() if len(string) <= LONGEST}
    assert len(found.low) == len(as_dict(found))
    assert counter.longer() == {string: numbers for string, numbers in expected.items() if len(string) > LONGEST}


@given(counted=st.dictionaries(STRINGS.filter(has_key), st.tuples(st.integers(1, 9), st.integers(0, 99))))
def test_keys_hold_the_strings_that_they_were_made_of(counted: dict[bytes, tuple[int, int]]) -> None:
    assert as_dict(Keys.of(counted)) == counted


@given(
    parts=st.lists(
        st.dictionaries(STRINGS.filter(has_key), st.tuples(st.integers(1, 9), st.integers(0, 99))), min_size=1
    )
)
def test_joined_keys_have_all_counts_and_the_first_of_the_places(parts: list[dict[bytes, tuple[int, int]]]) -> None:
    found = as_dict(Keys.joined(map(Keys.of, parts)))
    for string in {string for part in parts for string in part}:
        numbers = [part[string] for part in parts if string in part]
        assert found.pop(string) == (sum(count for count, _ in numbers), min(place for _, place in numbers))
    assert not found


def test_keys_that_are_equal_when_mixed_are_told_apart() -> None:
    with patch.object(keys, "_SPREAD", np.uint64(0)):
        found = Keys.joined(
            [Keys.of({b"a": (1, 0), b"b": (2, 1)}), Keys.of({b"b": (3, 2), b"a" * 9: (4, 3), b"a": (5, 4)})]
        )
    assert as_dict(found) == {b"a": (6, 0), b"b": (5, 1), b"a" * 9: (4, 3)}


@pytest.mark.parametrize(("string", "has"), [(b"a" * 16, True), (b"a" * 17, False), (b"a\0", False), (b"\0", False)])
def test_long_strings_and_those_with_nuls_have_no_key(string: bytes, has: bool) -> None:
    assert has_key(string) == has
