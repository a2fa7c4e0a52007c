"""From a text to pre-tokens: special tokens are split out first, then the pattern cuts what lies between them.

No character is ever lost: what no match of a pattern covers becomes a piece of its own, marked as such.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

import regex

from tokenizer.errors import PatternError, RecipeError
from tokenizer.patterns import NAMED, SplitPattern
from tokenizer.recipe import SURROGATES


@dataclass(frozen=True, slots=True)
class Piece:
    """A pre-token or a special token where it stands in a text.

    `start` and `end` count characters. `alternative` is the number (from 0) of the pattern's alternative that
    matched: None for a special token, and for text that no match covers (`matched` is False then).
    """

    text: str
    start: int
    end: int
    alternative: int | None = None
    special: bool = False
    matched: bool = True


class Segment(NamedTuple):
    """A special token, or the text from one to the next."""

    start: int
    end: int
    special: bool


def replace_surrogates(text: str) -> tuple[str, int]:
    """Replace lone surrogates, which no UTF-8 can hold, by U+FFFD as tiktoken does; and how many there were."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # A pair of surrogates that reached us as two code points (JSON can do that) is one character after all.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return SURROGATES.subn("\ufffd", joined)
    return text, 0


def segments(
    text: str,
    special_tokens: Sequence[str] = (),
    *,
    start: int = 0,
    time_limit: float | None = None,
    spent: float = 0.0,
) -> Iterator[Segment]:
    """Cut a text, from `start` on, at its special tokens: leftmost first, of those at one place the longest.

    Of the time limit `spent` seconds are gone already.

    Raises:
        RecipeError: finding them took longer than the time limit.
    """
    at = start
    if special_tokens:
        try:
            left = None if time_limit is None else max(time_limit - spent, 0.001)
            found = _special_pattern(tuple(special_tokens)).finditer(text, start, timeout=left)
            matches = [match.span() for match in found]
        except TimeoutError as error:
            raise finding_too_slow(time_limit) from error
        for begin, end in matches:
            if at < begin:
                yield Segment(at, begin, special=False)
            yield Segment(begin, end, special=True)
            at = end
    if at < len(text):
        yield Segment(at, len(text), special=False)


@lru_cache(maxsize=64)
def _special_pattern(special_tokens: tuple[str, ...]) -> "regex.Pattern[str]":
    longest_first = sorted(special_tokens, key=len, reverse=True)
    return regex.compile("|".join(map(regex.escape, longest_first)))


class SpecialTokens:
    """Finding special tokens in the bytes of texts, under one time limit for all of them; None is no limit."""

    def __init__(self, special_tokens: tuple[str, ...], *, time_limit: float | None = None) -> None:
        self._pattern = _special_pattern_of_bytes(special_tokens) if special_tokens else None
        self._time_limit = time_limit
        self._spent = 0.0

    def spans(self, data: bytes) -> list[tuple[int, int]]:
        """Where they begin and end in a text, as `segments` has them.

        Raises:
            RecipeError: finding them took longer than the time limit.
        """
        if self._pattern is None:
            return []
        begun = monotonic()
        left = None if self._time_limit is None else max(self._time_limit - self._spent, 0.001)
        try:
            found = [match.span() for match in self._pattern.finditer(data, timeout=left)]
        except TimeoutError as error:
            raise finding_too_slow(self._time_limit) from error
        self._spent += monotonic() - begun
        if self._time_limit is not None and self._spent > self._time_limit:
            raise finding_too_slow(self._time_limit)  # texts so short that the search never looked at the clock
        return found


@lru_cache(maxsize=64)
def _special_pattern_of_bytes(special_tokens: tuple[str, ...]) -> "regex.Pattern[bytes]":
    longest_first = sorted((token.encode() for token in special_tokens), key=len, reverse=True)
    return regex.compile(b"|".join(map(regex.escape, longest_first)))


def pieces(
    text: str,
    pattern: SplitPattern,
    special_tokens: Sequence[str] = (),
    *,
    start: int = 0,
    skip: int = 0,
    time_limit: float | None = None,
) -> Iterator[Piece]:
    """All pieces of a text in order, each with the alternative that matched it.

    Args:
        text: what to cut; without lone surrogates.
        pattern: how to cut it between special tokens.
        special_tokens: cut out first.
        start: a character at which cutting can begin (see `Table.marks`); 0 is one. Where only a stretch of a corpus
            is at hand, it begins at such a place, and places in it are counted from there.
        skip: how many pieces to leave out from there.
        time_limit: seconds for all of it, the time that the caller takes with each piece included.

    Raises:
        PatternError: the pattern took longer, or matched the empty string.
        RecipeError: finding the special tokens took longer.
    """
    budget = Budget(time_limit)
    for segment in segments(text, special_tokens, start=start, time_limit=time_limit):
        if segment.special:
            if skip:
                skip -= 1
            else:
                yield Piece(text[segment.start : segment.end], segment.start, segment.end, special=True)
            continue
        at = segment.start
        for block in blocks(text[at : segment.end], pattern):
            for begin, end, matched in spans(block, pattern, budget, origin=at):
                if skip:
                    skip -= 1
                    continue
                alternative = pattern.alternative_at(block, begin) if matched else None
                yield Piece(block[begin:end], at + begin, at + end, alternative, matched=matched)
            at += len(block)


class Budget:
    """A time limit for several matchings together, of which `spent` seconds are gone already; None is no limit."""

    def __init__(self, limit: float | None, *, spent: float = 0.0) -> None:
        self.limit = limit
        self._deadline = monotonic() + (limit or 0.0) - spent

    def left_for(self, pattern: SplitPattern) -> float | None:
        """Seconds that are left to match a pattern; None where it needs no limit.

        Never nothing, so that the end of them is an error of the matching. A pattern whose time is bounded anyway is
        matched without one: looking at the clock takes `regex` longer than matching does.
        """
        if self.limit is None or pattern.linear:
            return None
        return max(self._deadline - monotonic(), 0.001)

    def overdrawn(self, pattern: SplitPattern) -> bool:
        """Whether a pattern that needs a limit is past it."""
        return self.limit is not None and not pattern.linear and monotonic() > self._deadline


def spans(text: str, pattern: SplitPattern, budget: Budget, *, origin: int = 0) -> Iterator[tuple[int, int, bool]]:
    """The matches of a pattern in a text and what lies between them, as (start, end, whether it is a match).

    The time runs while the results are taken, so whoever does long work with each takes them all first.
    `origin` is where the text lies in a longer one, for the error.
    """
    at = 0
    try:
        for match in pattern.compiled.finditer(text, timeout=budget.left_for(pattern)):
            start, end = match.span()
            if start == end:
                raise _empty_match(origin + start)
            if not at <= start < end:
                raise PatternError("The split pattern gives matches that overlap; it cannot cut.", field="pattern")
            if at < start:
                yield at, start, False
            yield start, end, True
            at = end
    except TimeoutError as error:
        raise too_slow(budget.limit) from error
    if at < len(text):
        yield at, len(text), False


def pre_tokens(
    text: str, pattern: SplitPattern, special_tokens: Sequence[str] = (), *, time_limit: float | None = None
) -> Iterator[str]:
    """The pre-tokens of a text in order, without the special tokens between them."""
    budget = Budget(time_limit)
    for segment in segments(text, special_tokens, time_limit=time_limit):
        if not segment.special:
            within = text[segment.start : segment.end]
            found = list(spans(within, pattern, budget, origin=segment.start))
            yield from (within[start:end] for start, end, _ in found)


BLOCK = 1 << 18  # characters
# In these patterns one ASCII space between two characters that are no white space always begins a pre-token. One line
# feed between two such always ends one, unless a slash follows, which o200k_base may take after it: no pre-token goes
# on after a line feed but with white space or that slash. Cutting at either place changes nothing before it: the
# patterns look ahead only from white space, at `\s+(?!\S)` and `\s++$`; and a line feed without other white space
# beside it is a pre-token of its own or the end of one with `[\r\n]*`, at the end of a text as within it.
SAFE_AT_SPACES = frozenset({NAMED["gpt2"], NAMED["cl100k_base"], NAMED["o200k_base"], NAMED["whitespace"]})
# A line feed at the end of a block would be matched by another alternative, though as the same pre-token.
_SAFE_PLACE = regex.compile(r"(?<=\S) (?=\S)")


def blocks(text: str, pattern: SplitPattern) -> Iterator[str]:
    """Cut a text where no pre-token can span, into blocks of about `BLOCK`; whole where that is not known."""
    at = 0
    while pattern in SAFE_AT_SPACES and (place := _SAFE_PLACE.search(text, at + BLOCK)) is not None:
        yield text[at : place.start()]
        at = place.start()
    yield text[at:]


def finding_too_slow(time_limit: float | None) -> RecipeError:
    """The error of special tokens that took too long to find."""
    return RecipeError(
        f"Finding the special tokens took longer than {time_limit:g} s on this text. Take fewer or shorter ones.",
        field="special_tokens",
    )


def too_slow(time_limit: float | None) -> PatternError:
    """The error of a pattern that was stopped."""
    return PatternError(
        f"The split pattern took longer than {time_limit:g} s on this text and was stopped. "
        "Nested repetition such as (a+)+ is the usual cause.",
        field="pattern",
    )


def _empty_match(position: int) -> PatternError:
    return PatternError(
        f"The split pattern matches the empty string at character {position:,} of the text. "
        "Make every alternative take at least one character: + in place of *.",
        field="pattern",
        position=position,
    )
