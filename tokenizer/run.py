"""A run: what a recipe unfolds to. The log grows at its end; every read is as of a step and never changes.

Nothing here trains. Any number of readers can look at any known steps while one writer appends.
"""

from collections.abc import Iterator
from itertools import islice

from tokenizer.errors import EndReason, Exhausted, NotYet, RecipeError
from tokenizer.pair_log import PairLog
from tokenizer.recipe import BYTES, Method
from tokenizer.records import Opening, Record
from tokenizer.row_log import Order, RowLog
from tokenizer.steps import Merge, Pair, PairChange, PairCount, Row, RowChange, Step, Totals, Tree
from tokenizer.table import Table
from tokenizer.vocabulary import Vocabulary


class Run:
    """The steps of one training, as far as they are known.

    Args:
        method: how it is trained.
        table: its pre-tokens.
        opening: step 0.
    """

    def __init__(self, method: Method, table: Table, opening: Opening) -> None:
        self.method = method
        self.table = table
        self.ended: EndReason | None = None
        self._spelled = [bytes([byte]) for byte in range(BYTES)]
        self._ids = {token: number for number, token in enumerate(self._spelled)}
        self._ranks: dict[Pair, int] = {}
        self._records: list[Record] = []
        self._rows = RowLog(table, self._records, self._ids)
        self._pairs = PairLog(opening, self._records, self._spelled, method.tie_rule, self._rows.as_seen)

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
        self._rows.append(step, record)
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

    def step(self, step: int, *, limit: int | None = None, rows: bool = True) -> Step:
        """Step k as a value.

        Args:
            step: k.
            limit: cuts every long list (the totals tell); None gives all of it.
            rows: whether to read the changed rows; who shows them by `row_change` needs them not here.

        Raises:
            Exhausted, NotYet: see `check`.
        """
        self.check(step, least=1)
        record = self._records[step - 1]
        # An early step touches hundreds of pairs, of which a page shows a few; only those become values.
        touched = [
            (-max(before, after), pair, before, after)
            for (pair, after), before in zip(record.changed.items(), record.before, strict=True)
        ]
        touched.sort()
        new = [(pair, after) for _, pair, before, after in touched if not before]
        gone = [(pair, before) for _, pair, before, after in touched if not after]
        changed = [(pair, before, after) for _, pair, before, after in touched if before and after]
        token = BYTES + step - 1
        return Step(
            kind="merge",
            number=step,
            token=token,
            pair=record.pair,
            bytes=self._spelled[token],
            count=record.count,
            replaced=record.replaced,
            tied=self._tied(step, limit),
            tied_total=record.tied,
            rows_changed=tuple(self.changed_rows(step, limit=limit if rows else 0)),
            rows_changed_total=record.rows,
            pairs_new=tuple(PairCount(*each) for each in new[:limit]),
            pairs_new_total=len(new),
            pairs_gone=tuple(PairCount(*each) for each in gone[:limit]),
            pairs_gone_total=len(gone),
            pairs_changed=tuple(PairChange(*each) for each in changed[:limit]),
            pairs_changed_total=len(changed),
            last=self.ended is not None and step == self.known,
            ordered=record.ordered,
        )

    def _tied(self, step: int, limit: int | None) -> tuple[Pair, ...]:
        record = self._records[step - 1]
        if record.ordered:
            return (record.pair,)[:limit]
        wanted = record.tied if limit is None else min(limit, record.tied)
        return tuple(tied.pair for tied in self._pairs.first(step - 1, wanted))

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
            vocabulary=BYTES + step + len(self.method.special_tokens),
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
        numbers, total = self.row_numbers(step, offset=offset, limit=limit, query=query, order=order)
        return [self._rows.row(step, number, 0, longest) for number in numbers], total

    def row_numbers(
        self, step: int, *, offset: int = 0, limit: int = 200, query: bytes = b"", order: Order = "table"
    ) -> tuple[list[int], int]:
        """Which rows `rows` gives: their numbers, and how many there are with this query."""
        self.check(step)
        numbers, total = self._rows.numbers(step, query, order)
        return list(islice(numbers, offset, offset + limit)), total

    def row(self, step: int, number: int, *, offset: int = 0, length: int = 1_000) -> Row:
        """One row as of a step: its tokens from byte `offset` on, about `length` bytes of them.

        Raises:
            RecipeError: there is no such row.
        """
        self.check(step)
        return self._rows.row(step, number, offset, length)

    def changed_rows(self, step: int, *, offset: int = 0, limit: int | None = None) -> Iterator[RowChange]:
        """The rows that a step changed, before and after, by count descending."""
        self.check(step, least=1)
        for number in islice(self._rows.changed(step), offset, None if limit is None else offset + limit):
            yield self.row_change(step, number)

    def row_change(self, step: int, number: int, *, windows: int = 3) -> RowChange:
        """What a step changed in one row; a long row as at most so many windows around the changes."""
        self.check(step, least=1)
        return self._rows.change(step, number, windows)

    def is_changed(self, step: int, number: int) -> bool:
        """Whether a step changed a row."""
        return self._rows.is_changed(step, number)

    def changed_total(self, step: int) -> int:
        """How many rows a step changed."""
        return self._records[step - 1].rows if step else 0

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
        specials = {text: BYTES + step + place for place, text in enumerate(self.method.special_tokens)}
        return Vocabulary(self._spelled, self._ranks, step, self.method.pattern, specials)


_ENDS = {
    "no_pairs": "when no pair was left: every pre-token was one token",
    "vocabulary_size": "which filled the vocabulary size of its recipe",
    "minimum_count": "after which no pair reached the minimum count",
}
