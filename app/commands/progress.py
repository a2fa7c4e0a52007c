"""A progress bar on standard error, where somebody sees it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm


@contextmanager
def progress(what: str, total: int, *, unit: str, quiet: bool) -> "Iterator[tqdm[None]]":
    """A bar from nothing to `total`; nothing is written where standard error is no terminal, or when `quiet`.

    Args:
        what: the word before the bar.
        total: the units of all the work.
        unit: "B" for bytes, which are shown as kB and MB; else what is counted.
        quiet: show none.
    """
    hidden = quiet or not sys.stderr.isatty()
    size = unit == "B"
    with tqdm(total=total, desc=what, unit=unit, unit_scale=size, disable=hidden, file=sys.stderr, leave=False) as bar:
        yield bar
