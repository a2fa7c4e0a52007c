"""Which pair comes next, where counts only fall: a queue that is told of a pair's birth and of nothing else."""

from collections.abc import Callable
from heapq import heapify, heappop, heappush

from tokenizer.pairs import Key
from tokenizer.steps import Pair


class LazyQueue:
    def __init__(self, key: Callable[[Pair], Key]) -> None:
        self._key = key
        self._levels: dict[int, list[Pair]] = {}
        self._heights: list[int] = []  # a heap of the levels' counts, negative, as Python's heaps have the least first
        self._top: list[tuple[Key, Pair]] = []  # a heap
        self._height = 0

    def add(self, pair: Pair, count: int) -> None:
        if count == self._height:
            heappush(self._top, (self._key(pair), pair))
        elif (level := self._levels.get(count)) is not None:
            level.append(pair)
        else:
            self._levels[count] = [pair]
            heappush(self._heights, -count)

    def pop(self) -> tuple[Pair, int] | None:
        if not self._top:
            if not self._heights:
                return None
            self._height = -heappop(self._heights)
            self._top = [(self._key(pair), pair) for pair in self._levels.pop(self._height)]
            heapify(self._top)
        return heappop(self._top)[1], self._height
