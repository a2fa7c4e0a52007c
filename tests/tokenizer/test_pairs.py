"""The definitions: counting pairs, breaking ties, merging one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.strategies import TIE_RULES
from tokenizer.pairs import count_pairs, merge, tie_key
from tokenizer.recipe import TieRule

tokens = st.lists(st.integers(97, 99) | st.sampled_from([256, 257]), max_size=12)
tables = st.lists(st.tuples(tokens, st.integers(1, 5)), max_size=6)
SPELLED = [bytes([byte]) for byte in range(256)] + [b"ab", b"a"]


def test_overlaps_are_counted() -> None:
    assert count_pairs([(b"aaaa", 1)]) == {(97, 97): 3}


def test_a_row_counts_as_often_as_it_occurs() -> None:
    assert count_pairs([(b"aba", 3), (b"ab", 2)]) == {(97, 98): 5, (98, 97): 3}


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        (b"aa", [256]),
        (b"aaa", [256, 97]),
        (b"aaaa", [256, 256]),
        (b"baaab", [98, 256, 97, 98]),
        (b"a", [97]),
        (b"", []),
    ],
)
def test_replacement_goes_left_to_right_without_overlap(text: bytes, merged: list[int]) -> None:
    assert merge(text, (97, 97), 256) == merged


@given(rows=tables)
def test_counting_is_that_of_the_definition_and_in_order_of_first_occurrence(rows: list[tuple[list[int], int]]) -> None:
    expected = oracle.count_pairs([oracle.Row(b"", count, tuple(row)) for row, count in rows])
    assert list(count_pairs(rows).items()) == list(expected.items())


@given(row=tokens, pair=st.tuples(st.integers(97, 99), st.integers(97, 99)))
def test_merging_is_that_of_the_definition(row: list[int], pair: tuple[int, int]) -> None:
    assert tuple(merge(row, pair, 300)) == oracle.merge(tuple(row), pair, 300)


@pytest.mark.parametrize("rule", TIE_RULES)
@given(pairs=st.lists(st.tuples(st.integers(0, 257), st.integers(0, 257)), unique=True, max_size=12))
def test_ties_are_ordered_as_in_the_definition(rule: TieRule, pairs: list[tuple[int, int]]) -> None:
    # Tokens 97 and 257 are both spelled `a`, which no training gives: their pairs would be equal to `greater_bytes`.
    pairs = [pair for pair in pairs if 257 not in pair]
    spelled = SPELLED[:257]
    key = tie_key(rule, spelled, pairs.index)
    assert sorted(pairs, key=key) == oracle.order(dict.fromkeys(pairs, 1), rule, spelled)


def test_greater_bytes_compares_the_pair_not_the_joined_string_and_a_prefix_is_less() -> None:
    spelled = [*SPELLED[:256], b"ab", b"abc", b"a\xff", b"\xff\xff"]
    key = tie_key("greater_bytes", spelled, lambda pair: 0)
    best_first = [(259, 97), (255, 97), (258, 97), (257, 97), (256, 99), (256, 97), (97, 98), (97, 97), (0, 255)]
    assert sorted(sorted(best_first), key=key) == best_first


def test_greater_bytes_knows_tokens_that_are_made_after_the_key() -> None:
    spelled = SPELLED[:256]
    key = tie_key("greater_bytes", spelled, lambda pair: 0)
    assert key((97, 97)) > key((98, 97))
    spelled.append(b"zz")
    assert key((256, 97)) < key((122, 122))
