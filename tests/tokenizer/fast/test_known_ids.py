"""Known ids: what a pre-token is encoded as is worked out once, and the ids of many are in order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokenizer import Recipe, encode, train
from tokenizer.fast.batch import PairRanks
from tokenizer.fast.known_ids import KnownIds
from tokenizer.fast.pre_token_runs import PreTokenRuns
from tokenizer.fast.runs import Runs

VOCABULARY = train(Recipe("low lower lowest", special_tokens=("<s>",)), steps=5).vocabulary(5)


def known_ids() -> tuple[KnownIds, Runs]:
    runs = Runs()
    pre_tokens = PreTokenRuns(VOCABULARY, PairRanks(VOCABULARY), runs, {})
    return KnownIds(pre_tokens, runs, VOCABULARY.special_tokens), runs


@given(texts=st.lists(st.lists(st.sampled_from(["low", " lower", "é", "x", " lowest" * 20, "<s>"])), max_size=4))
def test_ids_are_those_of_the_pre_tokens_end_to_end(texts: list[list[str]]) -> None:
    known, _ = known_ids()
    for pre_tokens in texts:
        ids = known.ids(pre_tokens)
        assert ids.dtype == np.uint32
        assert ids.tolist() == [token for pre_token in pre_tokens for token in encode(pre_token, VOCABULARY)]


def test_each_pre_token_is_encoded_once_and_what_is_given_never() -> None:
    known, runs = known_ids()
    known.ids(["low", "low", "<s>", "er"])
    assert len(runs) == 2
    known.ids(["er", "low"])
    assert len(runs) == 2


def test_the_ids_are_the_callers_own() -> None:
    known, _ = known_ids()
    known.ids(["low"])[:] = 0
    assert known.ids(["low"]).tolist() == encode("low", VOCABULARY)
