"""What one step changed in one row: the row before and after, or windows around the changes of a long one."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Protocol

from tokenizer.boundaries import Boundaries
from tokenizer.steps import RowChange, RowWindow
from tokenizer.table import Table

WHOLE = 400  # bytes; a row up to this long is shown whole
AROUND = 24  # bytes shown before and after a change in a longer row
WIDEST = 96  # bytes of changes in one window


class Reader(Protocol):
    """Whoever gives the ids between two boundaries as of a step."""

    def tokens_between(self, step: int, begin: int, end: int) -> tuple[int, ...]:
        """The ids of the tokens between two cells."""


def row_change(
    table: Table, boundaries: Boundaries, cells: "array[int]", step: int, number: int, reader: Reader, most: int
) -> RowChange:
    """The change that `step`, which removed the boundaries before `cells`, made in row `number`."""
    begin, end = table.starts[number], table.starts[number + 1]
    here = cells[bisect_left(cells, begin) : bisect_left(cells, end)]
    if end - begin <= WHOLE:
        stretches = [(begin, end)]
    else:
        stretches = list(_stretches(here))
    windows = []
    for first, last in stretches[:most]:
        first = boundaries.at_or_before(step, max(first, begin), begin)
        last = boundaries.at_or_after(step, min(last, end), end)
        before, after = (reader.tokens_between(at, first, last) for at in (step - 1, step))
        windows.append(RowWindow(first - begin, before, after))
    return RowChange(
        number=number,
        pre_token=table.pre_token(number),
        count=table.counts[number],
        windows=tuple(windows),
        windows_total=len(stretches),
        before_total=boundaries.total(step - 1, number),
        after_total=boundaries.total(step, number),
        replaced=len(here),
    )


def _stretches(cells: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Changes that lie near each other, as stretches of cells with something around them."""
    first = last = -1
    for cell in cells:
        if first < 0:
            first = cell
        elif cell - last > 2 * AROUND or cell - first > WIDEST:
            yield first - AROUND, last + AROUND
            first = cell
        last = cell
    if first >= 0:
        yield first - AROUND, last + AROUND
