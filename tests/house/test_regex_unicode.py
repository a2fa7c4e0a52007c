"""The pinned `regex` release classes every code point as tiktoken does, so that both cut a text alike."""

import pytest
import regex
import tiktoken

BYTES = {bytes([byte]): byte for byte in range(256)}
CODE_POINTS = "".join(chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF)


def as_tiktoken_matches(pattern: str) -> str:
    """All code points that a pattern for one character matches in tiktoken, in order.

    tiktoken drops what its pattern does not match; with bytes as its only tokens, the ids are the matched bytes.
    """
    encoding = tiktoken.Encoding("classes", pat_str=pattern, mergeable_ranks=BYTES, special_tokens={})
    return bytes(encoding.encode_ordinary(CODE_POINTS)).decode()


@pytest.mark.parametrize(
    "pattern", [r"\p{L}", r"\p{N}", r"\p{M}", r"\s", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}"]
)
def test_a_class_is_that_of_tiktoken(pattern: str) -> None:
    ours, theirs = set(regex.findall(pattern, CODE_POINTS)), set(as_tiktoken_matches(pattern))
    assert sorted(map(ord, ours ^ theirs)) == []
    assert ours


@pytest.mark.parametrize("letters", [("s", "S", "\u017f"), ("k", "K", "\u212a")])
def test_case_is_folded_as_in_tiktoken(letters: tuple[str, ...]) -> None:
    # cl100k_base and o200k_base match 's, 'S and 'ſ alike.
    pattern = f"(?i:{letters[0]})"
    assert set(as_tiktoken_matches(pattern)) == set(regex.findall(pattern, CODE_POINTS)) == set(letters)
