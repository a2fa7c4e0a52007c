"""What outlives a process: recipes, sessions and, for a short while, uploads that could not be read.

`Store` is the seam: a second kind of store (one that several machines share, say) has these methods and nothing else
changes. `sqlite_store.py` has the first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tokenizer.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Visit:
    """A place where a session was: step `step` of run `run`, at `at` (seconds since 1970, UTC)."""

    run: str
    step: int
    at: float


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list of runs says of one, without its corpus. `opening` are the corpus's first characters."""

    id: str
    opening: str
    corpus_bytes: int
    pattern: str
    tie_rule: str


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as it came, kept so that it can be read another way."""

    name: str
    data: bytes


class Store(Protocol):
    """Where recipes, sessions and uploads are kept. A session is named by the hash of its secret."""

    async def save_recipe(self, recipe: Recipe) -> bool:
        """Keep a recipe under its id; True if it was not there before."""

    async def recipe(self, run: str) -> Recipe | None:
        """The recipe with this id."""

    async def summaries(self, runs: Sequence[str]) -> dict[str, Summary]:
        """What is known of these runs, by id; those that are not kept are left out."""

    async def record(self, visits: Sequence[tuple[str, Visit]]) -> None:
        """Remember visits, each with its session; an older visit never overwrites a newer one."""

    async def visits(self, session: str) -> list[Visit]:
        """A session's last visit to each of its recent runs, the latest first."""

    async def forget(self, session: str, run: str) -> None:
        """Take a run off a session's list. The recipe stays: others may have its address."""

    async def keep_upload(self, session: str, name: str, data: bytes) -> str | None:
        """Keep a file for a while; the key to it, or None if it is larger than all uploads may be together."""

    async def upload(self, session: str, key: str) -> Upload | None:
        """A kept file, for the session that sent it."""

    async def drop_upload(self, session: str, key: str) -> None:
        """Let a kept file go before its time."""

    async def close(self) -> None:
        """Let go of files and connections."""
