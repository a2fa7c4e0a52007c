"""One pre-token while it is being encoded: its tokens as a chain, and the pairs that have a merge by rank."""

from heapq import heapify, heappop, heappush

from tokenizer.vocabulary import Vocabulary


class Chain:
    """The tokens of a pre-token, merged rank by rank.

    Args:
        pre_token: the bytes to encode.
        vocabulary: the merges.
    """

    def __init__(self, pre_token: bytes, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._ids = list(pre_token)  # the token that begins at each byte; only where one does, see `_next`
        size = len(self._ids)
        self._next = list(range(1, size + 1))  # 0 at a byte where no token begins any more
        self._previous = list(range(-1, size - 1))
        self._heap: list[tuple[int, int]] = []
        for at in range(size - 1):
            rank = vocabulary.rank((self._ids[at], self._ids[at + 1]))
            if rank is not None:
                self._heap.append((rank, at))
        heapify(self._heap)

    def tokens(self) -> list[int]:
        """The tokens now."""
        found, at, size = [], 0, len(self._ids)
        while at < size:
            found.append(self._ids[at])
            at = self._next[at]
        return found

    def lowest(self) -> int | None:
        """The lowest rank of a pair that is present, None when no pair has a merge."""
        while self._heap:
            rank, at = self._heap[0]
            if self._rank_at(at) == rank:
                return rank
            heappop(self._heap)
        return None

    def apply(self, rank: int) -> int:
        """Merge the pair of this rank, the lowest one, everywhere from left to right; how many places that were."""
        places = 0
        while self._heap and self._heap[0][0] == rank:
            _, at = heappop(self._heap)
            if self._rank_at(at) == rank:
                self._join(at, rank)
                places += 1
        return places

    def _rank_at(self, at: int) -> int | None:
        """The rank of the pair that begins at a byte, None where none begins or it has no merge."""
        right = self._next[at]
        if right == 0 or right >= len(self._ids):
            return None
        return self._vocabulary.rank((self._ids[at], self._ids[right]))

    def _join(self, at: int, rank: int) -> None:
        right = self._next[at]
        after = self._next[right]
        self._ids[at] = 256 + rank
        self._next[at], self._next[right] = after, 0
        if after < len(self._ids):
            self._previous[after] = at
        for begin in (self._previous[at], at):
            if begin >= 0 and (found := self._rank_at(begin)) is not None:
                heappush(self._heap, (found, begin))
