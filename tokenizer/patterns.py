r"""Split patterns: the regular expressions that cut a text into pre-tokens.

The published ones are tiktoken's, letter for letter (`tiktoken_ext/openai_public.py`, MIT), except that gpt2 stands
here in the form of the GPT-2 release with its contractions grouped, which cuts every text the same way. Which
characters `\p{L}`, `\p{N}` and `\p{M}` hold depends on the Unicode version of the `regex` package, so its
version is pinned.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import prod

import regex

from tokenizer.errors import PatternError

MOST_UNFOLDED = 20_000  # parts
VERBOSE_ALLOWANCE = 50  # how many times as many parts a pattern with the flag x may have at the very worst
PROBE_SECONDS = 0.2
LONGEST_CUSTOM = 1_000  # characters; a longer pattern is not something that a person wrote to look at


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """A named regular expression; every match is a pre-token, the first alternative that matches wins."""

    name: str
    source: str

    @property
    def compiled(self) -> "regex.Pattern[str]":
        """The pattern, ready to match."""
        return _compile(self.source)

    @property
    def alternatives(self) -> tuple[str, ...]:
        """The sources of the top-level alternatives, in the order in which they are tried."""
        return split_alternatives(self.source)

    @property
    def linear(self) -> bool:
        """Whether its time is known to grow with the text and no faster: so it is of the named patterns."""
        return NAMED.get(self.name) == self

    def alternative_at(self, text: str, position: int) -> int | None:
        """Which alternative matches `text` at `position`: its number from 0, None if none can be told."""
        limit = None if self.linear else PROBE_SECONDS
        for number, compiled in enumerate(_compile_alternatives(self.source)):
            try:
                if compiled is not None and compiled.match(text, position, timeout=limit):
                    return number
            except TimeoutError:
                return None
        return None


GPT2_SOURCE = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K_SOURCE = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
O200K_SOURCE = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    + _CONTRACTION
    + r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    + _CONTRACTION
    + r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

NAMED: Mapping[str, SplitPattern] = {
    pattern.name: pattern
    for pattern in (
        SplitPattern("gpt2", GPT2_SOURCE),
        SplitPattern("cl100k_base", CL100K_SOURCE),
        SplitPattern("o200k_base", O200K_SOURCE),
        SplitPattern("whitespace", r"\s+|\S+"),
        SplitPattern("none", r"(?s:.+)"),
    )
}
GPT2 = NAMED["gpt2"]
NONE = NAMED["none"]


def custom(source: str) -> SplitPattern:
    """A pattern of the user's own.

    Args:
        source: a regular expression in the syntax of the `regex` package.

    Raises:
        PatternError: it is empty or too long, does not compile, or matches the empty string (such a match would
            cut between any two characters); `position` is the place of a syntax error.
    """
    if not source:
        raise PatternError("The custom pattern is empty. Write a regular expression.", field="pattern")
    if len(source) > LONGEST_CUSTOM:
        raise PatternError(
            f"The custom pattern has {len(source):,} characters; at most {LONGEST_CUSTOM:,} are taken.",
            field="pattern",
        )
    _refuse_what_cannot_cut(source)
    try:
        compiled = _compile(source)
    except regex.error as error:
        place: int | None = getattr(error, "pos", None)  # missing in the stubs
        at = f" at position {place}, counted from 0" if place is not None else ""
        raise PatternError(
            f"The custom pattern does not compile: {getattr(error, 'msg', error)}{at}.", field="pattern", position=place
        ) from error
    except (RecursionError, OverflowError, MemoryError) as error:
        raise PatternError("The custom pattern is nested too deeply to compile.", field="pattern") from error
    except (ValueError, KeyError, IndexError, TypeError) as error:  # what `regex` lets out for flags at odds
        raise PatternError(f"The custom pattern does not compile: {error}.", field="pattern") from error
    if compiled.flags & regex.REVERSE:
        raise PatternError(
            "The custom pattern searches from right to left, (?r); pre-tokens are cut from left to right. "
            "Take the flag out.",
            field="pattern",
        )
    if _matches_empty(compiled):
        raise PatternError(
            "The custom pattern matches the empty string, so it would cut everywhere. "
            "Make every alternative take at least one character: + in place of *.",
            field="pattern",
        )
    return SplitPattern("custom", source)


def _refuse_what_cannot_cut(source: str) -> None:
    """Refuse, before compiling, what would give matches that overlap, and what would compile into gigabytes."""
    if any(token[0] == r"\K" for token in _SYNTAX.finditer(source)):
        raise PatternError(
            r"The custom pattern uses \K, which moves the start of a match; a pre-token begins where its match does. "
            "Take it out.",
            field="pattern",
        )
    size = _unfolded(source)
    if _VERBOSE.search(source):  # comments in it could hide brackets, so the worst is taken: all repetitions nested
        size = max(size, len(source) * prod(_times(token) for token in _COUNTED.finditer(source)) // VERBOSE_ALLOWANCE)
    if size > MOST_UNFOLDED:
        raise PatternError(
            f"The custom pattern repeats too much: written out it has about {size:,} parts, and at most "
            f"{MOST_UNFOLDED:,} are taken. Lower the numbers in {{…}}, or do not nest them.",
            field="pattern",
        )


def _unfolded(source: str) -> int:
    """How many parts a pattern has when its counted repetitions are written out, as compiling does."""
    groups = [0]  # the parts of each open group so far
    last = 0  # those of the part that a repetition would repeat
    for token in _REPEATED.finditer(source):
        if token["comment"]:
            continue  # a repetition after it repeats what stands before it
        if token[0] == "(":
            groups.append(0)
            last = 0
        elif token[0] == ")":
            last = groups.pop() if len(groups) > 1 else 0
            groups[-1] += last
        elif token["most"]:
            times = _times(token)
            groups[-1] += last * (times - 1)
            last *= times
        else:
            last = 1
            groups[-1] += 1
    return sum(groups)


def _times(token: "regex.Match[str]") -> int:
    """How often a counted repetition repeats at most."""
    return max(int(_NO_DIGIT.sub("", token["most"])), 1)


def _matches_empty(compiled: "regex.Pattern[str]") -> bool:
    """Whether the pattern can match no characters at one of a few places; counting refuses the rest as it meets it."""
    try:
        return any(
            match.start() == match.end()
            for probe in ("", "a", " ", "\n", "0", "a b\n")
            for match in compiled.finditer(probe, timeout=PROBE_SECONDS)
        )
    except TimeoutError as error:
        raise PatternError(
            "The custom pattern takes too long even on a single character. Nested repetition is the usual cause.",
            field="pattern",
        ) from error


@lru_cache(maxsize=256)
def _compile(source: str) -> "regex.Pattern[str]":
    return regex.compile(source)


@lru_cache(maxsize=256)
def _compile_alternatives(source: str) -> tuple["regex.Pattern[str] | None", ...]:
    """Each alternative alone; None for one that means nothing outside the whole (a reference to another's group)."""

    def compiled(alternative: str) -> "regex.Pattern[str] | None":
        try:
            return regex.compile(alternative)
        except regex.error:
            return None

    return tuple(map(compiled, split_alternatives(source)))


@lru_cache(maxsize=256)
def split_alternatives(source: str) -> tuple[str, ...]:
    """Cut a regular expression at its top-level `|`; flags at its start, as in `(?i)a|b`, go to every part."""
    start = _FLAGS.match(source).end()  # type: ignore[union-attr]  # it matches everywhere, at least nothing
    flags = source[:start]
    parts, depth = list[str](), 0
    for token in _SYNTAX.finditer(source, start):
        if token[0] == "(":
            depth += 1
        elif token[0] == ")":
            depth -= 1
        elif token[0] == "|" and depth == 0:
            parts.append(flags + source[start : token.start()])
            start = token.end()
    return (*parts, flags + source[start:])


# An escape, a class with all its members (a bracket that comes first is a member), or one character.
_SYNTAX_SOURCE = r"(?s)\\.|\[\^?\]?(?:\[:[^\[\](){}]*?:\]|\\.|[^\]\\])*\]|."
# The same with counted repetitions: {3}, {3,}, {,5}, {3,5}; the last number counts. The flag x lets white space and
# comments stand between any two characters of them; read so whether it is set or not, since it may be set for a part.
_GAP = r"(?:\s|#[^\n]*+\n)*+"
_DIGITS = rf"\d(?:{_GAP}\d)*+"
_COUNTED_SOURCE = rf"\{{{_GAP}(?:(?:{_DIGITS}{_GAP})?,{_GAP})?(?P<most>{_DIGITS}){_GAP},?{_GAP}\}}"
_COUNTED = regex.compile(_COUNTED_SOURCE)
_REPEATED = regex.compile(rf"(?P<comment>\(\?#[^)]*\))|{_COUNTED_SOURCE}|{_SYNTAX_SOURCE}")
_VERBOSE = regex.compile(r"\(\?[a-zA-Z0-9-]*x")
_NO_DIGIT = regex.compile(r"#[^\n]*\n|\D")
_FLAGS = regex.compile(r"(?:\(\?[a-zA-Z0-9]+\))*")
_SYNTAX = regex.compile(_SYNTAX_SOURCE)
