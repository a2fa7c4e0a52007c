"""The rows of a table while they are being merged, as flat cells: one cell for each byte.

A token has its id in its first and in its last cell. So where a token begins, the cell itself says which one it is,
and the cell before says which one ends there: the place of a pair is the cell at which its right token begins. Rows
lie in the order of their first occurrence in the corpus, with an empty cell between two, so a place also says where in
the corpus an occurrence comes.

A merge looks at the pair's own places only, and finds the neighbours at constant distance. Pairs of many places are
merged by numpy, a whole array at a time, those of few in plain loops, where starting numpy would cost more than the
work. Both do the same.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer.recipe import BYTES
from tokenizer.steps import Pair
from tokenizer.table import Table

Array = NDArray[np.int64]
Places = Array | list[int]  # ascending

MANY = 48  # places from which on numpy is faster
NARROW = 2**16 - 1  # below this ids are kept in 16 bits, which numpy sorts by radix, three times as fast as 32


class Merged(NamedTuple):
    """What merging one pair changed.

    `left` are the tokens that stood to the left of a replacement, each with how often: the sum of the rows' counts.
    `right` are those to the right. Where two replacements touch, the left one was made first. `places` are the places
    of the replacements, `replaced` is their sum.
    """

    left: list[tuple[int, int]]
    right: list[tuple[int, int]]
    places: Places
    replaced: int


class Layout(NamedTuple):
    """Which of the table's cells each cell is, and of which row; a cell between two rows has the row of neither, -1."""

    cells: Array
    rows: Array

    @classmethod
    def of(cls, table: Table) -> "Layout":
        """The cells of a table's rows in the order of first occurrences."""
        order = np.argsort(np.frombuffer(table.seen, np.uint64))
        starts = np.frombuffer(table.starts, np.uint64).astype(np.int64)
        spaced = np.diff(starts)[order] + 1
        begins = np.cumsum(spaced) - spaced + 1  # cell 0 is empty
        cells = np.arange(spaced.sum() + 1)
        cells[1:] += np.repeat(starts[order] - begins, spaced)
        rows = np.full(len(cells), -1)
        rows[1:] = np.repeat(order, spaced)
        rows[begins + spaced - 1] = -1
        return cls(cells, rows)


class Cells:
    """The rows of a table, with the places of every pair.

    A pair's places are all known from the moment it is born (two tokens can become neighbours only when one of them
    is made); places where it has been merged away are passed over when they are met.

    Args:
        table: the rows; numbers of 64 bits count cells, so memory is the only limit.
        merges: how many merges there will be at most; None for as many as there can be.
        least: pairs that occur less often are left out, here and in what `merge` tells.
        many: how many places are merged by numpy.
    """

    def __init__(self, table: Table, *, merges: int | None = None, least: int = 1, many: int = MANY) -> None:
        self.spelled: list[bytes] = [bytes([byte]) for byte in range(BYTES)]
        self.places: dict[Pair, Places] = {}
        self.counts: dict[Pair, int] = {}  # as it is before any merge
        self._known = set(self.spelled)
        self._lengths = [1] * BYTES
        self._least = least
        self._many = many
        possible = max(len(table.blob) - len(table), 0)  # every merge takes a boundary away
        most = BYTES + (possible if merges is None else min(merges, possible))
        dtype = np.uint16 if most < NARROW else np.uint32
        self._nothing = int(np.iinfo(dtype).max)  # between two rows, and where a right half began
        self._lay(table, dtype)
        self._place()

    def _lay(self, table: Table, dtype: type[np.uint16 | np.uint32]) -> None:
        layout = Layout.of(table)
        full = layout.rows >= 0
        ids: NDArray[Any] = np.full(len(full), self._nothing, dtype)
        ids[full] = np.frombuffer(table.blob, np.uint8)[layout.cells[full]]
        weights = np.zeros(len(full), np.int64)
        weights[full] = np.frombuffer(table.counts, np.uint64)[layout.rows[full]]
        self._ids, self._weights = ids, weights
        self._before = ids[:-1]  # [place - 1] is the cell before a place
        self._id, self._weight = memoryview(ids), memoryview(weights)  # for loops: one item of them is a Python int

    def _place(self) -> None:
        ids = self._ids
        places = np.flatnonzero((ids[1:] != self._nothing) & (ids[:-1] != self._nothing)) + 1
        pairs = ids[places - 1] * np.uint16(BYTES) + ids[places]
        for pair, count, group in self._groups(pairs, places):
            left_right = divmod(pair, BYTES)
            self.counts[left_right] = count
            self.places[left_right] = group

    def standing(self, pair: Pair) -> Places:
        """The places at which a pair stands now, ascending, overlaps included."""
        places, (left, right) = self.places[pair], pair
        # A place that the pair has lost has an empty cell, a newer token in it, or a newer token before it.
        if len(places) < self._many:
            ids = self._id
            if not isinstance(places, list):
                places = places.tolist()
            return [at for at in places if ids[at] == right and ids[at - 1] == left]
        places = np.asarray(places)
        return places[(self._ids[places] == right) & (self._ids[places - 1] == left)]

    def weigh(self, places: Places) -> int:
        """How often the corpus has what stands at these places."""
        if isinstance(places, list):
            return sum(map(self._weight.__getitem__, places))
        return int(np.add.reduce(self._weights[places]))

    def first(self, pair: Pair) -> int:
        """The first place at which a pair stands; those that it has lost before are forgotten on the way."""
        places, (left, right), ids = self.places[pair], pair, self._id
        for number, at in enumerate(places):
            if ids[at] == right and ids[at - 1] == left:
                break
        self.places[pair] = places[number:]
        return int(at)

    def merge(self, pair: Pair, standing: Places) -> Merged:
        """Replace a pair by the next new token everywhere, from left to right and without overlap.

        Args:
            pair: two tokens.
            standing: the places at which it stands now.
        """
        left, right = pair
        token = self._new_token(pair)
        del self.places[pair]
        if left == right:
            standing = _without_overlaps(standing, self._lengths[left])
        if len(standing) < self._many:
            if not isinstance(standing, list):
                standing = standing.tolist()
            lefts, rights = self._merge_few(standing, pair, token)
        else:
            lefts, rights = self._merge_many(np.asarray(standing), pair, token)
        return Merged(lefts, rights, standing, self.weigh(standing))

    def _new_token(self, pair: Pair) -> int:
        left, right = pair
        spelled = self.spelled[left] + self.spelled[right]
        if spelled in self._known:  # `boundaries` proves that it cannot be, and rests on it
            raise AssertionError(f"Two merges spelled {spelled!r}.")
        self._known.add(spelled)
        self.spelled.append(spelled)
        self._lengths.append(len(spelled))
        return len(self.spelled) - 1

    def _merge_few(
        self, places: list[int], pair: Pair, token: int
    ) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        ids, nothing = self._id, self._nothing
        to_begin, to_end = self._lengths[pair[0]], self._lengths[pair[1]]
        lefts: defaultdict[int, list[int]] = defaultdict(list)
        rights: defaultdict[int, list[int]] = defaultdict(list)
        for at in places:
            begin, end = at - to_begin, at + to_end
            ids[at] = nothing
            ids[begin] = ids[end - 1] = token
            lefts[ids[begin - 1]].append(begin)
            rights[ids[end]].append(end)
        lefts.pop(nothing, None)
        rights.pop(nothing, None)
        weigh, least, born = self._weight.__getitem__, self._least, self.places
        left, right = [], []
        for neighbour, group in lefts.items():
            count = sum(map(weigh, group))
            if count >= least:
                left.append((neighbour, count))
                born[neighbour, token] = group
        for neighbour, group in rights.items():
            count = sum(map(weigh, group))
            if count >= least:
                right.append((neighbour, count))
                born[token, neighbour] = group
        return left, right

    def _merge_many(self, places: Array, pair: Pair, token: int) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        ids = self._ids
        begins, ends = places - self._lengths[pair[0]], places + self._lengths[pair[1]]
        after = ids[ends]
        ids[places] = self._nothing
        ids[begins] = token
        ids[ends - 1] = token
        left, right = [], []
        for neighbour, count, group in self._groups(ids[begins - 1], begins):
            left.append((neighbour, count))
            self.places[neighbour, token] = group
        for neighbour, count, group in self._groups(after, ends):
            right.append((neighbour, count))
            self.places[token, neighbour] = group
        return left, right

    def _groups(self, keys: NDArray[Any], places: Array):
        """Places by key: each key with the weight of its places and them, unless that is less than what is left out."""
        if not len(keys):
            return []
        order = keys.argsort(kind="stable")
        keys, places = keys[order], places[order]
        firsts = np.empty(len(keys), bool)
        firsts[0] = True
        np.not_equal(keys[1:], keys[:-1], out=firsts[1:])
        starts = firsts.nonzero()[0]
        counts = np.add.reduceat(self._weights[places], starts)
        keys = keys[starts]
        stops = np.append(starts[1:], len(places))
        wanted = ((counts >= self._least) & (keys != self._nothing)).nonzero()[0]
        return [
            (key, count, places[start:stop])
            for key, count, start, stop in zip(
                keys[wanted].tolist(), counts[wanted].tolist(), starts[wanted].tolist(), stops[wanted].tolist()
            )
        ]


def _without_overlaps(places: Places, length: int) -> Places:
    """Of places that stand one token apart every second one, counted from the left of each such run."""
    kept, last = [], -1
    for at in places if isinstance(places, list) else places.tolist():
        if at != last + length:
            kept.append(at)
            last = at
    return kept
