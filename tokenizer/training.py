"""The trainer: merge after merge, each as a record of what was decided and what it touched.

A step costs what it touches: the places of the chosen pair and the counts of the pairs beside them.
"""

from array import array

from tokenizer.cells import Cells
from tokenizer.counting import Counting
from tokenizer.errors import EndReason
from tokenizer.pairs import tie_key
from tokenizer.pretokens import replace_surrogates
from tokenizer.ranking import Ranking
from tokenizer.recipe import Method, Recipe
from tokenizer.records import TOP, Opening, PairList, Record
from tokenizer.run import Run
from tokenizer.sources import Memory
from tokenizer.table import Table


class Trainer:
    """Training that can be taken step by step.

    Args:
        table: the pre-token table of a corpus.
        method: the tie rule and where training ends.
    """

    def __init__(self, table: Table, method: Method) -> None:
        self.table = table
        self._wanted = method.merges_wanted
        self._min_count = method.min_count
        self._cells = Cells(table)
        self._ranking = Ranking(self._cells.counts(), tie_key(method.tie_rule, self._cells.spelled, self._cells.first))
        self._tokens = table.corpus_bytes
        self._made = 0
        self.opening = Opening(PairList.of(self._ranking.counts.items()), self._top())

    @property
    def ended(self) -> EndReason | None:
        """Why there is no next merge; None while there is one."""
        chosen = self._ranking.top()
        if self._wanted is not None and self._made >= self._wanted:
            return "vocabulary_size"
        if chosen is None:
            return "no_pairs"
        return "minimum_count" if chosen[1] < self._min_count else None

    def advance(self) -> Record | None:
        """Make the next merge; None when training has ended."""
        chosen = self._ranking.top()
        if chosen is None or self.ended is not None:
            return None
        pair, number, tied = chosen
        merged = self._cells.merge(pair)
        before = array("Q")
        after: list[tuple[tuple[int, int], int]] = []
        for changed, delta in merged.deltas.items():
            number_now = self._ranking.counts.get(changed, 0) + delta
            before.append(self._ranking.change(changed, number_now))
            after.append((changed, number_now))
        self._made += 1
        self._tokens -= merged.replaced
        return Record(
            pair=pair,
            count=number,
            tied=tied,
            replaced=merged.replaced,
            cells=merged.cells,
            rows=self._rows(merged.cells),
            changed=PairList.of(after),
            before=before,
            top=self._top(),
            distinct_pairs=len(self._ranking),
            tokens=self._tokens,
        )

    def _top(self) -> PairList:
        return PairList.of(self._ranking.first(TOP))

    def _rows(self, cells: "array[int]") -> int:
        """How many rows hold these cells."""
        rows, end, starts, row_of = 0, 0, self.table.starts, self.table.row_of
        for cell in cells:
            if cell >= end:
                rows += 1
                end = starts[row_of(cell) + 1]
        return rows


def counting(recipe: Recipe, *, time_limit: float | None = None) -> Counting:
    """Validate a recipe and get ready to count its corpus's pre-tokens. Lone surrogates in it become U+FFFD.

    Args:
        recipe: what to train.
        time_limit: seconds for the pattern.

    Raises:
        RecipeError: the recipe cannot be trained.
    """
    recipe.validate()
    corpus, _ = replace_surrogates(recipe.corpus)
    return Counting(Memory(corpus.encode()), recipe.pattern, recipe.special_tokens, time_limit=time_limit)


def prepare(recipe: Recipe) -> Trainer:
    """Count a recipe's pre-tokens and get ready for the first merge.

    Raises:
        RecipeError: the recipe cannot be trained.
    """
    count = counting(recipe)
    while count.advance():
        pass
    return Trainer(count.table(), recipe)


def train(recipe: Recipe, *, steps: int | None = None) -> Run:
    """Train a recipe to its end, or so many steps of it.

    >>> run = train(Recipe("low low lower", special_tokens=("<|endoftext|>",)), steps=2)
    >>> [run.token(merge.token) for merge in run.merges(2)]
    [b'ow', b'low']

    Raises:
        RecipeError: the recipe cannot be trained.
    """
    trainer = prepare(recipe)
    run = Run(recipe, trainer.table, trainer.opening)
    while (steps is None or run.known < steps) and (record := trainer.advance()) is not None:
        run.append(record)
    run.ended = trainer.ended
    return run
