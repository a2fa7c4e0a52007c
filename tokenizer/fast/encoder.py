"""An encoder that remembers: for texts of megabytes, or for many texts with the same vocabulary.

A block of text is cut into pieces, each distinct piece is encoded once, as a run of ids with a number; and the numbers
of a block's pieces give its ids. What a piece is depends on the pattern: see `_numbers`.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from tokenizer.blocks import Block, Cuts, blocks
from tokenizer.encoding import Specials
from tokenizer.errors import RecipeError
from tokenizer.fast.byte_classes import units
from tokenizer.fast.chunk_ids import ChunkIds, cut
from tokenizer.fast.chunks import chunk_starts
from tokenizer.fast.finer_chunks import PATTERNS as FINER
from tokenizer.fast.finer_chunks import finer_chunk_starts
from tokenizer.fast.merging import PairRanks
from tokenizer.fast.piece_ids import PieceIds
from tokenizer.fast.pre_token_ids import PreTokenIds
from tokenizer.fast.runs import Ids, Numbers, Runs
from tokenizer.patterns import GPT2
from tokenizer.pretokens import SAFE_AT_SPACES, replace_surrogates, segments, special_spans
from tokenizer.sources import Memory, Source
from tokenizer.vocabulary import Vocabulary

MOST_CACHED = 1 << 19
IDS_EACH = 8


class Encoder:
    """Encodes texts with one vocabulary, to the ids of `tokenizer.encode`.

    What pieces of text were encoded as is kept for the next time. An encoder is not for several threads at once.

    Args:
        vocabulary: the tokenizer.
        specials: whether a special token in a text is one or is text like any other.
        most_cached: distinct pieces that are kept at most from one block of text to the next, and `IDS_EACH` times as
            many ids; all are forgotten when there are more. The default is about 100 MB.

    Raises:
        RecipeError: the id of a special token does not fit into 32 bits.

    >>> from tokenizer import Recipe, train
    >>> Encoder(train(Recipe("low low lower"), steps=3).vocabulary(3)).encode("low lower").tolist()
    [257, 258, 101, 114]
    """

    def __init__(
        self, vocabulary: Vocabulary, *, specials: Specials = "as_special", most_cached: int = MOST_CACHED
    ) -> None:
        self._vocabulary = vocabulary
        self._special_tokens = vocabulary.special_tokens if specials == "as_special" else {}
        self._cuts = Cuts(vocabulary.pattern, self._special_tokens)
        self._ranks = PairRanks(vocabulary)
        self._most_cached = most_cached
        self._begin_anew()

    def encode(self, text: str | bytes) -> Ids:
        """The ids of a text, given as such or as its UTF-8. Lone surrogates are encoded as U+FFFD.

        Raises:
            CorpusError: the bytes are not UTF-8; `position` is the offset of the first fault.
        """
        data = utf8(text) if isinstance(text, str) else text
        parts = list(self.encode_blocks(Memory(data)))
        return np.concatenate(parts) if parts else np.empty(0, np.uint32)

    def encode_blocks(self, source: Source) -> Iterator[Ids]:
        """The ids of a source's text, block after block in bounded memory.

        Raises:
            CorpusError: as of `encode`.
            RecipeError: there is no place to cut the text for longer than is held at once.
            OSError: the source cannot be read.
        """
        for block in blocks(source, self._cuts):
            yield self._runs.ids(self._numbers(block))
            if len(self._runs) > self._most_cached or self._runs.size > IDS_EACH * self._most_cached:
                self._begin_anew()

    def _begin_anew(self) -> None:
        self._runs = Runs()
        specials = self._special_runs()
        self._pre_tokens = PreTokenIds(self._vocabulary, self._ranks, self._runs, specials)
        self._chunks = ChunkIds(self._vocabulary.pattern, self._pre_tokens, self._runs, specials)
        self._pieces = PieceIds(self._of_units if self._vocabulary.pattern == GPT2 else self._chunks.numbers)

    def _special_runs(self) -> dict[bytes, int]:
        """The numbers of special tokens by their bytes.

        No other piece of a text has these bytes: between special tokens there is nowhere the text of one.
        """
        for text, token in self._special_tokens.items():
            if not 0 <= token < 1 << 32:
                raise RecipeError(f"The special token “{text}” has the id {token:,}, which does not fit into 32 bits.", field="special_tokens")
        numbers = self._runs.add(np.array(list(self._special_tokens.values()),np.uint32),np.ones(len(self._special_tokens),np.int64))
        return dict(zip(map(str.encode, self._special_tokens), numbers.tolist()))

    def _numbers(self, block: Block) -> Numbers:
        pattern = self._vocabulary.pattern
        data = block.data
        if pattern not in SAFE_AT_SPACES or len(data) < 1000:
            return self._plain(block.text())
        if not data.isascii(): block.text()
        spans = special_spans(data, tuple(self._special_tokens))
        if pattern == GPT2:
            found = units(data, spans)
            return self._pieces.numbers(data,found.starts,found.lengths)
        starts=(finer_chunk_starts if pattern in FINER else chunk_starts)(data,spans)
        return self._pieces.numbers(data,starts,np.diff(starts,append=len(data)))

    def _of_units(self, pieces: Sequence[bytes]):
        ascii = np.fromiter(map(bytes.isascii, pieces), np.bool_, len(pieces))
        numbers = np.empty(len(pieces), np.int64)
        numbers[ascii] = self._pre_tokens.numbers([p for p in pieces if p.isascii()])
        numbers[~ascii] = self._chunks.numbers([p for p in pieces if not p.isascii()])
        return numbers

    def _plain(self, text: str):
        pre_tokens: list[bytes] = []
        for segment in segments(text, tuple(self._special_tokens)):
            within = text[segment.start:segment.end]
            if segment.special:
                pre_tokens.append(within.encode())
            else:
                pre_tokens += cut(within, self._vocabulary.pattern)
        return self._pre_tokens.numbers(pre_tokens)


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return replace_surrogates(text)[0].encode()
