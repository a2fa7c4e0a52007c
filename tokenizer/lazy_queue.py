"""Which pair comes next when counts only fall: a priority queue that need not be told when they do.

Training ends long before most pairs come near the top. So a pair has one entry from its birth on, at the count that it
was born with, and is not moved as its count falls: only an entry that is met at the top and found too high goes down to
where it belongs, or away.
"""

from collections.abc import Callable, MutableMapping
from heapq import heapify, heappop, heappush

from tokenizer.pairs import Key
from tokenizer.steps import Pair


class LazyQueue:
    """Pairs by count, those of equal count by the tie rule.

    The entries lie in levels, one for each count; only the level at the top is kept in order.

    Args:
        counts: of every pair, as they are now: whoever lowers them does it here. A pair that is merged is taken out, and
            the queue takes out those that have fallen below `least`.
        key: the tie rule's key. A pair's key may change only together with its count.
        least: pairs that occur less often are never wanted.
    """

    def __init__(self, counts: MutableMapping[Pair, int], key: Callable[[Pair], Key], least: int = 1) -> None:
        self._counts = counts
        self._key = key
        self._least = least
        self._levels: dict[int, list[Pair]] = {}
        self._heights: list[int] = []  # a heap of the levels' counts, negative since a heap has the least first
        self._height = 0  # of the level at the top
        self._top: list[tuple[Key, Pair]] = []  # that level, a heap
        for pair, count in counts.items():
            self.add(pair, count)

    def add(self, pair: Pair, count: int) -> None:
        """Take in a pair, or take it to where it belongs; its count is at most that of the pair at the top."""
        if count < self._least:
            self._counts.pop(pair, None)
        elif count == self._height:
            heappush(self._top, (self._key(pair), pair))
        elif (level := self._levels.get(count)) is not None:
            level.append(pair)
        else:
            self._levels[count] = [pair]
            heappush(self._heights, -count)

    def top(self) -> tuple[Pair, int] | None:
        """The pair to merge next and its count; None when none is left."""
        while True:
            while self._top:
                pair = self._top[0][1]
                if self._counts.get(pair) == self._height:
                    return pair, self._height
                heappop(self._top)
                self.add(pair, self._counts.get(pair, 0))
            if not self._heights:
                return None
            self._open()

    def _open(self) -> None:
        """Put the highest level in order."""
        self._height = -heappop(self._heights)
        for pair in self._levels.pop(self._height):
            if self._counts.get(pair) == self._height:
                self._top.append((self._key(pair), pair))
            else:
                self.add(pair, self._counts.get(pair, 0))
        heapify(self._top)
