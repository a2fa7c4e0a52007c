"""Chunks: what can be cut by itself."""

import sys
from itertools import pairwise

import pytest
import regex
from hypothesis import example, given

from tests.tokenizer import oracle
from tests.tokenizer.fast.nasty import lines, texts
from tests.tokenizer.strategies import scaled
from tokenizer.fast.chunks import chunk_starts
from tokenizer.pretokens import SpecialTokens


def chunks(text: str, specials: list[str]) -> list[str]:
    data = text.encode()
    if not data:
        return []
    bounds = [*chunk_starts(data, SpecialTokens(tuple(specials)).spans(data)).tolist(), len(data)]
    return [data[start:end].decode() for start, end in pairwise(bounds)]


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "o200k_base", "whitespace"])
@scaled(2)
@given(sample=texts() | lines())
@example(sample=("a b a b", ["a b", "b a"]))
def test_chunks_cut_each_alone_are_the_text_cut_whole(name: str, sample: tuple[str, list[str]]) -> None:
    text, specials = sample
    alternatives = oracle.ALTERNATIVES[name]
    cut = [
        (word, False) if chunk not in specials else (chunk, True)
        for chunk in chunks(text, specials)
        for word in ([chunk] if chunk in specials else oracle.pre_tokens(chunk, alternatives))
    ]
    assert cut == [(piece.text, piece.special) for piece in oracle.cut(text, alternatives, specials)]


def test_all_white_space_of_the_pattern_and_no_other_character_joins_chunks():
    characters = [chr(code) for code in [*range(0x3100), 0xFEFF, 0x1F600, *range(0x3100, sys.maxunicode, 997)]]
    characters = [character for character in characters if not "\ud800" <= character <= "\udfff"]
    white = set(regex.findall(r"\s", "".join(characters)))
    expected = []
    for character in characters:
        for before, after in ((f"x{character}", " y"), ("x", f" {character}y")):
            expected += ["<s>", before + after] if character in white else ["<s>", before, after]
    assert chunks("".join(expected), ["<s>"]) == expected


def test_every_lone_space_begins_a_chunk():
    assert chunks("one two  three four \u00e9t\u00e9 \u65e5\u672c", []) == [
        *("one", " two  three", " four", " \u00e9t\u00e9", " \u65e5\u672c")
    ]
