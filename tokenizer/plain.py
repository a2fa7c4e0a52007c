"""Counting the pre-tokens of a block as one would: the pattern cuts all of it. The definition, and for any pattern."""

from collections import Counter
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

from tokenizer.blocks import Block
from tokenizer.errors import RecipeError
from tokenizer.fast.keys import Counts, Keys
from tokenizer.fast.tally import Measured, keys_and_others
from tokenizer.patterns import NONE, SplitPattern
from tokenizer.pretokens import Budget, finding_too_slow, segments, spans, too_slow
from tokenizer.table import Mark

LONGEST_DOCUMENT = 1_000_000  # characters under the pattern `none`, where a whole document is one row


class Counted(NamedTuple):
    """What a block held: how many pieces, how many of them special tokens, and how many that no match covered."""

    pieces: int
    specials: int
    uncovered: int = 0


class PlainCounter:
    """Counts of pre-tokens, block after block.

    Args:
        pattern: how a block is cut.
        special_tokens: boundaries that take no part.
        time_limit: seconds for all of the matching, where the pattern is not a named one; and as many for finding the
            special tokens.
    """

    def __init__(self, pattern: SplitPattern, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        self._counts: Counter[str] = Counter()
        self._measured = Measured(self._counts)
        self._pattern = pattern
        self._special_tokens = special_tokens
        self._time_limit = time_limit
        self._matching = 0.0  # seconds so far
        self._finding = 0.0

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block.

        Args:
            block: a stretch of the corpus that begins and ends where it can be cut.
            at: where it begins, counted from where counting began.

        Raises:
            PatternError: the pattern took longer than the limit, or matched the empty string.
            RecipeError: a document is too long for the pattern `none`, or finding the special tokens took too long.
        """
        text = block.text()
        begun = monotonic()
        cut = list(segments(text, self._special_tokens, time_limit=self._time_limit, spent=self._finding))
        found = monotonic()
        self._finding += found - begun
        if self._time_limit is not None and self._finding > self._time_limit:
            raise finding_too_slow(self._time_limit)
        budget = Budget(self._time_limit, spent=self._matching)
        pieces = uncovered = specials = 0
        for start, end, special in cut:
            if special:
                specials += 1
                continue
            in_segment, without_match = self._add_segment(text[start:end], budget, at.character + start)
            pieces += in_segment
            uncovered += without_match
        self._matching += monotonic() - found
        if budget.overdrawn(self._pattern):  # matches so short that none of them looks at the clock
            raise too_slow(self._time_limit)
        return Counted(pieces + specials, specials, uncovered)

    def counts(self) -> dict[bytes, tuple[int, int]]:
        """Each pre-token's count, and its place in the order in which they were met."""
        return {key.encode(): (count, place) for place, (key, count) in enumerate(self._counts.items())}

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens have together."""
        return self._measured.bytes()

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        return keys_and_others(self.counts())

    def _add_segment(self, text: str, budget: Budget, origin: int) -> tuple[int, int]:
        """Count the pre-tokens between two special tokens; how many there are, and how many no match covered."""
        if self._pattern == NONE and len(text) > LONGEST_DOCUMENT:
            raise _too_long(len(text))
        if self._pattern.compiled.groups == 0:
            # One call that makes a list is a third faster than an iterator of matches; it cannot see what lies between.
            try:
                found = self._pattern.compiled.findall(text, timeout=budget.left_for(self._pattern))
            except TimeoutError as error:
                raise too_slow(self._time_limit) from error
            if sum(map(len, found)) == len(text) and "" not in found:
                self._counts.update(found)
                return len(found), 0
        found_spans = list(spans(text, self._pattern, budget, origin=origin))
        self._counts.update(text[start:end] for start, end, _ in found_spans)
        return len(found_spans), sum(not matched for _, _, matched in found_spans)


def _too_long(characters: int) -> RecipeError:
    return RecipeError(
        f"A document of this corpus has {characters:,} characters; without a split pattern a document is one row, "
        f"and at most {LONGEST_DOCUMENT:,} are taken. Choose a pattern or a shorter corpus.",
        field="pattern",
    )
