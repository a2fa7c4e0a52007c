"""Counting pre-tokens by chunks: what a text repeats is cut once, and then only counted."""

from collections.abc import Sequence
from itertools import pairwise

from tokenizer.blocks import Block
from tokenizer.fast.chunks import chunk_starts
from tokenizer.fast.keys import Counts, Keys
from tokenizer.fast.tally import keys_and_others
from tokenizer.patterns import SplitPattern
from tokenizer.plain import Counted
from tokenizer.pretokens import special_spans
from tokenizer.table import Mark

MOST_REMEMBERED = 1 << 16  # chunks; when there are more, their counts are settled and all are forgotten
LONGEST_REMEMBERED = 64  # bytes; a longer chunk hardly ever comes again, so its pre-tokens are counted at once


class _Row:
    """A pre-token: how often it was counted, and its place in the order in which pre-tokens were met."""

    __slots__ = ("count", "first")

    def __init__(self, first: int) -> None:
        self.count = 0
        self.first = first


class _Chunk:
    """A chunk that is remembered: how often it came, and its pre-tokens."""

    __slots__ = ("rows", "times")

    def __init__(self, rows: list[_Row]) -> None:
        self.times = 0
        self.rows = rows


class ChunkCounter:
    """Counts of pre-tokens, chunk after chunk, for the patterns of `pretokens.SAFE_AT_SPACES`, which cover everything.

    Args:
        pattern: how a chunk is cut.
        special_tokens: each is a chunk by itself that takes no part.
        time_limit: seconds to find the special tokens of a block.
    """

    def __init__(self, pattern: SplitPattern, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        self._pattern = pattern
        self._special_tokens = tuple(special_tokens)
        self._time_limit = time_limit
        self._known: dict[bytes, _Chunk] = {}
        self._rows: dict[str, _Row] = {}

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block, all of it."""
        data = block.data
        specials = special_spans(data, self._special_tokens, time_limit=self._time_limit)
        special = {start for start, _ in specials}
        pieces = len(specials)
        starts = chunk_starts(data, specials).tolist()
        for start, end in pairwise([*starts, len(data)]):
            if start not in special:
                pieces += self.add_chunk(data[start:end], at.byte + start)
        return Counted(pieces, len(specials))

    def add_chunk(self, chunk: bytes, place: int) -> int:
        """Count a chunk that stands at a place; how many pre-tokens it has. Places ascend from call to call."""
        known = self._known.get(chunk)
        if known is None:
            known = _Chunk(self._cut(chunk, place))
            if len(chunk) > LONGEST_REMEMBERED:
                for row in known.rows:
                    row.count += 1
                return len(known.rows)
            if len(self._known) >= MOST_REMEMBERED:
                self._settle()
            self._known[chunk] = known
        known.times += 1
        return len(known.rows)

    def counts(self) -> dict[bytes, tuple[int, int]]:
        """The count and the place of each pre-token, in the order of places."""
        self._settle()
        return {pre_token.encode(): (row.count, row.first) for pre_token, row in self._rows.items()}

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        return keys_and_others(self.counts())

    def _cut(self, chunk: bytes, place: int) -> list[_Row]:
        """The rows of a chunk's pre-tokens; that their places count characters does, they only tell which is first."""
        rows = []
        for pre_token in self._pattern.compiled.findall(chunk.decode()):
            rows.append(self._row(pre_token, place))
            place += len(pre_token)
        return rows

    def _row(self, pre_token: str, place: int) -> _Row:
        row = self._rows.get(pre_token)
        if row is None:
            row = self._rows[pre_token] = _Row(place)
        return row

    def _settle(self) -> None:
        """Add what is remembered of chunks to the counts of their pre-tokens, and forget it."""
        for chunk in self._known.values():
            for row in chunk.rows:
                row.count += chunk.times
        self._known.clear()
