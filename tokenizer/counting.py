"""Counting a corpus's pre-tokens, block after block."""

from collections import Counter
from collections.abc import Iterator, Sequence
from time import monotonic

from tokenizer import pretokens
from tokenizer.errors import RecipeError
from tokenizer.patterns import NONE, SplitPattern
from tokenizer.pretokens import Budget, blocks, segments, spans, too_slow
from tokenizer.table import Table

LONGEST_DOCUMENT = 1_000_000  # characters under the pattern `none`, where a whole document is one row


def count(
    text: str, pattern: SplitPattern, special_tokens: Sequence[str] = (), *, time_limit: float | None = None
) -> Table:
    """Count the distinct pre-tokens of a corpus; arguments and errors as of `Counting`."""
    counting = Counting(text, pattern, special_tokens, time_limit=time_limit)
    while counting.advance():
        pass
    return counting.table()


class Counting:
    """Counting the distinct pre-tokens of a corpus, block after block, so that others can have a turn in between.

    Args:
        text: the corpus; without lone surrogates.
        pattern: how it is cut.
        special_tokens: boundaries that take no part.
        time_limit: seconds for all of the matching, where the pattern is not a named one.
    """

    def __init__(
        self, text: str, pattern: SplitPattern, special_tokens: Sequence[str] = (), *, time_limit: float | None = None
    ) -> None:
        self.done = 0  # characters
        self.total = len(text)
        self._pattern = pattern
        self._time_limit = time_limit
        self._seconds = 0.0
        self._counts: Counter[str] = Counter()
        self._specials = 0
        self._uncovered = 0
        self._marks: list[tuple[int, int]] = []
        self._pieces = 0
        self._blocks = self._cut(text, special_tokens)

    def advance(self) -> bool:
        """Count one more block; False when there is none.

        Raises:
            PatternError: the pattern took longer than the limit, or matched the empty string.
            RecipeError: a document is too long for the pattern `none`.
        """
        block = next(self._blocks, None)
        if block is None:
            return False
        begun = monotonic()
        budget = Budget(self._time_limit, spent=self._seconds)
        try:
            pieces, uncovered = _count_block(block, self._pattern, self._counts, budget, self.done)
        except TimeoutError as error:
            raise too_slow(self._time_limit) from error
        self._seconds += monotonic() - begun
        if not self._marks or self.done - self._marks[-1][0] >= pretokens.BLOCK // 4:
            self._marks.append((self.done, self._pieces))
        self._pieces += pieces
        self._uncovered += uncovered
        self.done += len(block)
        return True

    def table(self) -> Table:
        """The table of what has been counted."""
        return Table.of(
            self._counts,
            characters=self.total,
            specials=self._specials,
            uncovered=self._uncovered,
            marks=self._marks,
        )

    def _cut(self, text: str, special_tokens: Sequence[str]) -> Iterator[str]:
        for segment in segments(text, special_tokens, time_limit=self._time_limit):
            if segment.special:
                self._specials += 1
                self._pieces += 1
                self.done += segment.end - segment.start
                continue
            within = text[segment.start : segment.end]
            if self._pattern == NONE and len(within) > LONGEST_DOCUMENT:
                raise _too_long(len(within))
            yield from blocks(within, self._pattern)


def _count_block(
    text: str, pattern: SplitPattern, counts: Counter[str], budget: Budget, origin: int
) -> tuple[int, int]:
    """Count one block's pre-tokens; how many there are and how many of them no match covered."""
    if pattern.compiled.groups == 0:
        # One call that makes a list is a third faster than an iterator of matches; it cannot see what lies between.
        found = pattern.compiled.findall(text, timeout=budget.left_for(pattern))
        if sum(map(len, found)) == len(text) and "" not in found:
            counts.update(found)
            return len(found), 0
    found_spans = list(spans(text, pattern, budget, origin=origin))
    counts.update(text[start:end] for start, end, _ in found_spans)
    return len(found_spans), sum(not matched for _, _, matched in found_spans)


def _too_long(characters: int) -> RecipeError:
    return RecipeError(
        f"A document of this corpus has {characters:,} characters; without a split pattern a document is one row, "
        f"and at most {LONGEST_DOCUMENT:,} are taken. Choose a pattern or a shorter corpus.",
        field="pattern",
    )
