"""Tokens as people see them: visible stand-ins for what is invisible, hex for bytes that are no whole character."""

import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import groupby

import regex

from app.views.tokens import Chip, Glyph, Kind, Role

LONGEST = 28  # characters of a label; longer ones lose their middle
KEPT = (14, 8)  # characters kept at its beginning and end, at most
LONGEST_TITLE = 200
LONG = 4 * LONGEST_TITLE  # bytes; of a longer token only the two ends are looked at, and it is not remembered
ENDS = (400, 100)  # bytes of them
STAND_INS = {" ": "␣", "\n": "⏎", "\t": "⇥", "\r": "␍", "\x7f": "␡", "\xa0": "⍽"}
HUES = 12
# What is drawn as nothing though it is a letter, a mark or a symbol: fillers, selectors, joiners, blanks.
_BLANK = regex.compile("[\\p{Default_Ignorable_Code_Point}\u2800\U0001d159]")
# What a label must not be cut within: the name of a character, a byte in hex, a character with its marks.
_UNIT = regex.compile(r"U\+[0-9A-F]{4,6}|⟨?[0-9A-F]{2}(?!\p{M})[ ⟩]?|\X")


def glyphs_of_text(text: str) -> tuple[Glyph, ...]:
    """A text with stand-ins for its invisible characters, each run of one sort as one glyph."""
    return tuple(_joined(map(_stand_in, text)))


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
    """A label without its middle if it is long, and whether it was; it is cut between characters with their marks."""
    if sum(len(glyph.text) for glyph in glyphs) <= LONGEST:
        return glyphs, False
    units = [Glyph(unit, glyph.dim) for glyph in glyphs for unit in _units(glyph.text)]
    first = _fitting(units, KEPT[0])
    last = _fitting(units[:first:-1], KEPT[1])
    end = units[len(units) - last :]
    return (*_joined(iter(units[:first])), Glyph("…", dim=True), *_joined(iter(end))), True


def name_of(token: bytes) -> str:
    """A token's label as plain text, for sentences: shortened if it is long, broken bytes in brackets."""
    return (_name_of if len(token) <= LONG else _name_of.__wrapped__)(token)


@lru_cache(maxsize=65_536)
def _name_of(token: bytes) -> str:
    glyphs, _ = glyphs_of(_near(token))
    name = "".join(glyph.text for glyph in shortened(glyphs)[0])
    all_broken = text_of(token) is None and not any("⟨" in glyph.text for glyph in glyphs)
    return f"⟨{name}⟩" if all_broken else name


def title_of(token: int, spelled: bytes, *, special: bool = False) -> str:
    """A token in words: id, text, bytes."""
    text = text_of(spelled)
    shown = "" if text is None else f" · “{_visible(text)}”"
    octets = spelled[:32].hex(" ").upper() + (" …" if len(spelled) > 32 else "")
    size = f"{len(spelled):,} bytes" if len(spelled) != 1 else "1 byte"
    return f"{'special token, ' if special else ''}id {token}{shown} · {size}: {octets}"


def chip(token: int, spelled: bytes, *, role: Role = "", special: bool = False, coloured: bool = False) -> Chip:
    """A token as a chip."""
    return (_chip if len(spelled) <= LONG else _chip.__wrapped__)(token, spelled, role, special, coloured)


@lru_cache(maxsize=65_536)
def _chip(token: int, spelled: bytes, role: Role, special: bool, coloured: bool) -> Chip:
    glyphs, cut = shortened(glyphs_of(_near(spelled))[0])
    title = title_of(token, spelled, special=special)
    hue = token * 5 % HUES if coloured and not special else None
    kind: Kind = "special" if special else "text" if text_of(spelled) is not None else "bytes"
    return Chip(token, glyphs, title, kind, role, hue, cut)


def _near(token: bytes) -> bytes:
    """The two ends of a very long token, which are all that its label shows."""
    return token if len(token) <= LONG else token[: ENDS[0]] + token[-ENDS[1] :]


def _visible(text: str) -> str:
    shown = "".join(glyph.text for glyph in glyphs_of_text(text[:LONGEST_TITLE]))
    return shown + ("…" if len(text) > LONGEST_TITLE else "")


@lru_cache(maxsize=4_096)
def _stand_in(character: str) -> Glyph:
    if character in STAND_INS:
        return Glyph(STAND_INS[character], dim=True)
    if character < " ":
        return Glyph(chr(0x2400 + ord(character)), dim=True)
    category = unicodedata.category(character)
    if category in {"Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp"} or _BLANK.match(character):
        return Glyph(f"U+{ord(character):04X}", dim=True)
    return Glyph("◌" + character if category in {"Mn", "Me", "Mc"} else character)


def _parts(token: bytes) -> Iterator[Glyph]:
    """The whole characters of a token as they are, the bytes between them as hex."""
    text = token.decode(errors="surrogateescape")  # a byte that is no character's becomes one of U+DC80 to U+DCFF
    for broken, run in groupby(text, key=lambda character: "\udc80" <= character <= "\udcff"):
        if broken:
            octets = "".join(run).encode(errors="surrogateescape")
            shown = octets.hex(" ").upper()
            yield Glyph(shown if len(octets) == len(token) else f"⟨{shown}⟩")
        else:
            yield from map(_stand_in, run)


def _joined(glyphs: Iterator[Glyph]) -> Iterator[Glyph]:
    """Neighbours of one sort as one; a combining mark loses its circle where it has a character to stand on."""
    text, dim = "", False
    for glyph in glyphs:
        addition = glyph.text
        if addition[0] == "◌" and len(addition) == 2 and text and not dim and text[-1] != "⟩":
            addition = addition[1:]
        if text and glyph.dim != dim:
            yield Glyph(text, dim)
            text = ""
        text, dim = text + addition, glyph.dim
    if text:
        yield Glyph(text, dim)


def _units(text: str) -> Iterator[str]:
    for unit in _UNIT.findall(text):
        if len(unit) <= KEPT[1]:
            yield unit
        else:  # a character with more marks than anybody could read
            yield from unit


def _fitting(units: Iterable[Glyph], size: int) -> int:
    """How many units have room in so many characters."""
    fitting = 0
    for unit in units:
        size -= len(unit.text)
        if size < 0:
            break
        fitting += 1
    return fitting
