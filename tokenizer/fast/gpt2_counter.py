"""Counting the pre-tokens of GPT-2's pattern: where they begin by byte classes, how often each occurs by keys."""

from collections.abc import Sequence

import numpy as np

from tokenizer.blocks import BLOCK, Block
from tokenizer.fast.byte_classes import units
from tokenizer.fast.chunk_counter import ChunkCounter
from tokenizer.fast.keys import PADDING, Counts, KeyCounter, Keys
from tokenizer.fast.tally import keys_and_others
from tokenizer.patterns import GPT2
from tokenizer.plain import Counted
from tokenizer.pretokens import special_spans
from tokenizer.table import Mark


class Gpt2Counter:
    """Counts of the pre-tokens of GPT-2's pattern, block after block.

    Args:
        special_tokens: boundaries that take no part.
        time_limit: seconds to find the special tokens of a block.
    """

    def __init__(self, special_tokens: Sequence[str], *, time_limit: float | None) -> None:
        self._special_tokens = tuple(special_tokens)
        self._time_limit = time_limit
        self._keys = KeyCounter()
        _keep_freed_memory()
        self._zones = ChunkCounter(GPT2, special_tokens, time_limit=time_limit)

    def add(self, block: Block, at: Mark) -> Counted:
        """Count one block."""
        data = block.data
        if b"\0" in data:  # keys could not tell a NUL from padding
            return self._zones.add(block, at)
        specials = special_spans(data, self._special_tokens, time_limit=self._time_limit)
        found = units(data, specials)
        zones = found.starts[found.zones]
        in_zones = self._zones.add_chunks(data, zones, zones + found.lengths[found.zones], offset=at.byte)
        found.lengths[found.zones] = found.lengths[found.specials] = 0
        self._keys.add(data + PADDING, found.starts, found.lengths, offset=at.byte)
        return Counted(len(found.starts) - len(zones) + in_zones, len(specials))

    def tallied(self) -> tuple[Keys, Counts]:
        """The counts, as a tally holds them."""
        keys, others = keys_and_others(self._zones.counts())
        merged = dict(self._keys.longer())
        for pre_token, (count, place) in others.items():
            before, first = merged.get(pre_token, (0, place))
            merged[pre_token] = before + count, min(first, place)
        return Keys.joined([self._keys.keys(), keys]), merged


def _keep_freed_memory() -> None:
    """Have the memory of one block's arrays used again for the next one's, without the system between.

    The C library hands arrays back at once if they are larger than any that was freed before (glibc: `M_MMAP_THRESHOLD`
    in mallopt(3)). New memory has to be cleared page by page, which was a quarter of the time that 14 MB took. So one
    array is freed that is larger than all that counting needs; it is never written to and takes no memory.
    """
    np.empty(32 * BLOCK, np.uint8)
