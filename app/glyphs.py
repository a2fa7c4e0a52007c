"""Tokens as people see them: visible stand-ins for what is invisible, hex for bytes that are no whole character."""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from app.views import Chip, Glyph, Role

LONGEST = 28  # characters of a label; longer ones lose their middle
KEPT = (14, 8)  # characters kept at its beginning and end
LONGEST_TITLE = 200
STAND_INS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\x7f": "␡", "\xa0": "⍽"}
HUES = 12


def glyphs_of_text(text: str) -> tuple[Glyph, ...]:
    """A text with stand-ins for its invisible characters, each run of one sort as one glyph."""
    return tuple(_joined(_stand_in(character) for character in text))


def glyphs_of(token: bytes) -> tuple[tuple[Glyph, ...], bool]:
    """The label of a token, and whether it is whole characters; bytes that are none come as hex."""
    whole = text_of(token)
    if whole is not None:
        return glyphs_of_text(whole), True
    return tuple(_joined(_parts(token))), False


def text_of(token: bytes) -> str | None:
    """The text of a token's bytes; None where they are not whole characters."""
    try:
        return token.decode()
    except UnicodeDecodeError:
        return None


def shortened(glyphs: tuple[Glyph, ...]) -> tuple[tuple[Glyph, ...], bool]:
    """A label without its middle if it is long, and whether it was."""
    if sum(len(glyph.text) for glyph in glyphs) <= LONGEST:
        return glyphs, False
    first, last = KEPT
    return (*_cut(glyphs, first), Glyph("…", dim=True), *_cut_end(glyphs, last)), True


def title_of(token: int, spelled: bytes, *, special: bool = False) -> str:
    """A token in words: id, text, bytes."""
    text = text_of(spelled)
    shown = "" if text is None else f" · “{_visible(text)}”"
    octets = spelled[:32].hex(" ").upper() + (" …" if len(spelled) > 32 else "")
    size = f"{len(spelled):,} bytes" if len(spelled) != 1 else "1 byte"
    return f"{'special token, ' if special else ''}id {token}{shown} · {size}: {octets}"


def chip(token: int, spelled: bytes, *, role: Role = "", special: bool = False, coloured: bool = False) -> Chip:
    """A token as a chip."""
    label, title, kind, cut = _label(token, spelled, special)
    hue = token * 5 % HUES if coloured and not special else None
    return Chip(token, label, title, "special" if special else "text" if kind else "bytes", role, hue, cut)


@lru_cache(maxsize=65_536)
def _label(token: int, spelled: bytes, special: bool) -> tuple[tuple[Glyph, ...], str, bool, bool]:
    # A page shows the same few hundred tokens again and again; a very long one is looked at in part only.
    if len(spelled) > 4 * LONGEST_TITLE:
        head, tail = spelled[: 2 * LONGEST_TITLE], spelled[-LONGEST:]
        (begin, whole), (end, _) = glyphs_of(head), glyphs_of(_from_character(tail))
        return (
            (*_cut(begin, KEPT[0]), Glyph("…", dim=True), *_cut_end(end, KEPT[1])),
            title_of(token, spelled, special=special),
            whole or text_of(spelled) is not None,
            True,
        )
    label, whole = glyphs_of(spelled)
    label, cut = shortened(label)
    return label, title_of(token, spelled, special=special), whole, cut


def _from_character(tail: bytes) -> bytes:
    """The end of a token from the first byte on that can begin a character."""
    at = next((place for place, byte in enumerate(tail) if byte & 0xC0 != 0x80), 0)
    return tail[at:]


def _visible(text: str) -> str:
    shown = "".join(glyph.text for glyph in glyphs_of_text(text[:LONGEST_TITLE]))
    return shown + ("…" if len(text) > LONGEST_TITLE else "")


def _stand_in(character: str) -> Glyph:
    if character in STAND_INS:
        return Glyph(STAND_INS[character], dim=True)
    if character < " ":
        return Glyph(chr(0x2400 + ord(character)), dim=True)
    category = unicodedata.category(character)
    if category in {"Mn", "Me", "Mc"}:
        return Glyph("◌" + character)
    if category in {"Cc", "Cf", "Cn", "Co", "Zs", "Zl", "Zp"}:
        return Glyph(f"U+{ord(character):04X}", dim=True)
    return Glyph(character)


def _parts(token: bytes) -> Iterator[Glyph]:
    """The whole characters of a token as they are, the bytes between them as hex."""
    at = 0
    while at < len(token):
        try:
            text = token[at:].decode()
        except UnicodeDecodeError as error:
            yield from map(_stand_in, token[at : at + error.start].decode())
            broken = token[at + error.start : at + error.end]
            alone = len(broken) == len(token)
            yield Glyph(broken.hex(" ").upper() if alone else f"⟨{broken.hex(' ').upper()}⟩")
            at += error.end
        else:
            yield from map(_stand_in, text)
            return


def _joined(glyphs: Iterator[Glyph]) -> Iterator[Glyph]:
    """Neighbours of one sort as one; a combining mark loses its circle where it has a letter to stand on."""
    text, dim = "", False
    for glyph in glyphs:
        addition = glyph.text
        if addition[0] == "◌" and len(addition) == 2 and text and not dim:
            addition = addition[1:]
        if text and glyph.dim != dim:
            yield Glyph(text, dim)
            text = ""
        text, dim = text + addition, glyph.dim
    if text:
        yield Glyph(text, dim)


def _cut(glyphs: tuple[Glyph, ...], size: int) -> Iterator[Glyph]:
    for glyph in glyphs:
        if size <= 0:
            return
        yield Glyph(glyph.text[:size], glyph.dim)
        size -= len(glyph.text)


def _cut_end(glyphs: tuple[Glyph, ...], size: int) -> Iterator[Glyph]:
    reversed_glyphs = tuple(Glyph(glyph.text[::-1], glyph.dim) for glyph in reversed(glyphs))
    kept = tuple(_cut(reversed_glyphs, size))
    return (Glyph(glyph.text[::-1], glyph.dim) for glyph in reversed(kept))
