"""Large texts in bounded memory: bytes in blocks that are cut only where nothing can span.

The places to cut are those at or after each multiple of `BLOCK`, counted from the start of the source. So blocks, and
with them the marks of a table, do not depend on how the work is divided into parts.
"""

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import regex

from tokenizer.errors import CorpusError, RecipeError
from tokenizer.patterns import SplitPattern
from tokenizer.pretokens import SAFE_AT_SPACES, finding_too_slow
from tokenizer.sources import Source

BLOCK = 1 << 18  # bytes
LONGEST_BLOCK = 64 << 20  # bytes that are held at once where there is no place to cut
AHEAD = 1 << 12  # bytes past the multiple of BLOCK that are read at first; most texts have a place to cut in them

# One space between two visible ASCII characters, which is more than SAFE_AT_SPACES asks for.
_LONE_SPACE = rb"(?<=[!-~]) (?=[!-~])"
# The place after a line feed as in SAFE_AT_SPACES, in the bytes of UTF-8: the white space of ASCII that is `\s`, then
# that above it. `\K` has the match begin where the place is: looking back from every place would take 20 times as long.
_WIDE_WHITE = (
    rb"\xC2[\x85\xA0]|\xE1\x9A\x80|\xE2(?:\x80[\x80-\x8A\xA8\xA9\xAF]|\x81\x9F)|\xE3\x80\x80"  # U+0085 to U+3000
)
_LONE_LINE_FEED = rb"(?<=[^\t-\r ])(?<!%b)\n\K(?=[^\t-\r /])(?!%b)" % (_WIDE_WHITE, _WIDE_WHITE)
_REACH = 4  # bytes around a place that these look at: a character of three and a line feed


class Block(NamedTuple):
    """A stretch of a corpus: its bytes, and where they begin in the corpus."""

    data: bytes
    offset: int

    def characters(self) -> int:
        """How many characters it has; errors as of `text`."""
        return len(self.data) if self.data.isascii() else len(self.text())

    def text(self) -> str:
        """The bytes as text.

        Raises:
            CorpusError: they are not UTF-8; `position` is the first byte at fault, counted as `offset` is.
        """
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            begin = b"" if self.offset else self.data
            raise CorpusError.at(self.offset + error.start, self.data[error.start], begin) from error


class Cuts:
    """The places at which a text can be cut, so that what stands before does not matter for what comes after.

    A special token begins there, or, where the pattern allows it, a lone space, or a line after a lone line feed
    (`SAFE_AT_SPACES`); and nowhere in the text does a special token lie across it. Whether such an occurrence would be
    taken as a special token depends on all of the text before it, which who reads only a part does not see; so each of
    them counts.

    Args:
        pattern: how the text is cut into pre-tokens.
        special_tokens: what is split out before that.
        time_limit: seconds to find one place.
    """

    def __init__(
        self, pattern: SplitPattern, special_tokens: Sequence[str] = (), *, time_limit: float | None = None
    ) -> None:
        self._tokens = [token.encode() for token in special_tokens]
        self._time_limit = time_limit
        self.reach = max(_REACH, *map(len, self._tokens), _REACH)  # bytes around a place that tell whether it is one
        places = [*map(regex.escape, self._tokens)]
        if pattern in SAFE_AT_SPACES:
            places += [_LONE_SPACE, _LONE_LINE_FEED]
        self._place = regex.compile(b"|".join(places)) if places else None

    def first(self, data: bytes, at: int) -> int | None:
        """The first place in `data` at or after `at`; None if there is none.

        It is sure only if `reach` bytes follow it or the text ends with `data`, and `reach` bytes stand before `at`
        or what `data` begins with is a place itself.

        Raises:
            RecipeError: finding the special tokens took too long.
        """
        while (place := self._next(data, at)) is not None:
            at = self._end_of_token_across(data, place)
            if not at:
                return place
        return None

    def _next(self, data: bytes, at: int) -> int | None:
        """The first place at or after `at`, whether or not a special token lies across it."""
        if self._place is None:
            return None
        try:
            # A line feed before `at` may make that a place.
            found = self._place.search(data, max(0, at - 1), timeout=self._time_limit)
            if found is not None and found.start() < at:
                found = self._place.search(data, at, timeout=self._time_limit)
        except TimeoutError as error:
            raise finding_too_slow(self._time_limit) from error
        return None if found is None else found.start()

    def _end_of_token_across(self, data: bytes, place: int) -> int:
        """Where a special token ends that lies across a place, so that no place is before that; 0 if none does."""
        for token in self._tokens:
            begin = data.rfind(token, max(0, place - len(token) + 1), place + len(token) - 1)
            if begin >= 0:
                return begin + len(token)
        return 0


def blocks(source: Source, cuts: Cuts, *, start: int = 0, end: int | None = None) -> Iterator[Block]:
    """The bytes of a source from one place to cut to another, in blocks of about `BLOCK` bytes.

    Raises:
        RecipeError: there is no place to cut for `LONGEST_BLOCK` bytes, or finding it took too long.
        OSError: the source cannot be read, or became shorter in the meantime.
    """
    end = source.size() if end is None else end
    with source.open() as stream:
        reader = _Reader(stream, cuts, start)
        while reader.at < end:
            next_multiple = (reader.at // BLOCK + 1) * BLOCK
            block = reader.take(min(reader.place_from(next_multiple), end))
            if not block.data:
                raise OSError(f"“{source.name}” ended at byte {reader.at:,} of {end:,}: it changed while it was read")
            yield block


def part_bounds(source: Source, cuts: Cuts, parts: int) -> list[int]:
    """Bounds of at most so many parts of a source of about the same size, each a place to cut: 0 first, its size last.

    Raises:
        RecipeError, OSError: as of `blocks`.
    """
    size = source.size()
    multiples = {size * part // parts // BLOCK * BLOCK for part in range(1, parts)} - {0}
    bounds = {0, size}
    with source.open() as stream:
        for multiple in multiples:
            bounds.add(_Reader(stream, cuts, max(0, multiple - cuts.reach)).place_from(multiple))
    return sorted(bounds)


class _Reader:
    """A stream of which the bytes from `at` on are held, as many as were needed so far."""

    def __init__(self, stream: BinaryIO, cuts: Cuts, at: int) -> None:
        self.at = at
        self._stream = stream
        self._cuts = cuts
        self._held = b""
        stream.seek(at)

    def place_from(self, goal: int) -> int:
        """The first place to cut at or after `goal`; the end of the text where there is none."""
        look_from = goal - self.at
        wanted = look_from + AHEAD + self._cuts.reach
        while self._holds(wanted):
            place = self._cuts.first(self._held, look_from)
            sure = len(self._held) - self._cuts.reach
            if place is not None and place <= sure:
                return self.at + place
            if len(self._held) > LONGEST_BLOCK:
                raise _nowhere_to_cut(self.at)
            look_from = max(look_from, sure)
            wanted = 2 * len(self._held)
        place = self._cuts.first(self._held, look_from)
        return self.at + (len(self._held) if place is None else place)

    def take(self, end: int) -> Block:
        """What is held before `end`, which is held no longer."""
        block = Block(self._held[: end - self.at], self.at)
        self._held = self._held[end - self.at :]
        self.at += len(block.data)
        return block

    def _holds(self, length: int) -> bool:
        """Read until so many bytes are held; False if the text ends before."""
        while len(self._held) < length and (more := self._stream.read(length - len(self._held))):
            self._held += more
        return len(self._held) >= length


def _nowhere_to_cut(offset: int) -> RecipeError:
    return RecipeError(
        f"From byte {offset:,} on, this corpus has more than {LONGEST_BLOCK >> 20} MB without a place at which it can "
        "be cut, and so much is not held at once. Put a special token between documents, or choose the pattern gpt2, "
        "cl100k_base or o200k_base for a text with spaces or lines.",
        field="pattern",
    )
