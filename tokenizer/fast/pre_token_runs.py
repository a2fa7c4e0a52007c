"""What pre-tokens are encoded as: each distinct one is encoded once."""

from collections.abc import Mapping, Sequence

import numpy as np

from tokenizer.chain import Chain
from tokenizer.fast.batch import PairRanks, merge_all
from tokenizer.fast.memo import Memo
from tokenizer.fast.runs import Ids, Numbers, Runs
from tokenizer.vocabulary import Vocabulary

# Bytes. Merging together takes as many rounds as one pre-token needs at most, and a round costs about as much as 50
# merges in a chain, however few pre-tokens are left in it. With 64 Chinese, whose clauses are one pre-token each, takes
# 1.4 times as long; English takes the same.
LONGEST_TOGETHER = 128
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
        self._memo = Memo(self._encode, given)

    def numbers(self, pre_tokens: Sequence[bytes]) -> Numbers:
        """The numbers of the runs that pre-tokens are encoded as; those that are new are encoded together."""
        return self._memo.numbers(pre_tokens)

    def _encode(self, pre_tokens: Sequence[bytes]) -> Numbers:
        lengths = np.fromiter(map(len, pre_tokens), np.int64, len(pre_tokens))
        numbers = np.empty(len(pre_tokens), np.int64)
        short = np.flatnonzero(lengths <= LONGEST_TOGETHER)
        for at in range(0, len(short), MOST_TOGETHER):
            together = short[at : at + MOST_TOGETHER]
            numbers[together] = self._runs.add(
                *merge_all([pre_tokens[place] for place in together.tolist()], self._ranks)
            )
        for place in np.flatnonzero(lengths > LONGEST_TOGETHER).tolist():
            ids = self._merge_alone(pre_tokens[place])
            numbers[place] = self._runs.add(ids, np.array([len(ids)]))[0]
        return numbers

    def _merge_alone(self, pre_token: bytes) -> Ids:
        chain = Chain(pre_token, self._vocabulary)
        while (rank := chain.lowest()) is not None:
            chain.apply(rank)
        return np.array(chain.tokens(), np.uint32)
