"""The pre-token table: the distinct pre-tokens of a corpus with their counts.

Rows are numbered from 0, by count descending and then by first occurrence. The order never changes in training:
distinct pre-tokens have distinct bytes, so rows never fall together.

A table can be kept as bytes. The format, all numbers little-endian: `_MAGIC`, the version (4 bytes) and a SHA-256 of
all that follows; then seven numbers of 8 bytes, `_HEADER`; then `starts`, `counts`, `seen` of the rows and the marks,
8 bytes a number; then the blob.
"""

import struct
import sys
from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, chain
from typing import NamedTuple

_MAGIC = b"MNTABLE\n"
_VERSION = 1
_PREFIX = struct.Struct("<8sI32s")
_HEADER = struct.Struct("<7Q")  # rows, bytes of the blob, occurrences, corpus_bytes, characters, specials, uncovered


class Mark(NamedTuple):
    """A place in a corpus at which cutting can begin: its byte, its character, and how many pieces stand before it."""

    byte: int
    character: int
    piece: int


@dataclass(frozen=True, slots=True)
class Table:
    """Distinct pre-tokens, each with its bytes and its count.

    All rows' bytes lie end to end in `blob`: row n is `blob[starts[n]:starts[n + 1]]`. A place in the blob is called a
    cell. `seen[n]` is row n's place in the order of first occurrences. `occurrences` and `corpus_bytes` count the
    pre-tokens of the corpus with their repeats, that is the corpus without its special tokens, `characters` all of it.
    `specials` is how many special tokens stand in it, `uncovered` how many pieces no match of the pattern covered.
    `marks` are places in the corpus at which cutting can begin, ascending, one for each block that was counted.
    """

    blob: bytes
    starts: "array[int]"
    counts: "array[int]"
    seen: "array[int]"
    occurrences: int
    corpus_bytes: int
    characters: int
    specials: int
    uncovered: int
    marks: tuple[Mark, ...] = ()

    @classmethod
    def of(
        cls,
        counts: "Counter[str] | Counter[bytes]",
        *,
        characters: int,
        specials: int = 0,
        uncovered: int = 0,
        marks: Iterable[Mark] = (),
    ) -> "Table":
        """A table from counts in the order of first occurrences (the order in which a Counter met its keys)."""
        met = [(key.encode() if isinstance(key, str) else key, count) for key, count in counts.items()]
        order = sorted(range(len(met)), key=lambda place: -met[place][1])
        rows = [met[place][0] for place in order]
        return cls(
            blob=b"".join(rows),
            starts=array("Q", accumulate(map(len, rows), initial=0)),
            counts=array("Q", (met[place][1] for place in order)),
            seen=array("Q", order),
            occurrences=sum(counts.values()),
            corpus_bytes=sum(len(row) * count for row, count in met),
            characters=characters,
            specials=specials,
            uncovered=uncovered,
            marks=tuple(marks),
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> "Table":
        """The table that `to_bytes` was called on.

        Raises:
            ValueError: the bytes are no table, one of another version of the format, or damaged.
        """
        if len(data) < _PREFIX.size + _HEADER.size or not data.startswith(_MAGIC):
            raise ValueError("These bytes are no pre-token table; count the corpus again.")
        _, version, digest = _PREFIX.unpack_from(data)
        if version != _VERSION:
            raise ValueError(f"This pre-token table has format {version}, not {_VERSION}; count the corpus again.")
        body = memoryview(data)[_PREFIX.size :]
        if sha256(body).digest() != digest:
            raise ValueError("This pre-token table is damaged; count the corpus again.")
        rows, blob_bytes, occurrences, corpus_bytes, characters, specials, uncovered = _HEADER.unpack_from(body)
        blob_at = len(body) - blob_bytes
        numbers = _little_endian(array("Q", body[_HEADER.size : blob_at].tobytes()))
        starts, rest = numbers[: rows + 1], numbers[rows + 1 :]
        places = iter(rest[2 * rows :])
        return cls(
            blob=bytes(body[blob_at:]),
            starts=starts,
            counts=rest[:rows],
            seen=rest[rows : 2 * rows],
            occurrences=occurrences,
            corpus_bytes=corpus_bytes,
            characters=characters,
            specials=specials,
            uncovered=uncovered,
            marks=tuple(map(Mark, places, places, places)),
        )

    def to_bytes(self) -> bytes:
        """The table as bytes, the same on any machine; 8 bytes a number, so some 30 bytes a row."""
        totals = (self.occurrences, self.corpus_bytes, self.characters, self.specials, self.uncovered)
        header = _HEADER.pack(len(self), len(self.blob), *totals)
        numbers = array("Q", chain(self.starts, self.counts, self.seen, chain.from_iterable(self.marks)))
        body = b"".join((header, _little_endian(numbers).tobytes(), self.blob))
        return _PREFIX.pack(_MAGIC, _VERSION, sha256(body).digest()) + body

    def __len__(self) -> int:
        return len(self.counts)

    def pre_token(self, number: int) -> bytes:
        """The bytes of row `number`."""
        return self.blob[self.starts[number] : self.starts[number + 1]]

    def count(self, number: int) -> int:
        """How often row `number` occurs in the corpus."""
        return self.counts[number]

    def row_of(self, cell: int) -> int:
        """The number of the row that holds a cell of the blob."""
        return bisect_right(self.starts, cell) - 1

    def mark_before(self, piece: int) -> Mark:
        """The last place at or before the corpus's piece number `piece` at which cutting can begin."""
        place = bisect_right(self.marks, piece, key=lambda mark: mark.piece)
        return self.marks[place - 1] if place else Mark(0, 0, 0)


def _little_endian(numbers: "array[int]") -> "array[int]":
    """Numbers with their bytes turned round where this machine has them the other way."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
