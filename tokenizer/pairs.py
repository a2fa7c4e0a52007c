"""Pairs: what training counts, how it picks one, and what merging one does.

These are the definitions, to be read in one sitting. The trainer (`training.py`) gives the same answers without
counting anew; tests hold it to these.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from tokenizer.recipe import TieRule
from tokenizer.steps import Pair

Key = str | int | Pair


def count_pairs(rows: Iterable[tuple[Sequence[int], int]]) -> Counter[Pair]:
    """How often each pair of neighbours occurs, over rows of (tokens, count); overlaps count: `aaaa` has `aa` 3 times.

    The pairs come in the order in which they are first met.
    """
    counts: Counter[Pair] = Counter()
    for tokens, count in rows:
        for pair in pairwise(tokens):
            counts[pair] += count
    return counts


def merge(tokens: Sequence[int], pair: Pair, token: int) -> list[int]:
    """Replace a pair by a token, from left to right and without overlap."""
    merged: list[int] = []
    at = 0
    while at < len(tokens):
        if tuple(tokens[at : at + 2]) == pair:
            merged.append(token)
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return merged


def tie_key(rule: TieRule, spelled: Sequence[bytes], first: Callable[[Pair], int]) -> Callable[[Pair], Key]:
    """The key by which a tie rule orders pairs of equal count: the smallest wins.

    Args:
        rule: `greater_bytes` takes the greater pair of byte strings, `first_seen` the pair whose first occurrence
            in the corpus as tokenized now comes first (minbpe, textbooks), `lower_ids` the smaller pair of ids
            (the `tokenizers` package, rustbpe).
        spelled: the bytes of every token by its id; may grow.
        first: where a pair first occurs, in corpus order.
    """
    if rule == "first_seen":
        return first
    if rule == "lower_ids":
        return lambda pair: pair
    reversed_bytes: list[str] = []

    def greater_first(pair: Pair) -> str:
        if len(reversed_bytes) < len(spelled):
            reversed_bytes.extend(map(_reversed_order, spelled[len(reversed_bytes) :]))
        return reversed_bytes[pair[0]] + reversed_bytes[pair[1]]

    return greater_first


# Byte b becomes character 255 - b, so that the smallest string is that of the greatest bytes.
_COMPLEMENT = bytes(range(255, -1, -1))


def _reversed_order(token: bytes) -> str:
    """A string that sorts the other way round than the bytes; its end mark sorts after every byte: `ab` < `a`."""
    return token.translate(_COMPLEMENT).decode("latin-1") + "\u0100"
