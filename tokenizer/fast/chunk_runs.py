"""What chunks are encoded as: each distinct one is cut into pre-tokens once."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from tokenizer.fast.pre_token_runs import PreTokenRuns
from tokenizer.fast.runs import Numbers, Runs
from tokenizer.patterns import GPT2, SplitPattern
from tokenizer.pretokens import Budget, spans


class ChunkRuns:
    """Chunks that were met, and the numbers of their runs of ids.

    A chunk is what can be cut into pre-tokens apart from what stands around it. A chunk of one pre-token has the number
    of that.

    Args:
        pattern: how a chunk is cut. If that is GPT-2's, one of ASCII alone is cut already (see `byte_classes.units`).
        pre_tokens: knows what the pre-tokens are encoded as.
        runs: where their ids are, and where to put those of chunks.
        given: numbers that are known from the start.
    """

    def __init__(self, pattern: SplitPattern, pre_tokens: PreTokenRuns, runs: Runs, given: Mapping[bytes, int]) -> None:
        self._pattern = pattern
        self._pre_tokens = pre_tokens
        self._runs = runs
        self._numbers = dict(given)

    def numbers(self, chunks: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that chunks are encoded as; no two distinct chunks have the same."""
        known = self._numbers
        new = [chunk for chunk in dict.fromkeys(chunks) if chunk not in known]
        if new:
            known.update(zip(new, self._encode(new).tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, chunks), np.int64, len(chunks))

    def _encode(self, chunks: Sequence[bytes]) -> Numbers:
        pre_tokens = [self._cut(chunk) for chunk in chunks]
        counts = np.fromiter(map(len, pre_tokens), np.int64, len(pre_tokens))
        parts = self._pre_tokens.numbers(list(chain.from_iterable(pre_tokens)))
        numbers: Numbers = parts[np.cumsum(counts) - counts]
        several = counts > 1
        if several.any():
            parts = parts[several.repeat(counts)]
            counts = counts[several]
            lengths = np.add.reduceat(self._runs.lengths(parts), np.cumsum(counts) - counts)
            numbers[several] = self._runs.add(self._runs.ids(parts), lengths)
        return numbers

    def _cut(self, chunk: bytes) -> list[bytes]:
        if self._pattern == GPT2 and chunk.isascii():
            return [chunk]
        return cut(chunk.decode(), self._pattern)


def cut(text: str, pattern: SplitPattern) -> list[bytes]:
    """The pre-tokens of a text without special tokens.

    Raises:
        PatternError: the pattern matched the empty string.
    """
    if pattern.compiled.groups == 0:
        # One call for a list takes half the time of an iterator of matches, but cannot see what lies between them.
        found: list[str] = pattern.compiled.findall(text)
        if sum(map(len, found)) == len(text) and "" not in found:
            return [pre_token.encode() for pre_token in found]
    return [text[start:end].encode() for start, end, _ in spans(text, pattern, Budget(None))]
