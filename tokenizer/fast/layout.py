"""Where the cells of a training lie in the table that it trains on.

A training lays the rows in the order of their first occurrence in the corpus, with an empty cell between two and at
both ends, so that the order of cells is that of the corpus and every row has a neighbour that is nothing.
"""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.table import Table

Array = NDArray[np.int64]
EMPTY = -1


class Layout:
    """The table's cell and the table's row of every cell of a training, `EMPTY` for cells of no row.

    Args:
        table: the rows.
    """

    def __init__(self, table: Table) -> None:
        order = np.argsort(np.asarray(table.seen))
        starts = np.asarray(table.starts).astype(np.int64)
        spaced = np.diff(starts)[order] + 1  # each row with the empty cell after it
        ends = np.cumsum(spaced)
        size = int(ends[-1]) if len(ends) else 0
        self.cells = np.arange(-1, size)
        self.cells[1:] += np.repeat(starts[order] - (ends - spaced), spaced)
        self.rows = np.full(size + 1, EMPTY)
        self.rows[1:] = np.repeat(order, spaced)
        self.cells[ends] = self.rows[ends] = EMPTY
        self._cell, self._row = self.cells.data, self.rows.data  # for loops over few

    def origins(self, places: Array | Sequence[int]) -> tuple["array[int]", int]:
        """The table's cells of these (ascending) ones, ascending as well, and how many rows they are in."""
        if isinstance(places, np.ndarray):
            found = array("Q")
            found.frombytes(np.sort(self.cells[places]).tobytes())
            return found, 1 + int(np.count_nonzero(np.diff(self.rows[places])))
        found = array("Q", sorted(map(self._cell.__getitem__, places)))
        return found, len(set(map(self._row.__getitem__, places)))
