"""What `encode` and `trace` share: the vocabulary that they are given, and whether special tokens are special."""

import argparse
from pathlib import Path

from app.commands.failures import Failure
from tokenizer import Specials, Vocabulary, VocabularyError
from tokenizer.saved import load


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What both take."""
    parser.add_argument(
        "--vocab", required=True, type=Path, metavar="DIR", help="the folder that `merge-next train --out` wrote"
    )
    parser.add_argument(
        "--specials-as-text", action="store_true", help="take special tokens in the text as text like any other"
    )


def vocabulary_of(options: argparse.Namespace) -> Vocabulary:
    """The vocabulary that was named.

    Raises:
        Failure: it cannot be read.
    """
    try:
        return load(options.vocab)
    except VocabularyError as error:
        raise Failure(error.message) from error


def specials_of(options: argparse.Namespace) -> Specials:
    """Whether special tokens in the text are special."""
    return "as_text" if options.specials_as_text else "as_special"
