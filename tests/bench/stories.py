"""English-like short stories of any size: what a corpus of synthetic children's stories is to a trainer.

Few distinct words with Zipf's frequencies in short sentences, dialogue, paragraphs, and a document about every 160
words: so nearly all pre-tokens are repeats, and 22 MB hold some 13,000 distinct ones (of GPT-2's pattern). The words
are made of syllables behind a few frequent ones of English. The same size and seed give the same text everywhere.
"""

import random
from collections.abc import Iterator
from pathlib import Path

END = "<|endoftext|>"
WORDS = 4_400  # each also with a capital, after a space and without one
DRAWS = 1 << 16  # a word is drawn by two random bytes
BLOCK = 20_000  # sentences that are made, and written, at a time: about 0.8 MB

FREQUENT = (
    "the and a to was he she it in of they his her with said but that had for on not you all so were very "
    "one day little then at there is what big be up saw went out wanted them like when him this as mom dad"
)
ONSETS = [*"ttsshwbdfmnclrpgykv", "th", "st", "br", "pr", "tr", "sh", "ch", "", ""]
VOWELS = [*"eeeaaooiiu", "ea", "ou", "ai", "oo", "ee"]
CODAS = [*"nnssttddrrlmp", "ng", "nd", "st", "ll", "ck", *[""] * 12]
NAMES = ("Lily", "Tom", "Mira", "Ben", "Sue", "Max", "Anna", "Tim", "Zoe", "Jack", "Mia", "Sam")
NUMBERS = (2, 3, 4, 5, 7, 10, 12, 25, 100)
# `%s` is a word; the first one of a sentence is written with a capital.
SENTENCES = (
    "%s %s %s %s %s.",
    "%s %s %s %s %s %s.",
    "%s %s %s %s %s %s %s %s.",
    "%s %s %s, %s %s %s %s %s.",
    "%s %s %s %s {name} %s %s.",
    "%s {name} %s %s {name}'s %s %s.",
    "%s %s %s %s, but {name} didn't %s %s %s.",
    "%s %s %s {number} %s %s.",
    '"%s %s %s %s," said {name}.',
    '"%s %s I\'m %s %s!" said {name}.',
    '"%s %s don\'t %s %s?" {name} asked. "It\'s %s %s!"',
)
# What follows a sentence: mostly the next one, at times a paragraph, once in 22 sentences, or 160 words, a document.
FOLLOWING = (*[" "] * 16, *["\n\n"] * 5, f"\n{END}\n")


def write(path: Path, size: int, seed: int = 1) -> None:
    """Write a file of exactly `size` bytes, a block at a time."""
    with path.open("wb") as file:
        for block in _blocks(size, seed):
            file.write(block.encode("ascii"))


def stories(size: int, seed: int = 1) -> str:
    """A text of exactly `size` characters, all ASCII."""
    return "".join(_blocks(size, seed))


def _blocks(size: int, seed: int) -> Iterator[str]:
    chance = random.Random(seed)
    words, sentences = _words(chance), _sentences()
    capitals = {word: word.capitalize() for word in words}
    drawable = _by_zipf(words)
    while size:
        block = _block(chance, drawable, capitals, sentences)[:size]
        size -= len(block)
        yield block


def _block(chance: random.Random, drawable: list[str], capitals: dict[str, str], sentences: list[str]) -> str:
    chosen = chance.choices(sentences, k=BLOCK)
    following = chance.choices(FOLLOWING, k=BLOCK)
    slots = {sentence: sentence.count("%s") for sentence in sentences}
    needed = sum(map(slots.__getitem__, chosen))
    words = list(map(drawable.__getitem__, memoryview(chance.randbytes(2 * needed)).cast("H")))
    parts, place = [], 0
    for sentence, after in zip(chosen, following, strict=True):
        end = place + slots[sentence]
        parts.append(sentence % (capitals[words[place]], *words[place + 1 : end]))
        parts.append(after)
        place = end
    return "".join(parts)


def _sentences() -> list[str]:
    """Every kind of sentence with every name and number, each kind as often as any other."""
    filled = [(kind, name, number) for kind in SENTENCES for name in NAMES for number in NUMBERS]
    return [kind.format(name=name, number=number) for kind, name, number in filled]


def _words(chance: random.Random) -> list[str]:
    """Distinct words, the frequent ones first and mostly short."""
    found = dict.fromkeys(FREQUENT.split())
    while len(found) < WORDS:
        syllables = chance.randint(1, 1 + (len(found) > 200) + (len(found) > 2_000))
        found.setdefault("".join(chance.choice(part) for _ in range(syllables) for part in (ONSETS, VOWELS, CODAS)))
    return list(found)


def _by_zipf(words: list[str]) -> list[str]:
    """Each word as often among `DRAWS` places as Zipf's law (with Mandelbrot's shift) says, but at least once."""
    weights = [1 / (rank + 2.7) for rank in range(len(words))]
    share = (DRAWS - len(words)) / sum(weights)
    places = [word for word, weight in zip(words, weights, strict=True) for _ in range(1 + int(weight * share))]
    return places + words[: DRAWS - len(places)]
