"""A corpus arrives: bytes become a file of UTF-8, read, checked, hashed and counted block by block.

Nothing here holds a whole corpus, and no single call takes long, so that a server can do it beside its other work.
"""

from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from hashlib import sha256

from app.files import Files
from app.kept import OPENING_CHARS, READ_FOR_OPENING, KeptCorpus
from tokenizer.errors import CorpusError


def write_corpus(files: Files, blocks: Iterable[bytes], read_as: str = "strict") -> KeptCorpus:
    """Write a corpus into a file that is arriving.

    Args:
        files: where.
        blocks: the bytes that were sent.
        read_as: see `decoded`.

    Raises:
        CorpusError: it is not UTF-8.
        DiskFull: there is no room for it.
    """
    digest, size, characters, begin = sha256(), 0, 0, ""
    with files.arriving() as (file, path):
        for text in decoded(blocks, read_as):
            data = text.encode()
            digest.update(data)
            file.write(data)
            size += len(data)
            characters += len(text)
            begin += text[: READ_FOR_OPENING - len(begin)]
    return KeptCorpus(digest.hexdigest(), size, characters, opening_of(begin), path)


def opening_of(text: str) -> str:
    """The first words of a text, on one line."""
    return " ".join(text[:READ_FOR_OPENING].split())[:OPENING_CHARS]


def decoded(blocks: Iterable[bytes], read_as: str = "strict") -> Iterator[str]:
    """A file's text, character by character: a byte order mark and CR LF stay.

    Args:
        blocks: the file, cut anywhere.
        read_as: "replace" for UTF-8 with U+FFFD where it is not, "latin-1", anything else for UTF-8 alone.

    Raises:
        CorpusError: it is not UTF-8; `position` is the offset of the first byte at fault.
    """
    encoding = "latin-1" if read_as == "latin-1" else "utf-8"
    decoder = getincrementaldecoder(encoding)("replace" if read_as == "replace" else "strict")
    begin, at = b"", 0  # the first bytes; how many were read before this block
    for block in _and_the_end(blocks):
        begin = begin or block[:4]
        held = len(decoder.getstate()[0])
        try:
            text = decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            raise CorpusError.at(at - held + error.start, error.object[error.start], begin) from error
        at += len(block)
        if text:
            yield text


def _and_the_end(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """The blocks that hold something, and an empty one at the end."""
    yield from filter(None, blocks)
    yield b""
