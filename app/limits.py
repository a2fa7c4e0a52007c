"""The limits of `Settings`, held for every way in by the same functions. An error says the limit and what was sent."""

import re
from collections.abc import Iterator

from app.faults import Fault
from app.settings import Settings
from tokenizer.errors import RecipeError
from tokenizer.recipe import Method

NUMBER = re.compile(r"[0-9]{1,12}")


def corpus_over_limits(size: int, method: Method, settings: Settings, *, typed: bool) -> Iterator[RecipeError]:
    """Whether a corpus is too large for this server.

    Args:
        size: its bytes.
        method: of it, the pattern counts: under `none` a document is one row.
        settings: the limits.
        typed: whether it came as text and not in a file.
    """
    limit, why = settings.max_corpus_bytes, ""
    if typed and settings.max_typed_bytes < limit:
        limit, why = settings.max_typed_bytes, " as text; send it as a file"
    if method.pattern.name == "none" and settings.max_corpus_bytes_none < limit:
        limit, why = settings.max_corpus_bytes_none, " with the pattern none"
    if size > limit:
        yield RecipeError(f"The corpus has {size:,} bytes; at most {limit:,} are taken{why}.", field="corpus")


def over_limits(method: Method, settings: Settings) -> Iterator[RecipeError]:
    """What of a method is beyond the limits of this server, each with its field."""
    yield from special_tokens_over_limits(method.special_tokens, settings)
    if method.vocab_size is not None and method.vocab_size > settings.max_vocab_size:
        yield RecipeError(
            f"A vocabulary of {method.vocab_size:,} is too large: at most {settings.max_vocab_size:,} are made.",
            field="vocab_size",
        )
    if method.min_count > settings.max_min_count:
        yield RecipeError(
            f"The minimum count is {method.min_count:,}; at most {settings.max_min_count:,} is taken.",
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
    method = Method(special_tokens=tuple(tokens))
    for error in special_tokens_over_limits(method.special_tokens, settings):
        raise error
    method.validate()
    return method.special_tokens


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
