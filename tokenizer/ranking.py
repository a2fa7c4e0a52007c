"""All pairs in the order in which they would be merged: by count descending, then by the tie rule.

Kept up to date as counts change. Most changes concern rare pairs far from the top, so pairs lie in levels, one for
each count, and a level is put in order only when somebody looks that far down; from then on it is kept in order.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping

from tokenizer.pairs import Key
from tokenizer.steps import Pair


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
        self._levels: dict[int, set[Pair]] = {}
        for pair, count in counts.items():
            self._levels.setdefault(count, set()).add(pair)
        self._heights: list[int] = sorted(self._levels)
        self._ordered: dict[int, list[tuple[Key, Pair]]] = {}
        self._keys: dict[Pair, Key] = {}  # of the pairs in ordered levels

    def __len__(self) -> int:
        return len(self.counts)

    def top(self) -> tuple[Pair, int, int] | None:
        """The pair to merge next, its count, and how many pairs have that count; None when there is no pair."""
        if not self._heights:
            return None
        count = self._heights[-1]
        level = self._level(count)
        return level[0][1], count, len(level)

    def first(self, size: int) -> list[tuple[Pair, int]]:
        """The first `size` pairs with their counts."""
        found: list[tuple[Pair, int]] = []
        for count in reversed(self._heights):
            found += [(pair, count) for _, pair in self._level(count)[: size - len(found)]]
            if len(found) >= size:
                break
        return found

    def change(self, pair: Pair, after: int) -> int:
        """Give a pair another count, 0 for a pair that is gone; the count before, 0 for a new pair."""
        before = self.counts.get(pair, 0)
        if before:
            self._leave(pair, before)
        if after:
            self.counts[pair] = after
            self._enter(pair, after)
        elif before:
            del self.counts[pair]
        return before

    def _level(self, count: int) -> list[tuple[Key, Pair]]:
        ordered = self._ordered.get(count)
        if ordered is None:
            ordered = self._ordered[count] = sorted((self._key(pair), pair) for pair in self._levels[count])
            self._keys.update((pair, key) for key, pair in ordered)
        return ordered

    def _enter(self, pair: Pair, count: int) -> None:
        level = self._levels.get(count)
        if level is None:
            self._levels[count] = {pair}
            insort(self._heights, count)
            return
        level.add(pair)
        if (ordered := self._ordered.get(count)) is not None:
            key = self._keys[pair] = self._key(pair)
            insort(ordered, (key, pair))

    def _leave(self, pair: Pair, count: int) -> None:
        level = self._levels[count]
        level.discard(pair)
        if (ordered := self._ordered.get(count)) is not None:
            del ordered[bisect_left(ordered, (self._keys.pop(pair), pair))]
        if not level:
            del self._levels[count]
            self._ordered.pop(count, None)
            del self._heights[bisect_left(self._heights, count)]
