"""Blocks: together they are the corpus, they begin at places that nothing spans, and they do not depend on parts."""

from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.strategies import PATTERNS, texts_with_specials
from tokenizer import blocks
from tokenizer.blocks import Block, Cuts, part_bounds
from tokenizer.errors import RecipeError
from tokenizer.patterns import GPT2, NAMED, custom
from tokenizer.sources import Memory


@pytest.fixture(autouse=True)
def little_is_read_ahead() -> Iterator[None]:
    with patch.object(blocks, "AHEAD", 1):
        yield


def cut(data: bytes, cuts: Cuts, size: int, **ends: int) -> list[Block]:
    with patch.object(blocks, "BLOCK", size):
        return list(blocks.blocks(Memory(data), cuts, **ends))


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials(), size=st.integers(1, 9))
def test_blocks_begin_where_pieces_begin_and_are_the_text_together(name, sample, size):
    text, specials = sample
    found = cut(text.encode(), Cuts(NAMED[name], specials), size)
    assert b"".join(block.data for block in found) == text.encode()
    starts = {len(text[: piece.start].encode()) for piece in oracle.cut(text, oracle.ALTERNATIVES[name], specials)}
    assert {block.offset for block in found} <= starts
    assert len({block.offset // size for block in found}) == len(found)


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials(), size=st.integers(1, 9), parts=st.integers(1, 8))
def test_the_blocks_of_parts_are_those_of_the_whole(name, sample, size, parts):
    text, specials = sample
    data, cuts = text.encode(), Cuts(NAMED[name], specials)
    with patch.object(blocks, "BLOCK", size):
        bounds = part_bounds(Memory(data), cuts, parts)
    assert (bounds[0], bounds[-1]) == (0, len(data))
    assert len(bounds) <= parts + 1
    by_part = [block for start, end in pairwise(bounds) for block in cut(data, cuts, size, start=start, end=end)]
    assert by_part == cut(data, cuts, size)


def test_a_block_ends_at_the_first_place_after_its_size():
    assert [block.data for block in cut(b"ab cd ef gh", Cuts(GPT2), 4)] == [b"ab cd", b" ef", b" gh"]
    assert [block.data for block in cut(b"ab \xc3\xa9 cd\xc2\xa0 ef gh", Cuts(GPT2), 2)] == [
        b"ab \xc3\xa9 cd\xc2\xa0 ef",
        b" gh",
    ]


def test_special_tokens_with_spaces_are_not_cut_nor_what_would_be_one_if_it_came_first():
    assert [block.data for block in cut(b"x a b c d", Cuts(GPT2, ["a b", "b c"]), 1)] == [b"x", b" ", b"a b c", b" d"]


def test_other_patterns_are_cut_at_special_tokens_alone():
    words = custom(r"\w+ \w+| ")
    assert [block.data for block in cut(b"a b <s>c d e<s>", Cuts(words, ["<s>"]), 2)] == [b"a b ", b"<s>c d e", b"<s>"]
    assert [block.data for block in cut(b"a b c d e", Cuts(words), 2)] == [b"a b c d e"]


def test_streams_may_give_less_than_was_asked_for():
    class Slow(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            return super().read(min(size or 0, 2))

    source = Memory(b"ab cd ef gh")
    with patch.object(Memory, "open", lambda memory: Slow(memory.data)), patch.object(blocks, "BLOCK", 4):
        assert [block.data for block in blocks.blocks(source, Cuts(GPT2))] == [b"ab cd", b" ef", b" gh"]


def test_a_stretch_without_a_place_to_cut_has_a_limit():
    with patch.object(blocks, "LONGEST_BLOCK", 1_000):
        assert len(cut(b"a" * 1_000, Cuts(GPT2), 10)) == 1
        with pytest.raises(RecipeError, match=r"From byte 4 on") as caught:
            cut(b"ab c" + b" " + b"a" * 3_000 + b" b", Cuts(GPT2), 4)
    assert caught.value.field == "pattern"


def test_a_source_that_became_shorter_is_an_error():
    with pytest.raises(OSError, match="changed while it was read"):
        cut(b"a b", Cuts(GPT2), 2, end=5)


def test_looking_for_places_has_a_time_limit():
    with pytest.raises(RecipeError) as caught:
        Cuts(custom("a"), ["a" * 200 + end for end in "bcdefghij"], time_limit=0.001).first(b"a" * 500_000, 0)
    assert caught.value.field == "special_tokens"
