"""The rows of a table while they are being merged, as flat cells: one cell for each byte.

A token has its id in its first and in its last cell. So the cell at which a token begins says which one it is, and the
cell before says which one ends there: the place of a pair is the cell at which its right token begins. The rows lie as
`layout` says, so places that ascend are in the order of the corpus, and a row's end has no neighbour.

A merge looks at the pair's own places only, and finds the neighbours at constant distance. Pairs of many places are
merged by numpy, a whole array at a time, those of few in plain loops, where starting numpy would cost more than the
work. Both do the same.
"""

from collections import defaultdict
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.layout import EMPTY, Array, Layout
from tokenizer.recipe import BYTES
from tokenizer.steps import Pair
from tokenizer.table import Table

Places = Array | list[int]  # ascending
Counted = list[tuple[int, int]]  # tokens, each with a count

MANY = 64  # places from which on a merge is done by numpy: 48 and 96 are slower by a few percent
NARROW = 2**16 - 1  # ids below this are kept in 16 bits, which numpy sorts three times as fast as 32


class Merged(NamedTuple):
    """What merging one pair changed.

    `left` are the tokens that stood to the left of replacements, each with how often they did in the corpus, `right`
    those to the right. Where two replacements touch, the left one was made first. `places` are those of all
    replacements.
    """

    left: Counted
    right: Counted
    places: Places


class Cells:
    """The rows of a table, with the places of every pair.

    A pair's places are all known from the moment it is born (two tokens can become neighbours only when one of them
    is made); places where it has been merged away are passed over when they are met.

    Cells and counts are numbers of 64 bits, ids of at most 32.

    Args:
        table: the rows.
        layout: of that table.
        merges: how many there will be at most; None for as many as there can be.
        least: the places of pairs that occur less often are not kept.
    """

    def __init__(self, table: Table, layout: Layout, *, merges: int | None = None, least: int = 1) -> None:
        self.spelled: list[bytes] = [bytes([byte]) for byte in range(BYTES)]
        self.places: dict[Pair, Places] = {}
        self.counts: dict[Pair, int] = {}  # of these pairs, before any merge
        self.boundaries = len(table.blob) - len(table)  # that stand between two tokens; a replacement removes one
        self._known = set(self.spelled)
        self._lengths = [1] * BYTES
        self._least = least
        most = BYTES + (self.boundaries if merges is None else min(merges, self.boundaries))
        self._lay(table, layout, np.dtype(np.uint16 if most < NARROW else np.uint32))
        self._place()

    def _lay(self, table: Table, layout: Layout, dtype: np.dtype[Any]) -> None:
        full = layout.rows != EMPTY
        self._nothing = int(np.iinfo(dtype).max)  # in an empty cell, and where a right half began
        shifted: NDArray[Any] = np.full(len(full) + 1, self._nothing, dtype)
        self._ids, self._ids_before = shifted[1:], shifted[:-1]  # at a place: the cell itself, and the one before it
        self._ids[full] = np.asarray(memoryview(table.blob))[layout.cells[full]]
        self._weights: Array = np.zeros(len(full), np.int64)
        self._weights[full] = np.asarray(table.counts)[layout.rows[full]]
        self._id, self._weight = memoryview(self._ids), memoryview(self._weights)  # for loops over few

    def _place(self) -> None:
        ids, before = self._ids, self._ids_before
        places = ((ids != self._nothing) & (before != self._nothing)).nonzero()[0]
        pairs = before[places].astype(np.uint16) << 8 | ids[places].astype(np.uint16)
        counts, groups = self._grouped(pairs, places)
        self.counts = {divmod(pair, BYTES): count for pair, count in counts if count >= self._least}
        self.places = {divmod(pair, BYTES): group for pair, group in groups}

    def weigh(self, places: Places) -> int:
        """How often the corpus has what stands at these places."""
        if isinstance(places, list):
            return sum(map(self._weight.__getitem__, places))
        return int(self._weights[places].sum())

    def first(self, pair: Pair) -> int:
        """The first place at which a pair stands; those that it has lost before are forgotten on the way."""
        (left, right), ids, places = pair, self._id, self.places[pair]
        number = next(number for number, at in enumerate(places) if ids[at] == right and ids[at - 1] == left)
        if number:
            self.places[pair] = places = places[number:]
        return int(places[0])

    def merge(self, pair: Pair) -> Merged:
        """Replace a pair by the next new token everywhere, from left to right and without overlap."""
        places, token = self.places.pop(pair), self._new_token(pair)
        merged = self._merge_few(places, pair, token) if len(places) < MANY else self._merge_many(places, pair, token)
        self.boundaries -= len(merged.places)
        return merged

    def _new_token(self, pair: Pair) -> int:
        spelled = self.spelled[pair[0]] + self.spelled[pair[1]]
        if spelled in self._known:  # `boundaries` proves that this cannot be, and builds on it
            raise AssertionError(f"Two tokens are spelled {spelled!r}.")
        self._known.add(spelled)
        self.spelled.append(spelled)
        self._lengths.append(len(spelled))
        return len(self.spelled) - 1

    # A place that a pair has lost is empty, or a newer token begins there, or a newer token ends before it. Right
    # neighbours are read before they can be merged themselves, left ones after, as if from left to right.

    def _merge_few(self, places: Places, pair: Pair, token: int) -> Merged:
        (left, right), ids = pair, self._id
        if not isinstance(places, list):
            places = places.tolist()
        places = [at for at in places if ids[at] == right and ids[at - 1] == left]
        if left == right:
            places = _without_overlaps(places, self._lengths[left])
        to_begin, to_end, nothing = self._lengths[left], self._lengths[right], self._nothing
        before: defaultdict[int, list[int]] = defaultdict(list)
        after: defaultdict[int, list[int]] = defaultdict(list)
        for at in places:
            begin, end = at - to_begin, at + to_end
            ids[at] = nothing
            ids[begin] = ids[end - 1] = token
            before[ids[begin - 1]].append(begin)
            after[ids[end]].append(end)
        return Merged(self._born(before, token, left=True), self._born(after, token, left=False), places)

    def _born(self, groups: dict[int, list[int]], token: int, *, left: bool) -> Counted:
        """Count the neighbours of a new token by their places, and keep the places of the pairs."""
        weigh, least, kept, nothing = self._weight.__getitem__, self._least, self.places, self._nothing
        counted: Counted = []
        for neighbour, places in groups.items():
            if neighbour == nothing:
                continue
            count = weigh(places[0]) if len(places) == 1 else sum(map(weigh, places))
            counted.append((neighbour, count))
            if count >= least:
                kept[(neighbour, token) if left else (token, neighbour)] = places
        return counted

    def _merge_many(self, places: Places, pair: Pair, token: int) -> Merged:
        (left, right), ids, before = pair, self._ids, self._ids_before
        places = np.asarray(places)
        places = places[(ids[places] == right) & (before[places] == left)]
        if left == right:  # seldom, so a loop will do
            places = np.array(_without_overlaps(places.tolist(), self._lengths[left]), np.int64)
        begins, ends = places - self._lengths[left], places + self._lengths[right]
        after = ids[ends]
        ids[places] = self._nothing
        ids[begins] = before[ends] = token
        lefts, groups = self._grouped(before[begins], begins)
        for neighbour, group in groups:
            self.places[neighbour, token] = group
        rights, groups = self._grouped(after, ends)
        for neighbour, group in groups:
            self.places[token, neighbour] = group
        return Merged(lefts, rights, places)

    def _grouped(self, keys: NDArray[Any], places: Array) -> tuple[Counted, list[tuple[int, Array]]]:
        """The keys of places, each with its count, and those that occur often enough each with its places."""
        if not len(keys):
            return [], []
        order = keys.argsort(kind="stable")  # so that places of one key still ascend
        keys, places = keys[order], places[order]
        begins = np.concatenate((_ZERO, (keys[1:] != keys[:-1]).nonzero()[0] + 1))
        tokens = keys[begins].tolist()
        counts = np.add.reduceat(self._weights[places], begins).tolist()
        bounds = [*begins.tolist(), len(keys)]
        if tokens[-1] == self._nothing:  # the greatest number
            del tokens[-1], counts[-1]
        least = self._least
        groups = [
            (token, places[bounds[number] : bounds[number + 1]])
            for number, (token, count) in enumerate(zip(tokens, counts, strict=True))
            if count >= least
        ]
        return list(zip(tokens, counts, strict=True)), groups


_ZERO = np.zeros(1, np.int64)


def _without_overlaps(places: list[int], length: int) -> list[int]:
    """Of places that stand one token apart every second one, counted from the left of each such run."""
    kept: list[int] = []
    for at in places:
        if not kept or at != kept[-1] + length:
            kept.append(at)
    return kept
