"""Keeping Python's garbage collection away from work that makes many small objects and no circles of them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Collect no garbage meanwhile; objects that nothing refers to go at once, as ever.

    The collector would go through hundreds of thousands of tuples and lists again and again to find none that it can
    free: with it, learning from 14 MB takes 1.15 times as long.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
