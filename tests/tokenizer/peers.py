"""Other people's tokenizers, set up so that they compute the same function."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from unittest.mock import patch

import rustbpe
import tiktoken
import tiktoken_ext.openai_public as openai
from tiktoken._tiktoken import CoreBPE
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

Pair = tuple[int, int]

BYTES = {bytes([byte]): byte for byte in range(256)}
# Characters in the order of the bytes. The ByteLevel alphabet has another order, and with it other ties.
IN_BYTE_ORDER = [chr(0x2800 + byte) for byte in range(256)]


@cache
def tiktoken_pattern(name: str) -> str:
    """The split pattern that tiktoken itself ships, read without loading any vocabulary."""
    loaders = {"gpt2": openai.r50k_base, "cl100k_base": openai.cl100k_base, "o200k_base": openai.o200k_base}
    with patch.object(openai, "load_tiktoken_bpe", lambda *_, **__: {}):
        return loaders[name]()["pat_str"]


def tiktoken_pieces(texts: Iterable[str], pattern: str) -> list[list[str]]:
    """How tiktoken cuts each text.

    tiktoken shows ids only, and looks each piece up whole before it merges anything. So every stretch of every text
    becomes a token: whatever the pieces are, they are found whole, and their ids tell them.
    """
    texts = list(texts)
    stretches = {text[i:j].encode() for text in texts for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    by_id = [*BYTES, *sorted(stretches - BYTES.keys())]
    core = CoreBPE({stretch: rank for rank, stretch in enumerate(by_id)}, {}, pattern)
    return [[by_id[rank].decode() for rank in core.encode_ordinary(text)] for text in texts]


def tiktoken_matches(text: str, pattern: str) -> str:
    """All that a pattern matches in a text, joined: tiktoken leaves out what no match covers."""
    return bytes(CoreBPE(BYTES, {}, pattern).encode_ordinary(text)).decode()


def tiktoken_encoding(tokens: Sequence[bytes], pattern: str, specials: Mapping[str, int]) -> tiktoken.Encoding:
    """tiktoken with a vocabulary that was trained here."""
    ranks = {token: rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding("trained", pat_str=pattern, mergeable_ranks=ranks, special_tokens=dict(specials))


def tokenizers_pieces(text: str, pattern: str) -> list[str]:
    """How the `tokenizers` package cuts a text by a pattern; what no match covers is a piece there too."""
    return [piece for piece, _ in pre_tokenizers.Split(Regex(pattern), "isolated").pre_tokenize_str(text)]


def in_byte_order(spelled: bytes) -> str:
    """Bytes as characters that stand in the same order."""
    return "".join(IN_BYTE_ORDER[byte] for byte in spelled)


def tokenizers_training(words: Iterable[str], merges: int) -> list[Pair]:
    """The merges that the `tokenizers` package learns from pre-tokens, as pairs of ids."""
    trainer = trainers.BpeTrainer(
        vocab_size=256 + merges, min_frequency=1, initial_alphabet=IN_BYTE_ORDER, special_tokens=[], show_progress=False
    )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.train_from_iterator((in_byte_order(word.encode()) for word in words), trainer)
    ids = tokenizer.get_vocab()
    learned = json.loads(tokenizer.to_str())["model"]["merges"]
    assert [ids[left + right] for left, right in learned] == list(range(256, 256 + len(learned)))
    return [(ids[left], ids[right]) for left, right in learned]


def tokenizers_encoding(tokens: Sequence[bytes], merges: Sequence[Pair], pattern: str) -> Callable[[str], list[int]]:
    """The `tokenizers` package with merges that were learned here: a function from a text to its ids."""
    spelled = [in_byte_order(token) for token in tokens]
    model = models.BPE(
        vocab={token: rank for rank, token in enumerate(spelled)},
        merges=[(spelled[left], spelled[right]) for left, right in merges],
    )

    def encode(text: str) -> list[int]:
        words = (in_byte_order(piece.encode()) for piece in tokenizers_pieces(text, pattern))
        return [token.id for word in words for token in model.tokenize(word)]

    return encode


def rustbpe_training(text: str, pattern: str, merges: int) -> list[bytes]:
    """The tokens that rustbpe learns from a text, in order."""
    tokenizer = rustbpe.Tokenizer()
    tokenizer.train_from_iterator(iter([text]), 256 + merges, pattern=pattern)
    return [bytes(token) for token, _ in sorted(tokenizer.get_mergeable_ranks(), key=lambda item: item[1])][256:]
