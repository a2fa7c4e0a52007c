"""Chunks: the stretches of a block that can be cut into pre-tokens each on its own.

A chunk begins at a lone space, that is one whose neighbours are no white space (see `pretokens.SAFE_AT_SPACES`), and a
special token is a chunk by itself. What pre-tokens a chunk has depends on its bytes alone, so what a text repeats needs
to be cut once.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Spans = Sequence[tuple[int, int]]  # where special tokens begin and end in a block, ascending

# The white space of `\s`. In ASCII that leaves out U+001C to U+001F, which `str.isspace` takes in.
ASCII_WHITE = b"\t\n\v\f\r "
_IS_WHITE = bytes(byte in ASCII_WHITE for byte in range(256))


def chunk_starts(data: bytes, specials: Spans = (), white: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Where the chunks of a block begin, ascending; 0 first.

    Args:
        data: UTF-8, not empty, that begins and ends where a text can be cut.
        specials: the special tokens in it.
        white: which of its bytes are ASCII white space and in no special token, if that is known; will be changed.
    """
    size = len(data)
    values = np.frombuffer(data, np.uint8)
    if white is None:
        white = np.frombuffer(bytearray(data.translate(_IS_WHITE)), np.bool_)
    if not data.isascii():
        _add_unicode_white(values, white)
    for start, end in specials:
        white[start:end] = False
    begins = np.zeros(size + 1, np.bool_)
    if size > 2:
        begins[1 : size - 1] = (values[1:-1] == 32) & ~white[:-2] & ~white[2:]
    for start, end in specials:
        begins[start:end] = False
        begins[start] = begins[end] = True
    begins[0] = True
    return np.flatnonzero(begins[:size])


def _add_unicode_white(values: NDArray[np.uint8], white: NDArray[np.bool_]) -> None:
    """Set `white` at the bytes of U+0085, 00A0, 1680, 2000 to 200A, 2028, 2029, 202F, 205F and 3000."""
    leads = np.flatnonzero((values >= 0xC2) & (values <= 0xE3))
    leads = leads[leads < len(values) - 1]
    lead, second = values[leads], values[leads + 1]
    two = leads[(lead == 0xC2) & ((second == 0x85) | (second == 0xA0))]
    white[two] = white[two + 1] = True
    leads = leads[(lead >= 0xE1) & (leads < len(values) - 2)]
    lead, second, third = values[leads], values[leads + 1], values[leads + 2]
    in_e280 = ((third >= 0x80) & (third <= 0x8A)) | (third == 0xA8) | (third == 0xA9) | (third == 0xAF)
    three = leads[
        ((lead == 0xE1) & (second == 0x9A) & (third == 0x80))
        | ((lead == 0xE2) & (second == 0x80) & in_e280)
        | ((lead == 0xE2) & (second == 0x81) & (third == 0x9F))
        | ((lead == 0xE3) & (second == 0x80) & (third == 0x80))
    ]
    white[three] = white[three + 1] = white[three + 2] = True
