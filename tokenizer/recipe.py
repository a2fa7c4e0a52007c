"""A recipe is all that determines a run: a corpus, and a method (split pattern, tie rule, special tokens, limits)."""

import json
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Literal, get_args

import regex

from tokenizer.errors import RecipeError
from tokenizer.patterns import GPT2, NAMED, SplitPattern, custom

FORMAT = 2  # changes when the same recipe would give another run
TieRule = Literal["greater_bytes", "first_seen", "lower_ids"]
TIE_RULES: tuple[TieRule, ...] = get_args(TieRule)
SURROGATES = regex.compile("[\ud800-\udfff]")
BYTES = 256  # the base vocabulary: every byte is a token


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """How to train: all of a recipe but its corpus.

    `vocab_size` counts the 256 bytes, the merges and the special tokens; None trains until nothing is left to merge.
    A pair is merged as long as it occurs at least `min_count` times.
    """

    algorithm: str = "byte_bpe"
    pattern: SplitPattern = GPT2
    tie_rule: TieRule = "greater_bytes"
    special_tokens: tuple[str, ...] = ()
    vocab_size: int | None = None
    min_count: int = 1

    @property
    def merges_wanted(self) -> int | None:
        """How many merges the vocabulary size leaves room for; None without a size."""
        return None if self.vocab_size is None else self.vocab_size - BYTES - len(self.special_tokens)

    def run_id(self, digest: str) -> str:
        """The name of the run of this method on a corpus: 26 characters of a-z and 2-7, 130 bits of a SHA-256.

        Args:
            digest: the SHA-256 of the corpus's UTF-8, in hex.
        """
        named = sha256(f"{digest} {self.to_json()}".encode("utf-8", "surrogatepass")).digest()
        return b32encode(named).decode().lower()[:26]

    def to_json(self) -> str:
        """The method as one line of JSON with sorted keys, the form that is stored and that makes the id."""
        values = {
            "format": FORMAT,
            "algorithm": self.algorithm,
            "pattern": [self.pattern.name, self.pattern.source],
            "tie_rule": self.tie_rule,
            "special_tokens": self.special_tokens,
            "vocab_size": self.vocab_size,
            "min_count": self.min_count,
        }
        return json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @classmethod
    def from_json(cls, stored: str) -> "Method":
        """The method of a line that `to_json` made."""
        values: Mapping[str, Any] = json.loads(stored)
        name, source = values["pattern"]
        return Method(
            algorithm=values["algorithm"],
            pattern=SplitPattern(name, source),
            tie_rule=values["tie_rule"],
            special_tokens=tuple(values["special_tokens"]),
            vocab_size=values["vocab_size"],
            min_count=values["min_count"],
        )

    def validate(self) -> None:
        """Check what can be checked before the corpus is cut.

        Raises:
            RecipeError: `field` names the part, the message what is possible.
            PatternError: the custom pattern cannot be used.
        """
        if self.algorithm != "byte_bpe":
            raise RecipeError(f"There is no algorithm “{self.algorithm}”; byte_bpe is.", field="algorithm")
        if self.tie_rule not in TIE_RULES:
            raise RecipeError(
                f"There is no tie rule “{self.tie_rule}”. Choose one of {', '.join(TIE_RULES)}.", field="tie_rule"
            )
        if self.min_count < 1:
            raise RecipeError(f"The minimum count is {self.min_count}; it must be at least 1.", field="min_count")
        self._validate_special_tokens()
        least = BYTES + len(self.special_tokens)
        if self.vocab_size is not None and self.vocab_size < least:
            raise RecipeError(
                f"A vocabulary of {self.vocab_size:,} is too small: this recipe needs at least {least:,}: "
                f"256 bytes and {len(self.special_tokens)} special token{'s' * (len(self.special_tokens) != 1)}.",
                field="vocab_size",
            )
        if self.pattern != NAMED.get(self.pattern.name):
            custom(self.pattern.source)

    def _validate_special_tokens(self) -> None:
        for place, token in enumerate(self.special_tokens):
            if not token:
                raise RecipeError(
                    f"Special token {place + 1} is empty; take the line out.", field="special_tokens", position=place
                )
            if SURROGATES.search(token):
                raise RecipeError(
                    f"Special token {place + 1} holds a lone surrogate, which no text can hold; take it out.",
                    field="special_tokens",
                    position=place,
                )
            if token in self.special_tokens[:place]:
                raise RecipeError(
                    f"The special token “{token}” is listed twice; take one out.",
                    field="special_tokens",
                    position=place,
                )


@dataclass(frozen=True, slots=True)
class Recipe(Method):
    """What to train on and how; the same recipe always gives the same run."""

    corpus: str

    @classmethod
    def of(cls, method: Method, corpus: str) -> "Recipe":
        """The recipe of a method and a corpus."""
        return cls(corpus, **{field.name: getattr(method, field.name) for field in fields(Method)})

    @property
    def id(self) -> str:
        """The name of its run, made from the content."""
        return self.run_id(sha256(self.corpus.encode("utf-8", "surrogatepass")).hexdigest())

    @property
    def method(self) -> Method:
        """The recipe without its corpus."""
        return Method(**{field.name: getattr(self, field.name) for field in fields(Method)})
