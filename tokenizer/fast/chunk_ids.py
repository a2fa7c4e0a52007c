"""The ids of chunks: stretches of a text that can be cut into pre-tokens apart from what stands around them."""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from tokenizer.fast.pre_token_ids import PreTokenIds
from tokenizer.fast.runs import Numbers, Runs
from tokenizer.patterns import SplitPattern
from tokenizer.pretokens import Budget, spans


class ChunkIds:
    """Chunks that were met, and the numbers of their runs of ids: each distinct chunk is cut once.

    Args:
        pattern: how a chunk is cut.
        pre_tokens: knows the ids of what it is cut into.
        runs: where those are, and where to put those of chunks.
    """

    def __init__(self, pattern: SplitPattern, pre_tokens: PreTokenIds, runs: Runs, given: Mapping[bytes, int]) -> None:
        self._pattern = pattern
        self._pre_tokens = pre_tokens
        self._runs = runs
        self._numbers = dict(given)

    def numbers(self, chunks: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that these chunks are encoded as."""
        known = self._numbers
        new = [chunk for chunk in dict.fromkeys(chunks) if chunk not in known]
        if new:
            known.update(zip(new, self._encode(new).tolist(), strict=True))
        return np.fromiter(map(known.__getitem__, chunks), np.int64, len(chunks))

    def _encode(self, chunks: Sequence[bytes]) -> Numbers:
        pre_tokens = [cut(chunk.decode(), self._pattern) for chunk in chunks]
        numbers = self._pre_tokens.numbers(list(chain.from_iterable(pre_tokens)))
        ends = np.cumsum(np.fromiter(map(len, pre_tokens), np.int64, len(pre_tokens)))
        begins = np.concatenate(([0], ends[:-1]))
        lengths = np.add.reduceat(self._runs.lengths(numbers), begins)
        return self._runs.add(self._runs.ids(numbers), lengths)


def cut(text: str, pattern: SplitPattern) -> list[bytes]:
    """The pre-tokens of a text without special tokens."""
    if pattern.compiled.groups == 0:
        # One call for a list takes half the time of an iterator of matches, but does not see what lies between them.
        found: list[str] = pattern.compiled.findall(text)
        if sum(map(len, found)) == len(text) and "" not in found:
            return [pre_token.encode() for pre_token in found]
    return [text[start:end].encode() for start, end, _ in list(spans(text, pattern, Budget(None)))]
