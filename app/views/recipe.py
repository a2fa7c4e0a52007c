"""The recipe editor."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SampleView:
    """A corpus that ships with the project."""

    key: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a form."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class RecipeForm:
    """The recipe editor. `corpus` is what the text box holds; `base` the run whose corpus is kept if unchanged."""

    corpus: str
    corpus_note: str  # for corpora too long for a text box: "The corpus has 5,100,000 bytes; ..." ("" else)
    base: str
    pattern: str
    custom: str
    tie_rule: str
    special_tokens: str  # one a line
    vocab_size: str
    min_count: str
    patterns: tuple[tuple[str, str], ...]  # value, label
    tie_rules: tuple[tuple[str, str], ...]
    samples: tuple[SampleView, ...]
    errors: tuple[FieldError, ...] = ()
    kept_upload: str = ""  # key of an upload that is kept, so that it need not be chosen again or is read another way
    kept_name: str = ""  # of its file
    limits: str = ""  # "A file of up to 64 MB of UTF-8, ..."
    largest_file: int = 0  # bytes
    merges: int | None = None  # how many the vocabulary size leaves room for
    values: dict[str, str] = field(default_factory=dict)
