"""Numbers of byte strings that are worked out once for each."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from itertools import count, islice

import numpy as np

from tokenizer.fast.runs import Numbers, room_for


class Memo:
    """Numbers by byte string.

    Args:
        number: gives the numbers of strings, all of them new and different.
        given: numbers that are known from the start.
    """

    def __init__(self, number: Callable[[Sequence[bytes]], Numbers], given: Mapping[bytes, int]) -> None:
        self._number = number
        # The place of each string in the list of all, the next one for a string that is new: so looking up a string
        # and adding it is one step, and no line of Python is run for either.
        self._places: defaultdict[bytes, int] = defaultdict(count().__next__)
        self._numbers = np.array(list(given.values()), np.int64)
        for string in given:
            self._places[string]  # looking it up adds it

    def numbers(self, strings: Sequence[bytes]) -> Numbers:
        """The number of each string. After an error in working out new ones the memo is of no use."""
        before = len(self._places)
        places = np.fromiter(map(self._places.__getitem__, strings), np.int64, len(strings))
        after = len(self._places)
        if after > before:
            new = list(islice(reversed(self._places), after - before))[::-1]
            self._numbers = room_for(after, self._numbers)
            self._numbers[before:after] = self._number(new)
        return self._numbers[places]
