"""GPT-2's byte alphabet: every byte has a printable character, so that tokens can stand in text files.

Bytes that are printable in Latin-1 stand for themselves; the others, in their order, for U+0100 and on
(`bytes_to_unicode` in the GPT-2 release).
"""

from tokenizer.recipe import BYTES

_PRINTABLE = frozenset((*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)))
_OTHERS = [byte for byte in range(BYTES) if byte not in _PRINTABLE]
CHARACTERS = {byte: chr(byte) for byte in _PRINTABLE} | {byte: chr(0x100 + n) for n, byte in enumerate(_OTHERS)}


def printable(token: bytes) -> str:
    """A token spelled in the alphabet.

    >>> printable(b" low")
    'Ġlow'
    """
    return "".join(map(CHARACTERS.__getitem__, token))
