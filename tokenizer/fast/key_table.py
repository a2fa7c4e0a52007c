"""A hash table of arrays: numbers by keys of two 64-bit words, many of them looked up at once."""

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Numbers = NDArray[np.int32]

MISSING = -1
FEWEST_SLOTS = 1 << 12
# Odd, and otherwise with bits like those of chance: the golden ratio's (Knuth 1973, 6.4), and a prime of xxHash.
_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


class KeyTable:
    """Numbers, 0 or more, by keys.

    A key's hash says at which slot to look first; from a slot that is another key's one goes on to the next (linear
    probing, Knuth 1973, 6.4). At most half of the slots are taken, so a few rounds over the keys still in doubt do.
    """

    def __init__(self) -> None:
        self._taken = 0
        self._allot(FEWEST_SLOTS)

    def __len__(self) -> int:
        return self._taken

    def find(self, first: Words, second: Words) -> Numbers:
        """The numbers of keys, `MISSING` for those that are not there."""
        slots = self._slots_of(first, second)
        numbers = self._numbers[slots]
        others = self._first[slots] != first
        others |= self._second[slots] != second
        others &= numbers != MISSING
        doubtful = others.nonzero()[0]
        while len(doubtful):
            at = slots[doubtful] = self._after(slots[doubtful])
            numbers[doubtful] = found = self._numbers[at]
            others = (self._first[at] != first[doubtful]) | (self._second[at] != second[doubtful])
            doubtful = doubtful[others & (found != MISSING)]
        return numbers

    def add(self, first: Words, second: Words, numbers: Numbers) -> None:
        """Add keys that are not there; neither a key nor a number may come twice."""
        self._taken += len(numbers)
        if 2 * self._taken > len(self._numbers):
            held = np.flatnonzero(self._numbers != MISSING)
            old = self._first[held], self._second[held], self._numbers[held]
            self._allot(1 << (4 * self._taken).bit_length())
            self._put(*old)
        self._put(first, second, numbers)

    def _put(self, first: Words, second: Words, numbers: Numbers) -> None:
        slots = self._slots_of(first, second)
        homeless = np.arange(len(numbers))
        while len(homeless):
            at = slots[homeless]
            free = self._numbers[at] == MISSING
            self._numbers[at[free]] = numbers[homeless[free]]
            # Of several that took one slot, the one whose number stands there now has it.
            won = self._numbers[at] == numbers[homeless]
            self._first[at[won]], self._second[at[won]] = first[homeless[won]], second[homeless[won]]
            homeless = homeless[~won]
            slots[homeless] = self._after(slots[homeless])

    def _allot(self, slots: int) -> None:
        self._first = np.zeros(slots, np.uint64)
        self._second = np.zeros(slots, np.uint64)
        self._numbers = np.full(slots, MISSING, np.int32)
        self._shift = np.uint64(65 - slots.bit_length())

    def _slots_of(self, first: Words, second: Words) -> NDArray[np.int64]:
        mixed = second * _SECOND
        mixed ^= first
        mixed *= _FIRST
        mixed >>= self._shift
        return mixed.view(np.int64)

    def _after(self, slots: NDArray[np.int64]) -> NDArray[np.int64]:
        return (slots + 1) & (len(self._numbers) - 1)
