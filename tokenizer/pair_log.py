"""The pair counts as of any step: the top at once, the rest by replaying changes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, pairwise

from tokenizer.pairs import tie_key
from tokenizer.recipe import TieRule
from tokenizer.records import Opening, PairList, Record
from tokenizer.steps import Pair, PairCount


class PairLog:
    """Pair counts over the steps of a run.

    Args:
        opening: the counts before any merge.
        records: the log, as it grows.
        spelled: the bytes of every token by its id.
        rule: the tie rule, which orders equal counts.
        rows: the ids of every row as of a step, in the order of first occurrences (asked for `first_seen` only).
    """

    def __init__(
        self,
        opening: Opening,
        records: Sequence[Record],
        spelled: Sequence[bytes],
        rule: TieRule,
        rows: Callable[[int], Iterable[Sequence[int]]],
    ) -> None:
        self._opening = opening
        self._records = records
        self._spelled = spelled
        self._rule = rule
        self._rows = rows
        # The last list that was asked for and the counts behind it: whoever leafs through pages, or steps on with a
        # search, asks for the same or a neighbour next. One tuple, replaced whole, so that threads need no lock.
        self._counted: tuple[int, dict[Pair, int]] = (0, dict(opening.pairs.items()))
        self._listed: tuple[int, list[PairCount]] | None = None

    def top(self, step: int) -> PairList:
        """The first pairs as of a step, as the log keeps them."""
        return self._records[step - 1].top if step else self._opening.top

    def total(self, step: int) -> int:
        """How many distinct pairs there are as of a step."""
        return self._records[step - 1].distinct_pairs if step else len(self._opening.pairs.counts)

    def first(self, step: int, size: int) -> list[PairCount]:
        """The first pairs as of a step, in the order in which the tie rule would take them."""
        top, total = self.top(step), self.total(step)
        if size <= len(top.counts) or len(top.counts) == total:
            return [PairCount(pair, count) for pair, count in islice(top.items(), size)]
        return self.all(step)[:size]

    def all(self, step: int) -> list[PairCount]:
        """All pairs as of a step, in the order in which the tie rule would take them."""
        if self._listed is not None and self._listed[0] == step:
            return self._listed[1]
        counts = self._counts(step)
        key = tie_key(self._rule, self._spelled, self._firsts(step).__getitem__)
        ordered = sorted(counts.items(), key=lambda item: (-item[1], key(item[0])))
        listed = [PairCount(pair, count) for pair, count in ordered]
        self._listed = (step, listed)
        return listed

    def _counts(self, step: int) -> dict[Pair, int]:
        at, known = self._counted
        if step < at / 2:
            at, known = 0, dict(self._opening.pairs.items())
        counts = dict(known)
        for record in self._records[at:step]:
            counts.update(record.changed.items())
        for record in reversed(self._records[step:at]):
            changed = record.changed
            counts.update(zip(zip(changed.lefts, changed.rights, strict=True), record.before, strict=True))
        counts = {pair: count for pair, count in counts.items() if count}
        self._counted = (step, counts)
        return counts

    def _firsts(self, step: int) -> dict[Pair, int]:
        """Where each pair first occurs, for the one rule that asks."""
        places: dict[Pair, int] = {}
        if self._rule == "first_seen":
            for place, pair in enumerate(_pairs(self._rows(step))):
                places.setdefault(pair, place)
        return places


def _pairs(rows: Iterable[Sequence[int]]) -> Iterator[Pair]:
    for row in rows:
        yield from pairwise(row)
