"""The corpora that ship with the app, to begin with something; sources and licences are in `data/README.md`."""

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files

from app.views.recipe import SampleView
from tokenizer.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample corpus: `key` in forms, `name` and `about` for people."""

    key: str
    name: str
    about: str

    @property
    def text(self) -> str:
        """The text, character by character as in its file."""
        return _text(self.key)

    @property
    def view(self) -> SampleView:
        """What the list of samples shows of it."""
        return SampleView(self.key, self.name, self.about)


SAMPLES = {
    sample.key: sample
    for sample in (
        Sample("toy", "low, lower, widest, newest", "The example that introduced BPE for words"),
        Sample("hugs", "hug, pug, pun, bun, hugs", "Five words that share their letters, as in many courses"),
        Sample("letters", "aaaa and banana", "Repeated letters: pairs that overlap themselves"),
        Sample("pride", "Pride and Prejudice", "The first pages: English prose, 4,000 characters"),
        Sample("languages", "22 languages", "Article 1 of the Universal Declaration of Human Rights"),
        Sample("code", "A program", "Byte pair encoding in Python: indents, names, brackets"),
    )
}
TOY_SPECIAL_TOKENS = ("<|endoftext|>",)
TOY_VOCAB_SIZE = 265


def toy_recipe() -> Recipe:
    """What the lab shows on a first visit: eight merges, then the vocabulary is full."""
    return Recipe(SAMPLES["toy"].text, special_tokens=TOY_SPECIAL_TOKENS, vocab_size=TOY_VOCAB_SIZE)


def sample_of(digest: str) -> Sample | None:
    """The sample whose text has this SHA-256."""
    return _by_digest().get(digest)


@cache
def _by_digest() -> dict[str, Sample]:
    return {sha256(sample.text.encode()).hexdigest(): sample for sample in SAMPLES.values()}


@cache
def _text(key: str) -> str:
    return files("app").joinpath("data", f"{key}.txt").read_bytes().decode()
