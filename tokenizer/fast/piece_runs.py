"""What the pieces of a block are encoded as, found without making an object of each."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.key_table import MISSING, KeyTable, Words
from tokenizer.fast.runs import Numbers

LONGEST_KEY = 15  # bytes of a piece that fits into a key, beside its length
_BEHIND = bytes(16)  # so that sixteen bytes can be read from the start of every piece
# By the length of a piece: which bits of its first eight bytes are its own, which of the next eight, and the length as
# the last byte of its key. That of a longer piece has 0 there, as no other key has.
_BITS = [8 * length for length in range(LONGEST_KEY + 1)]
_FIRST_MASKS = np.array([(1 << min(bits, 64)) - 1 for bits in (*_BITS, 64)], np.uint64)
_SECOND_MASKS = np.array([(1 << max(bits - 64, 0)) - 1 for bits in (*_BITS, 64)], np.uint64)
_LENGTHS = np.array([*(length << 56 for length in range(LONGEST_KEY + 1)), 0], np.uint64)


class PieceRuns:
    """Short pieces that were met, by key, in front of a function that knows them all.

    Args:
        numbers_of: the numbers of the runs of ids that pieces are encoded as; each distinct piece has its own.
    """

    def __init__(self, numbers_of: Callable[[Sequence[bytes]], Numbers]) -> None:
        self._numbers_of = numbers_of
        self._table = KeyTable()

    def numbers(self, data: bytes, starts: NDArray[np.int64]) -> Numbers:
        """The numbers of the runs that the pieces of a block are encoded as.

        Args:
            data: the block.
            starts: where its pieces begin, ascending, 0 first; each ends where the next one begins.
        """
        lengths = np.diff(starts, append=len(data))
        first, second = _keys(data, starts, lengths)
        numbers: Numbers = self._table.find(first, second).astype(np.int64)
        unknown = np.flatnonzero(numbers == MISSING)
        if len(unknown):
            at = starts[unknown]
            ends = at + lengths[unknown]
            pieces = [data[start:end] for start, end in zip(at.tolist(), ends.tolist(), strict=True)]
            numbers[unknown] = self._numbers_of(pieces)
            short = unknown[lengths[unknown] <= LONGEST_KEY]
            new, places = np.unique(numbers[short], return_index=True)
            self._table.add(first[short[places]], second[short[places]], new.astype(np.int32))
        return numbers


def _keys(data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> tuple[Words, Words]:
    """Keys of pieces, as two words: the same only for the same piece, as far as it has at most `LONGEST_KEY` bytes."""
    words = np.ndarray((len(data) + 9,), "<u8", data + _BEHIND, strides=(1,))  # the eight bytes from each byte on
    lengths = np.minimum(lengths, LONGEST_KEY + 1)
    first = words[starts]
    first &= _FIRST_MASKS[lengths]
    second = _LENGTHS[lengths]
    longer = np.flatnonzero(lengths > 8)  # one in ten of English
    second[longer] |= words[starts[longer] + 8] & _SECOND_MASKS[lengths[longer]]
    return first, second
