"""Other people's trainers, each with the settings that make its task ours.

That is: a file of documents between `<|endoftext|>`, GPT-2's pattern, bytes, so many merges, and one thread where
nothing else is said. What imports a peer runs before the clock, what reads its tokens after it. Nothing of this engine
is imported here, so that it takes no part of a peer's memory.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from tests.bench import byte_level
from tests.bench.stories import END

BYTES = 256
PATTERN = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""  # GPT-2's


class Training(NamedTuple):
    """`train` is measured; `tokens` gives what its result learned, in order."""

    train: Callable[[], Any]
    tokens: Callable[[Any], Iterable[bytes]]


@dataclass(frozen=True)
class Peer:
    """A trainer of somebody else.

    `lower_ids` tells that it takes the smaller pair of ids of those that are tied, as our rule of that name; the
    others' rules are none of ours.
    """

    module: str
    training: Callable[[Path, int], Training]
    threads: int = 1
    lower_ids: bool = False


def tokenizers(path: Path, merges: int) -> Training:
    """Hugging Face. Its byte-level pre-tokenizer has GPT-2's pattern inside."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    def train() -> Tokenizer:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
        trainer = trainers.BpeTrainer(
            vocab_size=BYTES + merges,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=[],
            show_progress=False,
        )
        tokenizer.train_from_iterator(_documents(path), trainer)
        return tokenizer

    def tokens(tokenizer: Tokenizer) -> Iterable[bytes]:
        return map(_merged, json.loads(tokenizer.to_str())["model"]["merges"])

    return Training(train, tokens)


def rustbpe(path: Path, merges: int) -> Training:
    """Karpathy's trainer of nanochat."""
    import rustbpe

    return _of_ranks(rustbpe.Tokenizer, path, merges)


def flashbpe(path: Path, merges: int) -> Training:
    """A descendant of rustbpe."""
    import flashbpe

    return _of_ranks(flashbpe.Tokenizer, path, merges)


def _of_ranks(kind: Any, path: Path, merges: int) -> Training:
    def train() -> Any:
        tokenizer = kind()
        tokenizer.train_from_iterator(iter(_documents(path)), BYTES + merges, pattern=PATTERN)
        return tokenizer

    return Training(train, lambda tokenizer: _by_rank(dict(map(tuple, tokenizer.get_mergeable_ranks()))))


def ffbpe(path: Path, merges: int) -> Training:
    """Documents, which it counts faster than a file."""
    from ffbpe import BpeTrainer, PreTokenizer

    def train() -> BpeTrainer:
        words = PreTokenizer([END], END, PATTERN).word_counter()
        words.add_source(_documents(path))
        trainer = BpeTrainer([END])
        trainer.add_word_counter(words)
        trainer.train(BYTES + 1 + merges)
        return trainer

    return Training(train, lambda trainer: _by_rank(trainer.validate_model().vocab))


def bpeasy(path: Path, merges: int) -> Training:
    """No token may be longer than 128 bytes; none is, in these texts."""
    import bpeasy

    return Training(
        lambda: bpeasy.train_bpe(iter(_documents(path)), PATTERN, 128, BYTES + merges),
        _by_rank,
    )


def gigabpe(path: Path, merges: int) -> Training:
    """Two threads. It takes the special token for text, and its alphabet has only the bytes that occur."""
    import gigabpe

    size = len(_alphabet(path)) + 1 + merges
    return Training(
        lambda: gigabpe.train_bpe([str(path)], size, special_tokens=[END], pretokenizer="bytelevel", threads=2),
        lambda trained: map(_merged, trained[1]),
    )


PEERS = {
    "rustbpe": Peer("rustbpe", rustbpe, lower_ids=True),
    "tokenizers": Peer("tokenizers", tokenizers),
    "ffbpe": Peer("ffbpe", ffbpe, lower_ids=True),
    "flashbpe": Peer("flashbpe", flashbpe),
    "bpeasy": Peer("bpeasy", bpeasy),
    "gigabpe, 2 threads": Peer("gigabpe", gigabpe, threads=2),
}


def installed() -> tuple[dict[str, Peer], list[str]]:
    """The peers that are here, and the modules of those that are not."""
    here = {name: peer for name, peer in PEERS.items() if find_spec(peer.module)}
    return here, [peer.module for name, peer in PEERS.items() if name not in here]


def _documents(path: Path) -> list[str]:
    return path.read_bytes().decode().split(END)


def _alphabet(path: Path) -> bytes:
    """The bytes that occur in a file, which may be larger than memory."""
    known = b""
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            known += bytes(set(block.translate(None, known)))
    return known


def _by_rank(ranks: dict[bytes, int]) -> list[bytes]:
    """What was learned: all but the bytes and the special token."""
    ordered = sorted((token for token in ranks if len(token) > 1 and token != END.encode()), key=ranks.__getitem__)
    return [bytes(token) for token in ordered]


def _merged(pair: tuple[str, str]) -> bytes:
    return byte_level.to_bytes("".join(pair))
