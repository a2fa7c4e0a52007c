"""Counting whole blocks plainly, where remembering chunks does not pay: in text that seldom repeats one.

A new chunk costs several times what the pattern alone costs, a repeated one a fraction of it. What a block was like
tells of the next ones. After one that was mostly new a block is counted plainly, then chunks are tried again; each time
they fail, twice as many blocks follow plainly, up to `_LONGEST_PAUSE`.
"""

from collections import Counter

from tokenizer.fast.chunks import Spans
from tokenizer.fast.keys import Counts
from tokenizer.fast.tally import Measured
from tokenizer.patterns import SplitPattern

_MOST_NEW = 1 / 3  # of a block's bytes that lie in new chunks; English has fewer from the first block on
_LONGEST_PAUSE = 16  # blocks


class PlainBlocks:
    """When to count a block plainly, and the counts of the pre-tokens of such blocks.

    Args:
        pattern: how a block is cut; one that covers everything.
    """

    def __init__(self, pattern: SplitPattern) -> None:
        self._findall = pattern.compiled.findall
        self._counts: Counter[str] = Counter()
        self._measured = Measured(self._counts)
        self._places: list[int] = []
        self._pause = 0  # blocks to count plainly after the last one by chunks
        self._left = 0  # of these

    @property
    def due(self) -> bool:
        """Whether the next block is to be counted plainly."""
        return self._left > 0

    def judge(self, new: int, size: int) -> None:
        """Note that a block of a size was counted by chunks, and how many bytes of it were in new ones."""
        self._pause = min(2 * self._pause or 1, _LONGEST_PAUSE) if new > _MOST_NEW * size else 0
        self._left = self._pause

    def add(self, data: bytes, specials: Spans, *, offset: int) -> int:
        """Count a block, without its special tokens; how many pre-tokens it has. `offset` is where it begins."""
        known, pieces, at = len(self._counts), 0, 0
        for start, end in (*specials, (len(data), len(data))):
            pre_tokens = self._findall(data[at:start].decode())
            self._counts.update(pre_tokens)
            pieces += len(pre_tokens)
            at = end
        # A place tells only which pre-token is first, and a block has at least as many bytes as distinct ones.
        self._places += range(offset, offset + len(self._counts) - known)
        self._left -= 1
        return pieces

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens have together."""
        return self._measured.bytes()

    def counts(self) -> Counts:
        """The count and the place of each pre-token."""
        numbers = zip(self._counts.values(), self._places, strict=True)
        return dict(zip(map(str.encode, self._counts), numbers, strict=True))
