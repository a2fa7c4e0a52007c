"""Where cells lie in the table."""

from array import array

import numpy as np
from hypothesis import given

from tests.tokenizer.strategies import corpora
from tokenizer import GPT2, NAMED, Table, count
from tokenizer.fast.layout import EMPTY, Layout


@given(corpus=corpora())
def test_rows_lie_in_the_order_of_first_occurrences_with_an_empty_cell_around_each(corpus: str) -> None:
    table = count(corpus, GPT2)
    layout = Layout(table)
    expected_cells, expected_rows = [EMPTY], [EMPTY]
    for number in sorted(range(len(table)), key=table.seen.__getitem__):
        expected_cells += [*range(table.starts[number], table.starts[number + 1]), EMPTY]
        expected_rows += [number] * len(table.pre_token(number)) + [EMPTY]
    assert layout.cells.tolist() == expected_cells
    assert layout.rows.tolist() == expected_rows


def test_origins_ascend_and_rows_are_counted_once() -> None:
    table = count("xyz ab ab", NAMED["whitespace"])
    layout = Layout(table)  # |xyz| |ab|
    assert [table.pre_token(number) for number in range(len(table))] == [b" ", b"ab", b"xyz"]
    for places in ([2, 3, 8], np.array([2, 3, 8])):
        assert layout.origins(places) == (array("Q", [2, 4, 5]), 2)


def test_an_empty_table_has_one_empty_cell() -> None:
    assert Layout(Table.of({}, characters=0)).cells.tolist() == [EMPTY]  # type: ignore[arg-type]
