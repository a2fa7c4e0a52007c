"""A vocabulary as of a step: what counts in it and what does not yet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer.strategies import corpora, specials
from tokenizer import GPT2, Recipe, Run, UnknownId, decode, encode, train


@pytest.fixture(scope="module")
def run() -> Run:
    return train(Recipe("low lower lowest newest widest", special_tokens=("<s>", "</s>")))


def test_bytes_are_the_first_ids(run: Run) -> None:
    """D01: in a vocabulary trained here the id of a single byte is its value (published ones order them otherwise)."""
    for step in (0, run.known):
        assert [run.vocabulary(step).token(byte) for byte in range(256)] == [bytes([byte]) for byte in range(256)]


def test_only_the_merges_up_to_the_step_count(run: Run) -> None:
    for step in range(run.known + 1):
        vocabulary = run.vocabulary(step)
        assert vocabulary.size == 256 + step
        assert vocabulary.merges == step
        for rank, merge in enumerate(run.merges(run.known)):
            assert vocabulary.rank(merge.pair) == (rank if rank < step else None)
            if rank < step:
                assert vocabulary.token(256 + rank) == run.token(256 + rank)
        assert vocabulary.rank((0, 0)) is None


def test_special_tokens_have_the_ids_after_the_last_merge_in_the_recipes_order(run: Run) -> None:
    for step in range(run.known + 1):
        vocabulary = run.vocabulary(step)
        assert list(vocabulary.special_tokens.items()) == [("<s>", 256 + step), ("</s>", 257 + step)]
        assert vocabulary.token(256 + step) == b"<s>"
        assert vocabulary.is_special(256 + step)
        assert not vocabulary.is_special(255 + step)
        assert vocabulary.last_id == 257 + step
        for unknown in (258 + step, -1, 10**9):
            with pytest.raises(UnknownId):
                vocabulary.token(unknown)


def test_without_special_tokens_the_last_id_is_the_last_merge() -> None:
    run = train(Recipe("aaaa"))
    assert run.vocabulary(run.known).last_id == 255 + run.known
    assert run.vocabulary(0).pattern == GPT2


@given(corpus=corpora(), tokens=specials, data=st.data())
def test_every_id_decodes_and_every_token_but_partial_ones_encodes(
    corpus: str, tokens: list[str], data: st.DataObject
) -> None:
    run = train(Recipe(corpus, special_tokens=tuple(tokens)))
    step = data.draw(st.integers(0, run.known))
    vocabulary = run.vocabulary(step)
    whole = list(range(vocabulary.last_id + 1))
    assert len({token for token in whole if token < vocabulary.size}) == 256 + step
    assert decode(whole, vocabulary).startswith(bytes(range(256)))
    for text, token in vocabulary.special_tokens.items():
        assert encode(text, vocabulary) == [token]
