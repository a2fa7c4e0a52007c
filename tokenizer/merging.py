"""Merging with every pair counted and ranked at every step: what a log needs, and what orders need.

A step costs what it touches: the places of the chosen pair and the counts of the pairs beside them.
"""

from typing import NamedTuple

from tokenizer.errors import EndReason, RecipeError
from tokenizer.fast.cells import Cells, Merged
from tokenizer.fast.counted_pair import Places
from tokenizer.fast.layout import Layout
from tokenizer.pairs import tie_key
from tokenizer.ranking import Ranking
from tokenizer.recipe import Method
from tokenizer.steps import Pair
from tokenizer.table import Table


class Choice(NamedTuple):
    """The pair of the next merge, how often it occurs, how many pairs occur that often, whether it was ordered."""

    pair: Pair
    number: int
    tied: int
    ordered: bool


class Change(NamedTuple):
    """What a merge changed: pairs with their counts before and after, the places of the replacements, their weight."""

    pairs: list[Pair]
    before: list[int]
    after: list[int]
    places: Places


class Merging:
    """The pairs of a table, counted and ranked, merge after merge.

    Args:
        table: the pre-token table of a corpus.
        layout: of that table.
        method: the tie rule and where training ends.
    """

    def __init__(self, table: Table, layout: Layout, method: Method) -> None:
        self._wanted = method.merges_wanted
        self._min_count = method.min_count
        self._made = 0
        self._cells = Cells(table, layout, merges=self._wanted)
        self.spelled = self._cells.spelled
        self.counts = {pair: counted.count for pair, counted in self._cells.counted.items()}
        self.weigh = self._cells.weigh
        self.ranking = Ranking(self.counts, tie_key(method.tie_rule, self.spelled, self._cells.first))

    @property
    def ended(self) -> EndReason | None:
        """Why there is no next merge, unless one is ordered; None while there is one."""
        if self._full:
            return "vocabulary_size"
        chosen = self.ranking.top()
        if chosen is None:
            return "no_pairs"
        return "minimum_count" if chosen[1] < self._min_count else None

    @property
    def _full(self) -> bool:
        return self._wanted is not None and self._made >= self._wanted

    def choose(self, ordered: Pair | None = None) -> Choice | None:
        """The next merge; None when training has ended.

        Args:
            ordered: a pair to take whatever the rule says and however rare it is.

        Raises:
            RecipeError: the ordered pair does not occur now; `position` is the step.
        """
        if self._full:
            return None
        if ordered is not None:
            if (count := self.counts.get(ordered)) is None:
                raise self._absent(ordered)
            return Choice(ordered, count, 1, ordered=True)
        chosen = self.ranking.top()
        return None if chosen is None or chosen[1] < self._min_count else Choice(*chosen, ordered=False)

    def merge(self, pair: Pair) -> Change:
        """Merge a pair and keep the ranking up to date."""
        merged = self._cells.merge(pair)
        self._made += 1
        before = self._before(pair, merged)
        after = [self._cells.count(changed) for changed in before]
        for changed, known, now in zip(before, before.values(), after, strict=True):
            self.ranking.change(changed, known, now)
            if now:
                self.counts[changed] = now
            else:
                del self.counts[changed]
                self._cells.forget(changed)
        return Change(list(before), list(before.values()), after, merged.places)

    def _before(self, pair: Pair, merged: Merged) -> dict[Pair, int]:
        """The counts before a merge of the pairs whose counts it changed, 0 for those that are new."""
        left, right = pair
        beside = [(right, group[0]) for group in merged.rights] + [(group[0], left) for group in merged.lefts]
        before = {known: self.counts[known] for known in [pair, *beside] if known in self.counts}
        return before | {counted.pair: 0 for counted in merged.born if counted.count}

    def _absent(self, pair: Pair) -> RecipeError:
        spelled = self.spelled
        named = " + ".join(repr(spelled[token]) if token < len(spelled) else "no token so far" for token in pair)
        step = self._made + 1
        return RecipeError(
            f"Step {step:,} is ordered to merge the ids {pair}, {named}, which do not stand side by side anywhere "
            f"after step {step - 1:,}. Order a pair that occurs then, or none.",
            field="orders",
            position=step,
        )
