"""A run: what a recipe unfolds to. The log grows at its end; every read is as of a step and never changes.

Nothing here trains. Any number of readers can look at any known steps while one writer appends.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal

from tokenizer.boundaries import Boundaries
from tokenizer.changes import stretches
from tokenizer.errors import EndReason, Exhausted, NotYet, RecipeError
from tokenizer.pair_log import PairLog
from tokenizer.recipe import BYTES, Recipe
from tokenizer.records import Opening, Record
from tokenizer.steps import Merge, Pair, PairChange, PairCount, Row, RowChange, RowWindow, Step, Totals, Tree
from tokenizer.table import Table
from tokenizer.vocabulary import Vocabulary

Order = Literal["table", "changed"]


class Run:
    """The steps of one training, as far as they are known.

    Args:
        recipe: what is trained.
        table: its pre-tokens.
        opening: step 0.
    """

    def __init__(self, recipe: Recipe, table: Table, opening: Opening) -> None:
        self.recipe = recipe
        self.table = table
        self.ended: EndReason | None = None
        self._spelled = [bytes([byte]) for byte in range(BYTES)]
        self._ids = {token: number for number, token in enumerate(self._spelled)}
        self._ranks: dict[Pair, int] = {}
        self._records: list[Record] = []
        self._boundaries = Boundaries(table)
        self._pairs = PairLog(opening, self._records, self._spelled, recipe.tie_rule, self._rows_as_seen)

    # The log

    @property
    def known(self) -> int:
        """The last step that is known."""
        return len(self._records)

    def append(self, record: Record) -> None:
        """Add the next step."""
        step = self.known + 1
        left, right = record.pair
        token = self._spelled[left] + self._spelled[right]
        self._ids[token] = len(self._spelled)
        self._spelled.append(token)
        self._ranks[record.pair] = step - 1
        self._boundaries.remove(step, record.cells)
        self._records.append(record)  # last: from here on readers see the step

    def check(self, step: int, *, least: int = 0) -> None:
        """See to it that a step is known.

        Raises:
            Exhausted: training ended before it.
            NotYet: it has not been trained so far.
            RecipeError: it is no step's number.
        """
        if step < least:
            raise RecipeError(f"There is no step {step}; steps count from {least}.", field="step")
        if step <= self.known:
            return
        if self.ended is not None:
            raise Exhausted(
                f"There is no step {step:,}: this run ends with step {self.known:,}, {_ENDS[self.ended]}.",
                last=self.known,
                reason=self.ended,
            )
        raise NotYet(f"Step {step:,} is not trained yet; {self.known:,} steps are.", known=self.known)

    # Steps

    def step(self, step: int, *, limit: int | None = None) -> Step:
        """Step k as a value; `limit` cuts every long list (the totals tell), None gives all of it.

        Raises:
            Exhausted, NotYet: see `check`.
        """
        self.check(step, least=1)
        record = self._records[step - 1]
        changes = [
            PairChange(pair, before, after)
            for (pair, after), before in zip(record.changed.items(), record.before, strict=True)
        ]
        changes.sort(key=lambda change: (-max(change.before, change.after), change.pair))
        new = [PairCount(change.pair, change.after) for change in changes if not change.before]
        gone = [PairCount(change.pair, change.before) for change in changes if not change.after]
        changed = [change for change in changes if change.before and change.after]
        wanted = record.tied if limit is None else min(limit, record.tied)
        token = BYTES + step - 1
        return Step(
            kind="merge",
            number=step,
            token=token,
            pair=record.pair,
            bytes=self._spelled[token],
            count=record.count,
            replaced=record.replaced,
            tied=tuple(tied.pair for tied in self._pairs.first(step - 1, wanted)),
            tied_total=record.tied,
            rows_changed=tuple(self.changed_rows(step, limit=limit)),
            rows_changed_total=record.rows,
            pairs_new=tuple(new[:limit]),
            pairs_new_total=len(new),
            pairs_gone=tuple(gone[:limit]),
            pairs_gone_total=len(gone),
            pairs_changed=tuple(changed[:limit]),
            pairs_changed_total=len(changed),
            last=self.ended is not None and step == self.known,
        )

    def merges(self, step: int, *, offset: int = 0, limit: int | None = None) -> list[Merge]:
        """The merges up to a step, oldest first."""
        self.check(step)
        stop = step if limit is None else min(step, offset + limit)
        return [
            Merge(rank, self._records[rank].pair, BYTES + rank, self._records[rank].count)
            for rank in range(offset, stop)
        ]

    def totals(self, step: int) -> Totals:
        """Figures of the state as of a step."""
        self.check(step)
        return Totals(
            tokens=self._tokens(step),
            distinct_pairs=self._pairs.total(step),
            vocabulary=BYTES + step + len(self.recipe.special_tokens),
        )

    def curve(self, step: int, *, points: int = 100) -> list[tuple[int, int]]:
        """Tokens in the corpus over the steps up to one: at most `points` pairs of (step, tokens), ends included."""
        self.check(step)
        places = sorted({step * place // max(points - 1, 1) for place in range(points)})
        return [(place, self._tokens(place)) for place in places]

    def _tokens(self, step: int) -> int:
        return self._records[step - 1].tokens if step else self.table.corpus_bytes

    # Pairs

    def pairs(
        self, step: int, *, offset: int = 0, limit: int | None = None, query: bytes = b""
    ) -> tuple[list[PairCount], int]:
        """The pair counts as of a step, in the order in which the tie rule would take them.

        Args:
            step: as of which step.
            offset: how many to leave out.
            limit: how many at most.
            query: only pairs whose joined bytes hold these.

        Returns:
            The pairs, and how many there are with this query.
        """
        self.check(step)
        if not query:
            total = self._pairs.total(step)
            return self._pairs.first(step, total if limit is None else offset + limit)[offset:], total
        spelled = self._spelled
        found = [pair for pair in self._pairs.all(step) if query in spelled[pair.pair[0]] + spelled[pair.pair[1]]]
        return found[offset : None if limit is None else offset + limit], len(found)

    def pair_changes(self, step: int) -> dict[Pair, tuple[int, int]]:
        """The pairs whose counts a step changed, each with its count before and after, 0 where there is none."""
        self.check(step, least=1)
        record = self._records[step - 1]
        counts = zip(record.before, record.changed.counts, strict=True)
        return dict(zip(zip(record.changed.lefts, record.changed.rights, strict=True), counts, strict=True))

    # Rows

    def rows(
        self,
        step: int,
        *,
        offset: int = 0,
        limit: int = 200,
        query: bytes = b"",
        order: Order = "table",
        longest: int = 1_000,
    ) -> tuple[list[Row], int]:
        """Rows of the table as of a step.

        Args:
            step: as of which step.
            offset: how many to leave out.
            limit: how many at most.
            query: only rows whose pre-token holds these bytes.
            order: the table's, or the rows that the step changed first.
            longest: bytes of a row that are shown; `Row.total` says how many tokens there are.

        Returns:
            The rows, and how many there are with this query.
        """
        self.check(step)
        numbers, total = self._numbers(step, query, order)
        return [self.row(step, number, length=longest) for number in islice(numbers, offset, offset + limit)], total

    def row(self, step: int, number: int, *, offset: int = 0, length: int = 1_000) -> Row:
        """One row as of a step: its tokens from byte `offset` on, about `length` bytes of them.

        Raises:
            RecipeError: there is no such row.
        """
        self.check(step)
        if not 0 <= number < len(self.table):
            raise RecipeError(
                f"There is no row {number:,}; the table has {len(self.table):,} rows, counted from 0.", field="row"
            )
        begin, end = self.table.starts[number], self.table.starts[number + 1]
        first = self._boundaries.at_or_before(step, min(begin + max(offset, 0), end - 1), begin)
        last = self._boundaries.at_or_after(step, min(first + length, end), end)
        return Row(
            number=number,
            pre_token=self.table.pre_token(number),
            count=self.table.counts[number],
            tokens=self.tokens_between(step, first, last),
            total=self._boundaries.total(step, number),
            offset=first - begin,
        )

    def changed_rows(self, step: int, *, offset: int = 0, limit: int | None = None) -> Iterator[RowChange]:
        """The rows that a step changed, before and after, by count descending."""
        self.check(step, least=1)
        stop = None if limit is None else offset + limit
        for number in islice(self._changed(step), offset, stop):
            yield self.row_change(step, number)

    def row_change(self, step: int, number: int, *, windows: int = 3) -> RowChange:
        """What a step changed in one row; a long row as at most so many windows around the changes."""
        begin, end = self.table.starts[number], self.table.starts[number + 1]
        cells = self._records[step - 1].cells
        here = cells[bisect_left(cells, begin) : bisect_left(cells, end)]
        found = stretches(begin, end, here)
        return RowChange(
            number=number,
            pre_token=self.table.pre_token(number),
            count=self.table.counts[number],
            windows=tuple(self._windows(step, begin, end, found[:windows])),
            windows_total=len(found),
            before_total=self._boundaries.total(step - 1, number),
            after_total=self._boundaries.total(step, number),
            replaced=len(here),
        )

    def _windows(self, step: int, begin: int, end: int, stretches: Sequence[tuple[int, int]]) -> Iterator[RowWindow]:
        at = begin
        for first, last in stretches:
            # A boundary that stands after the step stood before it as well, so one stretch serves both. A long token
            # at the edge can widen a stretch as far as the next one.
            left = max(at, self._boundaries.at_or_before(step, first, begin))
            at = self._boundaries.at_or_after(step, max(last, left), end)
            yield RowWindow(left - begin, *(self.tokens_between(of, left, at) for of in (step - 1, step)))

    def is_changed(self, step: int, number: int) -> bool:
        """Whether a step changed a row."""
        cells = self._records[step - 1].cells if step else ()
        place = bisect_left(cells, self.table.starts[number])
        return place < len(cells) and cells[place] < self.table.starts[number + 1]

    def changed_total(self, step: int) -> int:
        """How many rows a step changed."""
        return self._records[step - 1].rows if step else 0

    def tokens_between(self, step: int, begin: int, end: int) -> tuple[int, ...]:
        """The ids of the tokens between two boundaries of the table's cells, as of a step."""
        ids = self._ids
        return tuple(ids[token] for token in self._boundaries.tokens(step, begin, end))

    def _numbers(self, step: int, query: bytes, order: Order) -> tuple[Iterator[int], int]:
        changed_first = order == "changed" and step > 0
        if query:
            found = list(self._found(query))
            if changed_first:
                found.sort(key=lambda number: not self.is_changed(step, number))
            return iter(found), len(found)
        total = len(self.table)
        return (self._changed_first(step) if changed_first else iter(range(total))), total

    def _changed_first(self, step: int) -> Iterator[int]:
        yield from self._changed(step)
        yield from (number for number in range(len(self.table)) if not self.is_changed(step, number))

    def _changed(self, step: int) -> Iterator[int]:
        cells, starts, place = self._records[step - 1].cells, self.table.starts, 0
        while place < len(cells):
            number = self.table.row_of(cells[place])
            yield number
            place = bisect_left(cells, starts[number + 1], place)

    def _found(self, query: bytes) -> Iterator[int]:
        blob, starts, at = self.table.blob, self.table.starts, 0
        while (at := blob.find(query, at)) >= 0:
            number = self.table.row_of(at)
            if at + len(query) <= starts[number + 1]:
                yield number
                at = starts[number + 1]
            else:
                at += 1

    def _rows_as_seen(self, step: int) -> Iterator[Sequence[int]]:
        starts = self.table.starts
        for number in sorted(range(len(self.table)), key=self.table.seen.__getitem__):
            yield self.tokens_between(step, starts[number], starts[number + 1])

    # Tokens

    def token(self, token: int) -> bytes:
        """The bytes of a token that training knows so far (a byte or a merge)."""
        return self._spelled[token]

    def tree(self, token: int, *, most: int = 255) -> Tree:
        """How a token was built, down to the bytes; of a token with more than `most` nodes the upper levels."""
        nodes, parts = [token], dict[int, tuple[int, int]]()
        for place in range(most):
            if place == len(nodes):
                break
            if nodes[place] >= BYTES and len(nodes) + 2 <= most:
                parts[place] = (len(nodes), len(nodes) + 1)
                nodes += self._records[nodes[place] - BYTES].pair
        built: dict[int, Tree] = {}
        for place in reversed(range(len(nodes))):
            if place in parts:
                left, right = parts[place]
                built[place] = Tree(nodes[place], (built[left], built[right]))
            else:
                built[place] = Tree(nodes[place], cut=nodes[place] >= BYTES)
        return built[0]

    def vocabulary(self, step: int) -> Vocabulary:
        """The tokenizer as of a step."""
        self.check(step)
        specials = {text: BYTES + step + place for place, text in enumerate(self.recipe.special_tokens)}
        return Vocabulary(self._spelled, self._ranks, step, self.recipe.pattern, specials)


_ENDS = {
    "no_pairs": "when no pair was left: every pre-token was one token",
    "vocabulary_size": "which filled the vocabulary size of its recipe",
    "minimum_count": "after which no pair reached the minimum count",
}
