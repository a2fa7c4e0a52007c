"""Which pair comes next when counts only fall: a priority queue that need not be told when they do.

Training ends long before most pairs come near the top. So a pair has one entry from its birth on, at the count that it
was born with, and is not moved as its count falls: only an entry that is met at the top and found too high goes down to
where it belongs, or away.
"""

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from tokenizer.fast.counted_pair import CountedPair
from tokenizer.pairs import Key
from tokenizer.steps import Pair


class LazyQueue:
    """Counted pairs by count, those of equal count by the tie rule.

    The entries lie in levels, one for each count; only the level at the top is kept in order.

    Args:
        pairs: the first ones; their counts may fall.
        key: the tie rule's key. A pair's key may change only together with its count.
        least: pairs whose count is less leave, or do not come in.
    """

    def __init__(self, pairs: Iterable[CountedPair], key: Callable[[Pair], Key], least: int = 1) -> None:
        self._key = key
        self._least = least
        self._levels: dict[int, list[CountedPair]] = {}
        self._heights: list[int] = []  # a heap of the levels' counts, negative since a heap has the least first
        self._height = 0  # of the level at the top
        self._top: list[tuple[Key, Pair, CountedPair]] = []  # that level, a heap
        for counted in pairs:
            self.add(counted)

    def add(self, counted: CountedPair) -> None:
        """Take one in that is new, or has become rarer; its count is at most that of the one at the top."""
        count = counted.count
        if (level := self._levels.get(count)) is not None:
            level.append(counted)
        elif count == self._height:
            heappush(self._top, (self._key(counted.pair), counted.pair, counted))
        elif count >= self._least:
            self._levels[count] = [counted]
            heappush(self._heights, -count)

    def top(self) -> CountedPair | None:
        """The pair to merge next; None when none is left."""
        height, top = self._height, self._top
        while True:
            if not top:
                if not self._heights:
                    return None
                height = self._open()
                continue
            counted = top[0][2]
            if counted.count == height:
                return counted
            heappop(top)
            self.add(counted)

    def _open(self) -> int:
        """Put the highest level in order, and let down what is there too high; that level's count."""
        self._height = height = -heappop(self._heights)
        top, key, add = self._top, self._key, self.add
        for counted in self._levels.pop(height):
            if counted.count == height:
                top.append((key(counted.pair), counted.pair, counted))
            else:
                add(counted)
        heapify(top)
        return height
