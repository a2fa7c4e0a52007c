"""Pieces by key: each is asked for once, and found again by its bytes."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tokenizer.fast.piece_runs import LONGEST_KEY, PieceRuns


class Numbering:
    """Numbers pieces as they come, and keeps what was asked."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}
        self.asked: list[bytes] = []

    def __call__(self, pieces: Sequence[bytes]) -> np.ndarray:
        self.asked += pieces
        return np.array([self.numbers.setdefault(piece, len(self.numbers)) for piece in pieces], np.int64)


def starts_of(pieces: Sequence[bytes]) -> np.ndarray:
    return np.cumsum([0, *map(len, pieces)])[:-1]


PIECES = st.lists(
    st.binary(min_size=1, max_size=20)
    | st.sampled_from(
        [b"a", b"a\0", b"a\0\0", b"\0", b"\0" * 8, b"\0" * 9, b"\0" * 15, b"\0" * 16, b"x" * 15, b"x" * 16]
    ),
    min_size=1,
    max_size=10,
)


@given(blocks=st.lists(PIECES, min_size=1, max_size=4))
def test_every_piece_has_the_number_of_its_bytes_and_short_ones_are_asked_for_once(blocks: list[list[bytes]]) -> None:
    numbering = Numbering()
    runs = PieceRuns(numbering)
    for pieces in blocks:
        before = set(numbering.numbers)
        numbering.asked.clear()
        numbers = runs.numbers(b"".join(pieces), starts_of(pieces))
        assert numbers.tolist() == [numbering.numbers[piece] for piece in pieces]
        short = [piece for piece in numbering.asked if len(piece) <= LONGEST_KEY]
        assert before.isdisjoint(short)


def test_a_thousand_pieces_are_known_the_second_time() -> None:
    numbering = Numbering()
    runs = PieceRuns(numbering)
    pieces = [str(number).encode() for number in range(1000)]
    first = runs.numbers(b"".join(pieces), starts_of(pieces))
    numbering.asked.clear()
    assert runs.numbers(b"".join(pieces[::-1]), starts_of(pieces[::-1])).tolist() == first[::-1].tolist()
    assert numbering.asked == []
