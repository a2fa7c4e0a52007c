"""What pre-tokens are encoded as: each distinct one is encoded once."""

from collections.abc import Mapping, Sequence

import numpy as np

from tokenizer.chain import Chain
from tokenizer.fast.merging import PairRanks, merge_all
from tokenizer.fast.runs import Ids, Numbers, Runs
from tokenizer.vocabulary import Vocabulary

# Bytes. Merging together takes as many rounds as one pre-token needs at most, and a round costs about as much as 50
# merges in a chain, however few pre-tokens are left in it.
LONGEST_TOGETHER = 64
MOST_TOGETHER = 1 << 16  # pre-tokens; together with what is worked out about each byte, about 150 MB at the very most


class PreTokenRuns:
    """Pre-tokens that were met, and the numbers of their runs of ids.

    Args:
        vocabulary: the merges.
        ranks: the same as arrays.
        runs: where to put the ids.
        given: numbers that are known from the start.
    """

    def __init__(self, vocabulary: Vocabulary, ranks: PairRanks, runs: Runs, given: Mapping[bytes, int]) -> None:
        self._vocabulary = vocabulary
        self._ranks = ranks
        self._runs = runs
        self._numbers = dict(given)

    def numbers(self, pre_tokens: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that pre-tokens are encoded as; those that are new are encoded together."""
        known = self._numbers
        new = [pre_token for pre_token in dict.fromkeys(pre_tokens) if pre_token not in known]
        short = [pre_token for pre_token in new if len(pre_token) <= LONGEST_TOGETHER]
        for at in range(0, len(short), MOST_TOGETHER):
            together = short[at : at + MOST_TOGETHER]
            known.update(zip(together, self._runs.add(*merge_all(together, self._ranks)).tolist(), strict=True))
        for pre_token in new:
            if len(pre_token) > LONGEST_TOGETHER:
                ids = self._merge_alone(pre_token)
                known[pre_token] = int(self._runs.add(ids, np.array([len(ids)]))[0])
        return np.fromiter(map(known.__getitem__, pre_tokens), np.int64, len(pre_tokens))

    def _merge_alone(self, pre_token: bytes) -> Ids:
        chain = Chain(pre_token, self._vocabulary)
        while (rank := chain.lowest()) is not None:
            chain.apply(rank)
        return np.array(chain.tokens(), np.uint32)
