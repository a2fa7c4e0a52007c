"""The ids of pre-tokens, each encoded once."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tokenizer.chain import Chain
from tokenizer.fast.merging import PairRanks, merge_all
from tokenizer.fast.runs import Numbers, Runs
from tokenizer.vocabulary import Vocabulary

# Bytes. Merging together takes as many rounds as the longest pre-token has merges, and a round in which only few take
# part costs as much as 50 merges in a chain.
LONGEST_TOGETHER = 64


class PreTokenIds:
    """Pre-tokens that were met, and the numbers of their runs of ids.

    Args:
        vocabulary: the merges.
        ranks: the same as arrays.
        runs: where to put the ids.
    """

    def __init__(self, vocabulary: Vocabulary, ranks: PairRanks, runs: Runs, given: Mapping[bytes, int]) -> None:
        self._vocabulary = vocabulary
        self._ranks = ranks
        self._runs = runs
        self._numbers = dict(given)

    def numbers(self, pre_tokens: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that these pre-tokens are encoded as; those that are new are encoded together."""
        known = self._numbers
        new = [pre_token for pre_token in dict.fromkeys(pre_tokens) if pre_token not in known]
        short = [pre_token for pre_token in new if len(pre_token) <= LONGEST_TOGETHER]
        if short:
            known.update(zip(short, self._runs.add(*merge_all(short, self._ranks)).tolist(), strict=True))
        for pre_token in new:
            if len(pre_token) > LONGEST_TOGETHER:
                ids = self._encode(pre_token)
                known[pre_token] = int(self._runs.add(ids, np.array([len(ids)]))[0])
        return np.fromiter(map(known.__getitem__, pre_tokens), np.int64, len(pre_tokens))

    def _encode(self, pre_token: bytes) -> NDArray[np.uint32]:
        chain = Chain(pre_token, self._vocabulary)
        while (rank := chain.lowest()) is not None:
            chain.apply(rank)
        return np.array(chain.tokens(), np.uint32)
