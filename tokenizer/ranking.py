"""All pairs in the order in which they would be merged: by count descending, then by the tie rule.

Kept up to date as counts change. Most changes concern rare pairs far from the top, so pairs lie in levels, one for
each count, and a level is put in order only when somebody looks that far down; from then on it is kept in order.
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tokenizer.pairs import Key
from tokenizer.steps import Pair


class Level(NamedTuple):
    """Pairs of one count in order, each at the place of its key."""

    keys: list[Key]
    pairs: list[Pair]


class Ranking:
    """Pairs by count and tie rule.

    Args:
        counts: the first counts.
        key: the tie rule's key. A pair's key may change only together with its count:
            `first_seen` keeps to that, for a pair's first occurrence moves only when an occurrence is lost.
    """

    def __init__(self, counts: Mapping[Pair, int], key: Callable[[Pair], Key]) -> None:
        self._key = key
        self._levels: dict[int, set[Pair]] = {}
        for pair, count in counts.items():
            self._levels.setdefault(count, set()).add(pair)
        self._heights: list[int] = sorted(self._levels)
        self._ordered: dict[int, Level] = {}
        self._keys: dict[Pair, Key] = {}  # of the pairs in ordered levels

    def top(self) -> tuple[Pair, int, int] | None:
        """The pair to merge next, its count, and how many pairs have that count; None when there is no pair."""
        if not self._heights:
            return None
        count = self._heights[-1]
        pairs = self._level(count).pairs
        return pairs[0], count, len(pairs)

    def first(self, size: int) -> tuple[list[Pair], list[int]]:
        """The first `size` pairs, and the count of each."""
        pairs: list[Pair] = []
        counts: list[int] = []
        for count in reversed(self._heights):
            pairs += self._level(count).pairs[: size - len(pairs)]
            counts += [count] * (len(pairs) - len(counts))
            if len(pairs) >= size:
                break
        return pairs, counts

    def change(self, pair: Pair, before: int, after: int) -> None:
        """Take a pair from one count to another; 0 where it is new or gone."""
        if before:
            self._leave(pair, before)
        if after:
            self._enter(pair, after)

    def _level(self, count: int) -> Level:
        level = self._ordered.get(count)
        if level is None:
            keyed = sorted((self._key(pair), pair) for pair in self._levels[count])
            level = self._ordered[count] = Level([key for key, _ in keyed], [pair for _, pair in keyed])
            self._keys.update((pair, key) for key, pair in keyed)
        return level

    def _enter(self, pair: Pair, count: int) -> None:
        level = self._levels.get(count)
        if level is None:
            self._levels[count] = {pair}
            insort(self._heights, count)
            return
        level.add(pair)
        if (ordered := self._ordered.get(count)) is not None:
            key = self._keys[pair] = self._key(pair)
            place = bisect_left(ordered.keys, key)
            ordered.keys.insert(place, key)
            ordered.pairs.insert(place, pair)

    def _leave(self, pair: Pair, count: int) -> None:
        level = self._levels[count]
        level.discard(pair)
        if (ordered := self._ordered.get(count)) is not None:
            # While a step's changes come in, the new key of one pair can be the old one of another.
            place = ordered.pairs.index(pair, bisect_left(ordered.keys, self._keys.pop(pair)))
            del ordered.keys[place], ordered.pairs[place]
        if not level:
            del self._levels[count]
            self._ordered.pop(count, None)
            del self._heights[bisect_left(self._heights, count)]
