"""All pairs in the order in which they would be merged: by count descending, then by the tie rule.

Kept up to date as counts change. Most changes concern rare pairs far from the top, so only pairs from a certain count
on, the floor, lie in order. When too few are left above it, the floor is lowered.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Mapping
from operator import itemgetter

from tokenizer.pairs import Key
from tokenizer.steps import Pair

Entry = tuple[int, Key, Pair]  # the count, negative, so that the smallest entry comes first

ROOM = 2_000  # pairs that are put in order at once: some hundred steps' work


class Ranking:
    """Pairs by count and tie rule.

    Args:
        counts: the first counts.
        key: the tie rule's key. A pair's key may change only together with its count: `first_seen` keeps to that,
            for a pair's first occurrence moves only when an occurrence is lost.
    """

    def __init__(self, counts: Mapping[Pair, int], key: Callable[[Pair], Key]) -> None:
        self.counts: dict[Pair, int] = dict(counts)
        self._key = key
        self._ordered: list[Entry] = []
        self._entries: dict[Pair, Entry] = {}  # of the pairs that are in order
        self._floor = max(counts.values(), default=0) + 1

    def __len__(self) -> int:
        return len(self.counts)

    def top(self) -> tuple[Pair, int, int] | None:
        """The pair to merge next, its count, and how many pairs have that count; None when there is no pair."""
        if not self.counts:
            return None
        negative, _, pair = self._first(1)[0]
        return pair, -negative, bisect_right(self._ordered, negative, key=itemgetter(0))

    def first(self, size: int) -> list[tuple[Pair, int]]:
        """The first `size` pairs with their counts."""
        return [(pair, -negative) for negative, _, pair in self._first(size)]

    def change(self, pair: Pair, after: int) -> int:
        """Give a pair another count, 0 for a pair that is gone; the count before, 0 for a new pair."""
        before = self.counts.get(pair, 0)
        if before >= self._floor:
            del self._ordered[bisect_left(self._ordered, self._entries.pop(pair))]
        if after:
            self.counts[pair] = after
        elif before:
            del self.counts[pair]
        if after >= self._floor:
            entry = self._entries[pair] = (-after, self._key(pair), pair)
            insort(self._ordered, entry)
        return before

    def _first(self, size: int) -> list[Entry]:
        if len(self._ordered) < min(size, len(self.counts)):
            self._lower_floor(max(size, ROOM))
        return self._ordered[:size]

    def _lower_floor(self, size: int) -> None:
        """Put the first `size` pairs in order, and those that occur as often as the last of them."""
        floor = sorted(self.counts.values(), reverse=True)[:size][-1]
        for pair, count in self.counts.items():
            if floor <= count < self._floor:
                self._entries[pair] = (-count, self._key(pair), pair)
        self._ordered = sorted(self._entries.values())
        self._floor = floor
