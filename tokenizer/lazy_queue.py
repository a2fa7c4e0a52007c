"""Which pair comes next when counts only fall: a priority queue that need not be told when they do.

Training ends long before most pairs come near the top. So a pair has one entry from its birth on, at the count that it
was born with, and is not moved as its count falls: only an entry that is met at the top and found too high goes down to
where it belongs, or away.
"""

from collections.abc import Callable, Mapping
from heapq import heapify, heappop, heappush

from tokenizer.pairs import Key
from tokenizer.steps import Pair


class LazyQueue:
    """Pairs by count, those of equal count by the tie rule.

    The entries lie in levels, one for each count; only the level at the top is kept in order.

    Args:
        counts: of every pair, as others keep them: they may fall, and a pair may be taken out.
        key: the tie rule's key. A pair's key may change only together with its count.
    """

    def __init__(self, counts: Mapping[Pair, int], key: Callable[[Pair], Key]) -> None:
        self._counts = counts
        self._key = key
        self._levels: dict[int, list[Pair]] = {}
        self._heights: list[int] = []  # a heap of the levels' counts, negative since a heap has the least first
        self._height = 0  # of the level at the top
        self._top: list[tuple[Key, Pair]] = []  # that level, a heap
        for pair, count in counts.items():
            self.add(pair, count)

    def add(self, pair: Pair, count: int) -> None:
        """Take in a pair that is new; its count is at most that of the pair at the top."""
        if count == self._height:
            heappush(self._top, (self._key(pair), pair))
        elif (level := self._levels.get(count)) is not None:
            level.append(pair)
        else:
            self._levels[count] = [pair]
            heappush(self._heights, -count)

    def top(self) -> tuple[Pair, int] | None:
        """The pair to merge next and its count; None when none is left."""
        while self._top or self._heights:
            if not self._top:
                self._open()
                continue
            pair = self._top[0][1]
            if (count := self._counts.get(pair)) == self._height:
                return pair, self._height
            heappop(self._top)
            if count is not None:
                self.add(pair, count)
        return None

    def _open(self) -> None:
        """Put the highest level in order; what is there too high goes down."""
        height = self._height = -heappop(self._heights)
        counts, key = self._counts, self._key
        for pair in self._levels.pop(height):
            if (count := counts.get(pair)) == height:
                self._top.append((key(pair), pair))
            elif count is not None:
                self.add(pair, count)
        heapify(self._top)
