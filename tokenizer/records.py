"""The log of a training: one opening, then one record for each merge, all of them flat arrays.

They hold what cannot be read off the table: the choices, the cells touched, the changed counts. That is little, so
records travel cheaply from a process that trains to another that shows.
"""

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tokenizer.steps import Pair

TOP = 64  # pairs at the top of the ranking that every record keeps, so that they are at hand for any step


class PairList(NamedTuple):
    """Pairs with a number each, as flat arrays."""

    lefts: "array[int]"
    rights: "array[int]"
    counts: "array[int]"

    @classmethod
    def of(cls, pairs: Collection[Pair], counts: Collection[int]) -> "PairList":
        """From pairs and the count of each."""
        lefts, rights = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(array("I", lefts), array("I", rights), array("Q", counts))

    def items(self) -> Iterator[tuple[Pair, int]]:
        """The pairs with their counts."""
        return zip(zip(self.lefts, self.rights, strict=True), self.counts, strict=True)


@dataclass(frozen=True, slots=True)
class Opening:
    """Step 0: all pairs of the table before any merge, in no order, and the first of them in the rule's order."""

    pairs: PairList
    top: PairList


@dataclass(frozen=True, slots=True)
class Record:
    """One merge.

    `cells` are the table's cells at which a token ended to begin, ascending: the places of the right halves of all
    replacements. `changed` are the pairs whose count changed, `before` the counts, `after` (in `changed`) the new
    ones. `top`, `distinct_pairs` and `tokens` describe the state after the merge. `ordered` where the pair was given,
    not chosen; then it is not said to be tied with any (`tied` is 1).
    """

    pair: Pair
    count: int
    tied: int
    replaced: int
    cells: "array[int]"
    rows: int
    changed: PairList
    before: "array[int]"
    top: PairList
    distinct_pairs: int
    tokens: int
    ordered: bool

    @property
    def weight(self) -> int:
        """Bytes that the record takes, about."""
        numbers = 16 * (len(self.top.counts) + len(self.changed.counts)) + 8 * (len(self.cells) + len(self.before))
        return numbers + 1_000
