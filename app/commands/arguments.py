"""Kinds of arguments that more than one command takes."""

import argparse
import math


def at_least_one(word: str) -> int:
    """A whole number from 1 on.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    if word.isascii() and word.isdigit() and len(word) < 20 and int(word) > 0:
        return int(word)
    raise argparse.ArgumentTypeError(f"{word!r} is no whole number from 1 on")


def seconds(word: str) -> float:
    """A positive, finite number of seconds.

    Raises:
        argparse.ArgumentTypeError: it is none.
    """
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if 0 < number < math.inf:
        return number
    raise argparse.ArgumentTypeError(f"{word!r} is no positive number of seconds")
