import gzip
from pathlib import Path

from tests.bench import corpus
from tests.bench.stories import END


def test_texts_are_joined_by_the_special_token_plain_or_gzip(tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.txt", tmp_path / "packed.txt.gz"
    plain.write_bytes(b"eins\r\n")
    packed.write_bytes(gzip.compress("zwei é".encode()))
    made = corpus.english([plain, packed], tmp_path)
    assert made.path.read_bytes() == f"eins\r\n{END}zwei é".encode()
    assert made.natural


def test_without_texts_the_samples_are_taken(tmp_path: Path) -> None:
    made = corpus.english([], tmp_path)
    assert made.path.read_bytes().count(END.encode()) == len(corpus.ENGLISH) - 1
    assert (made.name, made.natural) == ("English samples, 0.7 MB", False)


def test_a_large_text_is_cut_from_the_files_if_they_are_long_enough_else_made_up(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0123456789" * 10)
    assert corpus.large([path], 50) == ("0123456789" * 5, "a.txt")
    text, what = corpus.large([path], 500)
    assert (len(text), what) == (500, "made-up English-like text")
