"""Encoding many pre-tokens together: in each round every one of them has its lowest-ranked pair merged.

The definition takes the pair of the lowest rank that is present in a pre-token, merges it everywhere from left to
right, and repeats that until no pair has a merge (see `tokenizer.encoding`). Pre-tokens do not touch one another, so
a round of each can be done at the same time: the tokens of all of them lie end to end in one array.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tokenizer.fast.key_table import KeyTable
from tokenizer.vocabulary import Vocabulary

Ids = NDArray[np.uint32]
NO_RANK = np.uint32(2**32 - 1)  # what `MISSING` is without a sign, and greater than every rank


class PairRanks:
    """The ranks of a vocabulary's merges, for arrays of pairs."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        counted = [(*pair, rank) for pair, rank in vocabulary.ranks.items() if rank < vocabulary.merges]
        columns = np.array(counted, np.uint64).reshape(-1, 3)
        self._table = KeyTable()
        self._table.add(columns[:, 0], columns[:, 1], columns[:, 2].astype(np.int32))

    def of(self, left: Ids, right: Ids) -> NDArray[np.uint32]:
        """The rank of each pair, `NO_RANK` for a pair that has no merge."""
        return self._table.find(left.astype(np.uint64), right.astype(np.uint64)).view(np.uint32)


@dataclass(slots=True)
class _Tokens:
    """The tokens of pre-tokens that are being merged, end to end.

    `owners` has the number of each one's pre-token, `ranks` the rank of the pair that it begins: `NO_RANK` where that
    has no merge, and at the end of a pre-token.
    """

    ids: Ids
    owners: NDArray[np.int32]
    ranks: NDArray[np.uint32]

    def __getitem__(self, kept: NDArray[np.bool_]) -> "_Tokens":
        return _Tokens(self.ids[kept], self.owners[kept], self.ranks[kept])


def merge_all(pre_tokens: Sequence[bytes], ranks: PairRanks) -> tuple[Ids, NDArray[np.int64]]:
    """Encode pre-tokens, none of them empty.

    It takes as many rounds as the longest needs, so very long ones are better encoded alone (`tokenizer.chain`).

    Returns:
        The ids of all, end to end, and how many each has.
    """
    tokens = _bytes_of(pre_tokens, ranks)
    done: list[_Tokens] = []
    while len(tokens.ids):
        lowest = _lowest_ranks(tokens)
        finished = lowest == NO_RANK
        done.append(tokens[finished])
        tokens = tokens[~finished]
        tokens = _merge_at(tokens, _places(tokens.ranks == lowest[~finished]), ranks)
    owners = np.concatenate([part.owners for part in done])
    order = np.argsort(owners, kind="stable")
    ids = np.concatenate([part.ids for part in done])[order]
    return ids, np.bincount(owners, minlength=len(pre_tokens))


def _bytes_of(pre_tokens: Sequence[bytes], ranks: PairRanks) -> _Tokens:
    lengths = np.fromiter(map(len, pre_tokens), np.int64, len(pre_tokens))
    ids = np.frombuffer(b"".join(pre_tokens), np.uint8).astype(np.uint32)
    owners = np.repeat(np.arange(len(pre_tokens), dtype=np.int32), lengths)
    tokens = _Tokens(ids, owners, np.full(len(ids), NO_RANK))
    _rank_again(tokens, np.arange(len(ids) - 1), ranks)
    return tokens


def _lowest_ranks(tokens: _Tokens) -> NDArray[np.uint32]:
    """For each token, the lowest rank in its pre-token."""
    owners = tokens.owners
    bounds = np.concatenate(([0], (owners[1:] != owners[:-1]).nonzero()[0] + 1, [len(owners)]))
    lowest = np.minimum.reduceat(tokens.ranks, bounds[:-1])
    return lowest.repeat(bounds[1:] - bounds[:-1])


def _places(lowest: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where to merge, given where a pre-token's lowest-ranked pair begins: from left to right, without overlap.

    Places that follow one another are those of a pair such as (a, a) in aaaa. Of such a run the first is taken, the
    third, and so on.
    """
    places = lowest.nonzero()[0]
    follows = places[1:] - places[:-1] == 1
    if not follows.any():
        return places
    numbers = np.arange(len(places))
    begins = np.where(np.concatenate(([False], follows)), 0, numbers)
    skipped: NDArray[np.bool_] = (numbers - np.maximum.accumulate(begins)) % 2 == 1
    return places[~skipped]


def _merge_at(tokens: _Tokens, places: NDArray[np.int64], ranks: PairRanks) -> _Tokens:
    tokens.ids[places] = 256 + tokens.ranks[places]
    kept = np.ones(len(tokens.ids), np.bool_)
    kept[places + 1] = False
    tokens = tokens[kept]
    places = places - np.arange(len(places))  # as many tokens are gone before each as there are places before it
    tokens.ranks[places] = NO_RANK  # where a new token is the last of its pre-token
    _rank_again(tokens, places[places < len(tokens.ids) - 1], ranks)
    _rank_again(tokens, places[places > 0] - 1, ranks)
    return tokens


def _rank_again(tokens: _Tokens, places: NDArray[np.int64], ranks: PairRanks) -> None:
    """Look up the ranks of the pairs that begin at places, where the next token is of the same pre-token."""
    places = places[tokens.owners[places] == tokens.owners[places + 1]]
    tokens.ranks[places] = ranks.of(tokens.ids[places], tokens.ids[places + 1])
