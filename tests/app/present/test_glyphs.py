"""Labels of tokens: everything invisible has a stand-in, broken bytes are hex, shortening is honest and quick."""

import time
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from app.present.glyphs import KEPT, LONGEST, chip, glyphs_of, glyphs_of_text, name_of, shortened, text_of, title_of
from app.views.tokens import Glyph

DRAWN_AS_NOTHING = regex.compile(r"[\p{Default_Ignorable_Code_Point}\p{C}\p{Z}]")


def shown(glyphs) -> str:
    return "".join(glyph.text for glyph in glyphs)


def dims(text: str) -> list[str]:
    return [glyph.text for glyph in glyphs_of_text(text) if glyph.dim]


@pytest.mark.parametrize(
    ("character", "stand_in"),
    [
        (" ", "␣"),
        ("\n", "⏎"),
        ("\t", "⇥"),
        ("\r", "␍"),
        ("\0", "␀"),
        ("\x0b", "␋"),
        ("\x1b", "␛"),
        ("\x1f", "␟"),
        ("\x7f", "␡"),
        ("\x80", "U+0080"),
        ("\x85", "U+0085"),
        ("\x9f", "U+009F"),
        ("\xa0", "⍽"),
        ("\xad", "U+00AD"),  # soft hyphen
        ("\u034f", "U+034F"),  # combining grapheme joiner: a mark that is drawn as nothing
        ("\u115f", "U+115F"),  # a letter that is drawn as nothing
        ("\u180e", "U+180E"),
        ("\u200b", "U+200B"),
        ("\u200d", "U+200D"),
        ("\u200f", "U+200F"),
        ("\u2028", "U+2028"),
        ("\u2029", "U+2029"),
        ("\u202e", "U+202E"),
        ("\u2800", "U+2800"),  # a symbol that is drawn as nothing
        ("\u3000", "U+3000"),
        ("\u3164", "U+3164"),
        ("\ufe0f", "U+FE0F"),
        ("\ufeff", "U+FEFF"),
        ("\ud800", "U+D800"),  # no token holds one, a text might
        ("\ue000", "U+E000"),
        ("\uffff", "U+FFFF"),
        ("\U000e0041", "U+E0041"),
        ("\U0010ffff", "U+10FFFF"),
    ],
)
def test_what_is_invisible_has_a_dim_stand_in(character, stand_in):
    assert glyphs_of_text(character) == (Glyph(stand_in, dim=True),)
    between = glyphs_of_text(f"a{character}b")
    assert between == (Glyph("a"), Glyph(stand_in, dim=True), Glyph("b"))


@given(st.text(max_size=30))
def test_no_label_holds_anything_invisible(text):
    for glyph in glyphs_of_text(text):
        # ␣ and its like are symbols; a combining mark shows itself.
        assert not DRAWN_AS_NOTHING.search(glyph.text)
        assert glyph.text


@given(st.characters(codec="utf-8"))
def test_every_character_is_shown_as_itself_or_as_a_stand_in(character):
    (glyph,) = glyphs_of_text(character)
    if not glyph.dim:
        assert glyph.text.removeprefix("◌" if unicodedata.category(character)[0] == "M" else "") == character


def test_runs_of_one_sort_are_one_glyph():
    assert glyphs_of_text("low er") == (Glyph("low"), Glyph("␣", dim=True), Glyph("er"))
    assert glyphs_of_text("\n\n  x") == (Glyph("⏎⏎␣␣", dim=True), Glyph("x"))
    assert glyphs_of_text("") == ()


def test_the_stand_in_as_text_is_told_from_the_stand_in():
    assert glyphs_of_text("␣ ") == (Glyph("␣"), Glyph("␣", dim=True))
    assert glyphs_of_text("U+200B") == (Glyph("U+200B"),)


def test_combining_marks_stand_on_a_letter_or_on_a_circle():
    assert glyphs_of_text("e\u0301") == (Glyph("e\u0301"),)
    assert glyphs_of_text("\u0301") == (Glyph("◌\u0301"),)
    assert glyphs_of_text("e\u0301\u0323") == (Glyph("e\u0301\u0323"),)
    assert glyphs_of_text(" \u0301") == (Glyph("␣", dim=True), Glyph("◌\u0301"))
    assert glyphs_of_text("क\u093f") == (Glyph("क\u093f"),)  # a spacing mark
    assert glyphs_of_text("\u093f") == (Glyph("◌\u093f"),)
    assert glyphs_of_text("1\u20e3") == (Glyph("1\u20e3"),)  # an enclosing one


def test_a_circle_that_is_text_stays():
    assert glyphs_of_text("a◌") == (Glyph("a◌"),)


def test_right_to_left_letters_keep_their_order_and_direction_marks_show():
    assert glyphs_of_text("שלום") == (Glyph("שלום"),)
    assert glyphs_of_text("ا\u200eب") == (Glyph("ا"), Glyph("U+200E", dim=True), Glyph("ب"))


def test_emoji_sequences_show_what_joins_them():
    assert glyphs_of_text("👩\u200d👧") == (Glyph("👩"), Glyph("U+200D", dim=True), Glyph("👧"))
    assert glyphs_of_text("❤\ufe0f") == (Glyph("❤"), Glyph("U+FE0F", dim=True))
    assert glyphs_of_text("👍🏽") == (Glyph("👍🏽"),)
    assert glyphs_of_text("🇳🇱") == (Glyph("🇳🇱"),)


@pytest.mark.parametrize(
    ("token", "label"),
    [
        (b"\xff", "FF"),
        (b"\xe2\x82", "E2 82"),  # the beginning of €
        (b"\x80\xe4\xb8", "80 E4 B8"),  # an end and a beginning
        (b" \xe0\xa4", "␣⟨E0 A4⟩"),
        (b"\xa9a", "⟨A9⟩a"),
        (b"a\xc3", "a⟨C3⟩"),
        ("é".encode() + b"\xc3", "é⟨C3⟩"),
        (b"\xc3\xcc\x81", "⟨C3⟩◌\u0301"),  # the mark does not stand on the bracket
        (b"\xc0\x80", "C0 80"),  # overlong
        (b"\xed\xa0\x80", "ED A0 80"),  # a surrogate
        (b"\xf4\x90\x80\x80", "F4 90 80 80"),  # beyond U+10FFFF
        (b"a\x80b\x80", "a⟨80⟩b⟨80⟩"),
    ],
)
def test_broken_bytes_come_as_hex_and_whole_characters_as_themselves(token, label):
    glyphs, whole = glyphs_of(token)
    assert (shown(glyphs), whole) == (label, False)
    assert chip(300, token).kind == "bytes"


def test_the_replacement_character_as_text_is_no_broken_byte():
    glyphs, whole = glyphs_of("\ufffd".encode())
    assert (shown(glyphs), whole) == ("\ufffd", True)
    assert chip(300, "\ufffd".encode()).kind == "text"
    assert shown(glyphs_of(b"\xef\xbf")[0]) == "EF BF"


@given(st.lists(st.text(max_size=3).map(str.encode) | st.binary(max_size=3), max_size=6).map(b"".join))
def test_a_label_holds_every_byte(token):
    glyphs, whole = glyphs_of(token)
    assert whole == (text_of(token) is not None)
    if not whole and (match := regex.fullmatch("[0-9A-F ]+", shown(glyphs))) and "⟨" not in shown(glyphs):
        assert bytes.fromhex(match[0]) == token
    in_hex = regex.findall(r"⟨([0-9A-F ]+)⟩", shown(glyphs))
    rest = token.decode(errors="surrogateescape")
    broken = "".join(c for c in rest if "\udc80" <= c <= "\udcff").encode(errors="surrogateescape")
    if in_hex and "⟨" not in rest:
        assert bytes.fromhex("".join(in_hex)) == broken


def test_a_short_label_is_not_shortened():
    label = glyphs_of_text("x" * LONGEST)
    assert shortened(label) == (label, False)
    assert not chip(300, b"x" * LONGEST).shortened


def test_a_long_label_loses_its_middle():
    short, cut = shortened(glyphs_of_text("abcdefghijklmnopqrstuvwxyz0123456789"))
    assert cut
    assert short == (Glyph("abcdefghijklmn"), Glyph("…", dim=True), Glyph("23456789"))


def test_the_ellipsis_is_told_from_one_that_is_text():
    assert Glyph("…", dim=True) in shortened(glyphs_of_text("…" * 40))[0]
    assert shortened(glyphs_of_text("…"))[0] == (Glyph("…"),)


PARTS = ["a", " ", "e\u0301", "\u200b", "👩\u200d👧", "❤\ufe0f", "日", "\n", "🇳🇱", "x\u0301\u0302\u0303"]


@given(
    st.lists(st.sampled_from([part.encode() for part in PARTS]) | st.binary(min_size=1, max_size=2), max_size=40).map(
        b"".join
    )
)
def test_shortening_keeps_the_beginning_and_the_end_and_never_cuts_within_a_name_or_a_character(token):
    glyphs, _ = glyphs_of(token)
    short, cut = shortened(glyphs)
    if not cut:
        assert short == glyphs
        return
    label = shown(glyphs)
    ellipsis = short.index(Glyph("…", dim=True))
    begin, end = shown(short[:ellipsis]), shown(short[ellipsis + 1 :])
    assert begin
    assert end
    assert len(begin) <= KEPT[0]
    assert len(end) <= KEPT[1]
    assert label.startswith(begin)
    assert label.endswith(end)
    rest = label[len(begin) :]
    assert not regex.match(r"\p{M}", rest)  # a mark went with its letter
    assert not regex.match(r"\p{M}", end)
    assert not regex.search(r"U\+[0-9A-F]{0,3}$", begin)  # so did the digits with their U+
    assert not regex.match(r"\+|[0-9A-F]⟩", end)


def test_marks_without_end_do_not_make_a_label_long():
    short, cut = shortened(glyphs_of_text("x" + "\u0301" * 5_000))
    assert cut
    assert shown(short).startswith("x\u0301")
    assert len(shown(short)) <= sum(KEPT) + 1


@pytest.mark.parametrize("token", [b"a" * 1_000_000, b"\xff" * 1_000_000, "日".encode() * 333_333, b" \xe0" * 500_000])
def test_a_token_of_a_megabyte_is_labelled_at_once(token):
    begun = time.perf_counter()
    for _ in range(5):
        label = chip(300, token)
    assert time.perf_counter() - begun < 1.5  # about 1 ms each; character by character it would be 3 s
    assert label.shortened
    assert len(shown(label.glyphs)) <= sum(KEPT) + 1
    assert len(label.title) < 600
    assert len(name_of(token)) <= sum(KEPT) + 3


def test_a_very_long_token_is_bytes_when_its_middle_is_broken():
    token = b"a" * 1_000 + b"\xff" + b"a" * 1_000
    assert chip(300, token).kind == "bytes"
    assert shown(chip(300, token).glyphs) == "aaaaaaaaaaaaaa…aaaaaaaa"
    assert chip(300, b"a" * 2_001).kind == "text"


def test_a_very_long_token_begins_and_ends_with_whole_characters():
    label = chip(300, b"x" + "日本".encode() * 1_000)
    assert label.kind == "text"
    assert shown(label.glyphs) == "x日本日本日本日本日本日本日…日本日本日本日本"


def test_a_title_says_id_text_and_bytes():
    assert title_of(119, b"w") == "id 119 · “w” · 1 byte: 77"
    assert title_of(260, b" low") == "id 260 · “␣low” · 4 bytes: 20 6C 6F 77"
    assert title_of(226, b"\xe2") == "id 226 · 1 byte: E2"
    assert title_of(264, b"<s>", special=True) == "special token, id 264 · “<s>” · 3 bytes: 3C 73 3E"
    assert title_of(300, b"a" * 2_000) == f"id 300 · “{'a' * 200}…” · 2,000 bytes: {'61 ' * 32}…"


def test_a_name_is_plain_text_in_which_broken_bytes_are_told_from_letters():
    assert name_of(b"E0") == "E0"
    assert name_of(b"\xe0") == "⟨E0⟩"
    assert name_of(b" \xe0") == "␣⟨E0⟩"
    assert name_of(b"\x80" * 40) == "⟨80 80 80 80 …80 80 80⟩"
    assert name_of(b"a" * 40 + b"\x80") == "aaaaaaaaaaaaaa…aaaa⟨80⟩"


def test_chips_have_roles_and_stable_hues():
    assert chip(256, b"st").hue is None
    assert chip(256, b"st", role="left").role == "left"
    assert chip(256, b"st", coloured=True).hue == chip(256, b"xy", coloured=True).hue == 256 * 5 % 12
    neighbours = [chip(number, b"x", coloured=True).hue for number in range(256, 268)]
    assert sorted(neighbours) == list(range(12))
    special = chip(264, b"<s>", special=True, coloured=True)
    assert (special.kind, special.hue) == ("special", None)
