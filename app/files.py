"""The folder beside the store's file: a file for each corpus, each table, each upload, and those that are arriving.

Their names are made here, of digests and random keys, never of anything that somebody sent. What arrives is written
under another name and moved when it is whole, so that a file with its proper name is never half a file.
"""

import errno
import re
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from app.kept import DiskFull

SUFFIX = "-files"
BLOCK = 1 << 18  # bytes that are read, checked and written at a time: what holds others up for less than a millisecond
FORGOTTEN = 3_600.0  # seconds; a younger file may be another process's that has not told the store of it yet
FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
NAME = re.compile(r"[A-Za-z0-9_-]{10,64}")


class Files:
    """The files of a store.

    Args:
        store_path: the store's own file; the folder is called like it, with `-files` after it.
    """

    def __init__(self, store_path: Path) -> None:
        self._root = store_path.with_name(store_path.name + SUFFIX)
        self._folders = {kind: self._root / kind for kind in ("corpora", "tables", "uploads", "arriving")}
        self._make_folders()

    def corpus(self, digest: str) -> Path:
        """Where the corpus with this digest is, if it is kept."""
        return self._path("corpora", digest)

    def table(self, key: str) -> Path:
        """Where the table with this key is, if it is kept."""
        return self._path("tables", key)

    def upload(self, key: str) -> Path:
        """Where the upload with this key is, if it is kept."""
        return self._path("uploads", key)

    @contextmanager
    def arriving(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A new file to write, and where it is; gone again after an error.

        Raises:
            DiskFull: there is no room for it.
        """
        with disk():
            self._make_folders()
            handle, name = tempfile.mkstemp(dir=self._folders["arriving"])
            path = Path(name)
            try:
                with open(handle, "wb") as file:  # noqa: PTH123 - it is a handle
                    yield file, path
            except BaseException:
                path.unlink(missing_ok=True)
                raise

    def sweep(self, corpora: Collection[str], tables: Collection[str], uploads: Collection[str]) -> None:
        """Remove what a crash has left: files that are older than an hour and that the store does not know."""
        known = {"corpora": corpora, "tables": tables, "uploads": uploads, "arriving": ()}
        for kind, folder in self._folders.items():
            for path in folder.iterdir():
                with suppress(OSError):  # another process may sweep too
                    if path.name not in known[kind] and path.stat().st_mtime < time.time() - FORGOTTEN:
                        path.unlink()

    def _make_folders(self) -> None:
        """Make the folders that are not there: new ones, and any that somebody has removed."""
        for folder in (self._root, *self._folders.values()):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _path(self, kind: str, name: str) -> Path:
        if NAME.fullmatch(name) is None:
            raise ValueError(f"{name!r} is no name of a file that is kept")
        return self._folders[kind] / name


@contextmanager
def disk() -> Iterator[None]:
    """Where something is written.

    Raises:
        DiskFull: there is no room for it.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise DiskFull("There is no room left on this server's disk for the corpus. Nothing of it was kept.") from error


def blocks_of(file: BinaryIO) -> Iterator[bytes]:
    """What is in a file from its beginning, block by block."""
    file.seek(0)
    while block := file.read(BLOCK):
        yield block


def blocks_of_path(path: Path) -> Iterator[bytes]:
    """What is in the file at a path, block by block."""
    with path.open("rb") as file:
        yield from blocks_of(file)


def blocks_of_text(text: str) -> Iterator[bytes]:
    """A text as UTF-8, block by block."""
    for start in range(0, len(text), BLOCK):
        yield text[start : start + BLOCK].encode()
