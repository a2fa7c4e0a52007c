"""A progress bar on standard error, where somebody sees it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Never

from tqdm import tqdm


@contextmanager
def progress(what: str, total: int, *, unit: str, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar from nothing to `total`: what it gives is called with how much is done.

    Nothing is written where standard error is no terminal.

    Args:
        what: the word before the bar.
        total: the units of all the work.
        unit: "B" for bytes, which are shown as kB and MB; else what is counted.
        quiet: show none.
    """
    hidden = quiet or not sys.stderr.isatty()
    bar: tqdm[Never] = tqdm(
        total=total, desc=what, unit=unit, unit_scale=unit == "B", disable=hidden, file=sys.stderr, leave=False
    )

    def reached(done: int) -> None:
        bar.update(done - bar.n)

    with bar:
        yield reached
