"""The fast counters beside the plain one: the same tables, in every field, whatever the blocks."""

from collections.abc import Mapping
from dataclasses import fields
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.fast.nasty import lines, texts
from tests.tokenizer.strategies import scaled
from tokenizer import blocks, counting
from tokenizer.counting import Counting, count, counter_of
from tokenizer.fast import chunk_counter, keys, plain_blocks
from tokenizer.fast.chunk_counter import ChunkCounter
from tokenizer.fast.gpt2_counter import Gpt2Counter
from tokenizer.patterns import NAMED, custom
from tokenizer.plain import PlainCounter
from tokenizer.sources import Memory
from tokenizer.table import Table

FAST = ("gpt2", "cl100k_base", "o200k_base", "whitespace")


def plainly(text: str, name: str, specials: list[str]) -> Table:
    def plain(pattern, special_tokens, time_limit=None):
        return PlainCounter(pattern, special_tokens, time_limit=time_limit)

    with patch.object(counting, "counter_of", plain):
        return count(text, NAMED[name], specials)


def assert_same(table: Table, expected: Table) -> None:
    for field in fields(Table):
        assert getattr(table, field.name) == getattr(expected, field.name), field.name


def test_the_fast_counters_are_chosen_where_they_are_exact() -> None:
    assert isinstance(counter_of(NAMED["gpt2"], ()), Gpt2Counter)
    assert all(isinstance(counter_of(NAMED[name], ()), ChunkCounter) for name in FAST[1:])
    assert isinstance(counter_of(NAMED["none"], ()), PlainCounter)
    assert isinstance(counter_of(custom(NAMED["gpt2"].source), ()), PlainCounter)


@pytest.mark.parametrize("name", FAST)
@scaled(2)
@given(sample=texts(60) | lines(), size=st.sampled_from([1, 2, 5, 20, 1 << 18]), slots=st.sampled_from([1, 3, 16]))
@example(sample=("a\0b a\0 ab\0\0 a", []), size=1, slots=16)
@example(sample=("é é é ab é ab", ["é "]), size=1, slots=3)
@example(sample=("a\n's\nx'll\n日本\n's日\n日本\n!\na!\n", []), size=1, slots=3)
def test_tables_are_those_of_the_plain_path(name: str, sample: tuple[str, list[str]], size: int, slots: int) -> None:
    """With few slots for keys most of them have none; with little remembered, chunks are forgotten all the time."""
    text, specials = sample
    with (
        patch.multiple(blocks, BLOCK=size, AHEAD=1),
        patch.multiple(keys, _SLOT_BITS=slots, _MOST_MISSED=2),
        patch.multiple(chunk_counter, MOST_REMEMBERED=slots, MOST_REMEMBERED_BYTES=8 * slots),
    ):
        table = count(text, NAMED[name], specials)
        assert_same(table, plainly(text, name, specials))
    words = [word.encode() for word in oracle.pre_tokens(text, oracle.ALTERNATIVES[name], specials)]
    assert table.occurrences == len(words)
    assert [table.pre_token(table.seen.index(place)) for place in range(len(table))] == list(dict.fromkeys(words))


@pytest.mark.parametrize("name", FAST)
def test_real_texts_have_the_tables_of_the_plain_path(
    name: str, english: Mapping[str, str], udhr: Mapping[str, str]
) -> None:
    for text in ("<|endoftext|>".join(english.values()), "<|endoftext|>".join(list(udhr.values())[::20])):
        specials = ["<|endoftext|>", "of the", "\u00a0"]
        assert_same(count(text, NAMED[name], specials), plainly(text, name, specials))


@pytest.mark.full
@pytest.mark.parametrize("name", FAST)
def test_every_language_has_the_table_of_the_plain_path(name: str, udhr: Mapping[str, str]) -> None:
    for text in udhr.values():
        assert_same(count(text, NAMED[name]), plainly(text, name, []))


def test_text_without_repeats_is_not_remembered_for_ever() -> None:
    text = " ".join(f"{number:07}x" for number in range(40_000))
    counting = Counting(Memory(text.encode()), NAMED["cl100k_base"])
    with (
        patch.object(chunk_counter, "MOST_REMEMBERED", 1_000),
        patch.object(plain_blocks, "_MOST_NEW", 1),
        patch.object(blocks, "BLOCK", 1 << 12),
    ):
        while counting.advance():
            assert isinstance(counting._counter, ChunkCounter)
            assert len(counting._counter._chunks) < 2_000
    assert counting.table().occurrences == 5 * 40_000 - 1  # 000, 123, 4, x and a space; none before the first
