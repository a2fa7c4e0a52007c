"""Pairs that can be merged, each with its count and its places."""

from tokenizer.fast.layout import Array
from tokenizer.steps import Pair

Places = Array | list[int]  # ascending


class CountedPair:
    """A pair that occurs.

    One object of each pair is shared by all who look at its count, so that none of them has to look the pair up.

    `count` is how often it occurs now, 0 once it has been merged. `places` are all that it had when it was born: it
    gets no new ones, and has lost those where its tokens no longer stand.
    """

    __slots__ = ("count", "pair", "places")

    def __init__(self, pair: Pair, count: int, places: Places) -> None:
        self.pair = pair
        self.count = count
        self.places = places
