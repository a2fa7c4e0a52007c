"""The rows of a table while they are being merged, as flat cells: one cell for each byte.

A token has its id in its first and in its last cell. So the cell at which a token begins says which one it is, and the
cell before says which one ends there: the place of a pair is the cell at which its right token begins. The rows lie as
`layout` says, so places that ascend are in the order of the corpus, and a row's end has no neighbour.

A merge looks at the pair's own places only, and finds the neighbours at constant distance. Pairs of many places are
merged by numpy, a whole array at a time, those of few in plain loops, where starting numpy would cost more than the
work. Both do the same.
"""

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.counted_pair import CountedPair, Places
from tokenizer.fast.layout import EMPTY, Array, Layout
from tokenizer.recipe import BYTES
from tokenizer.steps import Pair
from tokenizer.table import Table

Group = tuple[int, int, Places]  # a token, how often it stands in the corpus at the places that follow, and these

MANY = 64  # places from which on a merge is done by numpy: with 48 or 96 training takes as long, within two percent
NARROW = 2**16 - 1  # ids below this are kept in 16 bits; numpy sorts thousands more than twice as fast as in 32


class Merged(NamedTuple):
    """What merging one pair changed.

    `places` are those of the replacements, ascending. `lefts` and `rights` are the tokens at their left and at their
    right, which stood beside the pair and now stand beside the new token; `born` are the new pairs. A pair of `born`
    may be gone again: in `abab` the left replacement brings `ab` + `a` about, and the right one takes it away.
    """

    places: Places
    lefts: list[Group]
    rights: list[Group]
    born: list[CountedPair]


class Cells:
    """The rows of a table, with every pair that occurs in them, counted.

    A pair's places are all known from the moment it is born (two tokens can become neighbours only when one of them
    is made), so its count falls from then on; places where it has been merged away are passed over when they are met.

    Cells and counts are numbers of 64 bits, ids of at most 32.

    Args:
        table: the rows.
        layout: of that table.
        merges: how many there will be at most; None for as many as there can be.
        least: pairs that occur less often from the start or from their birth on are left out.
    """

    def __init__(self, table: Table, layout: Layout, *, merges: int | None = None, least: int = 1) -> None:
        self.spelled: list[bytes] = [bytes([byte]) for byte in range(BYTES)]
        self.counted: dict[Pair, CountedPair] = {}
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
        # For loops over few:
        self._id, self._id_before, self._weight = self._ids.data, self._ids_before.data, self._weights.data

    def _place(self) -> None:
        ids, before = self._ids, self._ids_before
        places = ((ids != self._nothing) & (before != self._nothing)).nonzero()[0]
        pairs = before[places].astype(np.uint16) << 8 | ids[places].astype(np.uint16)
        for number, count, group in self._grouped(pairs, places):
            if count >= self._least:
                pair = divmod(number, BYTES)
                self.counted[pair] = CountedPair(pair, count, group)

    def count(self, pair: Pair) -> int:
        """How often a pair occurs."""
        known = self.counted.get(pair)
        return 0 if known is None else known.count

    def forget(self, pair: Pair) -> None:
        """Let go of a pair that does not occur any more. Not to do so takes memory, and no more."""
        self.counted.pop(pair, None)

    def weigh(self, places: Places) -> int:
        """How often the corpus has what stands at these places."""
        if isinstance(places, list):
            return sum(map(self._weight.__getitem__, places))
        return int(self._weights[places].sum())

    def first(self, pair: Pair) -> int:
        """The first place at which a pair stands; those that it has lost before are forgotten on the way."""
        (left, right), ids, before, known = pair, self._id, self._id_before, self.counted[pair]
        places = known.places
        number = next(number for number, at in enumerate(places) if ids[at] == right and before[at] == left)
        if number:
            known.places = places = places[number:]
        return int(places[0])

    def merge(self, pair: Pair) -> Merged:
        """Replace a pair by the next new token everywhere, from left to right and without overlap."""
        token = self._new_token(pair)
        merged = self.counted.pop(pair)
        replace = self._replace_few if len(merged.places) < MANY else self._replace_many
        places, lefts, rights = replace(merged.places, pair, token)
        merged.count = 0
        self.boundaries -= len(places)
        return Merged(places, lefts, rights, self._count(pair, token, lefts, rights))

    def _new_token(self, pair: Pair) -> int:
        left, right = pair
        spelled, lengths, token = self.spelled, self._lengths, len(self.spelled)
        spelled.append(spelled[left] + spelled[right])
        lengths.append(lengths[left] + lengths[right])
        self._known.add(spelled[token])
        if len(self._known) <= token:  # `boundaries` proves that this cannot be, and builds on it
            raise AssertionError(f"Two tokens are spelled {spelled[token]!r}.")
        return token

    # Both ways to replace give the places of the replacements and the tokens at their left and at their right. A place
    # that a pair has lost is empty, or a newer token begins there, or a newer one ends before it. Right neighbours are
    # read before they are replaced themselves, left ones after: as if one replacement was made after the other.

    def _replace_few(self, places: Places, pair: Pair, token: int) -> tuple[Places, list[Group], list[Group]]:
        (left, right), ids, before, nothing = pair, self._id, self._id_before, self._nothing
        to_begin, to_end = self._lengths[left], self._lengths[right]
        lefts: defaultdict[int, list[int]] = defaultdict(list)
        rights: defaultdict[int, list[int]] = defaultdict(list)
        replaced = []
        for at in places if isinstance(places, list) else places.tolist():
            # After `aa` was replaced in `aaa`, the middle one ends no `a` any more: there are no overlaps.
            if ids[at] == right and before[at] == left:
                begin, end = at - to_begin, at + to_end
                ids[at] = nothing
                ids[begin] = before[end] = token
                lefts[before[begin]].append(begin)
                rights[ids[end]].append(end)
                replaced.append(at)
        return replaced, self._weighed(lefts), self._weighed(rights)

    def _weighed(self, groups: dict[int, list[int]]) -> list[Group]:
        weigh = self._weight.__getitem__
        groups.pop(self._nothing, None)
        return [
            (token, weigh(places[0]) if len(places) == 1 else sum(map(weigh, places)), places)
            for token, places in groups.items()
        ]

    def _replace_many(self, places: Places, pair: Pair, token: int) -> tuple[Places, list[Group], list[Group]]:
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

    def _grouped(self, tokens: NDArray[Any], places: Array) -> list[Group]:
        """The tokens that stand beside places, each with these; those of rare ones are not looked for."""
        if not len(tokens):
            return []
        order = tokens.argsort(kind="stable")  # so that the places of a token still ascend
        tokens, places = tokens[order], places[order]
        begins = np.concatenate((_FIRST, (tokens[1:] != tokens[:-1]).nonzero()[0] + 1))
        counts = np.add.reduceat(self._weights[places], begins).tolist()
        bounds, least, nothing = [*begins.tolist(), len(places)], self._least, self._nothing
        return [
            (token, count, places[begin:end] if count >= least else _NONE)
            for token, count, begin, end in zip(tokens[begins].tolist(), counts, bounds, bounds[1:], strict=False)
            if token != nothing
        ]

    def _count(self, pair: Pair, token: int, lefts: list[Group], rights: list[Group]) -> list[CountedPair]:
        """Count what the neighbours gain and lose: right ones first, see `Merged`."""
        (left, right), counted, least = pair, self.counted, self._least
        born: list[CountedPair] = []
        for neighbour, count, places in rights:
            if (known := counted.get((right, neighbour))) is not None:
                known.count -= count
            if count >= least:
                new = counted[token, neighbour] = CountedPair((token, neighbour), count, places)
                born.append(new)
        for neighbour, count, places in lefts:
            if (known := counted.get((neighbour, left))) is not None:
                known.count -= count
            if count >= least:
                new = counted[neighbour, token] = CountedPair((neighbour, token), count, places)
                born.append(new)
        return born


_FIRST = np.zeros(1, np.int64)
_NONE: list[int] = []


def _without_overlaps(places: list[int], length: int) -> list[int]:
    """Of places that stand one token apart every second one, counted from the left of each such run."""
    kept: list[int] = []
    for at in places:
        if not kept or at != kept[-1] + length:
            kept.append(at)
    return kept
