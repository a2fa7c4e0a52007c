from pathlib import Path

import pytest

from tests.bench import ours
from tests.bench.outcome import compare, run_one
from tests.bench.peers import BYTES, PATTERN, PEERS, installed
from tests.bench.stories import write
from tokenizer import GPT2

MERGES = 300
HERE, _ = installed()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bench") / "stories.txt"
    write(path, 200_000)
    return path


def test_the_same_list_is_the_same_tokens_in_the_same_order() -> None:
    assert compare(["aa", "bb"], ["aa", "bb"]) == "the same 2 tokens in the same order"


def test_the_same_set_is_another_order() -> None:
    assert compare(["aa", "bb"], ["bb", "aa"]) == "the same 2 tokens in another order"


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (["aa", "cc", "bb"], "2 of 3 tokens are the same; the first difference is merge 2"),
        (["aa", "bb"], "2 of 3 tokens are the same; the first difference is merge 3"),
        (["aa", "bb", "cc", "dd"], "2 of 3 tokens are the same; the first difference is merge 3"),
        ([], "0 of 3 tokens are the same; the first difference is merge 1"),
    ],
)
def test_other_tokens_are_counted_and_the_first_difference_is_named(theirs: list[str], said: str) -> None:
    assert compare(["aa", "bb", "ee"], theirs) == said


def test_a_longer_list_differs_where_the_shorter_one_ends() -> None:
    assert compare(["aa"], ["aa", "bb"]) == "1 of 1 tokens are the same; the first difference is merge 2"


def test_a_training_in_a_process_of_its_own_tells_its_time_memory_and_tokens(corpus: Path) -> None:
    outcome = run_one(ours.THIS, corpus, BYTES + MERGES, threads=1)
    assert outcome.wall > 0
    assert outcome.cpu > 0
    assert 5 < outcome.base_mb <= outcome.peak_mb < 500
    assert outcome.tokens == [token.hex() for token in ours.train(corpus, MERGES).tokens[BYTES:]]
    assert len(outcome.tokens) == MERGES


@pytest.mark.parametrize("name", HERE)
def test_every_peer_learns_as_many_tokens_and_by_lower_ids_the_same(name: str, corpus: Path) -> None:
    theirs = run_one(name, corpus, BYTES + MERGES, threads=1).tokens
    assert len(theirs) == len(set(theirs)) == MERGES
    mine = [token.hex() for token in ours.train(corpus, MERGES, "lower_ids").tokens[BYTES:]]
    if PEERS[name].lower_ids:
        assert theirs == mine
    else:
        assert len(set(theirs) & set(mine)) > 0.9 * MERGES


def test_a_training_that_fails_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"(?s)this engine could not be trained on missing.txt.*FileNotFoundError"):
        run_one(ours.THIS, tmp_path / "missing.txt", 300, threads=1)


def test_the_peers_are_given_our_pattern() -> None:
    assert GPT2.source == PATTERN


def test_two_processes_learn_what_one_does(corpus: Path) -> None:
    assert ours.train(corpus, MERGES, processes=2).tokens == ours.train(corpus, MERGES).tokens
