"""Writing a file so that it is there as a whole or, after an error, as it was before."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO


@contextmanager
def replacing(path: Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """A stream to write the file at a path: another in its folder, which takes its name when all is written.

    A link is followed. What is no regular file, such as a pipe, is written as it is.

    Args:
        path: the file.
        mode: its permissions from its first byte on. Without them a file that was there keeps its own, and a new one
            has the usual ones.

    Raises:
        OSError: it cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    arriving = target.with_name(f".merge-next-{token_hex(8)}")
    try:
        arriving.touch(mode=0o666 if mode is None else mode, exist_ok=False)
        with arriving.open("wb") as stream:
            yield stream
        if mode is None and target.exists():
            shutil.copymode(target, arriving)
        arriving.replace(target)
    except OSError as error:
        if error.filename == str(arriving):  # a name that says nothing to anybody
            error.filename = str(path)
        raise
    finally:
        arriving.unlink(missing_ok=True)
