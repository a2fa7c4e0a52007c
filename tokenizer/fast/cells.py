"""The rows of a table while they are being merged, as flat cells: one cell for each byte.

A token has its id in its first and in its last cell. So the cell at which a token begins says which one it is, and the
cell before says which one ends there: the place of a pair is the cell at which its right token begins. The rows lie as
`layout` says, so places that ascend are in the order of the corpus, and a row's end has no neighbour.

A merge looks at the pair's own places only, and finds the neighbours at constant distance. Pairs of many places are
merged by numpy, a whole array at a time, those of few in plain loops, where starting numpy would cost more than the
work. Both do the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.layout import EMPTY, Array, Layout
from tokenizer.recipe import BYTES
from tokenizer.steps import Pair
from tokenizer.table import Table

Places = Array | list[int]  # ascending
Group = tuple[int, int, Places]  # a token, how often it stands in the corpus at the places that follow, and these

MANY = 64  # places from which on a merge is done by numpy: with 48 or 96 training takes as long, within two percent
NARROW = 2**16 - 1  # ids below this are kept in 16 bits; numpy sorts thousands more than twice as fast as in 32


class Merged(NamedTuple):
    """What merging one pair changed.

    `before` has the pairs whose counts changed, with the count before, 0 for a new pair; `places` are those of the
    replacements, ascending.
    """

    before: dict[Pair, int]
    places: Places


class Cells:
    """The rows of a table, with the count and the places of every pair.

    A pair's places are all known from the moment it is born (two tokens can become neighbours only when one of them
    is made), so its count falls from then on; places where it has been merged away are passed over when they are met.

    Cells and counts are numbers of 64 bits, ids of at most 32.

    Args:
        table: the rows.
        layout: of that table.
        merges: how many there will be at most; None for as many as there can be.
        least: pairs that occur less often are left out, and forgotten when they have become so rare.
    """

    def __init__(self, table: Table, layout: Layout, *, merges: int | None = None, least: int = 1) -> None:
        self.spelled: list[bytes] = [bytes([byte]) for byte in range(BYTES)]
        self.counts: dict[Pair, int] = {}
        self.places: dict[Pair, Places] = {}
        self.boundaries = len(table.blob) - len(table)  # between two tokens of a row; a replacement removes one
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
        self._id, self._weight = self._ids.data, self._weights.data  # for loops over few

    def _place(self) -> None:
        ids, before = self._ids, self._ids_before
        places = ((ids != self._nothing) & (before != self._nothing)).nonzero()[0]
        pairs = before[places].astype(np.uint16) << 8 | ids[places].astype(np.uint16)
        for number, count, group in self._grouped(pairs, places):
            if count >= self._least:
                pair = divmod(number, BYTES)
                self.counts[pair] = count
                self.places[pair] = group

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
        token = self._new_token(pair)
        before = {pair: self.counts.pop(pair)}
        places = self.places.pop(pair)
        if len(places) < MANY:
            places, lefts, rights = self._replace_few(places, pair, token)
        else:
            places, lefts, rights = self._replace_many(places, pair, token)
        self.boundaries -= len(places)
        self._count(before, pair, token, lefts, rights)
        return Merged(before, places)

    def _new_token(self, pair: Pair) -> int:
        spelled = self.spelled[pair[0]] + self.spelled[pair[1]]
        if spelled in self._known:  # `boundaries` proves that this cannot be, and builds on it
            raise AssertionError(f"Two tokens are spelled {spelled!r}.")
        self._known.add(spelled)
        self.spelled.append(spelled)
        self._lengths.append(len(spelled))
        return len(self.spelled) - 1

    # Both ways to replace give the places of the replacements and the tokens at their left and at their right. A place
    # that a pair has lost is empty, or a newer token begins there, or a newer one ends before it. Right neighbours are
    # read before they are replaced themselves, left ones after: as if one replacement was made after the other.

    def _replace_few(self, places: Places, pair: Pair, token: int) -> tuple[Places, Iterable[Group], Iterable[Group]]:
        (left, right), ids, nothing = pair, self._id, self._nothing
        to_begin, to_end = self._lengths[left], self._lengths[right]
        listed = places if isinstance(places, list) else places.tolist()
        listed = [at for at in listed if ids[at] == right and ids[at - 1] == left]
        if left == right:
            listed = _without_overlaps(listed, to_begin)
        lefts: defaultdict[int, list[int]] = defaultdict(list)
        rights: defaultdict[int, list[int]] = defaultdict(list)
        for at in listed:
            begin, end = at - to_begin, at + to_end
            ids[at] = nothing
            ids[begin] = ids[end - 1] = token
            lefts[ids[begin - 1]].append(begin)
            rights[ids[end]].append(end)
        return listed, self._weighed(lefts), self._weighed(rights)

    def _weighed(self, groups: dict[int, list[int]]) -> Iterator[Group]:
        weigh = self._weight.__getitem__
        groups.pop(self._nothing, None)
        for token, places in groups.items():
            yield token, weigh(places[0]) if len(places) == 1 else sum(map(weigh, places)), places

    def _replace_many(self, places: Places, pair: Pair, token: int) -> tuple[Places, Iterable[Group], Iterable[Group]]:
        (left, right), ids, before = pair, self._ids, self._ids_before
        found: Array = np.asarray(places)
        found = found[(ids[found] == right) & (before[found] == left)]
        if left == right:  # seldom, so a loop will do
            found = np.array(_without_overlaps(found.tolist(), self._lengths[left]), np.int64)
        begins, ends = found - self._lengths[left], found + self._lengths[right]
        after = ids[ends]
        ids[found] = self._nothing
        ids[begins] = before[ends] = token
        return found, self._grouped(before[begins], begins), self._grouped(after, ends)

    def _grouped(self, tokens: NDArray[Any], places: Array) -> Iterator[Group]:
        """The tokens that stand beside places, each with these; those of rare ones are not looked for."""
        if not len(tokens):
            return
        order = tokens.argsort(kind="stable")  # so that the places of a token still ascend
        tokens, places = tokens[order], places[order]
        begins = np.concatenate((_FIRST, (tokens[1:] != tokens[:-1]).nonzero()[0] + 1))
        counts = np.add.reduceat(self._weights[places], begins).tolist()
        ends = [*begins[1:].tolist(), len(places)]
        begin, least, nothing = 0, self._least, self._nothing
        for token, count, end in zip(tokens[begins].tolist(), counts, ends, strict=True):
            if token != nothing:
                yield token, count, places[begin:end] if count >= least else _NONE
            begin = end

    def _count(
        self, before: dict[Pair, int], pair: Pair, token: int, lefts: Iterable[Group], rights: Iterable[Group]
    ) -> None:
        """Count what the neighbours gain and lose.

        Right ones first: of two replacements that touch, as in `abab`, the left one brings `ab` + `a` about, and the
        right one takes it away.
        """
        (left, right), counts, kept, least = pair, self.counts, self.places, self._least
        for neighbour, count, places in rights:
            if (known := counts.get(lost := (right, neighbour))) is not None:
                before.setdefault(lost, known)
                if known - count >= least:
                    counts[lost] = known - count
                else:
                    self._forget(lost, before)
            if count >= least:
                born = (token, neighbour)
                before[born], counts[born], kept[born] = 0, count, places
        for neighbour, count, places in lefts:
            if (known := counts.get(lost := (neighbour, left))) is not None:
                before.setdefault(lost, known)
                if known - count >= least:
                    counts[lost] = known - count
                else:
                    self._forget(lost, before)
            if count >= least:
                born = (neighbour, token)
                before[born], counts[born], kept[born] = 0, count, places

    def _forget(self, pair: Pair, before: dict[Pair, int]) -> None:
        del self.counts[pair], self.places[pair]
        if not before[pair]:  # born in the same step
            del before[pair]


_FIRST = np.zeros(1, np.int64)
_NONE: list[int] = []


def _without_overlaps(places: list[int], length: int) -> list[int]:
    """Of places that stand one token apart every second one, counted from the left of each such run."""
    kept: list[int] = []
    for at in places:
        if not kept or at != kept[-1] + length:
            kept.append(at)
    return kept
