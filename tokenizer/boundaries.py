"""The rows of a table as of any step, with one number for each byte.

A merge removes a boundary between two tokens, and no boundary ever comes back. So the whole history of all rows is
the step at which each boundary went: as of step k those stand that went later. And since distinct tokens of one
training have distinct bytes, the bytes between two boundaries name the token.

(Why distinct: suppose two merges spelled the same bytes. No token ever crossed the edges of either stretch, or it
would still do so; so both stretches were tokenized by the same merges in the same order, and at the step that first
made one of them a single token it made the other one too.)
"""

from array import array
from bisect import bisect_right
from collections.abc import Iterator

from tokenizer.table import Table

NEVER = 0xFFFFFFFF
LONG = 4_096  # bytes; the tokens of longer rows are counted as steps go by, not when somebody asks


class Boundaries:
    """Which boundaries of a table's rows stand as of a step."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._gone = array("I", [NEVER]) * len(table.blob)  # the step that removed the boundary before each cell
        starts = table.starts
        long_rows = [number for number in range(len(table)) if starts[number + 1] - starts[number] > LONG]
        self._removed = {number: (array("I"), array("Q")) for number in long_rows}

    def remove(self, step: int, cells: "array[int]") -> None:
        """Record that a step removed the boundaries before these cells (ascending)."""
        gone, starts = self._gone, self._table.starts
        for cell in cells:
            gone[cell] = step
        for number, (steps, totals) in self._removed.items():
            here = bisect_right(cells, starts[number + 1] - 1) - bisect_right(cells, starts[number] - 1)
            if here:
                steps.append(step)
                totals.append((totals[-1] if totals else 0) + here)

    def tokens(self, step: int, begin: int, end: int) -> Iterator[bytes]:
        """The tokens of the cells from `begin` to `end`, which must be boundaries as of the step."""
        blob, at = self._table.blob, begin
        for cell, went in enumerate(self._gone[begin + 1 : end], begin + 1):
            if went > step:
                yield blob[at:cell]
                at = cell
        if at < end:
            yield blob[at:end]

    def total(self, step: int, number: int) -> int:
        """How many tokens row `number` has as of a step."""
        begin, end = self._table.starts[number], self._table.starts[number + 1]
        if (removed := self._removed.get(number)) is None:
            return sum(went > step for went in self._gone[begin:end])
        steps, totals = removed
        place = bisect_right(steps, step)
        return end - begin - (totals[place - 1] if place else 0)

    def at_or_before(self, step: int, cell: int, begin: int) -> int:
        """The last boundary at or before a cell, as of a step; `begin` is the row's first cell."""
        while cell > begin and self._gone[cell] <= step:
            cell -= 1
        return max(cell, begin)

    def at_or_after(self, step: int, cell: int, end: int) -> int:
        """The first boundary at or after a cell, as of a step; `end` is the row's last cell plus one."""
        while cell < end and self._gone[cell] <= step:
            cell += 1
        return min(cell, end)
