"""A finished tokenizer as a value: tokens, merges, split pattern and special tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokenizer.errors import UnknownId
from tokenizer.patterns import SplitPattern
from tokenizer.steps import Pair


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What encoding and decoding need.

    `tokens` are bytes by id, `ranks` the merges. Only ids below `size` and ranks below `merges` count: so a
    vocabulary as of step k shares both with the whole run. `special_tokens` are ids by text.
    """

    tokens: Sequence[bytes]
    ranks: Mapping[Pair, int]
    merges: int
    pattern: SplitPattern
    special_tokens: Mapping[str, int]

    @property
    def size(self) -> int:
        """Tokens without the special ones."""
        return 256 + self.merges

    @property
    def entries(self) -> int:
        """Tokens, special ones included."""
        return self.size + len(self.special_tokens)

    def rank(self, pair: Pair) -> int | None:
        """The rank of a pair, None for a pair that has no merge."""
        rank = self.ranks.get(pair)
        return rank if rank is not None and rank < self.merges else None

    def token(self, token: int, *, position: int | None = None) -> bytes:
        """The bytes of a token, of a special one the UTF-8 of its text.

        `position` says where the id stands, for the error.

        Raises:
            UnknownId: no token has this id.
        """
        if 0 <= token < self.size:
            return self.tokens[token]
        for text, special in self.special_tokens.items():
            if special == token:
                return text.encode()
        where = "" if position is None else f" (number {position + 1:,} of the list)"
        raise UnknownId(
            f"There is no token {token}{where}: ids go from 0 to {self.last_id}.", field="ids", position=position
        )

    def is_special(self, token: int) -> bool:
        """Whether an id is that of a special token."""
        return token in self.special_tokens.values()

    @property
    def last_id(self) -> int:
        """The greatest id."""
        return max(self.special_tokens.values(), default=self.size - 1)
