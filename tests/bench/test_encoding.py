import pytest

from tests.bench import encoding
from tests.bench.stories import stories
from tokenizer import Recipe, Vocabulary, train

TEXT = stories(100_000)


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    run = train(Recipe(TEXT, special_tokens=(encoding.END,), vocab_size=600))
    return run.vocabulary(run.known)


def test_a_round_times_everybody_once(vocabulary: Vocabulary) -> None:
    peers, seconds = encoding._peers(vocabulary), {}
    encoding._round(TEXT, vocabulary, peers, seconds)
    assert set(seconds) == {encoding.FIRST, encoding.AGAIN, encoding.AS_LIST, *peers}
    assert len(peers) == 3
    assert all(len(each) == 1 for each in seconds.values())


def test_a_peer_that_gives_other_ids_is_named(vocabulary: Vocabulary) -> None:
    with pytest.raises(AssertionError, match="somebody encodes to other ids"):
        encoding._round(TEXT, vocabulary, {"somebody": lambda text: list(text.encode())}, {})
