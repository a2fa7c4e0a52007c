"""Training for the vocabulary alone: the same merges as a `Trainer` makes, without a log of what each of them touched.

Without orders two shortcuts apply, which change no merge. A pair waits in the queue at the count that it was born with
(`lazy_queue`), for counts only fall. And rare pairs are left out altogether (`least_count`).
"""

from collections.abc import Mapping
from itertools import islice
from time import perf_counter

from tokenizer.errors import EndReason
from tokenizer.fast.cells import Cells
from tokenizer.fast.layout import Layout
from tokenizer.garbage import no_collection
from tokenizer.lazy_queue import LazyQueue
from tokenizer.merging import Merging
from tokenizer.pairs import tie_key
from tokenizer.recipe import BYTES, Method
from tokenizer.steps import Pair
from tokenizer.table import Table
from tokenizer.vocabulary import Vocabulary


def learn(table: Table, method: Method) -> Vocabulary:
    """Train to the end.

    >>> from tokenizer.counting import count
    >>> method = Method(vocab_size=258)
    >>> learn(count("low low lower lowest", method.pattern), method).tokens[256:]
    [b'ow', b'low']

    Args:
        table: the pre-token table of a corpus.
        method: the tie rule, where training ends, and what else the vocabulary says.
    """
    learner = Learner(table, method)
    while learner.advance(1_000):
        pass
    return learner.vocabulary()


class Learner:
    """Training that goes on by so many merges at a time. `pairs` are the merges so far, `counts` the count of each.

    `spelled` are the bytes of every token, `picking` and `applying` the seconds that were spent on finding the next
    pair and on merging it.

    Args:
        table: the pre-token table of a corpus.
        method: the tie rule and where training ends.
        orders: the pair to merge at some steps, by step, as of `train`. With orders no shortcut applies.
    """

    def __init__(self, table: Table, method: Method, *, orders: Mapping[int, Pair] | None = None) -> None:
        self.method = method
        self.pairs: list[Pair] = []
        self.counts: list[int] = []
        self.picking = 0.0
        self.applying = 0.0
        self._orders = orders or {}
        begun = perf_counter()
        with no_collection():
            self._merging = Merging(table, Layout(table), method) if orders else LazyMerging(table, method)
        self.applying += perf_counter() - begun
        self.spelled = self._merging.spelled

    @property
    def ended(self) -> EndReason | None:
        """Why there is no next merge, unless one is ordered; None while there is one."""
        return self._merging.ended

    def advance(self, steps: int) -> int:
        """Make so many merges, or as many as there are; how many that were, 0 at the end.

        Raises:
            RecipeError: an ordered pair does not occur at its step; `position` is the step.
        """
        with no_collection():
            return self._advance(steps)

    def _advance(self, steps: int) -> int:
        merging, ordered, first, begun = self._merging, self._orders.get, len(self.pairs) + 1, perf_counter()
        applying = 0.0
        for step in range(first, first + steps):
            choice = merging.choose(ordered(step))
            if choice is None:
                break
            picked = perf_counter()
            merging.merge(choice[0])
            applying += perf_counter() - picked
            self.pairs.append(choice[0])
            self.counts.append(choice[1])
        self.applying += applying
        self.picking += perf_counter() - begun - applying
        return len(self.pairs) + 1 - first

    def vocabulary(self) -> Vocabulary:
        """The tokenizer so far."""
        made = len(self.pairs)
        specials = {text: BYTES + made + place for place, text in enumerate(self.method.special_tokens)}
        ranks = {pair: rank for rank, pair in enumerate(self.pairs)}
        return Vocabulary(self.spelled, ranks, made, self.method.pattern, specials)


def least_count(table: Table, merges: int | None) -> int:
    """The count that each of the first so many merges has at least, so that rarer pairs need not be looked at.

    It is the count of the pre-token that comes at that number among those of two bytes or more, the most frequent
    first. For a merge can make at most one of these into a single token; so before the last merge one of them still
    holds a pair, which occurs as often as it does, and the pair that is merged is no rarer.
    """
    if not merges or merges < 0:
        return 1
    starts = table.starts
    counts = (count for row, count in enumerate(table.counts) if starts[row + 1] - starts[row] > 1)
    return next(islice(counts, merges - 1, None), 1)


class LazyMerging:
    """What `Merging` does, for frequent pairs alone, with a queue instead of a ranking, and without orders.

    Args:
        table: the pre-token table of a corpus.
        method: the tie rule and where training ends.
    """

    def __init__(self, table: Table, method: Method) -> None:
        self._wanted = method.merges_wanted
        least = max(method.min_count, least_count(table, self._wanted))
        self._cells = Cells(table, Layout(table), merges=self._wanted, least=least)
        self.spelled = self._cells.spelled
        key = tie_key(method.tie_rule, self.spelled, self._cells.first)
        self._queue = LazyQueue(self._cells.counted.values(), key, least)

    @property
    def ended(self) -> EndReason | None:
        """Why there is no next merge; None while there is one."""
        if self._full:
            return "vocabulary_size"
        if self._queue.top() is not None:
            return None
        return "minimum_count" if self._cells.boundaries else "no_pairs"

    @property
    def _full(self) -> bool:
        return self._wanted is not None and len(self.spelled) - BYTES >= self._wanted

    def choose(self, _ordered: Pair | None = None) -> tuple[Pair, int] | None:
        """The next merge and its count; None when training has ended."""
        if self._full or (counted := self._queue.top()) is None:
            return None
        return counted.pair, counted.count

    def merge(self, pair: Pair) -> None:
        """Merge a pair, and take the new pairs into the queue."""
        for counted in self._cells.merge(pair).born:
            self._queue.add(counted)
