"""Which pair comes next when counts only fall: a priority queue that need not be told when they do.

Training ends long before most pairs come near the top. So a pair has one entry from its birth on, at the count that it
was born with, and is not moved as its count falls: only an entry that is met at the top and found too high goes down to
where it belongs, or away.
"""

from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush

from tokenizer.fast.candidate import Candidate
from tokenizer.pairs import Key
from tokenizer.steps import Pair


class LazyQueue:
    """Candidates by count, those of equal count by the tie rule.

    The entries lie in levels, one for each count; only the level at the top is kept in order.

    Args:
        candidates: the first ones; their counts may fall.
        key: the tie rule's key. A pair's key may change only together with its count.
        least: candidates whose count is less leave, or do not come in.
    """

    def __init__(self, candidates: Iterable[Candidate], key: Callable[[Pair], Key], least: int = 1) -> None:
        self._key = key
        self._least = least
        self._levels: dict[int, list[Candidate]] = {}
        self._heights: list[int] = []  # a heap of the levels' counts, negative since a heap has the least first
        self._height = 0  # of the level at the top
        self._top: list[tuple[Key, Pair, Candidate]] = []  # that level, a heap
        for candidate in candidates:
            self.add(candidate)

    def add(self, candidate: Candidate) -> None:
        """Take one in that is new, or has become rarer; its count is at most that of the one at the top."""
        count = candidate.count
        if (level := self._levels.get(count)) is not None:
            level.append(candidate)
        elif count == self._height:
            heappush(self._top, (self._key(candidate.pair), candidate.pair, candidate))
        elif count >= self._least:
            self._levels[count] = [candidate]
            heappush(self._heights, -count)

    def top(self) -> Candidate | None:
        """The pair to merge next; None when none is left."""
        height, top = self._height, self._top
        while True:
            if not top:
                if not self._heights:
                    return None
                height = self._open()
                continue
            candidate = top[0][2]
            if candidate.count == height:
                return candidate
            heappop(top)
            self.add(candidate)

    def _open(self) -> int:
        """Put the highest level in order, and let down what is there too high; that level's count."""
        self._height = height = -heappop(self._heights)
        top, key, add = self._top, self._key, self.add
        for candidate in self._levels.pop(height):
            if candidate.count == height:
                top.append((key(candidate.pair), candidate.pair, candidate))
            else:
                add(candidate)
        heapify(top)
        return height
