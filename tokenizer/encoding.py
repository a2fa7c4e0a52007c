"""Encoding by rank, with its trace, and decoding.

In each pre-token the pair of the lowest rank that is present is merged, everywhere from left to right, until no pair
has a merge (Sennrich et al. 2016; GPT-2's encoder). Each such round is an iteration of the trace.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from tokenizer.chain import Chain
from tokenizer.pretokens import Budget, replace_surrogates, segments, spans
from tokenizer.steps import Pair
from tokenizer.vocabulary import Vocabulary

Specials = Literal["as_special", "as_text"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair with a merge, its rank, and the indexes of the tokens at which it begins."""

    pair: Pair
    rank: int
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Iteration:
    """One round of encoding a pre-token: its tokens, the candidates by rank, the rank applied (None in the last).

    `tokens` and the candidates' positions are cut where there are more than was asked for; `total` counts all tokens,
    `places` all replacements of the round.
    """

    number: int
    tokens: tuple[int, ...]
    total: int
    candidates: tuple[Candidate, ...]
    applied: int | None
    places: int


@dataclass(frozen=True, slots=True)
class TracedPiece:
    """A distinct pre-token or special token of a text: its ids, how often it occurs, how many merges it took."""

    text: str
    ids: tuple[int, ...]
    special: bool
    occurrences: int
    iterations: int


@dataclass(frozen=True, slots=True)
class Trace:
    """How a text is encoded.

    `pieces` are distinct, in the order of first occurrence; `order` has the index of a piece for each occurrence.
    `replaced` counts the lone surrogates that became U+FFFD.
    """

    text: str
    ids: tuple[int, ...]
    pieces: tuple[TracedPiece, ...]
    order: tuple[int, ...]
    replaced: int


def encode(text: str, vocabulary: Vocabulary, *, specials: Specials = "as_special") -> list[int]:
    """The ids of a text. Lone surrogates are encoded as U+FFFD.

    This is the definition. An `Encoder` gives the same ids 5 times as fast for a megabyte of English that is new to it,
    and 40 times as fast for words that it knows.

    >>> from tokenizer import Recipe, train
    >>> encode("low lower", train(Recipe("low low lower"), steps=3).vocabulary(3))
    [257, 258, 101, 114]
    """
    return list(trace(text, vocabulary, specials=specials).ids)


def trace(
    text: str, vocabulary: Vocabulary, *, specials: Specials = "as_special", time_limit: float | None = None
) -> Trace:
    """Encode a text and keep what each distinct pre-token gave.

    Args:
        text: any text.
        vocabulary: the tokenizer.
        specials: whether a special token in the text is one or is text like any other.
        time_limit: seconds for the pattern.

    Raises:
        PatternError: the pattern took longer.
    """
    text, replaced = replace_surrogates(text)
    split_out = tuple(vocabulary.special_tokens) if specials == "as_special" else ()
    index: dict[tuple[str, bool], int] = {}
    encoded: list[tuple[tuple[int, ...], int]] = []
    times: list[int] = []
    order: list[int] = []
    # Cut first: the time limit is for the pattern, not for the encoding.
    for piece in list(_pieces(text, vocabulary, split_out, time_limit)):
        place = index.setdefault(piece, len(encoded))
        if place == len(encoded):
            encoded.append(_encode_piece(*piece, vocabulary))
            times.append(0)
        times[place] += 1
        order.append(place)
    return Trace(
        text=text,
        ids=tuple(token for place in order for token in encoded[place][0]),
        pieces=tuple(
            TracedPiece(piece, ids, special, occurrences, iterations)
            for (piece, special), (ids, iterations), occurrences in zip(index, encoded, times, strict=True)
        ),
        order=tuple(order),
        replaced=replaced,
    )


def iterations(
    pre_token: bytes, vocabulary: Vocabulary, *, offset: int = 0, limit: int | None = None, longest: int | None = None
) -> list[Iteration]:
    """The rounds of encoding one pre-token; the last shows the result, with nothing left to apply.

    Args:
        pre_token: its bytes.
        vocabulary: the merges.
        offset: rounds to leave out.
        limit: rounds at most.
        longest: tokens that are looked at in each round; candidates further right are left out.
    """
    chain = Chain(pre_token, vocabulary)
    found: list[Iteration] = []
    number = 0
    while limit is None or number < offset + limit:
        rank = chain.lowest()
        shown = chain.tokens() if number >= offset else []
        places = 0 if rank is None else chain.apply(rank)
        if number >= offset:
            tokens = shown[:longest]
            found.append(
                Iteration(number + 1, tuple(tokens), len(shown), _candidates(tokens, vocabulary), rank, places)
            )
        if rank is None:
            break
        number += 1
    return found


def decode(ids: Iterable[int], vocabulary: Vocabulary) -> bytes:
    """The bytes of ids, joined; decode them once, as a whole, with `errors="replace"`.

    Raises:
        UnknownId: an id is no token's; `position` is its index.
    """
    return b"".join(vocabulary.token(token, position=position) for position, token in enumerate(ids))


def _pieces(
    text: str, vocabulary: Vocabulary, special_tokens: Sequence[str], time_limit: float | None
) -> Iterable[tuple[str, bool]]:
    budget = Budget(time_limit)
    for segment in segments(text, special_tokens, time_limit=time_limit):
        within = text[segment.start : segment.end]
        if segment.special:
            yield within, True
        else:
            for start, end, _ in list(spans(within, vocabulary.pattern, budget)):
                yield within[start:end], False


def _encode_piece(text: str, special: bool, vocabulary: Vocabulary) -> tuple[tuple[int, ...], int]:
    """The ids of a piece and the number of merges that it took."""
    if special:
        return (vocabulary.special_tokens[text],), 0
    chain = Chain(text.encode(), vocabulary)
    rounds = 0
    while (rank := chain.lowest()) is not None:
        chain.apply(rank)
        rounds += 1
    return tuple(chain.tokens()), rounds


def _candidates(tokens: Sequence[int], vocabulary: Vocabulary) -> tuple[Candidate, ...]:
    positions: dict[Pair, list[int]] = {}
    for position, pair in enumerate(pairwise(tokens)):
        positions.setdefault(pair, []).append(position)
    ranked = ((vocabulary.rank(pair), pair) for pair in positions)
    return tuple(
        Candidate(pair, rank, tuple(positions[pair]))
        for rank, pair in sorted((rank, pair) for rank, pair in ranked if rank is not None)
    )
