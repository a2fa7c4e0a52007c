"""Counting a corpus's pre-tokens, block after block."""

from collections.abc import Sequence

from tokenizer.blocks import Cuts, blocks
from tokenizer.patterns import SplitPattern
from tokenizer.plain import PlainCounter
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
        self.done = 0  # bytes
        self.total = end - start
        self._characters = 0
        self._pieces = 0
        self._specials = 0
        self._uncovered = 0
        self._marks: list[Mark] = []
        self._counter = PlainCounter(pattern, special_tokens, time_limit=time_limit)
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
        text = block.text()
        counted = self._counter.add(text, origin=self._characters)
        self._marks.append(Mark(self.done, self._characters, self._pieces))
        self._pieces += counted.pieces
        self._specials += counted.specials
        self._uncovered += counted.uncovered
        self._characters += len(text)
        self.done += len(block.data)
        return True

    def table(self) -> Table:
        """The table of what has been counted."""
        return Table.of(
            self._counter.counts,
            characters=self._characters,
            specials=self._specials,
            uncovered=self._uncovered,
            marks=self._marks,
        )
