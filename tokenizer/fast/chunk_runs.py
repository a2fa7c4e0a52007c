"""What chunks are encoded as: each distinct one is cut into pre-tokens once."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.memo import Memo
from tokenizer.fast.pre_token_runs import PreTokenRuns
from tokenizer.fast.runs import Numbers, Runs
from tokenizer.patterns import GPT2, SplitPattern


class ChunkRuns:
    """Chunks that were met, and the numbers of their runs of ids.

    A chunk is what can be cut into pre-tokens apart from what stands around it. A chunk of one pre-token has the number
    of that.

    Args:
        pattern: how a chunk is cut; one that covers every text, as those of `pretokens.SAFE_AT_SPACES` do. If it is
            GPT-2's, a chunk of ASCII alone is a pre-token (see `byte_classes.units`).
        pre_tokens: knows what the pre-tokens are encoded as.
        runs: where their ids are, and where to put those of chunks.
        given: numbers that are known from the start.
    """

    def __init__(self, pattern: SplitPattern, pre_tokens: PreTokenRuns, runs: Runs, given: Mapping[bytes, int]) -> None:
        self._findall: Callable[[str], list[str]] = pattern.compiled.findall
        self._ascii_is_cut = pattern == GPT2
        self._pre_tokens = pre_tokens
        self._runs = runs
        self._memo = Memo(self._encode, given)

    def numbers(self, chunks: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that chunks are encoded as; no two distinct chunks have the same."""
        return self._memo.numbers(chunks)

    def _encode(self, chunks: Sequence[bytes]) -> Numbers:
        pre_tokens, counts = self._cut(chunks)
        parts = self._pre_tokens.numbers(pre_tokens)
        numbers: Numbers = parts[np.cumsum(counts) - counts]
        several = counts > 1
        if several.any():
            parts = parts[several.repeat(counts)]
            counts = counts[several]
            lengths = np.add.reduceat(self._runs.lengths(parts), np.cumsum(counts) - counts)
            numbers[several] = self._runs.add(self._runs.ids(parts), lengths)
        return numbers

    def _cut(self, chunks: Sequence[bytes]) -> tuple[list[bytes], NDArray[np.int64]]:
        """The pre-tokens of all chunks, and how many each has."""
        pre_tokens, counts = list[bytes](), list[int]()
        for chunk in chunks:
            if self._ascii_is_cut and chunk.isascii():
                pre_tokens.append(chunk)
                counts.append(1)
            else:
                found = self._findall(chunk.decode())
                pre_tokens += map(str.encode, found)
                counts.append(len(found))
        return pre_tokens, np.array(counts)
