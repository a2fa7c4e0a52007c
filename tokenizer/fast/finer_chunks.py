r"""Finer chunks than those between lone spaces, for cl100k_base and o200k_base: most of them are one pre-token.

So far fewer are distinct: “word,” and “word” are one word, not two chunks. Between two ASCII characters of the kinds
below a pre-token always begins, whatever else the text holds:

- letters end at anything else. (In o200k_base an apostrophe may follow as part of a contraction: it is a kind of its
  own, of which nothing is said.) Digits end at anything else;
- other visible characters end before a digit or a space; a letter may take one of them before it;
- a line end ends a pre-token unless white space or, in o200k_base, a slash follows.

Cutting there changes nothing before it. Both patterns look ahead only within white space, at `\s++$` and
`\s+(?!\S)`; and white space that ends with a line end is one pre-token, with a text after it as without.
"""

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.chunks import Spans, chunk_starts
from tokenizer.patterns import NAMED

PATTERNS = frozenset({NAMED["cl100k_base"], NAMED["o200k_base"]})

_UNKNOWN, _LETTER, _DIGIT, _APOSTROPHE, _OTHER, _SPACE, _LINE_END, _TAB = range(8)
_BEGINS_BETWEEN = {
    _LETTER: (_DIGIT, _OTHER, _SPACE, _LINE_END, _TAB),
    _DIGIT: (_LETTER, _OTHER, _SPACE, _LINE_END, _TAB),
    _APOSTROPHE: (_DIGIT, _SPACE),
    _OTHER: (_DIGIT, _SPACE),
    _LINE_END: (_LETTER, _DIGIT),
}


def _kind_of(byte: int) -> int:
    character = chr(byte)
    named = {" ": _SPACE, "\r": _LINE_END, "\n": _LINE_END, "\t": _TAB, "'": _APOSTROPHE}
    if character in named:
        return named[character]
    if not "!" <= character <= "~":
        return _UNKNOWN
    if character.isalpha():
        return _LETTER
    return _DIGIT if character.isdigit() else _OTHER


_KINDS = bytes(map(_kind_of, range(256)))
# By the kind of a character times 8, plus that of the next one.
_BEGINS = np.array([here in _BEGINS_BETWEEN.get(before, ()) for before in range(8) for here in range(8)])


def finer_chunk_starts(data: bytes, specials: Spans = ()) -> NDArray[np.int64]:
    """Where chunks begin, ascending; 0 first. Arguments as of `chunks.chunk_starts`, whose starts are among them."""
    kinds = np.frombuffer(bytearray(data.translate(_KINDS)), np.uint8)
    for start, end in specials:
        kinds[start:end] = _UNKNOWN
    begins = np.zeros(len(data), np.bool_)
    begins[1:] = _BEGINS[8 * kinds[:-1] + kinds[1:]]
    begins[chunk_starts(data, specials)] = True
    return np.flatnonzero(begins)
