"""Blocks: together they are the corpus, they begin at places that nothing spans, and they do not depend on parts."""

import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise, product
from unittest.mock import patch

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.fast import nasty
from tests.tokenizer.strategies import PATTERNS, scaled, texts_with_specials
from tokenizer import blocks
from tokenizer.blocks import Block, Cuts, part_bounds
from tokenizer.errors import RecipeError
from tokenizer.patterns import GPT2, NAMED, custom
from tokenizer.pretokens import SAFE_AT_SPACES, pre_tokens
from tokenizer.sources import Memory

SAFE = sorted(pattern.name for pattern in SAFE_AT_SPACES)


@pytest.fixture(autouse=True)
def little_is_read_ahead() -> Iterator[None]:
    with patch.object(blocks, "AHEAD", 1):
        yield


def cut(data: bytes, cuts: Cuts, size: int, **ends: int) -> list[Block]:
    with patch.object(blocks, "BLOCK", size):
        return list(blocks.blocks(Memory(data), cuts, **ends))


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials() | nasty.texts(60) | nasty.lines(), size=st.integers(1, 9))
@example(sample=("x\n'sa\n\u65e5\n/a\n", []), size=1)
def test_blocks_begin_where_pieces_begin_and_are_the_text_together(name, sample, size):
    text, specials = sample
    found = cut(text.encode(), Cuts(NAMED[name], specials), size)
    assert b"".join(block.data for block in found) == text.encode()
    starts = {len(text[: piece.start].encode()) for piece in oracle.cut(text, oracle.ALTERNATIVES[name], specials)}
    assert {block.offset for block in found} <= starts
    assert len({block.offset // size for block in found}) == len(found)


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials() | nasty.texts(60) | nasty.lines(), size=st.integers(1, 9), parts=st.integers(1, 8))
@example(sample=("ab\nc\nd \ne", ["\n"]), size=1, parts=3)
@example(sample=("x\u3000\nyyyyy", []), size=5, parts=2)  # the space lies as far before the multiple as can matter
@example(sample=("ab\nc\nd\u3000\ne\nf", ["b\nc", "\nd", "e\n"]), size=1, parts=9)
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


def test_a_block_ends_after_a_line_feed_that_no_white_space_stands_beside():
    lines = "一\n二\n三\n\n四\n\u3000五\n六\r\n七\n/八\n九"
    found = [block.text() for block in cut(lines.encode(), Cuts(GPT2), 1)]
    assert found == ["一\n", "二\n", "三\n\n四\n\u3000五\n", "六\r\n七\n/八\n", "九"]
    assert [block.data for block in cut(b"ab\ncd ef\ngh", Cuts(GPT2), 4)] == [b"ab\ncd", b" ef\n", b"gh"]
    assert [block.data for block in cut(b"a\nb c\nd", Cuts(custom(r"\S+|\s")), 1)] == [b"a\nb c\nd"]


def places(data: bytes, cuts: Cuts) -> list[int]:
    """All places to cut a text within it."""
    found, at = list[int](), 1
    while (place := cuts.first(data, at)) is not None:
        found.append(place)
        at = place + 1
    return found


def assert_cuts_change_nothing(text: str, name: str, specials: list[str]) -> None:
    """Cut at each place alone, and at all of them, the text has the pieces that it has as a whole."""
    data = text.encode()
    found = places(data, Cuts(NAMED[name], specials))
    whole = list(pre_tokens(text, NAMED[name], specials))
    for bounds in ([0, *found, len(data)], *([0, place, len(data)] for place in found)):
        parts = [data[start:end].decode() for start, end in pairwise(bounds)]
        assert [word for part in parts for word in pre_tokens(part, NAMED[name], specials)] == whole, parts


@pytest.mark.parametrize("name", SAFE)
@scaled(4)
@given(sample=texts_with_specials() | nasty.texts(60) | nasty.lines())
def test_what_is_cut_at_any_places_has_the_pre_tokens_of_the_whole(name, sample):
    assert_cuts_change_nothing(sample[0], name, sample[1])


@pytest.mark.parametrize("name", SAFE)
def test_all_short_texts_around_a_line_feed_can_be_cut_there(name):
    """On both sides all that a pattern takes differently, in every order."""
    sides = ["".join(side) for side in product("\n\r /'s1!日\u0301\u3000\x1c", repeat=2)]
    cuts, findall = Cuts(NAMED[name]), NAMED[name].compiled.findall
    found = 0
    for before, after in product(sides, sides):
        left = f"{before}\n"
        place = len(left.encode())
        if cuts.first((left + after).encode(), place) == place:
            found += 1
            assert findall(left) + findall(after) == findall(left + after), (left, after)
    assert found == (12 * 8) * (7 * 12)  # eight are no white space, and one of those is the slash


@pytest.mark.full
@pytest.mark.parametrize("name", SAFE)
def test_all_short_texts_can_be_cut(name):
    for text in product("\n \r/'s!日\u3000", repeat=5):
        assert_cuts_change_nothing("".join(text), name, [])


def test_all_white_space_of_the_patterns_and_no_other_character_forbids_a_cut_at_a_line_feed():
    characters = [chr(code) for code in [*range(0x3100), 0xFEFF, 0x1F600, *range(0x3100, sys.maxunicode, 997)]]
    characters = [character for character in characters if not "\ud800" <= character <= "\udfff"]
    white, cuts = set(regex.findall(r"\s", "".join(characters))), Cuts(GPT2)
    for character in characters:
        before, after = f"x{character}\n".encode(), f"\n{character}x".encode()
        assert places(before + b"y", cuts) == ([] if character in white else [len(before)])
        assert places(b"y" + after, cuts) == ([] if character in white or character == "/" else [2])


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
