"""The rows of a table while they are being merged, as flat cells: one cell for each byte.

A token that covers cells p to q has its id in both, so its neighbours are found at constant distance: the right one
begins at q + 1, the left one ends at p - 1. Rows lie in the order of their first occurrence in the corpus, with an
empty cell between two, so the cell of an occurrence says where it comes in the corpus.
"""

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from tokenizer.steps import Pair
from tokenizer.table import Table

NOTHING = -1  # between two rows, and where a token that was there has become part of its left neighbour


class Merged(NamedTuple):
    """What merging one pair changed: counts by pair, and the cells of the table at which a token ended to begin."""

    deltas: dict[Pair, int]
    cells: "array[int]"
    replaced: int


class Cells:
    """The rows of a table, with the places of every pair.

    A pair's places are all known from the moment it is born (two tokens can become neighbours only when one of them
    is made), in ascending order; places where it has been merged away are passed over when they are met.
    """

    def __init__(self, table: Table) -> None:
        self.ids: list[int] = []
        self.spelled: list[bytes] = [bytes([byte]) for byte in range(256)]
        self._lengths: list[int] = [1] * 256
        self._weights: list[int] = []
        self._shift: list[int] = []  # what takes a cell here to the table's cell
        self.places: dict[Pair, list[int]] = {}
        self._lay(table)
        self._place()

    def _lay(self, table: Table) -> None:
        number_of = sorted(range(len(table)), key=table.seen.__getitem__)
        for number in number_of:
            row = table.pre_token(number)
            shift = table.starts[number] - len(self.ids)
            self.ids += row
            self.ids.append(NOTHING)
            self._weights += [table.counts[number]] * (len(row) + 1)
            self._shift += [shift] * (len(row) + 1)

    def _place(self) -> None:
        places = self.places
        for at, pair in enumerate(zip(self.ids, self.ids[1:], strict=False)):
            if (known := places.get(pair)) is not None:
                known.append(at)
            else:
                places[pair] = [at]
        for pair in [pair for pair in places if NOTHING in pair]:
            del places[pair]

    def counts(self) -> dict[Pair, int]:
        """How often each pair occurs, when no merge has been made."""
        weight = self._weights.__getitem__
        return {pair: sum(map(weight, places)) for pair, places in self.places.items()}

    def occurrences(self, pair: Pair) -> Iterator[int]:
        """The cells at which a pair occurs now, from left to right, as merging goes on."""
        left, right = pair
        length, ids = self._lengths[left], self.ids
        # An id stands in a token's first and last cell only; a place that was once the start of `left` has it
        # still only if it is the start of it today: what is merged away from the left leaves NOTHING or the new id.
        return (at for at in self.places.get(pair, ()) if ids[at] == left and ids[at + length] == right)

    def first(self, pair: Pair) -> int:
        """The first cell at which a pair occurs; places that it has lost before are forgotten on the way."""
        at = next(self.occurrences(pair))
        places = self.places[pair]
        if places[0] != at:
            del places[: places.index(at)]
        return at

    def merge(self, pair: Pair) -> Merged:
        """Replace a pair by the next new token everywhere, from left to right and without overlap."""
        left, right = pair
        token = len(self.spelled)
        ids, lengths, weights = self.ids, self._lengths, self._weights
        reach = lengths[left] + lengths[right]
        self.spelled.append(self.spelled[left] + self.spelled[right])
        lengths.append(reach)
        deltas: dict[Pair, int] = {}
        cells: list[int] = []
        replaced = 0
        for at in self.occurrences(pair):
            weight = weights[at]
            begin_right = at + lengths[left]
            after = at + reach
            ids[begin_right] = NOTHING
            ids[at] = ids[after - 1] = token
            deltas[pair] = deltas.get(pair, 0) - weight
            if at and (before_id := ids[at - 1]) != NOTHING:
                lost, born = (before_id, left), (before_id, token)
                deltas[lost] = deltas.get(lost, 0) - weight
                deltas[born] = deltas.get(born, 0) + weight
                self._bear(born, at - lengths[before_id])
            if (after_id := ids[after]) != NOTHING:
                lost, born = (right, after_id), (token, after_id)
                deltas[lost] = deltas.get(lost, 0) - weight
                deltas[born] = deltas.get(born, 0) + weight
                self._bear(born, at)
            cells.append(begin_right + self._shift[at])
            replaced += weight
        del self.places[pair]
        # A pair that was born and lost within the step (`x` in `abab` between two merges) has never been.
        return Merged({pair: delta for pair, delta in deltas.items() if delta}, array("Q", sorted(cells)), replaced)

    def _bear(self, pair: Pair, at: int) -> None:
        if (places := self.places.get(pair)) is not None:
            places.append(at)
        else:
            self.places[pair] = [at]
