"""Byte classes: where GPT-2's pattern cuts, without it."""

from collections.abc import Mapping

import pytest
from hypothesis import example, given

from tests.tokenizer import oracle
from tests.tokenizer.fast.nasty import lines, texts
from tests.tokenizer.strategies import scaled
from tokenizer.fast.byte_classes import units
from tokenizer.patterns import GPT2
from tokenizer.pretokens import SpecialTokens, pieces


def needs_pattern(text: str) -> bool:
    """Whether there is white space above ASCII in it, or a character of four bytes."""
    return any(character > "\uffff" or (character.isspace() and not character.isascii()) for character in text)


def cut(text: str, specials: list[str]) -> tuple[list[tuple[str, bool]], list[str]]:
    """The pieces of the units, zones cut by the definition, each with whether it is special; and the zones."""
    data = text.encode()
    if not data:
        return [], []
    found = units(data, SpecialTokens(tuple(specials)).spans(data))
    assert found.starts.tolist() == [0, *(found.starts + found.lengths).tolist()[:-1]]
    assert found.starts[-1] + found.lengths[-1] == len(data)
    special, zone = set(found.specials.tolist()), set(found.zones.tolist())
    cuts: list[tuple[str, bool]] = []
    zones = []
    for number, (start, length) in enumerate(zip(found.starts.tolist(), found.lengths.tolist(), strict=True)):
        unit = data[start : start + length].decode()
        if number in zone:
            zones.append(unit)
            cuts += [(word, False) for word in oracle.pre_tokens(unit, oracle.GPT2)]
        else:
            assert number in special or not needs_pattern(unit)
            cuts.append((unit, number in special))
    return cuts, zones


@scaled(3)
@given(sample=texts() | lines())
@example(sample=("a's'sx 's 'll''re'r", []))
@example(sample=("'s's", ["s"]))
@example(sample=("a  <s>  b  ", ["<s>"]))
@example(sample=("a <s> b", ["<s> "]))
@example(sample=("<s>é a", ["<s>"]))
def test_units_are_the_pieces_of_the_definition(sample: tuple[str, list[str]]) -> None:
    text, specials = sample
    cuts, zones = cut(text, specials)
    assert cuts == [(piece.text, piece.special) for piece in oracle.cut(text, oracle.GPT2, specials)]
    assert all(map(needs_pattern, zones))


def test_a_zone_reaches_from_one_lone_space_to_the_next() -> None:
    _, zones = cut("plain caf\u00e9  x\u00a0 y plain \u201c\U0001f600\u201d<s>\u3000<s> plain", ["<s>"])
    assert zones == [" caf\u00e9  x\u00a0 y", " \u201c\U0001f600\u201d", "\u3000"]


def test_every_character_of_up_to_three_bytes_is_cut_as_by_the_pattern() -> None:
    characters = [chr(code) for code in range(0x10000) if not 0xD800 <= code < 0xE000]
    text = " ".join(f"a{character}1{character}. {character}{character}'s\n{character}" for character in characters)
    cuts, zones = cut(text, [])
    assert [unit for unit, _ in cuts] == GPT2.compiled.findall(text)
    assert len(zones) < 100


def test_real_text_is_cut_as_by_the_pattern(english: Mapping[str, str], udhr: Mapping[str, str]) -> None:
    for text in [*english.values(), *list(udhr.values())[::40]]:
        cuts, _ = cut(text, ["Article 1"])
        assert cuts == [(piece.text, piece.special) for piece in pieces(text, GPT2, ["Article 1"])]


@pytest.mark.parametrize("byte", range(128))
def test_every_ascii_byte_is_classed_as_the_pattern_does(byte: int) -> None:
    for text in (f"a{chr(byte)}a", f"1{chr(byte)}1", f" {chr(byte)} ", f"!{chr(byte)}!", f"\n{chr(byte)}a"):
        assert [word for word, _ in cut(text, [])[0]] == oracle.pre_tokens(text, oracle.GPT2)
