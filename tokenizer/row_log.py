"""The rows of the table as of any step, and what each step changed in them."""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from tokenizer.boundaries import Boundaries
from tokenizer.changes import stretches
from tokenizer.errors import RecipeError
from tokenizer.records import Record
from tokenizer.steps import Row, RowChange, RowWindow
from tokenizer.table import Table

Order = Literal["table", "changed"]


class RowLog:
    """Rows over the steps of a run.

    Args:
        table: the rows before any merge.
        records: the log, as it grows.
        ids: every token's id by its bytes, as they grow.
    """

    def __init__(self, table: Table, records: Sequence[Record], ids: Mapping[bytes, int]) -> None:
        self._table = table
        self._records = records
        self._ids = ids
        self._boundaries = Boundaries(table)

    def append(self, step: int, record: Record) -> None:
        """Take in the next step."""
        self._boundaries.remove(step, record.cells)

    def row(self, step: int, number: int, offset: int, length: int) -> Row:
        """One row as of a step: its tokens from byte `offset` on, about `length` bytes of them.

        Raises:
            RecipeError: there is no such row.
        """
        if not 0 <= number < len(self._table):
            raise RecipeError(
                f"There is no row {number:,}; the table has {len(self._table):,} rows, counted from 0.", field="row"
            )
        begin, end = self._table.starts[number], self._table.starts[number + 1]
        first = self._boundaries.at_or_before(step, min(begin + max(offset, 0), end - 1), begin)
        last = self._boundaries.at_or_after(step, min(first + length, end), end)
        tokens = self._tokens(step, first, last)
        whole = (first, last) == (begin, end)
        return Row(
            number=number,
            pre_token=self._table.pre_token(number),
            count=self._table.counts[number],
            tokens=tokens,
            total=len(tokens) if whole else self._boundaries.total(step, number),
            offset=first - begin,
        )

    def change(self, step: int, number: int, windows: int) -> RowChange:
        """What a step changed in one row; a long row as at most so many windows around the changes."""
        begin, end = self._table.starts[number], self._table.starts[number + 1]
        cells = self._records[step - 1].cells
        here = cells[bisect_left(cells, begin) : bisect_left(cells, end)]
        found = stretches(begin, end, here)
        before_total = self._boundaries.total(step - 1, number)
        return RowChange(
            number=number,
            pre_token=self._table.pre_token(number),
            count=self._table.counts[number],
            windows=tuple(self._windows(step, begin, end, here, found[:windows])),
            windows_total=len(found),
            before_total=before_total,
            after_total=before_total - len(here),  # every replacement makes one token of two
            replaced=len(here),
        )

    def is_changed(self, step: int, number: int) -> bool:
        """Whether a step changed a row."""
        cells = self._records[step - 1].cells if step else ()
        place = bisect_left(cells, self._table.starts[number])
        return place < len(cells) and cells[place] < self._table.starts[number + 1]

    def numbers(self, step: int, query: bytes, order: Order) -> tuple[Iterator[int], int]:
        """The numbers of the rows that hold a query, in an order, and how many they are."""
        changed_first = order == "changed" and step > 0
        if query:
            found = list(self._found(query))
            if changed_first:
                found.sort(key=lambda number: not self.is_changed(step, number))
            return iter(found), len(found)
        total = len(self._table)
        return (self._changed_first(step) if changed_first else iter(range(total))), total

    def changed(self, step: int) -> Iterator[int]:
        """The numbers of the rows that a step changed, ascending."""
        cells, starts, place = self._records[step - 1].cells, self._table.starts, 0
        while place < len(cells):
            number = self._table.row_of(cells[place])
            yield number
            place = bisect_left(cells, starts[number + 1], place)

    def as_seen(self, step: int) -> Iterator[Sequence[int]]:
        """The ids of every row, in the order of first occurrences."""
        starts = self._table.starts
        for number in sorted(range(len(self._table)), key=self._table.seen.__getitem__):
            yield self._tokens(step, starts[number], starts[number + 1])

    def _windows(
        self, step: int, begin: int, end: int, cells: "array[int]", stretches: Sequence[tuple[int, int]]
    ) -> Iterator[RowWindow]:
        boundaries, at = self._boundaries, begin
        for first, last in stretches:
            # A boundary that stands after the step stood before it as well, so one stretch serves both. A long token
            # at the edge widens a stretch, but not over the next change.
            left = max(at, boundaries.at_or_before(step, first, begin))
            at = boundaries.at_or_after(step, last, end)
            following = bisect_left(cells, last)
            if following < len(cells) and at > cells[following]:
                at = boundaries.at_or_before(step, cells[following], begin)
            yield RowWindow(left - begin, *(self._tokens(of, left, at) for of in (step - 1, step)))

    def _tokens(self, step: int, begin: int, end: int) -> tuple[int, ...]:
        """The ids of the tokens between two boundaries of the table's cells."""
        ids = self._ids
        return tuple(ids[token] for token in self._boundaries.tokens(step, begin, end))

    def _changed_first(self, step: int) -> Iterator[int]:
        yield from self.changed(step)
        yield from (number for number in range(len(self._table)) if not self.is_changed(step, number))

    def _found(self, query: bytes) -> Iterator[int]:
        blob, starts, at = self._table.blob, self._table.starts, 0
        while (at := blob.find(query, at)) >= 0:
            number = self._table.row_of(at)
            if at + len(query) <= starts[number + 1]:
                yield number
                at = starts[number + 1]
            else:
                at += 1
