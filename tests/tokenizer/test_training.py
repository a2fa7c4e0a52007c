"""Training: golden steps, hard cases, and equality with the naive definition at every step."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.compare import assert_same_state, assert_same_step, both, recipe_of, with_orders
from tests.tokenizer.conftest import Case
from tests.tokenizer.strategies import PATTERNS, TIE_RULES, choices, corpora, scaled, specials
from tokenizer import Exhausted, Pair, Recipe, RecipeError, Run, TieRule, Trainer, prepare, train

STEPS = 40  # that are compared one by one in each generated example


def latin(*tokens: str) -> list[bytes]:
    return [token.encode("latin-1") for token in tokens]


def spelled(run: Run, pair: Pair) -> list[bytes]:
    return [run.token(token) for token in pair]


def merges(run: Run) -> list[list[str]]:
    """All merges, tokens as text, as the cases write them."""
    return [[run.token(token).decode() for token in merge.pair] for merge in run.merges(run.known)]


# --- The toy corpus ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy_run(toy: dict[str, Any]) -> Run:
    return train(Recipe(toy["corpus"], special_tokens=tuple(toy["special_tokens"]), vocab_size=toy["vocab_size"]))


def test_the_toy_run_ends_with_its_vocabulary_size(toy: dict[str, Any], toy_run: Run) -> None:
    assert toy_run.method.pattern.source == toy["pattern"]
    assert toy_run.known == len(toy["steps"]) == 8
    assert toy_run.ended == "vocabulary_size"
    assert [toy_run.step(step).last for step in range(1, 9)] == [False] * 7 + [True]
    assert toy_run.totals(8).vocabulary == toy["vocab_size"]
    assert toy_run.vocabulary(8).special_tokens == toy["special_ids"]


def test_the_toy_corpus_has_the_pair_counts_written_down(toy: dict[str, Any], toy_run: Run) -> None:
    pairs, total = toy_run.pairs(0)
    assert total == toy["distinct_pairs"]
    assert {(*spelled(toy_run, pair.pair),): pair.count for pair in pairs} == {
        (*latin(*golden["pair"]),): golden["count"] for golden in toy["pair_counts"]
    }
    assert [pair.count for pair in pairs] == [golden["count"] for golden in toy["pair_counts"]]


@pytest.mark.parametrize("number", range(1, 9))
def test_a_toy_step_is_the_one_written_down(toy: dict[str, Any], toy_run: Run, number: int) -> None:
    golden, step = toy["steps"][number - 1], toy_run.step(number)
    assert (step.number, step.token, step.count) == (golden["number"], golden["id"], golden["count"])
    assert spelled(toy_run, step.pair) == latin(*golden["pair"])
    assert step.bytes == toy_run.token(step.token) == golden["token"].encode("latin-1")
    assert step.tied[0] == step.pair
    assert sorted(spelled(toy_run, pair) for pair in step.tied) == sorted(
        latin(*pair) for pair in golden["tied_at_top"]
    )
    assert toy_run.totals(number - 1).distinct_pairs == golden["distinct_pairs_before"]
    changed = [
        ([toy_run.token(t) for t in row.windows[0].before], [toy_run.token(t) for t in row.windows[0].after], row.count)
        for row in step.rows_changed
    ]
    assert sorted(changed) == sorted(
        (latin(*row["before"]), latin(*row["after"]), row["count"]) for row in golden["rows_changed"]
    )
    gone = [spelled(toy_run, pair.pair) for pair in step.pairs_gone]
    assert sorted(gone) == sorted(latin(*pair) for pair in golden["pairs_gone"])
    new = [(spelled(toy_run, pair.pair), pair.count) for pair in step.pairs_new]
    assert sorted(new) == sorted((latin(*pair["pair"]), pair["count"]) for pair in golden["pairs_new"])


def test_the_toy_corpus_until_nothing_is_left_to_merge(toy: dict[str, Any]) -> None:
    run = train(Recipe(toy["corpus"], special_tokens=tuple(toy["special_tokens"])))
    steps = [run.step(step) for step in range(1, run.known + 1)]
    assert [(step.bytes.decode("latin-1"), step.count, step.tied_total) for step in steps] == [
        (golden["token"], golden["count"], golden["tied"]) for golden in toy["all_merges_until_exhausted"]
    ]
    assert run.ended == "no_pairs"


# --- Cases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["T01", "T02", "T04"])
def test_t01_t02_t04_ties_compare_bytes_and_runs_are_counted_right(case: Case, number: str) -> None:
    wanted = case(number)
    run = train(Recipe(wanted["input"]["corpus"]), steps=wanted["input"]["merges_wanted"])
    assert merges(run) == wanted["expected"]["merges_bytes"]


def test_t01_t02_greater_bytes_is_the_rule_of_the_cases_and_not_lower_ids() -> None:
    assert merges(train(Recipe("go go hz hz", tie_rule="lower_ids"), steps=1)) != [["h", "z"]]


def test_t04_counts_and_final_words(case: Case) -> None:
    wanted = case("T04")
    run = train(Recipe(wanted["input"]["corpus"]))
    counts = wanted["expected"]["pair_count_at_each_step"]
    assert [run.step(step).count for step in range(1, len(counts) + 1)] == counts
    rows, _ = run.rows(run.known)
    assert all(len(row.tokens) == 1 for row in rows)
    assert sorted(row.pre_token.decode() for row in rows) == sorted(wanted["expected"]["final_words"])
    # `aa` 12 times, overlaps counted; of them replaced: 3 + 2 + 2.
    assert run.step(1).replaced == 7


def test_t05_short_corpora_run_out_and_say_so(case: Case) -> None:
    wanted = case("T05")
    for given_run in wanted["input"]["runs"]:
        run = train(Recipe(given_run["corpus"], vocab_size=wanted["input"]["vocab_size"]))
        expected = wanted["expected"]["merges_bytes"][given_run["corpus"]]
        assert merges(run) == expected
        assert run.totals(run.known).vocabulary == 256 + len(expected)
        assert run.ended == "no_pairs"
        with pytest.raises(Exhausted) as caught:
            run.step(run.known + 1)
        assert caught.value.reason == "no_pairs"


def test_t06_special_tokens_and_bytes_count_in_the_vocabulary_size(case: Case) -> None:
    wanted = case("T06")
    for given_run, expected, size in zip(
        wanted["input"]["runs"], wanted["expected"]["merges"], wanted["expected"]["sizes"], strict=True
    ):
        if size is None:
            continue  # refused: see test_recipe.py
        specials = tuple(given_run["specials"])
        run = train(Recipe(wanted["input"]["corpus"], special_tokens=specials, vocab_size=given_run["vocab_size"]))
        assert merges(run) == expected
        assert run.totals(run.known).vocabulary == size
        assert list(run.vocabulary(run.known).special_tokens.values()) == [*range(256 + run.known, size)]
        assert run.ended == "vocabulary_size"


def test_t07_special_tokens_take_no_part(case: Case) -> None:
    wanted = case("T07")
    for given_run, expected in zip(wanted["input"]["runs"], wanted["expected"]["merges_bytes"], strict=True):
        recipe = Recipe(given_run["corpus"], special_tokens=tuple(given_run["specials"]))
        assert merges(train(recipe, steps=wanted["input"]["merges_wanted"])) == expected


def test_without_a_pattern_english_begins_with_e_and_a_blank(english: dict[str, str]) -> None:
    """What `golden/published_vocabularies.json` notes: with no pre-tokenizer, 'e' and the blank after it."""
    run = train(recipe_of(english["jane_austen"][:200_000], "none"), steps=1)
    assert run.step(1).bytes == b"e "


# --- Ends -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "known", "reason"),
    [
        (Recipe(""), 0, "no_pairs"),
        (Recipe("", vocab_size=256), 0, "vocabulary_size"),
        (Recipe("aaaa", vocab_size=257), 1, "vocabulary_size"),
        (Recipe("aaaa", vocab_size=259), 2, "no_pairs"),
        (Recipe("aa ab", min_count=2), 0, "minimum_count"),
        (Recipe("ab ab", min_count=2), 0, "minimum_count"),
        (Recipe("ab\nab\nabc", min_count=2), 1, "minimum_count"),
        (Recipe("ab\nab\nab", min_count=3), 1, "no_pairs"),
        (Recipe("ab\nab\nab", min_count=3, vocab_size=257), 1, "vocabulary_size"),
    ],
)
def test_training_ends_and_says_why(recipe: Recipe, known: int, reason: str) -> None:
    run = train(recipe)
    if recipe.corpus == "ab ab":
        assert run.step(1).bytes == b"ab"
        known = 1
    assert (run.known, run.ended) == (known, reason)


@given(corpus=corpora(), min_count=st.integers(1, 6), room=st.none() | st.integers(0, 12), tokens=specials)
def test_training_ends_where_the_definition_does(
    corpus: str, min_count: int, room: int | None, tokens: list[str]
) -> None:
    size = None if room is None else 256 + len(tokens) + room
    run = train(Recipe(corpus, special_tokens=tuple(tokens), min_count=min_count, vocab_size=size))
    training = oracle.Training(oracle.pre_tokens(corpus, oracle.GPT2, tokens))
    while (room is None or len(training.merges) < room) and training.step(min_count):
        pass
    assert [merge.pair for merge in run.merges(run.known)] == training.merges
    if room is not None and run.known == room:
        assert run.ended == "vocabulary_size"
    else:
        assert run.ended == ("minimum_count" if training.pairs else "no_pairs")


def test_so_many_steps_are_trained_and_no_more() -> None:
    recipe = Recipe("low lower lowest newest widest")
    assert train(recipe, steps=0).known == 0
    assert train(recipe, steps=3).known == 3
    assert train(recipe, steps=3).ended is None
    assert train(recipe, steps=10_000).ended == "no_pairs"


def test_a_trainer_advances_one_record_at_a_time() -> None:
    recipe = Recipe("low lower lowest")
    trainer = prepare(recipe)
    run = Run(recipe, trainer.table, trainer.opening)
    assert isinstance(trainer, Trainer)
    while (record := trainer.advance()) is not None:
        run.append(record)
    assert trainer.ended == "no_pairs"
    assert trainer.advance() is None
    assert merges(run) == merges(train(recipe))


# --- Properties -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", TIE_RULES)
@scaled(3)
@given(corpus=corpora(), pattern=st.sampled_from(PATTERNS), tokens=specials)
@example(corpus="aaaaaaa aaaa baaaab", pattern="gpt2", tokens=[])
@example(corpus="abababab ababab xabab", pattern="none", tokens=[])
@example(corpus="aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", pattern="none", tokens=[])
@example(corpus="aabaabaabaab baabaab", pattern="none", tokens=["b"])
def test_every_step_is_that_of_the_definition(rule: TieRule, corpus: str, pattern: str, tokens: list[str]) -> None:
    run, training = both(corpus, pattern, rule, tuple(tokens))
    while len(training.merges) < STEPS and (expected := training.step()):
        assert_same_step(run.step(expected.number), expected)
    if len(training.merges) < STEPS:
        assert run.known == len(training.merges)
        assert run.ended == "no_pairs"


@pytest.mark.parametrize("rule", TIE_RULES)
@given(corpus=corpora(), pattern=st.sampled_from(PATTERNS), tokens=specials)
def test_every_state_is_that_of_the_definition(rule: TieRule, corpus: str, pattern: str, tokens: list[str]) -> None:
    run, training = both(corpus, pattern, rule, tuple(tokens))
    assert_same_state(run, 0, training)
    while len(training.merges) < STEPS and (expected := training.step()):
        assert_same_state(run, expected.number, training)


@pytest.mark.parametrize("rule", TIE_RULES)
def test_many_scripts_give_the_definitions_steps(rule: TieRule, udhr: dict[str, str]) -> None:
    corpus = "\n".join(text[:200] for text in udhr.values())
    run, training = both(corpus, "o200k_base", rule)
    for number in range(1, 101):
        expected = training.step()
        assert expected is not None
        assert_same_step(run.step(number), expected)
    assert_same_state(run, 100, training)


@given(corpus=corpora(), pattern=st.sampled_from(PATTERNS), rule=st.sampled_from(TIE_RULES))
def test_no_two_tokens_of_a_training_are_spelled_the_same(corpus: str, pattern: str, rule: TieRule) -> None:
    run = train(recipe_of(corpus, pattern, tie_rule=rule))
    tokens = [run.token(token) for token in range(256 + run.known)]
    assert len(set(tokens)) == len(tokens)


# --- Orders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rule", TIE_RULES)
@scaled(2)
@given(corpus=corpora(), pattern=st.sampled_from(PATTERNS), ordered=choices, min_count=st.integers(1, 3))
def test_ordered_steps_are_those_of_the_definition(
    rule: TieRule, corpus: str, pattern: str, ordered: dict[int, int], min_count: int
) -> None:
    training = oracle.Training(oracle.pre_tokens(corpus, oracle.ALTERNATIVES[pattern]), rule)
    steps, orders = with_orders(training, ordered, STEPS, min_count)
    run = train(recipe_of(corpus, pattern, tie_rule=rule, min_count=min_count), steps=STEPS, orders=orders)
    assert run.known == len(steps)
    for expected in steps:
        assert_same_step(run.step(expected.number), expected)
    assert_same_state(run, run.known, training)


def test_an_order_overrides_the_minimum_count_but_not_the_vocabulary_size() -> None:
    recipe = Recipe("ab ab cd", min_count=2, vocab_size=258)
    run = train(recipe, orders={2: (ord("c"), ord("d")), 3: (ord(" "), 256)})
    assert [run.step(step).ordered for step in (1, 2)] == [False, True]
    assert merges(run) == [["a", "b"], ["c", "d"]]
    assert run.ended == "vocabulary_size"


def test_an_order_is_not_said_to_be_tied() -> None:
    run = train(Recipe("ab cd ef"), steps=1, orders={1: (ord("c"), ord("d"))})
    step = run.step(1)
    assert (step.ordered, step.tied, step.tied_total, step.count) == (True, ((ord("c"), ord("d")),), 1, 1)


@pytest.mark.parametrize(
    ("pair", "named"),
    [((ord("x"), ord("y")), "b'x' + b'y'"), ((256, ord("d")), "b'ab' + b'd'"), ((300, 97), "no token so far + b'a'")],
)
def test_an_ordered_pair_that_does_not_occur_is_named(pair: Pair, named: str) -> None:
    with pytest.raises(RecipeError, match=r"Step 2 is ordered .* after step 1") as caught:
        train(Recipe("ab ab cd"), orders={1: (ord("a"), ord("b")), 2: pair})
    assert str(pair) in caught.value.message
    assert named in caught.value.message
    assert (caught.value.field, caught.value.position) == ("orders", 2)


def test_after_a_refused_order_training_goes_on() -> None:
    trainer = prepare(Recipe("ab ab cd"))
    with pytest.raises(RecipeError):
        trainer.advance((0, 0))
    record = trainer.advance()
    assert record is not None
    assert (record.pair, record.ordered) == ((ord("a"), ord("b")), False)
