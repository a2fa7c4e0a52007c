"""The errors of the engine.

::

    TokenizerError                 something that a caller can mend; `message` is a full sentence
    ├── RecipeError                a recipe that cannot be trained: `field` names the part
    │   └── PatternError           the split pattern: does not compile, matches the empty string, took too long
    ├── CorpusError                bytes that are not UTF-8: `position` is the offset of the first fault
    ├── VocabularyError            a vocabulary's file that cannot be read or written: `field` names the part
    ├── Exhausted                  a step past the end of a run: `reason` says what ended it
    ├── NotYet                     a step that exists perhaps, but has not been trained so far
    └── UnknownId                  an id that is no token: `position` is its place in the list
"""

from typing import Literal

EndReason = Literal["no_pairs", "vocabulary_size", "minimum_count"]
# How files begin that are often taken for texts: the byte order marks of UTF-16, the magic of gzip (RFC 1952) and zip.
_LOOKS_LIKE = {
    b"\xff\xfe": "UTF-16; save it as UTF-8",
    b"\xfe\xff": "UTF-16; save it as UTF-8",
    b"\x1f\x8b": "gzip; unpack it first",
    b"PK\x03\x04": "a zip archive, which office documents are too; unpack it, or save it as text",
}


class TokenizerError(ValueError):
    """Base of all errors of the engine.

    Args:
        message: one sentence or more for people: what is wrong, where, what to do.
        field: the part of the input that it is about, where there is one.
        position: the offset or index in that part, where there is one.
    """

    code = "invalid"

    def __init__(self, message: str, *, field: str | None = None, position: int | None = None):
        super().__init__(message)
        self.message = message
        self.field = field
        self.position = position


class RecipeError(TokenizerError):
    """A recipe that cannot be trained."""

    code = "recipe"


class PatternError(RecipeError):
    """A split pattern that cannot be used."""

    code = "pattern"


class CorpusError(TokenizerError):
    """Bytes that are not the text they should be; `position` is a byte offset."""

    code = "not_utf8"

    @classmethod
    def at(cls, position: int, byte: int, begin: bytes) -> "CorpusError":
        """The error of a byte at which a corpus is not UTF-8; `begin` is how the corpus begins, where that is known."""
        hint = next((f" It looks like {what}." for mark, what in _LOOKS_LIKE.items() if begin.startswith(mark)), "")
        return cls(
            f"The file is not UTF-8: byte {position:,} (counted from 0) is 0x{byte:02X}, "
            f"which cannot stand there.{hint}",
            field="corpus",
            position=position,
        )


class VocabularyError(TokenizerError):
    """A vocabulary that cannot be read from its file, or that a file's format cannot hold."""

    code = "vocabulary"


class Exhausted(TokenizerError):
    """A step past the last one. `last` is the last step's number, `reason` what ended the run."""

    code = "exhausted"

    def __init__(self, message: str, *, last: int, reason: EndReason):
        super().__init__(message, field="step", position=last)
        self.last = last
        self.reason = reason


class NotYet(TokenizerError):
    """A step that training has not reached so far; `known` is the last one that it has."""

    code = "not_yet"

    def __init__(self, message: str, *, known: int):
        super().__init__(message, field="step", position=known)
        self.known = known


class UnknownId(TokenizerError):
    """An id that no token has."""

    code = "unknown_id"
