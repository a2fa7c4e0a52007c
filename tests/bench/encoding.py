"""Encoding beside other people's: one vocabulary, the same text, one thread, in turns, and the same ids."""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from tests.bench import byte_level
from tests.bench.corpus import Corpus
from tests.bench.ours import train
from tests.bench.peers import BYTES
from tests.bench.stories import END
from tests.bench.table import at_least, median, number, say, show
from tests.bench.training import VOCABULARY
from tokenizer import GPT2, Vocabulary
from tokenizer.fast.encoder import Encoder

FIRST, AGAIN, AS_LIST = "this engine, first pass", "this engine, again", "this engine, again, as a list"
LIST, ARRAY, TENTH = "tiktoken, as a list", "tiktoken", "tokenizers, a tenth of the text"
TARGETS = {FIRST: 1.0, AGAIN: 2.2}
HEADS = ("", "CPU s / 10 MB", "MB / s", "tiktoken's list / it", "target", "of target")
Encode = Callable[[str], Sequence[int]]
Seconds = dict[str, list[float]]


def measure(corpora: Iterable[Corpus], rounds: int) -> None:
    """Print how long encoding takes beside the peers.

    Args:
        corpora: each is encoded with a vocabulary that was trained on it, and has a table.
        rounds: how often all take their turn.

    Raises:
        AssertionError: somebody gives other ids.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # read when it first encodes
    for corpus in corpora:
        text = corpus.path.read_bytes().decode()
        vocabulary = train(corpus.path, VOCABULARY - BYTES)
        peers = _peers(vocabulary)
        seconds: Seconds = {}
        for place in range(rounds):
            say(f"encoding {corpus.name}, round {place + 1} of {rounds}")
            _round(text, vocabulary, peers, seconds)
        _show(corpus, seconds)


def _round(text: str, vocabulary: Vocabulary, peers: Mapping[str, Encode], seconds: Seconds) -> None:
    """Let all take their turn once, and note the seconds of CPU time that a MB took."""
    encoder = Encoder(vocabulary)
    expected = _timed(FIRST, encoder.encode, text, seconds)
    ways: dict[str, Encode] = {AGAIN: encoder.encode, AS_LIST: lambda given: encoder.encode(given).tolist(), **peers}
    for name, encode in ways.items():
        # Hugging Face's keeps so much beside every id that a whole text would not fit into memory.
        given = text[: len(text) // 10] if name == TENTH else text
        ids = _timed(name, encode, given, seconds)
        same = expected if given is text else encoder.encode(given)
        assert list(ids) == list(same), f"{name} encodes to other ids"


def _timed(name: str, encode: Encode, text: str, seconds: Seconds) -> Sequence[int]:
    begun = time.process_time()
    ids = encode(text)
    taken = time.process_time() - begun
    seconds.setdefault(name, []).append(taken / (len(text.encode()) / 1e6))
    return ids


def _show(corpus: Corpus, seconds: Seconds) -> None:
    rows = []
    for name, own in seconds.items():
        row = name, number(10 * median(own), 2), number(1 / median(own))
        if LIST in seconds:
            ratio = median([peer / each for peer, each in zip(seconds[LIST], own, strict=True)])
            row = *row, *at_least(ratio, TARGETS.get(name), 2)
        else:
            row = *row, "", "", ""
        rows.append(row)
    notes = [
        f"medians of {len(seconds[FIRST])} rounds; above 1 tiktoken takes longer to return a list",
        "first pass: by a new encoder; again: by the same one; as an array where nothing is said",
    ]
    show(f"Encoding, {corpus.name}: a vocabulary of {VOCABULARY:,}, the same ids from all", HEADS, rows, notes)


def _peers(vocabulary: Vocabulary) -> dict[str, Encode]:
    made: dict[str, Encode] = {}
    if find_spec("tiktoken"):
        encoding = _tiktoken(vocabulary)
        made[LIST] = lambda text: encoding.encode(text, allowed_special="all")
        made[ARRAY] = lambda text: encoding.encode_to_numpy(text, allowed_special="all")
    if find_spec("tokenizers"):
        tokenizer = _tokenizers(vocabulary)
        made[TENTH] = lambda text: tokenizer.encode_batch_fast([text])[0].ids
    return made


def _tiktoken(vocabulary: Vocabulary) -> Any:
    import tiktoken

    ranks = {token: rank for rank, token in enumerate(vocabulary.tokens[: vocabulary.size])}
    special = dict(vocabulary.special_tokens)
    return tiktoken.Encoding("trained", pat_str=GPT2.source, mergeable_ranks=ranks, special_tokens=special)


def _tokenizers(vocabulary: Vocabulary) -> Any:
    from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

    spelled = [byte_level.to_letters(token) for token in vocabulary.tokens[: vocabulary.size]]
    pairs = sorted(vocabulary.ranks, key=vocabulary.ranks.__getitem__)
    merges = [(spelled[left], spelled[right]) for left, right in pairs]
    tokenizer = Tokenizer(models.BPE({token: rank for rank, token in enumerate(spelled)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.add_special_tokens([AddedToken(END, special=True, normalized=False)])
    return tokenizer
