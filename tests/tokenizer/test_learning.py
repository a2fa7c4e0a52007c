"""Training without a log: the same merges as with one, and as the naive definition has them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.compare import ALL_ARRAYS, ALL_LISTS, switched, with_orders
from tests.tokenizer.strategies import PATTERNS, TIE_RULES, choices, corpora, scaled, specials
from tokenizer import GPT2, NAMED, Learner, Method, Recipe, RecipeError, Table, TieRule, Trainer, count, learn, train
from tokenizer.learning import least_count

MANY = st.sampled_from([ALL_ARRAYS, 3, ALL_LISTS])


def merged(table: Table, method: Method) -> tuple[list[tuple[int, int]], list[int], str | None]:
    """The pairs, counts and end of a training with a log."""
    trainer = Trainer(table, method)
    records = []
    while (record := trainer.advance()) is not None:
        records.append(record)
    return [record.pair for record in records], [record.count for record in records], trainer.ended


@pytest.mark.parametrize("rule", TIE_RULES)
@scaled(3)
@given(
    corpus=corpora(),
    pattern=st.sampled_from(PATTERNS),
    tokens=specials,
    room=st.none() | st.integers(0, 12),
    min_count=st.integers(1, 4),
    many=MANY,
)
@example("aaaaaaa aaaa baaaab", "gpt2", [], None, 1, ALL_ARRAYS)
@example("abababab ababab xabab", "none", [], None, 1, ALL_LISTS)
@example("", "gpt2", [], 5, 1, ALL_LISTS)
@example("a b c", "whitespace", [], 5, 1, ALL_LISTS)
def test_every_merge_and_the_end_are_those_of_the_definition(
    rule: TieRule, corpus: str, pattern: str, tokens: list[str], room: int | None, min_count: int, many: int
) -> None:
    size = None if room is None else 256 + len(tokens) + room
    method = Method(tie_rule=rule, special_tokens=tuple(tokens), vocab_size=size, min_count=min_count)
    training = oracle.Training(oracle.pre_tokens(corpus, oracle.ALTERNATIVES[pattern], tokens), rule)
    counts = []
    while (room is None or len(counts) < room) and (step := training.step(min_count)):
        counts.append(step.count)
    with switched(many):
        table = count(corpus, NAMED[pattern], tokens)
        learner = Learner(table, method)
        while learner.advance(3):
            pass
        assert (learner.pairs, learner.counts) == (training.merges, counts)
        assert learner.spelled == training.spelled
        assert (learner.pairs, learner.counts, learner.ended) == merged(table, method)


@pytest.mark.parametrize("rule", TIE_RULES)
@given(corpus=corpora(), pattern=st.sampled_from(PATTERNS), ordered=choices, many=MANY)
def test_orders_are_taken_as_the_definition_takes_them(
    rule: TieRule, corpus: str, pattern: str, ordered: dict[int, int], many: int
) -> None:
    training = oracle.Training(oracle.pre_tokens(corpus, oracle.ALTERNATIVES[pattern]), rule)
    steps, orders = with_orders(training, ordered, 30, min_count=2)
    with switched(many):
        learner = Learner(count(corpus, NAMED[pattern]), Method(tie_rule=rule, min_count=2), orders=orders)
        learner.advance(30)
    assert learner.pairs == [step.pair for step in steps]
    assert learner.counts == [step.count for step in steps]


@pytest.mark.parametrize("rule", TIE_RULES)
def test_some_hundred_merges_of_real_text_are_those_of_the_log(rule: TieRule, english: dict[str, str]) -> None:
    table = count(english["jane_austen"], GPT2)
    assert_same_as_with_a_log(table, Method(tie_rule=rule, vocab_size=256 + 400))


@pytest.mark.full
@pytest.mark.parametrize("rule", TIE_RULES)
def test_ten_thousand_merges_of_real_text_are_those_of_the_log(rule: TieRule, english: dict[str, str]) -> None:
    table = count("<|endoftext|>".join(english.values()), GPT2, ("<|endoftext|>",))
    assert_same_as_with_a_log(table, Method(tie_rule=rule, vocab_size=10_257, special_tokens=("<|endoftext|>",)))


@pytest.mark.parametrize("rule", TIE_RULES)
def test_many_scripts_to_the_end_are_those_of_the_log(rule: TieRule, udhr: dict[str, str]) -> None:
    table = count("\n".join(text[:200] for text in udhr.values()), NAMED["o200k_base"])
    assert_same_as_with_a_log(table, Method(tie_rule=rule, min_count=3))


def assert_same_as_with_a_log(table: Table, method: Method) -> None:
    learner = Learner(table, method)
    while learner.advance(1_000):
        pass
    assert (learner.pairs, learner.counts, learner.ended) == merged(table, method)


@given(corpus=corpora(), room=st.integers(1, 12))
def test_none_of_the_first_merges_is_rarer_than_the_least_count(corpus: str, room: int) -> None:
    _, counts, _ = merged(count(corpus, GPT2), Method(vocab_size=256 + room))
    assert all(number >= least_count(count(corpus, GPT2), room) for number in counts)


def test_the_least_count_is_that_of_a_pre_token_of_two_bytes_or_more() -> None:
    table = count("a a a a bb bb bb cc cc dd", NAMED["whitespace"])
    assert [least_count(table, merges) for merges in (1, 2, 3, 4)] == [3, 2, 1, 1]
    assert least_count(table, None) == least_count(table, 0) == 1


def test_rare_pairs_are_not_looked_at_without_orders() -> None:
    corpus = "abab abab ab ab ab xy z"
    learner = Learner(count(corpus, NAMED["whitespace"]), Method(vocab_size=257))
    assert set(learner._merging._cells.counted) == {(ord("a"), ord("b"))}  # type: ignore[union-attr]


def test_an_order_may_be_rarer_than_all_that_would_be_merged() -> None:
    table = count("abab abab ab ab ab xy z", NAMED["whitespace"])
    learner = Learner(table, Method(vocab_size=257, min_count=2), orders={1: (ord("x"), ord("y"))})
    assert learner.advance(10) == 1
    assert (learner.spelled[256:], learner.counts, learner.ended) == ([b"xy"], [1], "vocabulary_size")


def test_an_order_that_cannot_be_followed_is_an_error() -> None:
    learner = Learner(count("ab ab cd", GPT2), Method(), orders={2: (ord("a"), ord("b"))})
    with pytest.raises(RecipeError, match="Step 2"):
        learner.advance(5)
    assert learner.spelled[256:] == [b"ab"]


def test_it_advances_by_as_many_merges_as_asked_and_says_how_many() -> None:
    learner = Learner(count("low lower lowest", GPT2), Method(vocab_size=261))
    assert (learner.advance(0), learner.ended) == (0, None)
    assert [learner.advance(2), learner.advance(2), learner.advance(2), learner.advance(2)] == [2, 2, 1, 0]
    assert learner.ended == "vocabulary_size"
    assert learner.picking > 0
    assert learner.applying > 0


def test_the_vocabulary_is_that_of_the_run() -> None:
    recipe = Recipe("low low lower lowest", special_tokens=("<s>", "</s>"), vocab_size=262)
    assert learn(count(recipe.corpus, GPT2), recipe) == train(recipe).vocabulary(4)
