"""Short byte strings as numbers: finding and counting one is a load from memory, a place in a table and a comparison.

A string of up to 16 bytes without NULs is two little-endian words padded with zeros: its key. Keys are compared whole,
so the counts are exact; hashing only says where to look.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORD = 8  # bytes
LONGEST = 2 * WORD  # bytes of the longest string that has a key
PADDING = bytes(LONGEST)  # what stands after a block so that the last loads stay inside

_SLOT_BITS = 16
_MOST_MISSED = 1 << 17  # keys without a slot that are kept before they are grouped
_MOST_UNCOUNTED = 1 << 19  # strings with a number that are kept before they are counted
_NO_NUMBERS = np.zeros(0, np.int64)
# Masks for strings of 0 to 8 bytes; longer ones become 0, as no string does.
_MASKS = np.array([*((1 << 8 * length) - 1 for length in range(WORD + 1)), 0], np.uint64)
# Odd numbers with bits all over: multiplying by one spreads what differs into the upper bits (Fibonacci hashing).
_SPREAD, _SPREAD_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)

Counts = Mapping[bytes, tuple[int, int]]  # a string's count and where it is first


class Keys(NamedTuple):
    """Strings by their keys, `low` and `high` words, with their counts and the places where they are first."""

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    counts: NDArray[np.int64]
    firsts: NDArray[np.int64]

    @classmethod
    def of(cls, counted: Counts) -> "Keys":
        """The keys of strings that have one (see `has_key`)."""
        words = np.frombuffer(b"".join(string.ljust(LONGEST, b"\0") for string in counted), "<u8").reshape(-1, 2)
        numbers = np.array([*counted.values()], np.int64).reshape(-1, 2)
        return cls(words[:, 0], words[:, 1], numbers[:, 0], numbers[:, 1])

    @classmethod
    def joined(cls, several: Iterable["Keys"]) -> "Keys":
        """All keys of several lists, each once: counts added up, of the places the first; in no order."""
        low, high, counts, firsts = map(np.concatenate, zip(*several, strict=True))
        order = _equal_side_by_side(low, high)
        low, high = low[order], high[order]
        new = np.ones(len(low), np.bool_)
        new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
        begins = np.flatnonzero(new)
        if not len(begins):
            return cls(low, high, counts, firsts)
        return cls(
            low[begins],
            high[begins],
            np.add.reduceat(counts[order], begins),
            np.minimum.reduceat(firsts[order], begins),
        )

    def lengths(self) -> NDArray[np.int64]:
        """How many bytes each string has."""
        lengths: NDArray[np.int64] = (self.strings() != 0).sum(axis=1, dtype=np.int64)
        return lengths

    def strings(self) -> NDArray[np.uint8]:
        """The strings as rows of 16 bytes, padded with zeros."""
        return np.stack((self.low, self.high), axis=1).astype("<u8").view(np.uint8)


def has_key(string: bytes) -> bool:
    """Whether a string (not empty) is short enough for a key and could not be taken for a padded one."""
    return len(string) <= LONGEST and b"\0" not in string


def _equal_side_by_side(low: NDArray[np.uint64], high: NDArray[np.uint64]) -> NDArray[np.int64]:
    """An order in which equal keys are neighbours."""
    mixed = _mix(low, high)
    order = np.argsort(mixed)  # sorting one word is several times faster than two, and mixed ones are hardly ever equal
    same = np.diff(mixed[order]) == 0
    low, high = low[order], high[order]
    if np.any(same & ((low[1:] != low[:-1]) | (high[1:] != high[:-1]))):
        return order[np.lexsort((low, high))]
    return order


def _mix(low: NDArray[np.uint64], high: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return (low ^ (high * _SPREAD_HIGH)) * _SPREAD


class KeyIndex:
    """Numbers for strings that lie in blocks. A string has one number for good, or never gets one.

    By its key a string has one slot that it can be in, whose number is its own; the first that comes takes the slot.
    Short strings have slots of their own. No string has number 0.
    """

    def __init__(self) -> None:
        slots = 1 << _SLOT_BITS
        self.size = 2 * slots
        self.low, self.high = np.zeros(self.size, np.uint64), np.zeros(self.size, np.uint64)
        self._short = _Slots(self.low[:slots], None)
        self._long = _Slots(self.low[slots:], self.high[slots:])

    def find(
        self, data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of strings of a block.

        Args:
            data: the block, without NULs, and `PADDING` after it.
            starts: where in it the strings begin.
            lengths: how long they are; those of length 0 are passed over.

        Returns:
            a number for each string, 0 for those that have none; and which strings (places in `starts`, those of the
            same number ascending) had none before.
        """
        words = _words(data)
        low = words[starts]
        low &= _MASKS.take(lengths, mode="clip")
        numbers, new = self._short.find(low, None)
        long = np.flatnonzero(lengths > WORD)
        high = words[starts[long] + WORD]
        high &= _MASKS.take(lengths[long] - WORD, mode="clip")
        two = np.flatnonzero(high)
        long, high = long[two], high[two]
        slots, new_long = self._long.find(words[starts[long]], high)
        numbers[long] = np.where(slots > 0, slots + self.size // 2, 0)
        return numbers, np.append(new, long[new_long])


class _Slots:
    """Slots for keys, free where `low` is 0. Slot 0 is nobody's. Without `high` all keys are one word."""

    def __init__(self, low: NDArray[np.uint64], high: NDArray[np.uint64] | None) -> None:
        self._low, self._high = low, high

    def find(
        self, low: NDArray[np.uint64], high: NDArray[np.uint64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The slot of each key, 0 if it has none; and which keys had none before."""
        mixed = low * _SPREAD if high is None else _mix(low, high)
        mixed >>= np.uint64(64 - _SLOT_BITS)
        slots = mixed.view(np.int64)
        others = np.flatnonzero(self._differ(slots, low, high))  # those that do not lie in their slot
        if not len(others):
            return slots, others
        wanted, low, high = slots[others], low[others], None if high is None else high[others]
        free = (self._low[wanted] == 0) & (wanted != 0)
        self._low[wanted[free]] = low[free]  # of several keys for one slot the last to be written stays
        if self._high is not None and high is not None:
            self._high[wanted[free]] = high[free]
        late = self._differ(wanted, low, high)
        slots[others[late]] = 0
        return slots, others[~late]

    def _differ(
        self, slots: NDArray[np.int64], low: NDArray[np.uint64], high: NDArray[np.uint64] | None
    ) -> NDArray[np.bool_]:
        differ: NDArray[np.bool_] = self._low[slots] != low
        if self._high is not None:
            differ |= self._high[slots] != high
        return differ


class KeyCounter:
    """Counts of strings that lie in blocks, and where each is first."""

    def __init__(self) -> None:
        self._index = KeyIndex()
        self._counts, self._firsts = np.zeros(self._index.size, np.int64), np.zeros(self._index.size, np.int64)
        self._uncounted: list[NDArray[np.int64]] = []  # numbers of strings
        self._missed: list[Keys] = []  # without a number
        self._grouped = 0  # how many of them there were when they were last grouped
        self._grouped_bytes = 0
        self._longer: dict[bytes, tuple[int, int]] = {}
        self._longer_bytes = 0

    def add(self, data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], *, offset: int) -> None:
        """Count strings of a block.

        Args:
            data: the block, as of `KeyIndex.find`.
            starts: where in it the strings begin, ascending.
            lengths: how long they are; those of length 0 are left out.
            offset: where the block begins; blocks come one after another.
        """
        numbers, new = self._index.find(data, starts, lengths)
        backwards = new[::-1]  # of several places the one that is written last stays: the first in the text
        self._firsts[numbers[backwards]] = starts[backwards] + offset
        self._uncounted.append(numbers)
        if sum(map(len, self._uncounted)) > _MOST_UNCOUNTED:
            self._count()
        others = np.flatnonzero((numbers == 0) & (lengths > 0))
        starts, lengths = starts[others], lengths[others]
        short = lengths <= LONGEST
        self._miss(data, starts[short], lengths[short], offset)
        for start, length in zip(starts[~short].tolist(), lengths[~short].tolist(), strict=True):
            string = data[start : start + length]
            count, first = self._longer.get(string, (0, offset + start))
            self._longer[string] = count + 1, first
            if not count:
                self._longer_bytes += length

    def keys(self) -> Keys:
        """The strings of up to 16 bytes, each once."""
        self._count()
        used = 1 + np.flatnonzero(self._counts[1:])
        index = self._index
        numbered = Keys(index.low[used], index.high[used], self._counts[used], self._firsts[used])
        return Keys.joined([numbered, *self._missed])

    def longer(self) -> Counts:
        """The other strings."""
        return self._longer

    def distinct_bytes(self) -> int:
        """How many bytes the distinct strings have together, at least.

        Those that have a number are left out: they are few. Of those without one, so many at least are grouped that
        their bytes are most of all.
        """
        if self._ungrouped() > self._grouped // 2 + _MOST_MISSED:
            self._group()
        return self._grouped_bytes + self._longer_bytes

    def _count(self) -> None:
        """Count the strings that have a number; of several blocks together, since each time goes through all counts."""
        self._counts += np.bincount(np.concatenate([_NO_NUMBERS, *self._uncounted]), minlength=self._index.size)
        self._uncounted.clear()

    def _miss(self, data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], offset: int) -> None:
        """Keep strings that have no number, and group them when they have become many since the last time."""
        if not len(starts):
            return
        words = _words(data)
        low = words[starts] & _MASKS[np.minimum(lengths, WORD)]
        high = words[starts + WORD] & _MASKS[np.maximum(lengths - WORD, 0)]
        self._missed.append(Keys(low, high, np.ones(len(low), np.int64), starts + offset))
        if self._ungrouped() > self._grouped + _MOST_MISSED:
            self._group()

    def _ungrouped(self) -> int:
        """How many strings without a number have been kept since the last time they were grouped."""
        return sum(len(keys.low) for keys in self._missed) - self._grouped

    def _group(self) -> None:
        self._missed = [Keys.joined(self._missed)]
        self._grouped = len(self._missed[0].low)
        self._grouped_bytes = int(self._missed[0].lengths().sum())


def _words(data: bytes) -> NDArray[np.uint64]:
    """The words that begin at each byte of a block with its padding."""
    return np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))
