"""Merging on flat cells: many places and few, narrow ids and wide ones, all as the definition has it."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.compare import ALL_ARRAYS, ALL_LISTS, assert_same_state, assert_same_step, both, switched
from tests.tokenizer.strategies import PATTERNS, TIE_RULES, corpora, scaled, specials
from tokenizer import NAMED, Recipe, Table, TieRule, count, train
from tokenizer.fast import cells as module
from tokenizer.fast.cells import Cells
from tokenizer.fast.counted_pair import CountedPair
from tokenizer.fast.layout import Layout

STEPS = 30


def cells_of(*rows: str, least: int = 1, merges: int | None = None) -> Cells:
    """Cells of a table of these pre-tokens."""
    table = count("|".join(rows), NAMED["none"], ("|",))
    return Cells(table, Layout(table), least=least, merges=merges)


def counts(cells: Cells) -> dict[tuple[int, int], int]:
    """The count of each pair that occurs."""
    return {pair: counted.count for pair, counted in cells.counted.items() if counted.count}


def pair(spelled: str) -> tuple[int, int]:
    left, right = spelled.encode()
    return left, right


@pytest.mark.parametrize("rule", TIE_RULES)
@scaled(2)
@given(
    corpus=corpora(),
    pattern=st.sampled_from(PATTERNS),
    tokens=specials,
    many=st.sampled_from([ALL_ARRAYS, 2, 5, ALL_LISTS]),
    narrow=st.sampled_from([0, module.NARROW]),
)
@example("aaaaaaa aaaa baaaab", "gpt2", [], ALL_ARRAYS, 0)
@example("aaaaaaa aaaa baaaab", "gpt2", [], ALL_ARRAYS, module.NARROW)
@example("abababab ababab xabab", "none", [], ALL_ARRAYS, module.NARROW)
@example("a" * 33, "none", [], ALL_ARRAYS, module.NARROW)
@example("a" * 33, "none", [], 5, module.NARROW)
@example("aabaabaabaab baabaab", "none", ["b"], ALL_ARRAYS, module.NARROW)
def test_arrays_and_lists_give_the_definitions_steps(
    rule: TieRule, corpus: str, pattern: str, tokens: list[str], many: int, narrow: int
) -> None:
    with switched(many, narrow):
        run, training = both(corpus, pattern, rule, tuple(tokens))
    while len(training.merges) < STEPS and (expected := training.step()):
        assert_same_step(run.step(expected.number), expected)
    assert_same_state(run, len(training.merges), training)


@pytest.mark.parametrize("many", [ALL_ARRAYS, ALL_LISTS])
def test_a_long_row_gives_the_definitions_steps(english: dict[str, str], many: int) -> None:
    corpus = english["bible_web"][:3_000] + "ab" * 300 + "a" * 301
    with switched(many):
        run, training = both(corpus, "none", "first_seen")
    for _ in range(25):
        expected = training.step()
        assert expected is not None
        assert [merge.pair for merge in run.merges(expected.number)] == training.merges
        assert run.step(expected.number, limit=0).rows_changed_total == 1
    assert run.row(25, 0, length=10_000).tokens == training.rows[0].tokens


@pytest.mark.parametrize("many", [ALL_ARRAYS, ALL_LISTS])
def test_a_merge_tells_what_stands_beside_what_is_new_and_its_places(many: int) -> None:
    with switched(many):
        cells = cells_of("xaby", "xab", "xab")
        assert counts(cells) == {pair("xa"): 3, pair("ab"): 3, pair("by"): 1}
        merged = cells.merge(pair("ab"))
    assert [(token, count) for token, count, _ in merged.lefts] == [(ord("x"), 3)]
    assert [(token, count) for token, count, _ in merged.rights] == [(ord("y"), 1)]
    assert {new.pair: new.count for new in merged.born} == {(ord("x"), 256): 3, (256, ord("y")): 1}
    assert counts(cells) == {(ord("x"), 256): 3, (256, ord("y")): 1}
    assert len(merged.places) == 2  # rows of equal bytes are one row
    assert cells.weigh(merged.places) == 3


@pytest.mark.parametrize("many", [ALL_ARRAYS, ALL_LISTS])
def test_a_pair_that_is_born_and_lost_at_once_does_not_occur(many: int) -> None:
    with switched(many):
        cells = cells_of("aaaa")
        merged = cells.merge(pair("aa"))
    assert counts(cells) == {(256, 256): 1}
    assert {new.pair: new.count for new in merged.born} == {(256, ord("a")): 0, (256, 256): 1}


@pytest.mark.parametrize("many", [ALL_ARRAYS, ALL_LISTS])
def test_rare_pairs_are_left_out(many: int) -> None:
    with switched(many):
        cells = cells_of("abc", "abc", "bc", "dbc", "xy", least=2)
        assert counts(cells) == {pair("ab"): 2, pair("bc"): 4}
        cells.merge(pair("bc"))
    assert counts(cells) == {(ord("a"), 256): 2}


def test_a_pair_occurs_no_more_when_it_has_been_merged_and_can_be_forgotten() -> None:
    cells = cells_of("abc", "abc")
    assert cells.count(pair("bc")) == 2
    cells.merge(pair("ab"))
    assert cells.count(pair("ab")) == cells.count(pair("bc")) == 0
    cells.forget(pair("bc"))
    cells.forget(pair("xy"))
    assert set(cells.counted) == {(256, ord("c"))}


def test_boundaries_are_those_that_are_left() -> None:
    cells = cells_of("aaaa", "ab", "c")
    assert cells.boundaries == 4
    cells.merge(pair("aa"))
    assert cells.boundaries == 2
    cells.merge((256, 256))
    cells.merge(pair("ab"))
    assert cells.boundaries == 0


def test_the_first_place_moves_on_when_it_is_lost() -> None:
    cells = cells_of("xab", "yab", "zab")
    before = cells.first(pair("ab"))
    cells.merge(pair("xa"))
    cells.merge(pair("ya"))
    assert cells.first(pair("ab")) == before + 2 * 4  # of rows of three bytes and an empty cell
    assert len(cells.counted[pair("ab")].places) == 1


def test_two_tokens_of_the_same_bytes_are_an_error_of_the_engine() -> None:
    cells = cells_of("abc")
    cells.merge(pair("ab"))
    cells.counted[pair("ab")] = CountedPair(pair("ab"), 1, [2])
    with pytest.raises(AssertionError, match="spelled b'ab'"):
        cells.merge(pair("ab"))


def test_ids_are_as_wide_as_the_merges_can_need() -> None:
    corpus = "".join(map(chr, range(0x4E00, 0x4E00 + 30_000)))  # 90,000 bytes in one row
    table = count(corpus, NAMED["none"])
    layout = Layout(table)
    assert Cells(table, layout, merges=65_000).spelled == Cells(table, layout).spelled
    assert Cells(table, layout, merges=65_000)._ids.itemsize == 2
    assert Cells(table, layout, merges=1_000_000)._ids.itemsize == 4
    assert Cells(table, layout)._ids.itemsize == 4
    assert cells_of("abc")._ids.itemsize == 2


def test_counts_beyond_32_bits_are_exact() -> None:
    many = 2**40 + 1
    table = Table.of({b"ab": many, b"abc": many - 1}, characters=0)  # type: ignore[arg-type]
    for number in (ALL_ARRAYS, ALL_LISTS):
        with switched(number):
            cells = Cells(table, Layout(table))
            assert cells.count(pair("ab")) == 2 * many - 1
            assert cells.weigh(cells.merge(pair("ab")).places) == 2 * many - 1
            assert cells.count((256, ord("c"))) == many - 1


def test_no_pair_is_in_an_empty_table_or_in_rows_of_one_byte() -> None:
    for corpus in ("", "a b"):
        table = count(corpus, NAMED["whitespace"])
        cells = Cells(table, Layout(table))
        assert (cells.counted, cells.boundaries) == ({}, 0)


def test_real_text_gives_the_same_whatever_is_done_by_arrays(english: dict[str, str]) -> None:
    corpus = english["jane_austen"][:20_000]
    expected = oracle.train(oracle.pre_tokens(corpus, oracle.GPT2), "greater_bytes", 80)
    for many in (ALL_ARRAYS, 16, ALL_LISTS):
        with switched(many):
            run = train(Recipe(corpus), steps=80)
        assert [merge.pair for merge in run.merges(80)] == expected.merges
        assert run.totals(80).tokens == expected.tokens()
