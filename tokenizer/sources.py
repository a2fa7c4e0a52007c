"""Where a corpus lies: in a file, at a URL or in memory; something that is opened anew wherever it is read.

A source is a small value that can be sent to another process or machine, which then opens it itself.
"""

import errno
import os
import stat
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast, runtime_checkable

import regex

from tokenizer.errors import RecipeError

_URL = regex.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")  # one letter alone would be a Windows drive


@runtime_checkable
class Source(Protocol):
    """Bytes that can be read more than once, from any place on. `name` is for people."""

    @property
    def name(self) -> str:
        """What to call it in a message."""

    def size(self) -> int:
        """How many bytes there are."""

    def open(self) -> BinaryIO:
        """A new stream over all bytes, which can seek and is a context manager."""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A file of this machine. Both methods raise OSError where it cannot be read.

    A pipe or a device has no size and is not read twice, so it is an error too.
    """

    path: str

    @property
    def name(self) -> str:
        """The last part of the path."""
        return Path(self.path).name

    def size(self) -> int:
        """Its size in bytes."""
        found = Path(self.path).stat()
        if stat.S_ISDIR(found.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self.path)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(errno.EINVAL, "It is no regular file. Write what it gives into one", self.path)
        return found.st_size

    def open(self) -> BinaryIO:
        """The file, opened for reading."""
        self.size()  # else opening a pipe would wait for whoever writes into it
        return Path(self.path).open("rb")


@dataclass(frozen=True, slots=True)
class Remote:
    """Something that fsspec can read by its URL, such as `s3://bucket/corpus.txt`.

    Both methods raise RecipeError where fsspec is not installed, and what fsspec raises for the place (mostly OSError).
    """

    url: str

    @property
    def name(self) -> str:
        """The last part of the path, without a query, which may hold a key."""
        return self.url.partition("?")[0].rstrip("/").rpartition("/")[2]

    def size(self) -> int:
        """Its size in bytes, as the place tells it."""
        files, path = self._place()
        size = files.size(path)
        if size is None:
            raise OSError(f"The place of “{self.name}” does not say how large it is; download it first")
        return int(size)

    def open(self) -> BinaryIO:
        """A stream that fetches what is read, some megabytes at a time."""
        files, path = self._place()
        return cast("BinaryIO", files.open(path, "rb"))

    def _place(self) -> tuple[Any, str]:
        try:
            fsspec = import_module("fsspec.core")
        except ModuleNotFoundError as error:
            raise RecipeError(
                f"Reading “{self.name}” by its URL needs fsspec, which is not installed: "
                "pip install 'merge-next[remote]', or download the file first.",
                field="corpus",
            ) from error
        files, path = fsspec.url_to_fs(self.url)
        return files, path


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that are held already."""

    data: bytes
    name: str = "text"

    def size(self) -> int:
        """How many bytes there are."""
        return len(self.data)

    def open(self) -> BinaryIO:
        """A stream over the bytes."""
        return BytesIO(self.data)


def source_of(given: str) -> Source:
    """The source that a URL or a path names.

    >>> source_of("corpus.txt"), source_of("s3://bucket/corpus.txt")
    (LocalFile(path='corpus.txt'), Remote(url='s3://bucket/corpus.txt'))
    """
    return Remote(given) if _URL.match(given) else LocalFile(given)
