"""Counting pre-tokens by chunks: what a text repeats is cut once, and then only counted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.blocks import Block
from tokenizer.fast.chunks import chunk_starts
from tokenizer.fast.keys import Counts, Keys
from tokenizer.fast.tally import keys_and_others
from tokenizer.patterns import SplitPattern
from tokenizer.plain import Counted
from tokenizer.pretokens import special_spans
from tokenizer.table import Mark

# Of the chunks that are remembered; past either, what was counted goes to the pre-tokens and all chunks are forgotten.
MOST_REMEMBERED = 1 << 18
MOST_REMEMBERED_BYTES = 8 << 20


class ChunkCounter:
    """Counts of pre-tokens, chunk after chunk, for the patterns of `pretokens.SAFE_AT_SPACES`, which cover everything.

    Chunks and pre-tokens are numbered from 0 as they are met.

    Args:
        pattern: how a chunk is cut.
        special_tokens: each is a chunk by itself that takes no part.
        time_limit: seconds to find the special tokens of a block.
    """

    def __init__(self, pattern: SplitPattern, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        self._findall = pattern.compiled.findall
        self._special_tokens = tuple(special_tokens)
        self._time_limit = time_limit
        self._numbers: dict[str, int] = {}  # of pre-tokens
        self._counts = np.empty(0, np.int64)
        self._places = list[int]()
        self._chunks: dict[bytes, int] = {}
        self._chunk_bytes = 0
        self._times = np.empty(0, np.int64)  # how often each chunk came
        self._lengths = np.empty(0, np.int64)  # how many pre-tokens it has
        self._contents = list[NDArray[np.int32]]()  # which those are, of all chunks one after another

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block, all of it."""
        data = block.data
        specials = special_spans(data, self._special_tokens, time_limit=self._time_limit)
        starts = chunk_starts(data, specials)
        ends = np.append(starts[1:], len(data))
        if specials:
            plain = np.isin(starts, [start for start, _ in specials], invert=True)
            starts, ends = starts[plain], ends[plain]
        return Counted(self.add_chunks(data, starts, ends, offset=at.byte) + len(specials), len(specials))

    def add_chunks(self, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], *, offset: int) -> int:
        """Count chunks of a block.

        Args:
            data: the block.
            starts: where in it the chunks begin, ascending.
            ends: where they end.
            offset: where the block begins; blocks come one after another.

        Returns:
            how many pre-tokens they have together.
        """
        if len(self._chunks) > MOST_REMEMBERED or self._chunk_bytes > MOST_REMEMBERED_BYTES:
            self._settle()
        chunks = [data[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        known = len(self._chunks)
        in_block = dict.fromkeys(chunks)  # small enough to stay in the processor's cache, as all chunks are not
        new = [chunk for chunk in in_block if chunk not in self._chunks]
        self._chunks.update(zip(new, range(known, known + len(new)), strict=True))
        distinct = {chunk: self._chunks[chunk] for chunk in in_block}
        numbers = np.fromiter(map(distinct.__getitem__, chunks), np.int64, len(chunks))
        if new:
            places = np.empty(len(new), np.int64)
            of_new = numbers >= known
            places[numbers[of_new][::-1] - known] = starts[of_new][::-1] + offset  # of several the first stays
            self._cut(new, places.tolist())
        self._times += np.bincount(numbers, minlength=len(self._times))
        return int(self._lengths[numbers].sum())

    def counts(self) -> Counts:
        """The count and the place of each pre-token, in the order of places."""
        self._settle()
        numbers = zip(self._counts.tolist(), self._places, strict=True)
        return dict(zip(map(str.encode, self._numbers), numbers, strict=True))

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        return keys_and_others(self.counts())

    def _cut(self, chunks: list[bytes], places: list[int]) -> None:
        """Cut chunks that were never met, and remember what they hold."""
        lengths, contents = list[int](), list[int]()
        for chunk, place in zip(chunks, places, strict=True):
            pre_tokens = self._findall(chunk.decode())
            lengths.append(len(pre_tokens))
            for pre_token in pre_tokens:
                number = self._numbers.setdefault(pre_token, len(self._places))
                contents.append(number)
                if number == len(self._places):
                    self._places.append(place)
                place += len(pre_token)  # in characters: which is first is all that a place tells
        self._contents.append(np.array(contents, np.int32))
        self._lengths = np.append(self._lengths, lengths)
        self._times = np.append(self._times, np.zeros(len(lengths), np.int64))
        self._chunk_bytes += sum(map(len, chunks))

    def _settle(self) -> None:
        """Add what is remembered of chunks to the counts of their pre-tokens, and forget it."""
        counts = np.zeros(len(self._numbers), np.int64)
        counts[: len(self._counts)] = self._counts
        if self._contents:
            np.add.at(counts, np.concatenate(self._contents), np.repeat(self._times, self._lengths))
        self._counts = counts
        self._chunks.clear()
        self._contents.clear()
        self._chunk_bytes = 0
        self._times = self._lengths = np.empty(0, np.int64)
