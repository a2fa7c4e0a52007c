"""What comes in, checked: JSON and form fields become a `Recipe`, queries a `LabQuery`.

The limits of `Settings` are held here, for both ways in, by the same functions; what the engine itself demands
(`Recipe.validate`) is asked last. A limit's error says the limit and what was sent.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import FormData

from app.bodies import text_of
from app.faults import Fault
from app.samples import SAMPLES
from app.settings import Settings
from app.views import FieldError, RecipeForm
from tokenizer.errors import CorpusError, RecipeError
from tokenizer.patterns import NAMED, SplitPattern, custom
from tokenizer.recipe import TIE_RULES, Recipe, TieRule

T = TypeVar("T")

PatternName = Literal["gpt2", "cl100k_base", "o200k_base", "whitespace", "none"]
Specials = Literal["as_special", "as_text"]
CUSTOM = "custom"
MOST_OFFSET = 1_000_000_000
MOST_STEP = 1_000_000_000
PATTERN_LABELS = {
    "gpt2": "gpt2",
    "cl100k_base": "cl100k_base",
    "o200k_base": "o200k_base",
    "whitespace": "whitespace",
    "none": "none: a document is one row",
    CUSTOM: "your own",
}
TIE_RULE_LABELS = {"greater_bytes": "greater bytes", "first_seen": "first seen", "lower_ids": "lower ids"}
NUMBER = re.compile(r"[0-9]{1,12}")

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
    pattern: PatternName | CustomPattern = "gpt2"
    tie_rule: TieRule = "greater_bytes"
    special_tokens: list[str] = []
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


def over_limits(recipe: Recipe, settings: Settings) -> Iterator[RecipeError]:
    """What of a recipe is beyond the limits of this server, each with its field."""
    limit = settings.max_corpus_bytes_none if recipe.pattern.name == "none" else settings.max_corpus_bytes
    if (size := len(recipe.corpus.encode())) > limit:
        of_pattern = " with the pattern none" if recipe.pattern.name == "none" else ""
        yield RecipeError(f"The corpus has {size:,} bytes; at most {limit:,} are taken{of_pattern}.", field="corpus")
    yield from special_tokens_over_limits(recipe.special_tokens, settings)
    if recipe.vocab_size is not None and recipe.vocab_size > settings.max_vocab_size:
        yield RecipeError(
            f"A vocabulary of {recipe.vocab_size:,} is too large: at most {settings.max_vocab_size:,} are made.",
            field="vocab_size",
        )
    if recipe.min_count > settings.max_min_count:
        yield RecipeError(
            f"The minimum count is {recipe.min_count:,}; at most {settings.max_min_count:,} is taken.",
            field="min_count",
        )


def special_tokens_over_limits(tokens: tuple[str, ...], settings: Settings) -> Iterator[RecipeError]:
    """What of special tokens is beyond the limits: how many, how long."""
    if len(tokens) > settings.max_special_tokens:
        yield RecipeError(
            f"There are {len(tokens):,} special tokens; at most {settings.max_special_tokens:,} are taken.",
            field="special_tokens",
        )
    for place, token in enumerate(tokens):
        if len(token) > settings.max_special_token_chars:
            yield RecipeError(
                f"Special token {place + 1} has {len(token):,} characters; "
                f"at most {settings.max_special_token_chars:,} are taken.",
                field="special_tokens",
                position=place,
            )
            return


def checked_special_tokens(tokens: list[str], settings: Settings) -> tuple[str, ...]:
    """Special tokens, within the limits, none empty and none twice.

    Raises:
        RecipeError: the first that is not.
    """
    recipe = Recipe("", special_tokens=tuple(tokens))
    for error in special_tokens_over_limits(recipe.special_tokens, settings):
        raise error
    recipe.validate()
    return recipe.special_tokens


def check_text(text: str, settings: Settings, *, field: str = "text") -> None:
    """Hold the limit of texts to trace, encode or cut.

    Raises:
        Fault: it is too long; says how long it is and may be.
    """
    if (size := len(text.encode())) > settings.max_text_bytes:
        raise Fault(
            422,
            "too_long",
            f"The text has {size:,} bytes; at most {settings.max_text_bytes:,} are taken.",
            field,
        )


def check_ids(ids: list[int], settings: Settings) -> None:
    """Hold the limit of ids to decode."""
    if len(ids) > settings.max_ids:
        raise Fault(
            422, "too_long", f"There are {len(ids):,} ids; at most {settings.max_ids:,} are decoded at once.", "ids"
        )


def ids_of(text: str, settings: Settings) -> list[int]:
    """The ids in a text of numbers, apart by commas or spaces; brackets around them are fine.

    Raises:
        Fault: something in it is no id; `position` counts the entries from 0.
    """
    words = text.strip().removeprefix("[").removesuffix("]").replace(",", " ").split()
    for place, word in enumerate(words[: settings.max_ids + 1]):
        if not NUMBER.fullmatch(word):
            message = f"Entry {place + 1}, “{word[:40]}”, is no id; ids are whole numbers from 0."
            raise Fault(422, "invalid", message, "ids", place)
    ids = [int(word) for word in words[: settings.max_ids + 1]]
    check_ids(ids if len(words) <= settings.max_ids else [0] * len(words), settings)
    return ids


def from_text_box(text: str) -> str:
    """What a person wrote into a text box: browsers send line ends as CR LF, whatever the text held (HTML standard)."""
    return text.replace("\r\n", "\n")


def in_text_box(text: str) -> str:
    """What a text box holds of a text: line feeds for every kind of line end, U+FFFD for NUL (HTML standard)."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def kept(written: str, original: str) -> str:
    """The original, where a text box that held it came back unchanged; else what was written."""
    return original if from_text_box(written) == in_text_box(original) else from_text_box(written)


def decode_file(data: bytes, read_as: str = "strict") -> str:
    """The text of an uploaded file, character by character: a byte order mark and CR LF stay.

    Args:
        data: the file.
        read_as: "replace" for UTF-8 with U+FFFD where it is not, "latin-1", anything else for UTF-8 alone.

    Raises:
        CorpusError: it is not UTF-8; `position` is the offset of the first byte at fault.
    """
    if read_as == "latin-1":
        return data.decode("latin-1")
    try:
        return data.decode(errors="replace" if read_as == "replace" else "strict")
    except UnicodeDecodeError as error:
        hint = " It looks like UTF-16; save it as UTF-8." if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise CorpusError(
            f"The file is not UTF-8: byte {error.start:,} (counted from 0) is 0x{data[error.start]:02X}, "
            f"which cannot stand there.{hint}",
            field="corpus",
            position=error.start,
        ) from error


@dataclass(frozen=True, slots=True)
class RecipeFields:
    """The recipe editor as it was sent, but for the corpus, which may come in other ways than as text."""

    pattern: str
    custom: str
    tie_rule: str
    special_tokens: str
    vocab_size: str
    min_count: str

    @classmethod
    def of_form(cls, form: FormData) -> "RecipeFields":
        """The fields of a form; those that are not there have the defaults of a recipe."""
        return cls(
            pattern=text_of(form, "pattern", "gpt2"),
            custom=text_of(form, "custom"),
            tie_rule=text_of(form, "tie_rule", "greater_bytes"),
            special_tokens=text_of(form, "special_tokens"),
            vocab_size=text_of(form, "vocab_size").strip(),
            min_count=text_of(form, "min_count", "1").strip() or "1",
        )

    @classmethod
    def of_recipe(cls, recipe: Recipe) -> "RecipeFields":
        """The fields that show a recipe."""
        return cls(
            pattern=recipe.pattern.name if recipe.pattern.name in NAMED else CUSTOM,
            custom="" if recipe.pattern.name in NAMED else recipe.pattern.source,
            tie_rule=recipe.tie_rule,
            special_tokens="\n".join(recipe.special_tokens),
            vocab_size="" if recipe.vocab_size is None else str(recipe.vocab_size),
            min_count=str(recipe.min_count),
        )

    def to_recipe(self, corpus: str, base: Recipe | None, settings: Settings) -> tuple[Recipe | None, list[FieldError]]:
        """The recipe of these fields and a corpus, or all that is wrong with it; call it in a thread.

        Args:
            corpus: the text to train on.
            base: the recipe that the editor showed; a field that comes back as its text box held it means the very
                text of this one, which a text box may be unable to hold.
            settings: the limits.
        """
        errors: list[RecipeError] = []
        min_count = _tried(errors, 1, _number, self.min_count, "min_count", "minimum count")
        recipe = Recipe(
            corpus=corpus,
            pattern=_tried(errors, NAMED["gpt2"], self._pattern, base),
            tie_rule=_tried(errors, TIE_RULES[0], self._tie_rule),
            special_tokens=self._special_tokens(base),
            vocab_size=_tried(errors, None, _number, self.vocab_size, "vocab_size", "vocabulary size"),
            min_count=1 if min_count is None else min_count,
        )
        errors += over_limits(recipe, settings)
        if not errors:
            _tried(errors, None, recipe.validate)
        return (None if errors else recipe), [FieldError(self._field(error), error.message) for error in errors]

    def _field(self, error: RecipeError) -> str:
        """The field of the form that an error stands beside."""
        if error.field == "pattern" and self.pattern == CUSTOM:
            return CUSTOM
        return error.field or "corpus"

    def _pattern(self, base: Recipe | None) -> SplitPattern:
        if self.pattern == CUSTOM:
            return custom(kept(self.custom, base.pattern.source) if base else from_text_box(self.custom))
        if self.pattern not in NAMED:
            raise RecipeError(f"There is no split pattern “{self.pattern[:40]}”.", field="pattern")
        return NAMED[self.pattern]

    def _tie_rule(self) -> TieRule:
        for rule in TIE_RULES:
            if rule == self.tie_rule:
                return rule
        raise RecipeError(f"There is no tie rule “{self.tie_rule[:40]}”.", field="tie_rule")

    def _special_tokens(self, base: Recipe | None) -> tuple[str, ...]:
        if base and kept(self.special_tokens, shown := "\n".join(base.special_tokens)) == shown:
            return base.special_tokens
        return tuple(line for line in from_text_box(self.special_tokens).split("\n") if line)


def _tried(errors: list[RecipeError], otherwise: T, read: Callable[..., T], *args: object) -> T:
    """What `read` gives; where it cannot, `otherwise`, and the error joins the others."""
    try:
        return read(*args)
    except RecipeError as error:
        errors.append(error)
        return otherwise


def _number(text: str, field: str, name: str) -> int | None:
    digits = text.replace(",", "").replace(" ", "")
    if not digits:
        return None
    if not NUMBER.fullmatch(digits):
        raise RecipeError(f"The {name} must be a whole number such as 300; it is “{text[:40]}”.", field=field)
    return int(digits)


def recipe_form(
    fields: RecipeFields,
    settings: Settings,
    *,
    base: Recipe | None,
    text: str | None = None,
    errors: Sequence[FieldError] = (),
    kept_upload: str = "",
    values: Mapping[str, str] | None = None,
) -> RecipeForm:
    """The recipe editor, filled; call it in a thread, a recipe's id is made of its whole corpus.

    Args:
        fields: its fields but for the corpus.
        settings: the limits.
        base: the recipe that it began with; a corpus beyond `Settings.textarea_bytes` is kept by this one's id and not
            put into the text box.
        text: what the text box held when the form was sent.
        errors: what is wrong with the fields.
        kept_upload: the key to a file that is kept.
        values: the source and the sample that were chosen.
    """
    corpus = base.corpus if base else ""
    size = len(corpus.encode())
    long = size > settings.textarea_bytes
    shown = "" if long and text is None else in_text_box(corpus if text is None else text)
    return RecipeForm(
        corpus=shown if len(shown) <= settings.max_corpus_bytes else "",
        corpus_note=f"It has {size:,} bytes, too many to edit here, and stays as it is." if long else "",
        base=base.id if base else "",
        pattern=fields.pattern,
        custom=in_text_box(fields.custom),
        tie_rule=fields.tie_rule,
        special_tokens=in_text_box(fields.special_tokens),
        vocab_size=fields.vocab_size,
        min_count=fields.min_count,
        patterns=tuple(PATTERN_LABELS.items()),
        tie_rules=tuple(TIE_RULE_LABELS.items()),
        samples=tuple(sample.view for sample in SAMPLES.values()),
        errors=tuple(errors),
        kept_upload=kept_upload,
        limits=f"Up to {settings.max_corpus_bytes:,} bytes of UTF-8"
        f" ({settings.max_corpus_bytes_none:,} with the pattern none).",
        values=dict(values or {}),
    )
