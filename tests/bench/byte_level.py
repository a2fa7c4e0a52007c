"""GPT-2's byte alphabet, in which `tokenizers` and its like spell tokens: every byte as a printable character."""

from collections.abc import Iterable

PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))  # these stand for themselves
OTHERS = tuple(byte for byte in range(256) if byte not in PRINTABLE)  # and these for U+0100 and on
LETTERS = {byte: chr(byte) for byte in PRINTABLE} | {byte: chr(0x100 + place) for place, byte in enumerate(OTHERS)}
BYTES = {letter: byte for byte, letter in LETTERS.items()}


def to_letters(token: bytes) -> str:
    """A token as it is spelled there."""
    return "".join(LETTERS[byte] for byte in token)


def to_bytes(letters: Iterable[str]) -> bytes:
    """The token that is spelled so."""
    return bytes(BYTES[letter] for letter in letters)
