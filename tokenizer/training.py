"""The trainer: merge after merge, each as a record of what was decided and what it touched."""

from array import array
from collections.abc import Mapping

from tokenizer.counting import Counting
from tokenizer.errors import EndReason
from tokenizer.fast.layout import Layout
from tokenizer.merging import Merging
from tokenizer.pretokens import replace_surrogates
from tokenizer.recipe import Method, Recipe
from tokenizer.records import TOP, Opening, PairList, Record
from tokenizer.run import Run
from tokenizer.sources import Memory
from tokenizer.steps import Pair
from tokenizer.table import Table


class Trainer:
    """Training that can be taken step by step.

    Args:
        table: the pre-token table of a corpus.
        method: the tie rule and where training ends.
    """

    def __init__(self, table: Table, method: Method) -> None:
        self.table = table
        self._layout = Layout(table)
        self._merging = Merging(table, self._layout, method)
        self._tokens = table.corpus_bytes
        counts = self._merging.counts
        self.opening = Opening(PairList.of(counts.keys(), counts.values()), self._top())

    @property
    def ended(self) -> EndReason | None:
        """Why there is no next merge; None while there is one."""
        return self._merging.ended

    def advance(self, pair: Pair | None = None) -> Record | None:
        """Make the next merge; None when training has ended.

        Args:
            pair: an order: the pair to merge, whatever the tie rule and the minimum count say. The vocabulary size
                holds for orders too.

        Raises:
            RecipeError: the ordered pair does not occur now; `position` is the step.
        """
        choice = self._merging.choose(pair)
        if choice is None:
            return None
        change = self._merging.merge(choice.pair)
        cells, rows = self._layout.origins(change.places)
        replaced = self._merging.weigh(change.places)
        self._tokens -= replaced
        return Record(
            pair=choice.pair,
            count=choice.number,
            tied=choice.tied,
            replaced=replaced,
            cells=cells,
            rows=rows,
            changed=PairList.of(change.pairs, change.after),
            before=array("Q", change.before),
            top=self._top(),
            distinct_pairs=len(self._merging.counts),
            tokens=self._tokens,
            ordered=choice.ordered,
        )

    def _top(self) -> PairList:
        return PairList.of(*self._merging.ranking.first(TOP))


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


def train(recipe: Recipe, *, steps: int | None = None, orders: Mapping[int, Pair] | None = None) -> Run:
    """Train a recipe to its end, or so many steps of it.

    >>> run = train(Recipe("low low lower", special_tokens=("<|endoftext|>",)), steps=2)
    >>> [run.token(merge.token) for merge in run.merges(2)]
    [b'ow', b'low']

    Args:
        recipe: what to train.
        steps: how many at most.
        orders: the pair to merge at some steps, by step, whatever the tie rule and the minimum count say. What is
            ordered for steps after the last one is not looked at.

    Raises:
        RecipeError: the recipe cannot be trained, or an ordered pair does not occur at its step.
    """
    trainer = prepare(recipe)
    run = Run(recipe, trainer.table, trainer.opening)
    given = orders or {}
    while (steps is None or run.known < steps) and (record := trainer.advance(given.get(run.known + 1))) is not None:
        run.append(record)
    run.ended = trainer.ended
    return run
