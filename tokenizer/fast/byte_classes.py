r"""Pre-tokens of GPT-2's pattern from the classes of the bytes: no pattern runs, a block is cut as a whole.

The pattern is `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`. So a pre-token begins where
the class of the bytes changes (white space, letter, digit, other), except that

- a space goes to the letter, digit or other after it;
- of a run of white space before such a one, the last character is parted from the rest (`\s+(?!\S)`); at the end of the
  text, or before a special token, a run stays whole;
- an apostrophe that begins a pre-token takes s, d, m, t, ll, ve or re with it, whatever letters follow.

All bytes of a character have its class, and special tokens have one of their own. White space above ASCII and
characters of four bytes are not classified: a chunk with one of those is left to the pattern whole (a zone).
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import regex
from numpy.typing import NDArray

from tokenizer.fast.chunks import ASCII_WHITE, Spans, chunk_starts

# The classes. Those from _LETTER on take a space before them.
_WHITE, _SPECIAL, _LETTER, _DIGIT, _OTHER, _HIGH = range(6)


def _class_of(byte: int) -> int:
    if byte >= 0x80:
        return _HIGH
    if byte in ASCII_WHITE:
        return _WHITE
    if chr(byte).isalpha():
        return _LETTER
    return _DIGIT if chr(byte).isdigit() else _OTHER


_CLASSES = bytes(map(_class_of, range(256)))


class Units(NamedTuple):
    """A block in units, in order, end to end: pre-tokens, special tokens, and zones for the pattern.

    `starts` and `lengths` count bytes; `specials` and `zones` say which units (numbers from 0, ascending) are no
    pre-tokens.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    specials: NDArray[np.int64]
    zones: NDArray[np.int64]


def units(data: bytes, specials: Spans = ()) -> Units:
    """Cut a block as GPT-2's pattern does.

    Args:
        data: UTF-8, not empty, that begins and ends where a text can be cut (see `blocks.Cuts`).
        specials: the special tokens in it, leftmost first.
    """
    size = len(data)
    classes = _classes(data, specials)
    begins = _class_changes(data, classes)
    special_starts = np.array([start for start, _ in specials], np.int64)
    begins[special_starts] = True
    _take_contractions(data, classes, begins)
    zone_starts = np.empty(0, np.int64) if data.isascii() else _leave_zones(data, specials, classes, begins)
    begins[size] = True
    bounds = np.flatnonzero(begins[: size + 1])
    starts = bounds[:-1]
    return Units(
        starts,
        np.diff(bounds),
        np.searchsorted(starts, special_starts),
        np.searchsorted(starts, zone_starts),
    )


def _classes(data: bytes, specials: Spans) -> NDArray[np.uint8]:
    """The class of every byte, and three more after the end."""
    size = len(data)
    classes = np.empty(size + 3, np.uint8)
    classes[:size] = np.frombuffer(data.translate(_CLASSES), np.uint8)
    if not data.isascii():
        _classify_characters(data, classes)
    for start, end in specials:
        classes[start:end] = _SPECIAL
    classes[size:] = _SPECIAL  # the end of the text is like the start of a special token
    return classes


def _classify_characters(data: bytes, classes: NDArray[np.uint8]) -> None:
    """Set the classes of characters of two bytes and of three."""
    values = np.frombuffer(data, np.uint8)
    two = np.flatnonzero((values >= 0xC2) & (values <= 0xDF))
    codes = (values[two] & np.uint16(0x1F)) << 6 | values[two + 1] & 0x3F
    classes[two] = classes[two + 1] = _page(0)[codes]
    for lead in range(0xE0, 0xF0):
        if lead in data:
            three = np.flatnonzero(values == lead)
            codes = (values[three + 1] & np.uint16(0x3F)) << 6 | values[three + 2] & 0x3F
            classes[three] = classes[three + 1] = classes[three + 2] = _page(lead & 0xF)[codes]


@cache
def _page(number: int) -> NDArray[np.uint8]:
    """The classes of 4,096 characters, those that have the same first byte of three; all 16 take 20 milliseconds."""
    characters = "".join(map(chr, range(number << 12, number + 1 << 12)))
    classes = np.full(len(characters), _OTHER, np.uint8)
    for name, named in ((_LETTER, r"\p{L}+"), (_DIGIT, r"\p{N}+"), (_HIGH, r"\s+")):
        for found in regex.finditer(named, characters):
            classes[found.start() : found.end()] = name
    return classes


def _class_changes(data: bytes, classes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where a pre-token begins by the classes alone; three more than there are bytes, the surplus of no meaning."""
    size = len(data)
    begins = np.ones(size + 3, np.bool_)
    takes_space = classes >= _LETTER
    np.not_equal(classes[1:size], classes[: size - 1], out=begins[1:size])
    after_space = np.frombuffer(data, np.uint8)[:-1] == 32
    after_space &= takes_space[1:size]
    after_space &= classes[: size - 1] == _WHITE  # not a space that a special token ends with
    np.greater(begins[1:size], after_space, out=begins[1:size])
    white = classes == _WHITE
    last_of_run = white[1:size] & white[: size - 1]
    last_of_run &= takes_space[2 : size + 1]
    begins[1:size] |= last_of_run
    return begins


def _take_contractions(data: bytes, classes: NDArray[np.uint8], begins: NDArray[np.bool_]) -> None:
    """Join apostrophes that begin a pre-token with the contraction after them, and part that from what follows."""
    if b"'" not in data:
        return
    values = np.frombuffer(data, np.uint8)
    apostrophes = np.flatnonzero(values == ord("'"))
    apostrophes = apostrophes[
        begins[apostrophes] & (classes[apostrophes] == _OTHER) & (classes[apostrophes + 1] == _LETTER)
    ]
    first = values[apostrophes + 1]
    short = apostrophes[(first == ord("s")) | (first == ord("d")) | (first == ord("m")) | (first == ord("t"))]
    begins[short + 1] = False
    begins[short + 2] = True
    two = classes[apostrophes + 2] == _LETTER
    apostrophes, first = apostrophes[two], first[two]
    second = values[apostrophes + 2]
    long = apostrophes[
        ((first == ord("l")) & (second == ord("l")))
        | ((first == ord("v")) & (second == ord("e")))
        | ((first == ord("r")) & (second == ord("e")))
    ]
    begins[long + 1] = False
    begins[long + 3] = True


def _leave_zones(
    data: bytes, specials: Spans, classes: NDArray[np.uint8], begins: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Make each chunk with a byte that has no class one unit; where those begin."""
    high = np.flatnonzero(classes == _HIGH)
    if not len(high):
        return high
    chunks = chunk_starts(data, specials, white=classes[: len(data)] == _WHITE)
    zones = np.searchsorted(chunks, high, side="right") - 1
    zones = zones[np.diff(zones, prepend=-1) > 0]
    starts, ends = chunks[zones], np.append(chunks, len(data))[zones + 1]
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths  # bytes in the zones before each one
    begins[np.arange(lengths.sum()) + np.repeat(starts - before, lengths)] = False
    begins[starts] = begins[ends] = True
    return starts
