"""Counting short byte strings as numbers: one load from memory, one place in a table and one comparison for each.

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


class KeyCounter:
    """Counts of strings that lie in blocks, and where each is first."""

    def __init__(self) -> None:
        self._short, self._long = _Slots(), _Slots()
        self._longer: dict[bytes, tuple[int, int]] = {}

    def add(self, data: bytes, starts: NDArray[np.int64], lengths: NDArray[np.int64], *, offset: int) -> None:
        """Count strings of a block.

        Args:
            data: the block, without NULs, and `PADDING` after it.
            starts: where in it the strings begin, ascending.
            lengths: how long they are; those of length 0 are left out.
            offset: where the block begins.
        """
        words: NDArray[np.uint64] = np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))
        low = words[starts]
        low &= _MASKS.take(lengths, mode="clip")
        self._short.add(low, None, starts, offset)
        long = np.flatnonzero(lengths > WORD)
        starts, lengths = starts[long], lengths[long]
        high = words[starts + WORD]
        high &= _MASKS.take(lengths - WORD, mode="clip")
        two = np.flatnonzero(high)
        self._long.add(words[starts[two]], high[two], starts[two], offset)
        longer = np.flatnonzero(high == 0)
        for start, length in zip(starts[longer].tolist(), lengths[longer].tolist(), strict=True):
            string = data[start : start + length]
            count, first = self._longer.get(string, (0, offset + start))
            self._longer[string] = count + 1, first

    def keys(self) -> Keys:
        """The strings of up to 16 bytes, each once."""
        return Keys.joined([*self._short.keys(), *self._long.keys()])

    def longer(self) -> Counts:
        """The other strings."""
        return self._longer


class _Slots:
    """Counts of keys. A key has one slot that it can be in; the first that comes has it for good.

    Those that come too late are kept in lists and grouped now and then. Slot 0 is nobody's.
    """

    def __init__(self) -> None:
        size = 1 << _SLOT_BITS
        self._low, self._high = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
        self._counts, self._firsts = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._missed: list[Keys] = []
        self._grouped = 0  # how many of the missed lists' keys have been grouped

    def add(
        self, low: NDArray[np.uint64], high: NDArray[np.uint64] | None, starts: NDArray[np.int64], offset: int
    ) -> None:
        """Count keys, in the order in which they stand in the text; a key of zeros is none. None: no high words."""
        mixed = low * _SPREAD if high is None else _mix(low, high)
        mixed >>= np.uint64(64 - _SLOT_BITS)
        slots = mixed.view(np.int64)
        elsewhere = np.flatnonzero(self._differ(slots, low, high))
        if len(elsewhere):
            new = elsewhere[(self._low[slots[elsewhere]] == 0) & (slots[elsewhere] != 0)]
            self._claim(new[::-1], slots, low, high, starts, offset)
            missed = elsewhere[
                self._differ(slots[elsewhere], low[elsewhere], None if high is None else high[elsewhere])
            ]
            slots[missed] = 0
            self._miss(low[missed], None if high is None else high[missed], starts[missed] + offset)
        self._counts += np.bincount(slots, minlength=len(self._counts))

    def keys(self) -> list[Keys]:
        """All keys; none is in two of the lists, but one list may hold one twice."""
        used = 1 + np.flatnonzero(self._counts[1:])
        return [Keys(self._low[used], self._high[used], self._counts[used], self._firsts[used]), *self._missed]

    def _differ(
        self, slots: NDArray[np.int64], low: NDArray[np.uint64], high: NDArray[np.uint64] | None
    ) -> NDArray[np.bool_]:
        differ: NDArray[np.bool_] = self._low[slots] != low
        if high is not None:
            differ |= self._high[slots] != high
        return differ

    def _claim(
        self,
        backwards: NDArray[np.int64],
        slots: NDArray[np.int64],
        low: NDArray[np.uint64],
        high: NDArray[np.uint64] | None,
        starts: NDArray[np.int64],
        offset: int,
    ) -> None:
        """Give free slots to keys. Of several for one slot the last to be written stays: the first in the text."""
        claimed = slots[backwards]
        self._low[claimed] = low[backwards]
        if high is not None:
            self._high[claimed] = high[backwards]
        self._firsts[claimed] = starts[backwards] + offset

    def _miss(self, low: NDArray[np.uint64], high: NDArray[np.uint64] | None, firsts: NDArray[np.int64]) -> None:
        """Keep keys that have no slot, and group them when they have become many since the last time."""
        high = np.zeros(len(low), np.uint64) if high is None else high
        self._missed.append(Keys(low, high, np.ones(len(low), np.int64), firsts))
        kept = sum(len(keys.low) for keys in self._missed)
        if kept > 2 * self._grouped + _MOST_MISSED:
            self._missed = [Keys.joined(self._missed)]
            self._grouped = len(self._missed[0].low)
