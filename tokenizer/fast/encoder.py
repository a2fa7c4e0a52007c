"""An encoder that remembers: for texts of megabytes, or for many texts with the same vocabulary."""

from collections.abc import Iterator
import sys
sys.path.insert(0,'/tmp/w/scratch-enc')
from tmpbegins import chunk_begins
import numpy as np

from tokenizer.blocks import Block, Cuts, blocks
from tokenizer.encoding import Specials
from tokenizer.fast.chunk_ids import ChunkIds, cut
from tokenizer.fast.merging import PairRanks
from tokenizer.fast.piece_ids import BEHIND, PieceIds
from tokenizer.fast.pre_token_ids import PreTokenIds
from tokenizer.fast.runs import Ids, Numbers, Runs
from tokenizer.pretokens import replace_surrogates, segments, SAFE_AT_SPACES
from tokenizer.sources import Memory, Source
from tokenizer.vocabulary import Vocabulary

MOST_CACHED = 1 << 20


class Encoder:
    """Encodes texts with one vocabulary, to the ids of `tokenizer.encode`.

    What pieces of text were encoded as is kept for the next time. An encoder is not for several threads at once.

    Args:
        vocabulary: the tokenizer.
        specials: whether a special token in a text is one or is text like any other.
        most_cached: ids that are kept at most between one block of text and the next (about 100 bytes of memory each);
            where there are more, all are forgotten.

    >>> from tokenizer import Recipe, train
    >>> Encoder(train(Recipe("low low lower"), steps=3).vocabulary(3)).encode("low lower").tolist()
    [257, 258, 101, 114]
    """

    def __init__(
        self, vocabulary: Vocabulary, *, specials: Specials = "as_special", most_cached: int = MOST_CACHED
    ) -> None:
        self._vocabulary = vocabulary
        self._special_tokens = tuple(vocabulary.special_tokens) if specials == "as_special" else ()
        self._cuts = Cuts(vocabulary.pattern, self._special_tokens)
        self._ranks = PairRanks(vocabulary)
        self._most_cached = most_cached
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._runs = Runs()
        self._specials = self._runs.add(np.array([self._vocabulary.special_tokens[x] for x in self._special_tokens],np.uint32),np.ones(len(self._special_tokens),np.int64))
        self._pre_tokens = PreTokenIds(self._vocabulary, self._ranks, self._runs)
        self._chunks=ChunkIds(self._vocabulary.pattern,self._pre_tokens,self._runs)
        self._pieces=PieceIds(self._chunks.numbers)

    def encode(self, text: str | bytes) -> Ids:
        """The ids of a text, given as such or as its UTF-8. Lone surrogates are encoded as U+FFFD.

        Raises:
            CorpusError: the bytes are not UTF-8; `position` is the offset of the first fault.
        """
        data = replace_surrogates(text)[0].encode() if isinstance(text, str) else text
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
            if self._runs.size > self._most_cached:
                self._begin_anew()

    def _numbers(self, block: Block) -> Numbers:
        if self._vocabulary.pattern not in SAFE_AT_SPACES:
            return self._plain(block.text())
        data=block.data
        m=chunk_begins(data)
        sp=self._special_tokens[0].encode()
        p=data.find(sp); P=[]
        while p>=0:
            P.append(p); m[p+1:p+len(sp)]=False; m[p]=True; m[p+len(sp):p+len(sp)+1]=True
            p=data.find(sp,p+len(sp))
        begins=np.flatnonzero(m)
        lengths=np.diff(begins,append=len(data))
        at=np.searchsorted(begins,P)
        lengths[at]=0
        return self._pieces.numbers(data+bytes(BEHIND),begins,lengths,at,self._specials[np.zeros(len(at),np.int64)])

    def _plain(self, text: str):
        pre_tokens: list[bytes] = []
        places: list[int] = []
        for segment in segments(text, self._special_tokens):
            within = text[segment.start:segment.end]
            if segment.special:
                places.append(len(pre_tokens))
            else:
                pre_tokens += cut(within, self._vocabulary.pattern)
        return self._pre_tokens.numbers(pre_tokens)
