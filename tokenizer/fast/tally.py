"""Tallies: what counting a part of a corpus gives, small enough to be sent, and how parts become one table."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.keys import Counts, Keys, has_key
from tokenizer.table import Mark, Table


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """The counts of one part of a corpus.

    Each pre-token has a place, which is where it is first in the part, counted from its start: of two pre-tokens the
    one that is met first has the smaller place. Pre-tokens that have no key are in `others`.
    `size` is the part's bytes; the rest is as in `Table`, of this part alone.
    """

    keys: Keys
    others: Counts
    size: int = 0
    characters: int = 0
    pieces: int = 0
    specials: int = 0
    uncovered: int = 0
    marks: tuple[Mark, ...] = ()

    @classmethod
    def merge(cls, parts: Sequence["Tally"]) -> "Tally":
        """The tally of parts that follow one another, as if they had been counted as one."""
        keys = [Keys.of({})]
        others: dict[bytes, tuple[int, int]] = {}
        marks: list[Mark] = []
        size = characters = pieces = 0
        for part in parts:
            keys.append(part.keys._replace(firsts=part.keys.firsts + size))
            for pre_token, (count, place) in part.others.items():
                before, first = others.get(pre_token, (0, place + size))
                others[pre_token] = before + count, first
            marks += [Mark(size + mark.byte, characters + mark.character, pieces + mark.piece) for mark in part.marks]
            size += part.size
            characters += part.characters
            pieces += part.pieces
        specials = sum(part.specials for part in parts)
        uncovered = sum(part.uncovered for part in parts)
        return cls(Keys.joined(keys), others, size, characters, pieces, specials, uncovered, tuple(marks))

    def table(self) -> Table:
        """The table: rows by count, then by place."""
        counts, places = np.array([*self.others.values()], np.int64).reshape(-1, 2).T
        counts, places = np.append(self.keys.counts, counts), np.append(self.keys.firsts, places)
        lengths = np.append(self.keys.lengths(), np.fromiter(map(len, self.others), np.int64))
        met = np.argsort(places)
        order = met[np.argsort(-counts[met], kind="stable")]
        seen = np.empty_like(order)
        seen[met] = np.arange(len(order))
        ends = np.cumsum(lengths[order])
        starts = np.empty_like(ends)
        starts[order] = ends - lengths[order]
        return Table(
            blob=self._blob(starts, int(lengths.sum())),
            starts=_array(np.append(0, ends)),
            counts=_array(counts[order]),
            seen=_array(seen[order]),
            occurrences=int(counts.sum()),
            corpus_bytes=int(counts @ lengths),
            characters=self.characters,
            specials=self.specials,
            uncovered=self.uncovered,
            marks=self.marks,
        )

    def _blob(self, starts: NDArray[np.int64], size: int) -> bytes:
        """All pre-tokens, those with keys and then the others, each at its place."""
        blob = np.empty(size, np.uint8)
        for column, values in enumerate(self.keys.strings().T):
            used = np.flatnonzero(values)
            blob[starts[used] + column] = values[used]
        for start, pre_token in zip(starts[len(self.keys.low) :].tolist(), self.others, strict=True):
            blob[start : start + len(pre_token)] = np.frombuffer(pre_token, np.uint8)
        return blob.tobytes()


def added(counted: Counts, others: Counts) -> Counts:
    """Counts of pre-tokens added up; of two places the first."""
    merged = dict(counted)
    for pre_token, (count, place) in others.items():
        before, first = merged.get(pre_token, (0, place))
        merged[pre_token] = before + count, min(first, place)
    return merged


def keys_and_others(counted: Counts) -> tuple[Keys, Counts]:
    """Counts of pre-tokens as a tally holds them."""
    others = {pre_token: numbers for pre_token, numbers in counted.items() if not has_key(pre_token)}
    return Keys.of({key: numbers for key, numbers in counted.items() if key not in others}), others


class Measured:
    """How many bytes the strings of a dictionary have together, which only grows: those that are new are measured."""

    def __init__(self, known: dict[str, int]) -> None:
        self._known = known
        self._measured = self._bytes = 0  # how many of them were measured, and what they had

    def bytes(self) -> int:
        """Of all that are there now."""
        newest = islice(reversed(self._known), len(self._known) - self._measured)
        self._bytes += len("".join(newest).encode())
        self._measured = len(self._known)
        return self._bytes


def _array(values: NDArray[np.int64]) -> "array[int]":
    return array("Q", values.astype(np.uint64).tobytes())
