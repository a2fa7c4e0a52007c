"""The engine's values beside the oracle's."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from unittest.mock import patch

from tests.tokenizer import oracle
from tokenizer import NAMED, Recipe, RowChange, Run, Step, train
from tokenizer.fast import cells


def recipe_of(corpus: str, pattern: str = "gpt2", **other: object) -> Recipe:
    """A recipe by its pattern's name."""
    return Recipe(corpus, pattern=NAMED[pattern], **other)  # type: ignore[arg-type]


def both(corpus: str, pattern: str, tie_rule: str, specials: tuple[str, ...] = ()) -> tuple[Run, oracle.Training]:
    """A run trained to its end, and a naive training that has not begun."""
    run = train(recipe_of(corpus, pattern, tie_rule=tie_rule, special_tokens=specials))
    words = oracle.pre_tokens(corpus, oracle.ALTERNATIVES[pattern], specials)
    return run, oracle.Training(words, tie_rule)


def with_orders(
    training: oracle.Training, choices: Mapping[int, int], steps: int, min_count: int = 1
) -> tuple[list[oracle.Step], dict[int, oracle.Pair]]:
    """So many steps of a naive training in which some are ordered, and the orders by step.

    Args:
        training: one that has not begun.
        choices: by step, the number of the pair that is ordered, among those that occur then.
        steps: how many at most.
        min_count: where it ends without an order.
    """
    made: list[oracle.Step] = []
    orders: dict[int, oracle.Pair] = {}
    while len(made) < steps:
        number = len(made) + 1
        if number in choices and training.pairs:
            orders[number] = sorted(training.pairs)[choices[number] % len(training.pairs)]
        if (step := training.step(min_count, orders.get(number))) is None:
            break
        made.append(step)
    return made, orders


def assert_same_step(step: Step, expected: oracle.Step) -> None:
    """Every value of a step, all lists whole."""
    assert (step.kind, step.rank) == ("merge", expected.number - 1)
    for name in ("number", "token", "pair", "bytes", "count", "replaced", "tied", "ordered"):
        assert getattr(step, name) == getattr(expected, name), name
    assert step.tied_total == len(expected.tied)
    assert [row.number for row in step.rows_changed] == [row.number for row in expected.rows_changed]
    assert step.rows_changed_total == len(expected.rows_changed)
    for row, change in zip(step.rows_changed, expected.rows_changed, strict=True):
        assert_same_row_change(row, change)
    assert {new.pair: new.count for new in step.pairs_new} == expected.pairs_new
    assert {gone.pair: gone.count for gone in step.pairs_gone} == expected.pairs_gone
    assert {now.pair: (now.before, now.after) for now in step.pairs_changed} == expected.pairs_changed
    assert step.pairs_new_total == len(step.pairs_new) == len(expected.pairs_new)
    assert step.pairs_gone_total == len(step.pairs_gone) == len(expected.pairs_gone)
    assert step.pairs_changed_total == len(step.pairs_changed) == len(expected.pairs_changed)
    for counts in (
        [new.count for new in step.pairs_new],
        [gone.count for gone in step.pairs_gone],
        [max(now.before, now.after) for now in step.pairs_changed],
    ):
        assert counts == sorted(counts, reverse=True)


def assert_same_row_change(row: RowChange, expected: oracle.RowChange) -> None:
    """A changed row: its figures, and every window a true stretch of it."""
    assert (row.number, row.pre_token, row.count) == (expected.number, expected.pre_token, expected.count)
    assert (row.before_total, row.after_total) == (len(expected.before), len(expected.after))
    assert row.replaced == expected.replaced == row.before_total - row.after_total
    assert 1 <= len(row.windows) <= row.windows_total
    if len(row.pre_token) <= 100:
        assert [(window.offset, window.before, window.after) for window in row.windows] == [
            (0, expected.before, expected.after)
        ]


def assert_true_windows(run: Run, row: RowChange, expected: oracle.RowChange) -> None:
    """The windows of a long row: stretches that lie apart and ascend; together all changes, where none is left out."""
    for whole, side in ((expected.before, "before"), (expected.after, "after")):
        places = [0, *accumulate(len(run.token(token)) for token in whole)]
        end = -1
        for window in row.windows:
            shown = getattr(window, side)
            first = places.index(window.offset)
            assert shown == whole[first : first + len(shown)]
            assert window.offset >= end
            end = window.offset + sum(len(run.token(token)) for token in shown)
    for window in row.windows:
        assert len(window.before) > len(window.after)
        assert b"".join(map(run.token, window.before)) == b"".join(map(run.token, window.after))
    if len(row.windows) == row.windows_total:
        assert sum(len(window.before) - len(window.after) for window in row.windows) == expected.replaced


def assert_same_state(run: Run, step: int, training: oracle.Training) -> None:
    """The state read at a step: rows, pairs in order, totals."""
    rows, total = run.rows(step, limit=len(training.rows) + 1)
    assert total == len(training.rows)
    assert [(row.number, row.pre_token, row.count, row.tokens) for row in rows] == [
        (row.number, row.pre_token, row.count, row.tokens) for row in training.in_table_order()
    ]
    assert all(row.total == len(row.tokens) and row.offset == 0 for row in rows)
    pairs, total = run.pairs(step)
    assert total == len(pairs)
    assert [(pair.pair, pair.count) for pair in pairs] == [(pair, training.pairs[pair]) for pair in training.ordered()]
    totals = run.totals(step)
    assert totals.tokens == training.tokens()
    assert totals.distinct_pairs == len(training.pairs)
    assert totals.vocabulary == 256 + step + len(run.method.special_tokens)
    assert [(merge.rank, merge.pair, merge.token) for merge in run.merges(step)] == [
        (rank, pair, 256 + rank) for rank, pair in enumerate(training.merges)
    ]


ALL_LISTS, ALL_ARRAYS = 1_000_000, 0  # for `switched`


@contextmanager
def switched(many: int, narrow: int = cells.NARROW) -> Iterator[None]:
    """From how many places on pairs are merged by numpy, and below what ids are kept in 16 bits."""
    with patch.multiple(cells, MANY=many, NARROW=narrow):
        yield
