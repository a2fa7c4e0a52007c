"""This engine as the bench runs it: with the same arguments as the peers of `peers.py`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.bench.peers import BYTES, Training
from tests.bench.stories import END
from tokenizer import GPT2, TIE_RULES, Method, TieRule, Vocabulary, learning
from tokenizer.counting import Counting
from tokenizer.sources import LocalFile

THIS = "this engine"
THIS_TWICE = "this engine, 2 processes"


def learn(path: Path, vocabulary: int, tie_rule: TieRule = "greater_bytes", processes: int = 1) -> Vocabulary:
    """Train on a file.

    Args:
        path: the corpus.
        vocabulary: its 256 bytes and the merges, without the special token.
        tie_rule: which of several pairs that are equally frequent is merged.
        processes: how many count pre-tokens.
    """
    method = Method(tie_rule=tie_rule, special_tokens=(END,), vocab_size=vocabulary + 1)
    counting = Counting(LocalFile(str(path)), GPT2, (END,))
    while counting.advance():
        pass
    return learning.learn(counting.table(), method)


def by_rule(tie_rule: TieRule) -> str:
    """What ours with a tie rule is called."""
    return f"{THIS}, {tie_rule}"


def _training(path: Path, merges: int, *, tie_rule: TieRule = "greater_bytes", processes: int = 1) -> Training:
    return Training(
        partial(learn, path, BYTES + merges, tie_rule, processes),
        lambda vocabulary: vocabulary.tokens[BYTES : vocabulary.size],
    )


NAMED: dict[str, Callable[[Path, int], Training]] = {
    THIS: _training,
    THIS_TWICE: partial(_training, processes=2),
    **{by_rule(rule): partial(_training, tie_rule=rule) for rule in TIE_RULES},
}
