"""Runs of ids, each with a number: what a text's pieces are encoded as, kept in one array."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint32]
Numbers = NDArray[np.int64]
Item = TypeVar("Item", bound=np.generic)


class Runs:
    """Runs of ids, numbered from 0 in the order in which they are added."""

    def __init__(self) -> None:
        self._ids = np.empty(1024, np.uint32)  # the first `size` count, as the first `len(self)` below
        self._begins = np.empty(256, np.int64)
        self._lengths = np.empty(256, np.int64)
        self._runs = 0
        self.size = 0  # ids in all runs together

    def __len__(self) -> int:
        return self._runs

    def add(self, ids: Ids, lengths: NDArray[np.int64]) -> Numbers:
        """Add runs whose ids lie end to end, given how many each has; their numbers."""
        runs, size = self._runs + len(lengths), self.size + len(ids)
        self._ids = _room_for(size, self._ids)
        self._begins, self._lengths = _room_for(runs, self._begins), _room_for(runs, self._lengths)
        self._ids[self.size : size] = ids
        self._lengths[self._runs : runs] = lengths
        self._begins[self._runs : runs] = self.size + np.cumsum(lengths) - lengths
        numbers = np.arange(self._runs, runs)
        self._runs, self.size = runs, size
        return numbers

    def lengths(self, numbers: Numbers) -> NDArray[np.int64]:
        """How many ids each of these runs has."""
        return self._lengths[numbers]

    def ids(self, numbers: Numbers) -> Ids:
        """The ids of these runs, end to end."""
        lengths = self._lengths[numbers]
        # Within a run the places in the array count up; from one run to the next they jump.
        jumps = self._begins[numbers]
        jumps -= np.cumsum(lengths)
        jumps += lengths
        places = np.repeat(jumps, lengths)
        places += np.arange(len(places))
        return self._ids[places]


def _room_for(size: int, array: NDArray[Item]) -> NDArray[Item]:
    """The array, or a longer one that begins with its items: twice as long each time, so that growing costs little."""
    if size <= len(array):
        return array
    longer = np.empty(max(size, 2 * len(array)), array.dtype)
    longer[: len(array)] = array
    return longer
