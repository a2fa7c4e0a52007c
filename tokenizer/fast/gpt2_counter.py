"""Counting the pre-tokens of GPT-2's pattern: where they begin by byte classes, how often each occurs by keys."""

from collections.abc import Sequence

from tokenizer.blocks import Block
from tokenizer.fast.byte_classes import units
from tokenizer.fast.chunk_counter import ChunkCounter
from tokenizer.fast.keys import PADDING, Counts, KeyCounter, Keys
from tokenizer.fast.tally import added, keys_and_others
from tokenizer.patterns import GPT2
from tokenizer.plain import Counted
from tokenizer.pretokens import SpecialTokens
from tokenizer.table import Mark


class Gpt2Counter:
    """Counts of the pre-tokens of GPT-2's pattern, block after block.

    Args:
        special_tokens: boundaries that take no part.
        time_limit: seconds for finding the special tokens.
    """

    def __init__(self, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        self._special_tokens = SpecialTokens(tuple(special_tokens), time_limit=time_limit)
        self._keys = KeyCounter()
        self._zones = ChunkCounter(GPT2, special_tokens, time_limit=time_limit)

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block."""
        data = block.data
        if b"\0" in data or self._zones.plain_is_due:  # keys could not tell a NUL from padding
            return self._zones.add(block, at)
        specials = self._special_tokens.spans(data)
        found = units(data, specials)
        zones = found.starts[found.zones]
        in_zones = self._zones.add_chunks(data, zones, zones + found.lengths[found.zones], offset=at.byte)
        found.lengths[found.zones] = found.lengths[found.specials] = 0
        self._keys.add(data + PADDING, found.starts, found.lengths, offset=at.byte)
        return Counted(len(found.starts) - len(zones) + in_zones, len(specials))

    @property
    def distinct_bytes(self) -> int:
        """How many bytes the distinct pre-tokens have together, at least: those counted either way may be the same."""
        return max(self._keys.distinct_bytes(), self._zones.distinct_bytes)

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        keys, others = keys_and_others(self._zones.counts())
        return Keys.joined([self._keys.keys(), keys]), added(self._keys.longer(), others)
