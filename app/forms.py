"""What comes in as JSON or in a query, checked: a `Recipe`, a `LabQuery`.

The limits of `Settings` are asked first (`limits.py`), then what the engine itself demands (`Recipe.validate`).
"""

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, FailFast, Field

from app.limits import corpus_over_limits, over_limits
from app.settings import Settings
from tokenizer.patterns import NAMED, SplitPattern, custom
from tokenizer.recipe import Recipe, TieRule

if TYPE_CHECKING:
    PatternName = str
else:  # what comes in is held to the names that there are, and they are listed in what describes the interface
    PatternName = Literal[*NAMED]
Specials = Literal["as_special", "as_text"]
MOST_OFFSET = 1_000_000_000
MOST_STEP = 1_000_000_000
TIE_RULE_LABELS = {"greater_bytes": "greater bytes", "first_seen": "first seen", "lower_ids": "lower ids"}

# The first entry that is no text ends the check: a list of a million of them would be told entry by entry.
SpecialTokens = Annotated[list[str], FailFast()]
Offset = Annotated[int, Field(ge=0, le=MOST_OFFSET)]


class LabQuery(BaseModel):
    """Which windows of a step's lists are shown: offsets, searches, the order of the rows.

    `counts` are the pair counts before the step (those that it chose from) or after it, `cut` the corpus's pieces.
    """

    model_config = ConfigDict(frozen=True)

    rows: Offset = 0
    rows_q: Annotated[str, Field(max_length=200)] = ""
    pairs: Offset = 0
    pairs_q: Annotated[str, Field(max_length=200)] = ""
    order: Literal["changed", "table"] = "changed"
    merges: Offset = 0
    cut: Offset = 0
    counts: Literal["before", "now"] = "before"

    @property
    def key(self) -> str:
        """The query as a short text, the same for queries that mean the same; "" for the default one."""
        return self.model_dump_json(exclude_defaults=True) if self != LabQuery() else ""


class CustomPattern(BaseModel):
    """A split pattern of one's own."""

    model_config = ConfigDict(extra="forbid", strict=True)

    custom: Annotated[str, Field(description="a regular expression in the syntax of the `regex` package")]


class RecipeIn(BaseModel):
    """The recipe of a run, in JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    corpus: Annotated[str, Field(description="the text that training reads, as it is: CR LF stays CR LF")]
    algorithm: Annotated[str, Field(description="`byte_bpe` is the one so far")] = "byte_bpe"
    pattern: Annotated[PatternName | CustomPattern, Field(description='a name, or `{"custom": "…"}`')] = "gpt2"
    tie_rule: TieRule = "greater_bytes"
    special_tokens: SpecialTokens = []
    vocab_size: Annotated[int | None, Field(description="null: until nothing is left to merge")] = None
    min_count: int = 1

    def to_recipe(self, settings: Settings) -> Recipe:
        """The recipe, within the limits; call it in a thread, a custom pattern is tried out.

        Raises:
            RecipeError: the first thing that is wrong.
        """
        recipe = Recipe(
            corpus=self.corpus,
            algorithm=self.algorithm,
            pattern=pattern_of(self.pattern),
            tie_rule=self.tie_rule,
            special_tokens=tuple(self.special_tokens),
            vocab_size=self.vocab_size,
            min_count=self.min_count,
        )
        for error in corpus_over_limits(len(self.corpus.encode()), recipe, settings, typed=True):
            raise error
        for error in over_limits(recipe, settings):
            raise error
        recipe.validate()
        return recipe


def pattern_of(given: PatternName | CustomPattern) -> SplitPattern:
    """The pattern of this name, or one of the user's own.

    Raises:
        PatternError: their own cannot be used.
    """
    return custom(given.custom) if isinstance(given, CustomPattern) else NAMED[given]
