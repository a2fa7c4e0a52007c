"""GPT-2's byte alphabet, beside the one of the `tokenizers` package."""

import pytest

from tokenizer.byte_level import CHARACTERS, printable

tokenizers = pytest.importorskip("tokenizers")


def test_every_byte_has_a_character_of_its_own() -> None:
    assert sorted(CHARACTERS) == list(range(256))
    assert len(set(CHARACTERS.values())) == 256


def test_the_characters_are_those_of_the_tokenizers_package() -> None:
    assert set(CHARACTERS.values()) == set(tokenizers.pre_tokenizers.ByteLevel.alphabet())


@pytest.mark.parametrize("text", ["a b\n\tc", "naïve", "日本語", "\0\x7f\x85\xad", "🙂"])
def test_a_text_is_spelled_as_by_the_tokenizers_package(text: str) -> None:
    peer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    assert printable(text.encode()) == "".join(piece for piece, _ in peer.pre_tokenize_str(text))
