"""Runs for the views' tests: trained here, without workers, and read as plain text."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.runs.live import LiveRun
from app.views.tokens import Chip, Glyph
from tokenizer import Recipe, train

TOY: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "data" / "golden" / "toy_byte_bpe.json").read_text(encoding="utf-8")
)


def live_of(recipe: Recipe, steps: int | None = None, *, most: int = 20_000) -> LiveRun:
    """A live run of which so many steps are known, or all; `most` is what the server would train."""
    wanted = recipe.merges_wanted
    most = most if wanted is None else min(most, wanted)
    run = train(recipe, steps=most if steps is None else steps)
    worker: Any = None
    return LiveRun(recipe.id, recipe, most, 0, worker, corpus_bytes=len(recipe.corpus.encode()), run=run)


def said(shown: Chip | Iterable[Glyph]) -> str:
    """A chip's label as plain text."""
    return "".join(glyph.text for glyph in (shown.glyphs if isinstance(shown, Chip) else shown))


def row(chips: Iterable[Chip]) -> str:
    """Chips as plain text with spaces between."""
    return " ".join(map(said, chips))


def golden(tokens: Iterable[str]) -> str:
    """Tokens of the golden values as the page shows them."""
    return " ".join(token.replace(" ", "␣").replace("\n", "⏎") for token in tokens)
