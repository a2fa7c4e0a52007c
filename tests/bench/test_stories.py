from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from tests.bench.stories import END, stories, write
from tokenizer import GPT2


def pre_tokens(text: str) -> Counter[str]:
    pattern = GPT2.compiled
    return Counter(chain.from_iterable(pattern.findall(document) for document in text.split(END)))


def test_the_same_size_and_seed_give_the_same_text_and_another_seed_another() -> None:
    assert stories(50_000) == stories(50_000)
    assert stories(50_000, seed=2) != stories(50_000)


@pytest.mark.parametrize("size", [0, 1, 1_999_999])
def test_a_text_and_a_file_have_exactly_the_size_asked_for(size: int, tmp_path: Path) -> None:
    write(tmp_path / "stories.txt", size)
    assert (tmp_path / "stories.txt").read_bytes() == stories(size).encode("ascii")
    assert len(stories(size)) == size


def test_a_longer_text_begins_with_the_shorter_one() -> None:
    assert stories(3_000_000).startswith(stories(2_000_000))


def test_it_has_documents_of_about_160_words_paragraphs_dialogue_contractions_and_digits() -> None:
    text = stories(2_000_000)
    assert 140 <= len(text.split()) / text.count(END) <= 185
    assert text.count("\n\n") > text.count(END)
    counts = pre_tokens(text)
    assert all(counts[piece] > 100 for piece in (' "', '!"', "'t", "'m", " Lily", " 25", " the", " The", "The"))


def test_few_words_are_most_of_it_and_nearly_all_pre_tokens_are_repeats() -> None:
    counts = pre_tokens(stories(2_000_000))
    assert len(counts) < 0.03 * counts.total()
    assert sum(count for _, count in counts.most_common(100)) > counts.total() / 2


@pytest.mark.full
def test_22_mb_have_about_13_000_distinct_pre_tokens() -> None:
    assert 12_500 <= len(pre_tokens(stories(22_000_000))) <= 13_500
