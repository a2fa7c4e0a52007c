"""What outlives a process: corpora and their tables, recipes, sessions and, for a short while, uploads as they came.

`Store` is the seam: a second kind of store (one that several machines share, say) has these methods and nothing else
changes. `sqlite_store.py` has the first.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from app.kept import KeptCorpus, KeptRecipe
from tokenizer.recipe import Method


@dataclass(frozen=True, slots=True)
class Visit:
    """A place where a session was: step `step` of run `run`, at `at` (seconds since 1970, UTC)."""

    run: str
    step: int
    at: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list of runs says of one. `opening` are the corpus's first characters."""

    id: str
    digest: str
    opening: str
    corpus_bytes: int
    characters: int
    pattern: str
    tie_rule: str
    stopped: bool = False  # while its corpus was counted


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came, kept so that it can be read another way; `name` is what it was called, `path` where it is."""

    name: str
    path: Path


class Store(Protocol):
    """Where corpora, recipes, sessions and uploads are kept. A session is named by the hash of its secret."""

    def arriving(self, blocks: Iterable[bytes], read_as: str = "strict") -> AbstractAsyncContextManager[KeptCorpus]:
        """A corpus that arrives in blocks, in a file that is gone afterwards unless `save_recipe` has kept it.

        Args:
            blocks: its bytes.
            read_as: how to read them; see `arrival.decoded`.

        Raises:
            CorpusError: they are not UTF-8; `position` is the offset of the first byte at fault.
            DiskFull: there is no room for it.
        """

    async def save_recipe(self, method: Method, corpus: KeptCorpus) -> tuple[KeptRecipe, bool]:
        """Keep a recipe with its corpus under its id, and whether it was not there before."""

    async def recipe(self, run: str) -> KeptRecipe | None:
        """The recipe with this id."""

    async def keep_stop(self, run: str, counted: int | None) -> None:
        """Know that a run was stopped when so many bytes were counted; None: it goes on, as it does when saved anew."""

    def table_path(self, key: str) -> Path:
        """The file that a table belongs in (see `tables.table_key`), whether it is there or not."""

    async def keep_table(self, key: str, run: str, size: int) -> None:
        """Know of a table's file, of so many bytes, as just used by a run. If that is not kept, the file goes again."""

    async def summaries(self, runs: Sequence[str]) -> dict[str, Summary]:
        """What is known of these runs, by id; those that are not kept are left out."""

    async def record(self, visits: Sequence[tuple[str, Visit]]) -> None:
        """Remember visits, each with its session; an older visit never overwrites a newer one."""

    async def visits(self, session: str) -> list[Visit]:
        """A session's last visit to each of its recent runs, the latest first."""

    async def forget(self, session: str, run: str) -> None:
        """Take a run off a session's list. The recipe stays: others may have its address."""

    async def keep_upload(self, session: str, name: str, blocks: Iterable[bytes]) -> str | None:
        """Keep a file for a while; the key to it, or None if it is larger than all uploads may be together.

        Raises:
            DiskFull: there is no room for it.
        """

    async def upload(self, session: str, key: str) -> Upload | None:
        """A kept file, for the session that sent it."""

    async def drop_upload(self, session: str, key: str) -> None:
        """Let a kept file go before its time."""

    async def close(self) -> None:
        """Let go of files and connections."""
