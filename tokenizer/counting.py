"""Counting a corpus's pre-tokens, block after block."""

from collections.abc import Sequence
from typing import Protocol

from tokenizer.blocks import Block, Cuts, blocks
from tokenizer.fast.chunk_counter import ChunkCounter
from tokenizer.fast.gpt2_counter import Gpt2Counter
from tokenizer.fast.keys import Counts, Keys
from tokenizer.fast.tally import Tally
from tokenizer.patterns import GPT2, SplitPattern
from tokenizer.plain import Counted, PlainCounter
from tokenizer.pretokens import SAFE_AT_SPACES
from tokenizer.sources import Memory, Source
from tokenizer.table import Mark, Table


def count(
    text: str, pattern: SplitPattern, special_tokens: Sequence[str] = (), *, time_limit: float | None = None
) -> Table:
    """Count the distinct pre-tokens of a text without lone surrogates; the rest as of `Counting`."""
    counting = Counting(Memory(text.encode()), pattern, special_tokens, time_limit=time_limit)
    while counting.advance():
        pass
    return counting.table()


class Counting:
    """Counting the distinct pre-tokens of a corpus, block after block, so that others can have a turn in between.

    Args:
        source: the corpus, UTF-8.
        pattern: how it is cut.
        special_tokens: boundaries that take no part.
        start: the byte of the corpus to begin at, a place at which it can be cut (see `blocks.part_bounds`).
        end: where to end, such a place too; None is the end of the corpus.
        time_limit: seconds for all of the matching, where the pattern is not a named one.
    """

    def __init__(
        self,
        source: Source,
        pattern: SplitPattern,
        special_tokens: Sequence[str] = (),
        *,
        start: int = 0,
        end: int | None = None,
        time_limit: float | None = None,
    ) -> None:
        end = source.size() if end is None else end
        self.total = end - start
        self._at = Mark(0, 0, 0)
        self._specials = 0
        self._uncovered = 0
        self._marks: list[Mark] = []
        self._counter = counter_of(pattern, special_tokens, time_limit)
        self._blocks = blocks(source, Cuts(pattern, special_tokens, time_limit=time_limit), start=start, end=end)

    def advance(self) -> bool:
        """Count one more block; False when there is none.

        Raises:
            CorpusError: it is not UTF-8; `position` is the first byte at fault, counted from the corpus's start.
            PatternError: the pattern took longer than the limit, or matched the empty string.
            RecipeError: the corpus has too long a stretch that the pattern cannot be cut in, or finding the special
                tokens took too long.
        """
        block = next(self._blocks, None)
        if block is None:
            return False
        characters = block.characters()
        counted = self._counter.add(block, self._at)
        self._marks.append(self._at)
        byte, character, piece = self._at
        self._at = Mark(byte + len(block.data), character + characters, piece + counted.pieces)
        self._specials += counted.specials
        self._uncovered += counted.uncovered
        return True

    @property
    def done(self) -> int:
        """How many bytes have been counted."""
        return self._at.byte

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens met so far have together, at least: to stop while memory suffices."""
        return self._counter.distinct_bytes

    def tally(self) -> Tally:
        """What has been counted, to be merged with what was counted elsewhere."""
        keys, others = self._counter.tallied()
        return Tally(keys, others, *self._at, self._specials, self._uncovered, tuple(self._marks))

    def table(self) -> Table:
        """The table of what has been counted."""
        return self.tally().table()


class BlockCounter(Protocol):
    """What counts the pre-tokens of blocks: plainly, or faster for some patterns and to the same result."""

    def add(self, block: Block, at: Mark) -> Counted:
        """Count a block that begins at a place."""

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens have together, at least."""

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts so far, as a tally holds them."""


def counter_of(pattern: SplitPattern, special_tokens: Sequence[str], time_limit: float | None = None) -> BlockCounter:
    """The fastest way to count that is known to be exact for a pattern."""
    if pattern == GPT2:
        return Gpt2Counter(special_tokens, time_limit=time_limit)
    if pattern in SAFE_AT_SPACES:
        return ChunkCounter(pattern, special_tokens, time_limit=time_limit)
    return PlainCounter(pattern, special_tokens, time_limit=time_limit)
