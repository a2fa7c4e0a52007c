"""Counting: blocks, marks, progress and limits; whatever the blocks, the table is that of the definition."""

import gzip
from collections import Counter
from collections.abc import Mapping
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.strategies import PATTERNS, texts_with_specials
from tokenizer import blocks
from tokenizer.counting import Counting, count
from tokenizer.errors import CorpusError, RecipeError
from tokenizer.patterns import GPT2, NAMED, custom
from tokenizer.pretokens import pieces
from tokenizer.sources import Memory
from tokenizer.table import Table


def rows(table: Table) -> list[tuple[bytes, int]]:
    return [(table.pre_token(number), table.count(number)) for number in range(len(table))]


def count_all(counting: Counting) -> Table:
    while counting.advance():
        pass
    return counting.table()


def small_blocks(size: int):
    """Blocks of a few bytes, so that there are many; and little is read ahead, so that places are looked for twice."""
    return patch.multiple(blocks, BLOCK=size, AHEAD=1)


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials(), size=st.integers(1, 9))
@example(sample=("a b c d e f", ["a b", "b c"]), size=1)
@example(sample=("a b <s>a<s> b", ["<s>", " b"]), size=1)
@example(sample=("a a a a a a", ["a a"]), size=2)
def test_the_table_is_that_of_the_definition_whatever_the_blocks(
    name: str, sample: tuple[str, list[str]], size: int
) -> None:
    text, specials = sample
    cuts = oracle.cut(text, oracle.ALTERNATIVES[name], specials)
    words = [piece.text.encode() for piece in cuts if not piece.special]
    with small_blocks(size):
        table = count(text, NAMED[name], specials)
    assert rows(table) == sorted(Counter(words).items(), key=lambda row: -row[1])
    assert table.specials == len(cuts) - len(words)
    assert (table.occurrences, table.corpus_bytes) == (len(words), sum(map(len, words)))
    assert (table.characters, table.uncovered) == (len(text), 0)
    firsts = [words.index(word) for word, _ in rows(table)]
    assert [sorted(firsts).index(first) for first in firsts] == list(table.seen)


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials(), size=st.integers(1, 9))
def test_cutting_can_begin_at_the_marks(name: str, sample: tuple[str, list[str]], size: int) -> None:
    text, specials = sample
    whole = list(pieces(text, NAMED[name], specials))
    with small_blocks(size):
        table = count(text, NAMED[name], specials)
    for mark in table.marks:
        assert len(text[: mark.character].encode()) == mark.byte
        assert list(pieces(text, NAMED[name], specials, start=mark.character)) == whole[mark.piece :]
        excerpt = text.encode()[mark.byte :].decode()
        assert [piece.text for piece in pieces(excerpt, NAMED[name], specials)] == [
            piece.text for piece in whole[mark.piece :]
        ]
    for number in range(len(whole)):
        mark = table.mark_before(number)
        assert mark.piece <= number
        assert mark in ((0, 0, 0), *table.marks)


def test_a_text_of_many_blocks_has_many_marks(english: Mapping[str, str]) -> None:
    text = english["jane_austen"][:150_000]
    whole = list(pieces(text, GPT2, ["Emma"]))
    words = [piece.text.encode() for piece in whole if not piece.special]
    with small_blocks(1 << 13):
        table = count(text, GPT2, ["Emma"])
    assert Counter(dict(rows(table))) == Counter(words)
    assert len(table.marks) > 10
    mark = table.mark_before(table.occurrences // 2)
    assert mark.piece > 1_000
    assert list(pieces(text, GPT2, ["Emma"], start=mark.character)) == whole[mark.piece :]


def test_counting_can_be_taken_block_by_block_and_says_how_far_it_is(english: Mapping[str, str]) -> None:
    data = "".join(english.values()).encode() * 2
    counting = Counting(Memory(data), GPT2, ["<s>"])
    done = [counting.done]
    while counting.advance():
        done.append(counting.done)
    assert done[0] == 0
    assert done == sorted(set(done))
    assert done[-1] == counting.total == len(data)
    assert len(done) > 4
    assert rows(counting.table()) == rows(count(data.decode(), GPT2, ["<s>"]))


@pytest.mark.parametrize("text", ["", "<s>", "<s><s>", "é<s>"])
def test_counting_short_texts_ends_too(text: str) -> None:
    counting = Counting(Memory(text.encode()), GPT2, ["<s>"])
    assert count_all(counting).specials == text.count("<s>")
    assert counting.done == counting.total == len(text.encode())


BROKEN = [b"\xff", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "whitespace", "none"])
@given(
    before=st.sampled_from(["", "a b c ", "é à ", "😀", "a <s>", "a b c d e f g h"]),
    broken=st.sampled_from(BROKEN),
    after=st.sampled_from(["", " b c d", "é", "<s>b", "\ufffd", " \0", "\n"]),
    again=st.sampled_from(["", " b c \udcff d"]),
    size=st.integers(1, 9),
)
def test_what_is_not_utf8_is_an_error_with_the_offset_of_its_first_byte(
    name: str, before: str, broken: bytes, after: str, again: str, size: int
) -> None:
    data = before.encode() + broken + after.encode() + again.encode(errors="surrogateescape")
    with pytest.raises(UnicodeDecodeError) as expected:
        data.decode()
    with small_blocks(size), pytest.raises(CorpusError) as caught:
        count_all(Counting(Memory(data), NAMED[name], ["<s>"]))
    assert caught.value.position == expected.value.start
    assert caught.value.field == "corpus"
    assert f"0x{data[expected.value.start]:02X}" in caught.value.message


@pytest.mark.parametrize(
    ("data", "hint"),
    [
        ("text".encode("utf-16"), "UTF-16; save it as UTF-8"),
        (gzip.compress(b"text", mtime=0), "gzip; unpack it first"),
        (b"PK\x03\x04text\xff", "a zip archive"),
    ],
)
def test_what_is_often_taken_for_a_text_is_recognised(data: bytes, hint: str) -> None:
    with pytest.raises(CorpusError, match=f"It looks like {hint}"):
        Counting(Memory(data), GPT2).advance()
    with pytest.raises(CorpusError) as caught:
        Counting(Memory(b"PK" + data), GPT2).advance()
    assert "looks like" not in caught.value.message


def test_without_a_pattern_a_document_of_a_megabyte_is_taken_and_a_longer_one_refused() -> None:
    assert len(count("ab" * 500_000, NAMED["none"])) == 1
    assert len(count("<s>" + "ab" * 500_000 + "<s>" + "é" * 1_000_000, NAMED["none"], ["<s>"])) == 2
    with pytest.raises(RecipeError) as caught:
        count("ab" * 500_001, NAMED["none"])
    assert caught.value.field == "pattern"


def test_one_time_limit_holds_for_all_blocks_together() -> None:
    text = "abcdef<s>" * 20_000
    with small_blocks(9), pytest.raises(RecipeError) as caught:
        count(text, custom(r"\w"), ["<s>"], time_limit=0.01)
    assert "0.01 s" in caught.value.message
    assert count(text, GPT2, ["<s>"], time_limit=10).occurrences == 20_000


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "none"])
def test_finding_the_special_tokens_has_a_time_limit_for_all_blocks_together(name: str) -> None:
    text = ("a" * 900 + " ") * 200
    specials = [256 * "a" + end for end in "bcdefghij"]
    with small_blocks(2_000), pytest.raises(RecipeError) as caught:
        count(text, NAMED[name], specials, time_limit=0.01)
    assert caught.value.field == "special_tokens"
    assert "0.01 s" in caught.value.message


@pytest.mark.parametrize("pattern", [NAMED["gpt2"], NAMED["cl100k_base"], custom(r"\S+|\s+")])
def test_the_bytes_of_distinct_pre_tokens_are_told_while_counting_and_never_too_many(pattern):
    letters = str.maketrans("0123456789", "ghijklmnop")
    words = "".join(f" {number:x}{'é' * (number % 9)}".translate(letters) for number in range(200_000))
    counting = Counting(Memory(words.encode()), pattern)
    told = [counting.distinct_bytes]
    while counting.advance():
        told.append(counting.distinct_bytes)
    assert told == sorted(told)
    whole = len(counting.table().blob)
    assert whole / 4 < told[-1] <= whole
