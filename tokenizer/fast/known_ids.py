"""The ids of pre-tokens that a pattern found: looked up by their text and joined, without an array of each step."""

from collections.abc import Mapping, Sequence

import numpy as np

from tokenizer.fast.pre_token_runs import PreTokenRuns
from tokenizer.fast.runs import Ids, Runs


class KnownIds:
    """Pre-tokens that were met, and the bytes of the ids that they are encoded as.

    Args:
        pre_tokens: knows what the pre-tokens are encoded as; each that is kept here is kept there too.
        runs: where their ids are.
        given: ids that are known from the start.
    """

    def __init__(self, pre_tokens: PreTokenRuns, runs: Runs, given: Mapping[str, int]) -> None:
        self._pre_tokens = pre_tokens
        self._runs = runs
        self._known = {text: np.uint32(token).tobytes() for text, token in given.items()}

    def ids(self, pre_tokens: Sequence[str]) -> Ids:
        """The ids of pre-tokens, end to end; those that are new are encoded together."""
        found = list(map(self._known.get, pre_tokens))
        if None in found:
            self._learn([pre_token for pre_token in dict.fromkeys(pre_tokens) if pre_token not in self._known])
            found = list(map(self._known.get, pre_tokens))
        return np.frombuffer(bytearray().join(found), np.uint32)  # type: ignore[arg-type]  # all are known now

    def _learn(self, new: Sequence[str]) -> None:
        numbers = self._pre_tokens.numbers(list(map(str.encode, new)))
        ids = self._runs.ids(numbers)
        ends = np.cumsum(self._runs.lengths(numbers))
        for pre_token, part in zip(new, np.split(ids, ends[:-1]), strict=True):
            self._known[pre_token] = part.tobytes()
