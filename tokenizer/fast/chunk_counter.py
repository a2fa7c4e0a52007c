"""Counting pre-tokens by chunks: what a text repeats is cut once, and then only counted."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.blocks import BLOCK, Block
from tokenizer.fast import finer_chunks
from tokenizer.fast.chunks import chunk_starts
from tokenizer.fast.keys import PADDING, Counts, KeyIndex, Keys
from tokenizer.fast.plain_blocks import PlainBlocks
from tokenizer.fast.tally import Measured, added, keys_and_others
from tokenizer.patterns import SplitPattern
from tokenizer.plain import Counted
from tokenizer.pretokens import SpecialTokens
from tokenizer.table import Mark

# Of the chunks that are remembered; past either, what was counted goes to the pre-tokens and all chunks are forgotten.
MOST_REMEMBERED = 1 << 17
MOST_REMEMBERED_BYTES = 8 << 20


class ChunkCounter:
    """Counts of pre-tokens, chunk after chunk, for the patterns of `pretokens.SAFE_AT_SPACES`, which cover everything.

    Chunks and pre-tokens are numbered from 0 as they are met. Most chunks are recognised by their keys; those that have
    none, and those that are new, by a dictionary. Where most chunks are new, blocks are counted plainly.

    Args:
        pattern: how a chunk is cut.
        special_tokens: each is a chunk by itself that takes no part.
        time_limit: seconds for finding the special tokens.
    """

    def __init__(self, pattern: SplitPattern, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        _keep_freed_memory()
        self._findall = pattern.compiled.findall
        self._starts = finer_chunks.finer_chunk_starts if pattern in finer_chunks.PATTERNS else chunk_starts
        self._special_tokens = SpecialTokens(tuple(special_tokens), time_limit=time_limit)
        self._plain = PlainBlocks(pattern)
        self._numbers: dict[str, int] = {}  # of pre-tokens
        self._measured = Measured(self._numbers)
        self._counts = np.empty(0, np.int64)
        self._places = list[int]()
        self._chunks: dict[bytes, int] = {}
        self._chunk_bytes = 0
        self._index = KeyIndex()
        self._of_key = np.full(self._index.size, -1)  # the number of the chunk that has a key's number
        self._times = np.zeros(0, np.int64)  # how often each chunk came; room for more follows
        self._lengths = np.zeros(0, np.int64)  # how many pre-tokens it has
        self._contents = list[NDArray[np.int32]]()  # which those are, of all chunks one after another

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block, all of it."""
        data = block.data
        specials = self._special_tokens.spans(data)
        if self._plain.due:
            return Counted(self._plain.add(data, specials, offset=at.byte) + len(specials), len(specials))
        starts = self._starts(data, specials)
        ends = np.append(starts[1:], len(data))
        if specials:
            plain = np.isin(starts, [start for start, _ in specials], invert=True)
            starts, ends = starts[plain], ends[plain]
        return Counted(self.add_chunks(data, starts, ends, offset=at.byte) + len(specials), len(specials))

    @property
    def plain_is_due(self) -> bool:
        """Whether the next block had better be counted by `add`, all of it: most of the last one was in new chunks."""
        return self._plain.due

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
        remembered = self._chunk_bytes
        by_key = np.zeros(len(starts), np.int64)
        if b"\0" not in data:  # keys could not tell a NUL from padding
            by_key, _ = self._index.find(data + PADDING, starts, ends - starts)
        numbers = self._of_key[by_key]
        others = np.flatnonzero(numbers < 0)
        numbers[others] = self._look_up(data, starts[others], ends[others], offset)
        self._of_key[by_key[others]] = numbers[others]
        self._of_key[0] = -1  # nobody's
        np.add.at(self._times, numbers, 1)
        self._plain.judge(self._chunk_bytes - remembered, len(data))
        return int(self._lengths[numbers].sum())

    def counts(self) -> Counts:
        """The count and the place of each pre-token."""
        self._settle()
        numbers = zip(self._counts.tolist(), self._places, strict=True)
        return added(dict(zip(map(str.encode, self._numbers), numbers, strict=True)), self._plain.counts())

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens have together, at least: those counted either way may be the same."""
        return max(self._measured.bytes(), self._plain.distinct_bytes)

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        return keys_and_others(self.counts())

    def _look_up(self, data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], offset: int) -> list[int]:
        """The numbers of chunks; those that were never met get the next ones."""
        numbers, lengths, contents = list[int](), list[int](), list[int]()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            chunk = data[start:end]
            number = self._chunks.get(chunk)
            if number is None:
                number = self._chunks[chunk] = len(self._chunks)
                pre_tokens = self._cut(chunk, offset + start)
                lengths.append(len(pre_tokens))
                contents += pre_tokens
            numbers.append(number)
        self._remember(lengths, contents)
        return numbers

    def _cut(self, chunk: bytes, place: int) -> list[int]:
        """The numbers of a chunk's pre-tokens; those that were never met get the next ones."""
        numbers = []
        for pre_token in self._findall(chunk.decode()):
            number = self._numbers.get(pre_token)
            if number is None:
                number = self._numbers[pre_token] = len(self._places)
                self._places.append(place)
            numbers.append(number)
            place += len(pre_token)  # in characters: which is first is all that a place tells
        self._chunk_bytes += len(chunk)
        return numbers

    def _remember(self, lengths: list[int], contents: list[int]) -> None:
        """Remember what the newest chunks hold."""
        if not lengths:
            return
        known = len(self._chunks)
        if known > len(self._times):
            self._times, self._lengths = (
                np.append(values, np.zeros(2 * known - len(values), np.int64))
                for values in (self._times, self._lengths)
            )
        self._lengths[known - len(lengths) : known] = lengths
        self._contents.append(np.array(contents, np.int32))

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
        self._of_key[:] = -1
        self._times[:] = self._lengths[:] = 0


def _keep_freed_memory() -> None:
    """Have the memory of one block's arrays used again for the next one's, without the system between.

    The C library hands arrays back at once if they are larger than any that was freed before (glibc: `M_MMAP_THRESHOLD`
    in mallopt(3)). New memory has to be cleared page by page: 14 MB take 9,000 page faults more. So one array is freed
    that is larger than all that counting needs; it is never written to and takes no memory.
    """
    np.empty(32 * BLOCK, np.uint8)
