"""The engine beside other people's: training, and encoding with identical ids, in alternation, one thread each."""

import json
import os
import time
from collections.abc import Callable
from importlib.util import find_spec

from tests.bench.table import median, number, say, show
from tokenizer import GPT2, Recipe, Vocabulary, encode, train

VOCABULARY = 10_000
Work = Callable[[], object]


def measure(texts: dict[str, str], rounds: int) -> None:
    """Print how long training and encoding take beside the peers.

    Args:
        texts: by name.
        rounds: how often all take their turn.
    """
    # Read by the peers' thread pools when they begin.
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    trained, encoded = [], []
    for name, text in texts.items():
        say(f"training on {name}")
        trained += _rows(name, _in_turns(_trainers(text), rounds))
        say(f"encoding {name}")
        encoded += _rows(name, _in_turns(_encoders(text), rounds))
    heads = ("", "CPU ms, median", "peer / ours")
    notes = (f"{rounds} rounds; the ratio is the median over the rounds: above 1 the peer takes longer",)
    size = f"vocabulary {VOCABULARY:,}, GPT-2's pattern"
    every_step = "ours keeps what shows every step; tokenizers and rustbpe keep the merges"
    show(f"Training, {size}", heads, trained, (*notes, every_step))
    show(f"Encoding, {size}; the ids are the same", heads, encoded, notes)


def _in_turns(works: dict[str, Work], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of processor time of each, by name: with one thread each, and other programs left out."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            begun = time.process_time()
            work()
            times[name].append(1000 * (time.process_time() - begun))
    return times


def _rows(text: str, times: dict[str, list[float]]) -> list[tuple[str, str, str]]:
    ours = next(iter(times.values()))
    return [
        (
            f"{text}: {name}",
            number(median(values), 0),
            number(median([value / own for value, own in zip(values, ours, strict=True)]), 2),
        )
        for name, values in times.items()
    ]


def _trainers(text: str) -> dict[str, Work]:
    works: dict[str, Work] = {"this engine": lambda: train(Recipe(text, vocab_size=VOCABULARY))}
    if find_spec("tokenizers"):
        works["tokenizers"] = lambda: _train_tokenizers(text)
    if find_spec("rustbpe"):
        works["rustbpe"] = lambda: _train_rustbpe(text)
    return works


def _train_tokenizers(text: str) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        min_frequency=1,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=[],
        show_progress=False,
    )
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = _pre_tokenizer()
    tokenizer.train_from_iterator([text], trainer)


def _train_rustbpe(text: str) -> None:
    import rustbpe

    rustbpe.Tokenizer().train_from_iterator(iter([text]), VOCABULARY, pattern=GPT2.source)


def _encoders(text: str) -> dict[str, Work]:
    """The encoders of one vocabulary.

    Raises:
        AssertionError: one of them gives other ids.
    """
    run = train(Recipe(text, vocab_size=VOCABULARY))
    vocabulary = run.vocabulary(run.known)
    works: dict[str, Callable[[], list[int]]] = {"this engine": lambda: encode(text, vocabulary)}
    if find_spec("tiktoken"):
        works["tiktoken"] = _tiktoken(text, vocabulary)
    if find_spec("tokenizers"):
        works["tokenizers"] = _tokenizers(text, vocabulary)
    expected = works["this engine"]()
    for name, work in works.items():
        assert work() == expected, f"{name} encodes the text to other ids"
    return dict(works)


def _tiktoken(text: str, vocabulary: Vocabulary) -> Callable[[], list[int]]:
    import tiktoken

    ranks = {token: rank for rank, token in enumerate(vocabulary.tokens[: vocabulary.size])}
    encoding = tiktoken.Encoding("trained", pat_str=GPT2.source, mergeable_ranks=ranks, special_tokens={})
    return lambda: encoding.encode_ordinary(text)


def _tokenizers(text: str, vocabulary: Vocabulary) -> Callable[[], list[int]]:
    from tokenizers import Tokenizer

    spelled = _byte_level(vocabulary)
    pairs = [pair for pair, _ in sorted(vocabulary.ranks.items(), key=lambda item: item[1])]
    model = {
        "type": "BPE",
        "vocab": {token: rank for rank, token in enumerate(spelled)},
        "merges": [[spelled[left], spelled[right]] for left, right in pairs],
    }
    tokenizer = Tokenizer.from_str(json.dumps({"version": "1.0", "added_tokens": [], "model": model}))
    tokenizer.pre_tokenizer = _pre_tokenizer()
    return lambda: tokenizer.encode(text, add_special_tokens=False).ids


def _pre_tokenizer() -> object:
    from tokenizers import Regex, pre_tokenizers

    split = pre_tokenizers.Split(Regex(GPT2.source), "isolated")
    return pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


def _byte_level(vocabulary: Vocabulary) -> list[str]:
    """Tokens in the printable stand-ins of GPT-2's byte alphabet: printable Latin-1 itself, the rest from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = (byte for byte in range(256) if byte not in printable)
    letters = {byte: chr(byte) for byte in printable} | {byte: chr(0x100 + place) for place, byte in enumerate(others)}
    return ["".join(letters[byte] for byte in token) for token in vocabulary.tokens[: vocabulary.size]]
