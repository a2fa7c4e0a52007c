"""Merging many pre-tokens at once, beside merging each as the definition does."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle
from tests.tokenizer.strategies import corpora, scaled
from tokenizer import GPT2, Recipe, Vocabulary, train
from tokenizer.fast.batch import NO_RANK, PairRanks, merge_all

Pair = tuple[int, int]


def vocabulary_of(merges: Sequence[Pair]) -> Vocabulary:
    """A vocabulary with these merges in this order."""
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return Vocabulary(tokens, {pair: rank for rank, pair in enumerate(merges)}, len(merges), GPT2, {})


@st.composite
def orders_of_merges(draw: st.DrawFn) -> list[Pair]:
    """Merges in any order that can be: of pairs that no training would choose, of tokens that spell the same."""
    merges: list[Pair] = []
    for _ in range(draw(st.integers(0, 12))):
        tokens = st.sampled_from([97, 98, 99, *range(256, 256 + len(merges))])
        pair = draw(st.tuples(tokens, tokens))
        if pair not in merges:
            merges.append(pair)
    return merges


def split(ids: np.ndarray, lengths: np.ndarray) -> list[tuple[int, ...]]:
    assert int(lengths.sum()) == len(ids)
    return [tuple(part.tolist()) for part in np.split(ids, np.cumsum(lengths)[:-1])]


@scaled(5)
@given(merges=orders_of_merges(), words=st.lists(st.text("abc", min_size=1, max_size=12), min_size=1, max_size=8))
def test_each_pre_token_is_merged_as_alone_whatever_the_order_of_merges(merges: list[Pair], words: list[str]) -> None:
    pre_tokens = [word.encode() for word in words]
    found = split(*merge_all(pre_tokens, PairRanks(vocabulary_of(merges))))
    assert found == [oracle.encode_pre_token(pre_token, merges) for pre_token in pre_tokens]


@given(corpus=corpora(), data=st.data())
def test_only_ranks_below_the_merges_count(corpus: str, data: st.DataObject) -> None:
    run = train(Recipe(corpus + " a"))
    step = data.draw(st.integers(0, run.known))
    merges = [merge.pair for merge in run.merges(step)]
    pre_tokens = [*{word.encode() for word in oracle.pre_tokens(corpus + " a", oracle.GPT2)}]
    found = split(*merge_all(pre_tokens, PairRanks(run.vocabulary(step))))
    assert found == [oracle.encode_pre_token(pre_token, merges) for pre_token in pre_tokens]


def test_runs_of_one_character_are_merged_from_the_left_without_overlap() -> None:
    ranks = PairRanks(vocabulary_of([(97, 97), (256, 256), (98, 98)]))
    words = [b"a" * length for length in range(1, 9)] + [b"aabaaab", b"bbb"]
    names = {97: "a", 98: "b", 256: "A", 257: "4", 258: "B"}
    spelled = ["".join(names[token] for token in tokens) for tokens in split(*merge_all(words, ranks))]
    assert spelled == ["a", "A", "Aa", "4", "4a", "4A", "4Aa", "44", "AbAab", "Bb"]


def test_the_rank_of_a_pair_is_that_of_the_vocabulary() -> None:
    ranks = PairRanks(vocabulary_of([(97, 98), (256, 97), (0, 0)]))
    left, right = np.array([97, 256, 0, 98, 256], np.uint32), np.array([98, 97, 0, 97, 256], np.uint32)
    assert ranks.of(left, right).tolist() == [0, 1, 2, int(NO_RANK), int(NO_RANK)]


def test_a_vocabulary_without_merges_gives_bytes() -> None:
    assert split(*merge_all([b"ab", b"\0\xff"], PairRanks(vocabulary_of([])))) == [(97, 98), (0, 255)]
