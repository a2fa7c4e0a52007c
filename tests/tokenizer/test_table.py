"""Tables: marks, and tables as bytes."""

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer.strategies import texts_with_specials
from tokenizer import NAMED, Table
from tokenizer.counting import count
from tokenizer.table import Mark


@given(sample=texts_with_specials(), name=st.sampled_from(["gpt2", "none"]))
def test_a_table_comes_back_from_its_bytes_as_it_was(sample: tuple[str, list[str]], name: str) -> None:
    text, specials = sample
    table = count(text, NAMED[name], specials)
    back = Table.from_bytes(table.to_bytes())
    for field in fields(Table):
        assert getattr(back, field.name) == getattr(table, field.name), field.name
        assert type(getattr(back, field.name)) is type(getattr(table, field.name)), field.name
    assert all(isinstance(mark, Mark) for mark in back.marks)
    assert back.to_bytes() == table.to_bytes()


def test_the_bytes_of_a_table_are_those_of_the_format() -> None:
    data = count("a b a<s>", NAMED["gpt2"], ["<s>"]).to_bytes()
    assert data[:12] == b"MNTABLE\n\x01\0\0\0"
    numbers = [int.from_bytes(data[at : at + 8], "little") for at in range(44, len(data) - 5, 8)]
    assert numbers == [3, 5, 3, 5, 8, 1, 0, *(0, 1, 3, 5), *(1, 1, 1), *(0, 1, 2), *(0, 0, 0)]
    assert data[-5:] == b"a b a"


def test_damaged_bytes_are_refused_wherever_the_damage_is() -> None:
    data = count("some text, some more", NAMED["gpt2"]).to_bytes()
    for at in range(len(data)):
        with pytest.raises(ValueError, match="count the corpus again"):
            Table.from_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(ValueError, match="count the corpus again"):
            Table.from_bytes(data[:at])
    with pytest.raises(ValueError, match="damaged"):
        Table.from_bytes(data + b"\0")


def test_tables_of_another_version_are_told_from_damaged_ones() -> None:
    data = bytearray(count("text", NAMED["gpt2"]).to_bytes())
    data[8] = 9
    with pytest.raises(ValueError, match="has format 9"):
        Table.from_bytes(bytes(data))


def test_before_the_first_mark_cutting_begins_at_the_start() -> None:
    assert count("", NAMED["gpt2"]).mark_before(5) == Mark(0, 0, 0)
