"""One pre-token while it is being encoded: its tokens as a chain, and the places of the pairs that have a merge."""

from heapq import heapify, heappop, heappush
from itertools import pairwise

from tokenizer.vocabulary import Vocabulary

NO_TOKEN = -1


class Chain:
    """The tokens of a pre-token, merged rank by rank.

    A place is the byte at which a token begins. The places of a pair are listed under its rank, and the heap holds
    every rank once: n bytes to which r different merges apply take a time of about n + r log r. A list may name
    places that its pair has left.

    Args:
        pre_token: the bytes to encode.
        vocabulary: the merges.
    """

    def __init__(self, pre_token: bytes, vocabulary: Vocabulary) -> None:
        size = len(pre_token)
        self._ranks = vocabulary.ranks
        self._none = vocabulary.merges  # stands for the rank of a pair that has no merge; greater ranks do not count
        # Behind the last place stands one without a token. It is also what index -1 means, the place before the first:
        # so a pair at either end is one that has no merge, and needs no care.
        self._ids = [*pre_token, NO_TOKEN]
        self._next = [*range(1, size + 1), size]
        self._previous = list(range(-1, size))
        self._places: dict[int, list[int]] = {}
        for at, pair in enumerate(pairwise(pre_token)):
            rank = self._ranks.get(pair, self._none)
            if rank < self._none:
                self._places.setdefault(rank, []).append(at)
        self._heap = list(self._places)
        heapify(self._heap)

    def tokens(self) -> list[int]:
        """The tokens now."""
        return [token for token in self._ids if token != NO_TOKEN]

    def lowest(self) -> int | None:
        """The lowest rank of a pair that is present, None when no pair has a merge."""
        while self._heap:
            rank = self._heap[0]
            for at in self._places[rank]:
                if self._rank_at(at) == rank:
                    return rank
            del self._places[heappop(self._heap)]
        return None

    def apply(self, rank: int) -> int:
        """Merge the pair of this rank, the lowest one, everywhere from left to right; how many places that were."""
        heappop(self._heap)
        merged = 0
        for at in sorted(self._places.pop(rank)):
            if self._rank_at(at) == rank:  # in aaa no more at the second place, once the first two are merged
                self._join(at, rank)
                merged += 1
        return merged

    def _rank_at(self, at: int) -> int:
        """The rank of the pair that begins at a place; no merge's where none begins."""
        return self._ranks.get((self._ids[at], self._ids[self._next[at]]), self._none)

    def _join(self, at: int, rank: int) -> None:
        """Merge the pair at a place, and list the two pairs that the new token is part of."""
        right = self._next[at]
        after = self._next[right]
        self._ids[at], self._ids[right] = 256 + rank, NO_TOKEN
        self._next[at] = after
        self._previous[after] = at
        for place in (self._previous[at], at):
            new = self._rank_at(place)
            if new < self._none:
                if new not in self._places:
                    heappush(self._heap, new)
                self._places.setdefault(new, []).append(place)
