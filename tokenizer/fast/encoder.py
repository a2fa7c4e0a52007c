"""An encoder that remembers: for texts of megabytes, and for many texts with the same vocabulary.

A block of text is cut into pieces, which are pre-tokens or chunks of a few. Each distinct piece is encoded once, to a
run of ids with a number; the numbers of a block's pieces give its ids. A short text, or one of a pattern for which that
is not known, is cut by the pattern, and the ids of its pre-tokens are looked up one by one.
"""

from collections.abc import Callable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from tokenizer.blocks import BLOCK, Block, Cuts, blocks
from tokenizer.encoding import Specials
from tokenizer.errors import RecipeError
from tokenizer.fast.batch import PairRanks
from tokenizer.fast.byte_classes import units
from tokenizer.fast.chunk_runs import ChunkRuns
from tokenizer.fast.chunks import Spans, chunk_starts
from tokenizer.fast.finer_chunks import finer_chunk_starts
from tokenizer.fast.known_ids import KnownIds
from tokenizer.fast.piece_runs import PieceRuns
from tokenizer.fast.pre_token_runs import PreTokenRuns
from tokenizer.fast.runs import Ids, Runs
from tokenizer.patterns import NAMED, SplitPattern
from tokenizer.pretokens import Budget, SpecialTokens, replace_surrogates, segments, spans, too_slow
from tokenizer.sources import Source
from tokenizer.vocabulary import Vocabulary

MOST_CACHED = 1 << 19  # pieces; with their ids and what finds them, 110 to 190 MB of made-up English words
IDS_EACH = 8  # ids that are kept at most for each of the pieces that may be, on average
SHORT = 1 << 10  # bytes of a text that is cut by the pattern sooner than by arrays

# Where the pieces of a block begin, given its special tokens. With other patterns all of a text is cut by the pattern.
_STARTS: Mapping[SplitPattern, Callable[[bytes, Spans], NDArray[np.int64]]] = {
    NAMED["gpt2"]: lambda data, specials: units(data, specials).starts,
    NAMED["cl100k_base"]: finer_chunk_starts,
    NAMED["o200k_base"]: finer_chunk_starts,
    NAMED["whitespace"]: chunk_starts,
}


class Encoder:
    """Encodes texts with one vocabulary, to the ids of `tokenizer.encode`. For one thread at a time.

    Args:
        vocabulary: the tokenizer.
        specials: whether a special token in a text is one or is text like any other.
        most_cached: how many distinct pieces are kept at most from one block of text to the next, with up to
            `IDS_EACH` times as many ids; if there are more, all are forgotten.
        time_limit: seconds for matching the pattern in each block of text, which is all of it where it cannot be cut,
            if the pattern is not a named one; and as many for finding the special tokens in it.

    Raises:
        RecipeError: the id of a special token does not fit into 32 bits.

    >>> from tokenizer import Recipe, train
    >>> Encoder(train(Recipe("low low lower"), steps=3).vocabulary(3)).encode("low lower").tolist()
    [257, 258, 101, 114]
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        specials: Specials = "as_special",
        most_cached: int = MOST_CACHED,
        time_limit: float | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._special_tokens = dict(vocabulary.special_tokens) if specials == "as_special" else {}
        _check(self._special_tokens)
        self._split_out = tuple(self._special_tokens)
        self._time_limit = time_limit
        self._cuts = Cuts(vocabulary.pattern, self._split_out, time_limit=time_limit)
        self._starts = _STARTS.get(vocabulary.pattern)
        self._ranks = PairRanks(vocabulary)
        self._most_cached = most_cached
        self._forget()

    def encode(self, text: str | bytes) -> Ids:
        """The ids of a text, given as such or as its UTF-8. Lone surrogates are encoded as U+FFFD.

        Raises:
            CorpusError: the bytes are not UTF-8; `position` is the offset of the first fault.
            PatternError: the pattern took longer than the limit, or matched the empty string.
            RecipeError: finding the special tokens took longer than the limit.
        """
        data = _utf8(text) if isinstance(text, str) else text
        parts = [self._encode_block(block) for block in self._blocks_of(data)]
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, np.uint32), *parts])

    def encode_blocks(self, source: Source, *, on_progress: Callable[[int], None] | None = None) -> Iterator[Ids]:
        """The ids of a source's text, block after block, so that neither is held as a whole.

        Args:
            source: the text, UTF-8.
            on_progress: called before each block's ids are given, with the bytes that are encoded by then.

        Raises:
            CorpusError: it is not UTF-8; `position` is the offset of the first fault.
            PatternError: as of `encode`.
            RecipeError: there is no place to cut the text for longer than is held at once; or as of `encode`.
            OSError: the source cannot be read.
        """
        for block in blocks(source, self._cuts):
            ids = self._encode_block(block)
            if on_progress is not None:
                on_progress(block.offset + len(block.data))
            yield ids

    def _blocks_of(self, data: bytes) -> Iterator[Block]:
        """Blocks as of a source: what is new in one is worked out together."""
        at = 0
        while at < len(data):
            place = self._cuts.first(data, at + BLOCK) if len(data) > at + BLOCK else None
            end = len(data) if place is None else place
            yield Block(data[at:end], at)
            at = end

    def _encode_block(self, block: Block) -> Ids:
        try:
            ids = self._ids(block)
        except BaseException:
            self._forget()  # what was being added is there in part only
            raise
        if len(self._runs) > self._most_cached or self._runs.size > IDS_EACH * self._most_cached:
            self._forget()
        return ids

    def _ids(self, block: Block) -> Ids:
        if self._starts is None or len(block.data) < SHORT:
            return self._known.ids(self._cut(block.text()))
        if not block.data.isascii():
            block.text()  # to find what is not UTF-8
        special_tokens = SpecialTokens(self._split_out, time_limit=self._time_limit)
        starts = self._starts(block.data, special_tokens.spans(block.data))
        return self._runs.ids(self._pieces.numbers(block.data, starts))

    def _cut(self, text: str) -> list[str]:
        """The pre-tokens and special tokens of a text."""
        pattern = self._vocabulary.pattern
        cut = list(segments(text, self._split_out, time_limit=self._time_limit))
        budget = Budget(self._time_limit)
        found: list[str] = []
        for start, end, special in cut:
            within = text[start:end]
            found += [within] if special else _pre_tokens(within, pattern, budget)
        if budget.overdrawn(pattern):  # matches so short that none of them looks at the clock
            raise too_slow(self._time_limit)
        return found

    def _forget(self) -> None:
        """Begin without anything known but the special tokens.

        A special token is a piece like any other, since nothing else has its bytes: between the special tokens of a
        text there is none left.
        """
        self._runs = Runs()
        ids = np.array(list(self._special_tokens.values()), np.uint32)
        numbers = self._runs.add(ids, np.ones(len(ids), np.int64))
        given = dict(zip(map(str.encode, self._split_out), numbers.tolist(), strict=True))
        pre_tokens = PreTokenRuns(self._vocabulary, self._ranks, self._runs, given)
        self._known = KnownIds(pre_tokens, self._runs, self._special_tokens)
        chunks = ChunkRuns(self._vocabulary.pattern, pre_tokens, self._runs, given)
        self._pieces = PieceRuns(chunks.numbers)


def _check(special_tokens: Mapping[str, int]) -> None:
    for text, token in special_tokens.items():
        if not 0 <= token < 1 << 32:
            raise RecipeError(
                f"The special token “{text}” has the id {token:,}; ids of this encoder go from 0 to {(1 << 32) - 1:,}.",
                field="special_tokens",
            )


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_surrogates(text)[0].encode()


def _pre_tokens(text: str, pattern: SplitPattern, budget: Budget) -> list[str]:
    """The pre-tokens of a text without special tokens."""
    if pattern.compiled.groups == 0:
        # One call for a list takes half the time of an iterator of matches, but cannot see what lies between them.
        try:
            found: list[str] = pattern.compiled.findall(text, timeout=budget.left_for(pattern))
        except TimeoutError as error:
            raise too_slow(budget.limit) from error
        if sum(map(len, found)) == len(text) and "" not in found:
            return found
    return [text[start:end] for start, end, _ in spans(text, pattern, budget)]
