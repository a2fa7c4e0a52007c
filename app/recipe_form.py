"""The recipe editor: its fields become a `Method`, or all that is wrong with it beside each; and how it is filled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from starlette.datastructures import FormData

from app.bodies import text_of
from app.forms import TIE_RULE_LABELS
from app.kept import KeptRecipe
from app.limits import NUMBER, corpus_over_limits, over_limits
from app.samples import SAMPLES
from app.settings import Settings
from app.sizes import limit_in_words, size_in_words
from app.text_boxes import from_text_box, in_text_box, kept
from app.views.recipe import FieldError, RecipeForm
from tokenizer.errors import RecipeError
from tokenizer.patterns import NAMED, NONE, SplitPattern, custom
from tokenizer.recipe import BYTES, TIE_RULES, Method, TieRule

T = TypeVar("T")

CUSTOM = "custom"
PATTERN_LABELS = {
    **{name: name for name in NAMED},
    NONE.name: "none: a document is one row",
    CUSTOM: "custom: your own expression",
}


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
    def of_method(cls, method: Method) -> "RecipeFields":
        """The fields that show a method."""
        return cls(
            pattern=method.pattern.name if method.pattern.name in NAMED else CUSTOM,
            custom="" if method.pattern.name in NAMED else method.pattern.source,
            tie_rule=method.tie_rule,
            special_tokens="\n".join(method.special_tokens),
            vocab_size="" if method.vocab_size is None else str(method.vocab_size),
            min_count=str(method.min_count),
        )

    def to_method(
        self, base: Method | None, settings: Settings, *, corpus_bytes: int = 0, typed: bool = False
    ) -> tuple[Method | None, list[FieldError]]:
        """The method of these fields, or all that is wrong with it; call it in a thread.

        Args:
            base: the method that the editor showed; a field that comes back as its text box held it means the very
                text of this one, which a text box may be unable to hold.
            settings: the limits.
            corpus_bytes: of the corpus that it is for.
            typed: whether that came as text and not in a file.
        """
        errors: list[RecipeError] = []
        min_count: int | None = _tried(errors, None, _number, self.min_count, "min_count", "minimum count")
        method = Method(
            pattern=_tried(errors, NAMED["gpt2"], self._pattern, base),
            tie_rule=_tried(errors, TIE_RULES[0], self._tie_rule),
            special_tokens=self._special_tokens(base),
            vocab_size=_tried(errors, None, _number, self.vocab_size, "vocab_size", "vocabulary size"),
            min_count=1 if min_count is None else min_count,
        )
        errors += corpus_over_limits(corpus_bytes, method, settings, typed=typed)
        errors += over_limits(method, settings)
        _tried(errors, None, method.validate)
        return (None if errors else method), [FieldError(self._field(error), error.message) for error in errors]

    def _field(self, error: RecipeError) -> str:
        """The field of the form that an error stands beside."""
        if error.field == "pattern" and self.pattern == CUSTOM:
            return CUSTOM
        return error.field or "corpus"

    def _pattern(self, base: Method | None) -> SplitPattern:
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

    def _special_tokens(self, base: Method | None) -> tuple[str, ...]:
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
    base: KeptRecipe | None,
    base_text: str,
    text: str | None = None,
    errors: Sequence[FieldError] = (),
    kept_upload: str = "",
    kept_name: str = "",
    values: Mapping[str, str] | None = None,
) -> RecipeForm:
    """The recipe editor, filled.

    Args:
        fields: its fields but for the corpus.
        settings: the limits.
        base: the recipe that it began with; a corpus beyond `Settings.textarea_bytes` is kept by this one's id and not
            put into the text box.
        base_text: its corpus, where it is not too long.
        text: what the text box held when the form was sent.
        errors: what is wrong with the fields.
        kept_upload: the key to a file that is kept.
        kept_name: its name.
        values: the source and the sample that were chosen.
    """
    size = base.corpus.bytes if base else 0
    long = size > settings.textarea_bytes
    shown = in_text_box(base_text if text is None else text)
    return RecipeForm(
        corpus=shown if len(shown) <= settings.max_body_bytes else "",
        corpus_note=f"It has {size_in_words(size)}, too much to edit here, and stays as it is." if long else "",
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
        kept_name=kept_name[:100],
        limits=_limits(settings),
        largest_file=settings.max_corpus_bytes,
        values=dict(values or {}),
        merges=_merges(fields),
    )


def _limits(settings: Settings) -> str:
    file = limit_in_words(settings.max_corpus_bytes)
    typed = limit_in_words(min(settings.max_typed_bytes, settings.max_corpus_bytes))
    row = limit_in_words(settings.max_corpus_bytes_none)
    return f"A file of up to {file} of UTF-8, a text of up to {typed}; {row} with the pattern none."


def _merges(fields: RecipeFields) -> int | None:
    """How many merges the vocabulary size leaves room for; None where it says nothing."""
    size = fields.vocab_size
    if not (size.isascii() and size.isdigit() and len(size) < 10):
        return None
    specials = sum(1 for line in fields.special_tokens.splitlines() if line)
    return max(int(size) - BYTES - specials, 0)
