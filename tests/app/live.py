"""Corpora and jobs in files that are there while the tests run, and runs that are trained here, without workers."""

import json
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.arrival import write_corpus
from app.files import Files, blocks_of_text
from app.kept import KeptCorpus, KeptRecipe
from app.runs.book import RunBook
from app.runs.live import LiveRun
from app.runs.training_loop import Job
from app.views.tokens import Chip, Glyph
from tokenizer import Recipe, train

TOY: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "golden" / "toy_byte_bpe.json").read_text(encoding="utf-8")
)


_FOLDER = TemporaryDirectory()  # until this process ends
_tables = count()


def corpus_of(text: str) -> KeptCorpus:
    """A text as a corpus in a file."""
    return write_corpus(Files(Path(_FOLDER.name) / "store"), blocks_of_text(text))


def kept(recipe: Recipe) -> KeptRecipe:
    """A recipe with its corpus in a file."""
    return KeptRecipe(recipe.id, recipe.method, corpus_of(recipe.corpus))


def job_of(
    recipe: Recipe, most: int = 20_000, *, pattern_seconds: float = 20.0, most_table_bytes: int = 10_000_000
) -> Job:
    """What a worker is told to train, with a table of its own."""
    table = Path(_FOLDER.name) / f"table-{next(_tables)}"
    corpus = corpus_of(recipe.corpus)
    return Job(corpus.path, corpus.digest, table, recipe.method, most, pattern_seconds, most_table_bytes)


async def opening(book: RunBook, recipe: Recipe) -> tuple[str, bool]:
    """Open a recipe whose corpus arrives as text; its id, and whether it is new."""
    async with book._store.arriving(blocks_of_text(recipe.corpus)) as corpus:
        return await book.open(recipe.method, corpus)


def live_of(recipe: Recipe, steps: int | None = None, *, most: int = 20_000) -> LiveRun:
    """A live run of which so many steps are known, or all; `most` is what the server would train."""
    wanted = recipe.merges_wanted
    most = most if wanted is None else min(most, wanted)
    run = train(recipe, steps=most if steps is None else steps)
    worker: Any = None
    return LiveRun(recipe.id, recipe.method, corpus_of(recipe.corpus), most, 0, worker, run=run)


def said(shown: Chip | Iterable[Glyph]) -> str:
    """A chip's label as plain text."""
    return "".join(glyph.text for glyph in (shown.glyphs if isinstance(shown, Chip) else shown))


def row(chips: Iterable[Chip]) -> str:
    """Chips as plain text with spaces between."""
    return " ".join(map(said, chips))


def golden(tokens: Iterable[str]) -> str:
    """Tokens of the golden values as the page shows them."""
    return " ".join(token.replace(" ", "␣").replace("\n", "⏎") for token in tokens)
