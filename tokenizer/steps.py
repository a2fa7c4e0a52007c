"""What a run says, as values: nothing here computes, renders or prints.

Tokens travel as ids; `Run.token(id)` gives the bytes. Lists that can grow long come as a first part
and a total, so that whoever shows them can say what is left out.
"""

from dataclasses import dataclass
from typing import Literal

Pair = tuple[int, int]
Kind = Literal["merge", "em", "prune"]


@dataclass(frozen=True, slots=True)
class PairCount:
    """A pair and how often it occurs over the whole table."""

    pair: Pair
    count: int


@dataclass(frozen=True, slots=True)
class PairChange:
    """A pair whose count a step changed; `before` 0 is a new pair, `after` 0 one that is gone."""

    pair: Pair
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the pre-token table at one step.

    `number` counts from 0 in the table's order (count descending, then first seen). `tokens` are the ids of the
    window that begins `offset` bytes into the pre-token; it is the whole row where `total` tokens are in it.
    """

    number: int
    pre_token: bytes
    count: int
    tokens: tuple[int, ...]
    total: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class RowWindow:
    """A stretch of a changed row, `offset` bytes into the pre-token: ids before and after the step."""

    offset: int
    before: tuple[int, ...]
    after: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A row that a step changed. A short row is one window, whole; a long one has windows around its changes.

    `windows_total` says how many windows there are, `before_total` and `after_total` the row's tokens,
    `replaced` how many replacements were made in this row.
    """

    number: int
    pre_token: bytes
    count: int
    windows: tuple[RowWindow, ...]
    windows_total: int
    before_total: int
    after_total: int
    replaced: int


@dataclass(frozen=True, slots=True)
class Step:
    """One merge: what was decided and what changed.

    Step k made the id `256 + k - 1` and the rank `k - 1`. `count` is the chosen pair's count before the step,
    overlaps counted; `replaced` the replacements really made, weighted by the rows' counts like `count`.
    `tied` begins with the chosen pair, the others follow in the order of the tie rule. Where the pair was ordered and
    not chosen, `ordered` says so and `tied` is that pair alone.
    """

    kind: Kind
    number: int
    token: int
    pair: Pair
    bytes: bytes
    count: int
    replaced: int
    tied: tuple[Pair, ...]
    tied_total: int
    rows_changed: tuple[RowChange, ...]
    rows_changed_total: int
    pairs_new: tuple[PairCount, ...]
    pairs_new_total: int
    pairs_gone: tuple[PairCount, ...]
    pairs_gone_total: int
    pairs_changed: tuple[PairChange, ...]
    pairs_changed_total: int
    last: bool
    ordered: bool = False

    @property
    def rank(self) -> int:
        """The merge's position in creation order, from 0."""
        return self.number - 1


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge in the list of merges: its rank, pair, new id and the count that it was chosen with."""

    rank: int
    pair: Pair
    token: int
    count: int


@dataclass(frozen=True, slots=True)
class Totals:
    """Figures of a state: tokens in the corpus (occurrences), distinct pairs, vocabulary entries."""

    tokens: int
    distinct_pairs: int
    vocabulary: int


@dataclass(frozen=True, slots=True)
class Tree:
    """How a token was built: a byte has no parts, a merged token two; `cut` where its parts are left out."""

    token: int
    parts: tuple["Tree", "Tree"] | None = None
    cut: bool = False
