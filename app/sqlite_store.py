"""A store in one SQLite file and the folder beside it, by the standard library alone.

The file is in WAL mode, so that readers never wait for a writer. All work runs in threads, so that no call ever holds
up the event loop; connections are pooled, each call is a transaction, several processes may share the store.

The database knows of corpora, tables and uploads; what is in them is in files (`files.py`). Files come and go inside
the transaction that says so, under the database's write lock. Only when all that is kept passes
`Settings.max_store_bytes` does the least recently used go.
"""

import logging
import secrets
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from queue import Empty, LifoQueue
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from app import room
from app.arrival import write_corpus
from app.files import Files
from app.kept import KeptCorpus, KeptRecipe
from app.settings import Settings
from app.sqlite_schema import DAMAGED, prepare
from app.store import Summary, Upload, Visit
from tokenizer.recipe import Method

T = TypeVar("T")

log = logging.getLogger(__name__)


class SQLiteStore:
    """A `Store` in one SQLite file.

    Args:
        settings: where the file is, and the limits.
        clock: seconds since 1970; tests set it.
    """

    def __init__(self, settings: Settings, *, clock: Callable[[], float] = time.time):
        self._settings = settings
        self._clock = clock
        self._idle: LifoQueue[sqlite3.Connection] = LifoQueue()
        self._threads = anyio.CapacityLimiter(4)
        self._copying = anyio.CapacityLimiter(4)  # threads for what may take long: whole files
        settings.store_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _keep_private(settings.store_path)
        self._files = Files(settings.store_path)
        with self._connection() as connection:
            prepare(connection, self._files)
        with self._writing() as connection:
            self._forget_old_uploads(connection)
            self._make_room(connection)
            self._files.sweep(*room.known(connection))

    @asynccontextmanager
    async def arriving(self, blocks: Iterable[bytes], read_as: str = "strict") -> AsyncIterator[KeptCorpus]:
        """See `Store.arriving`."""
        corpus = await self._run(write_corpus, self._files, blocks, read_as, limiter=self._copying)
        try:
            yield corpus
        finally:
            await self._run(corpus.path.unlink, True)

    async def save_recipe(self, method: Method, corpus: KeptCorpus) -> tuple[KeptRecipe, bool]:
        """See `Store.save_recipe`."""
        return await self._run(self._save_recipe, method, corpus)

    async def recipe(self, run: str) -> KeptRecipe | None:
        """See `Store.recipe`."""
        return await self._run(self._recipe, run)

    async def keep_stop(self, run: str, counted: int | None) -> None:
        """See `Store.keep_stop`."""
        if counted is None:
            await self._run(self._execute, "DELETE FROM stops WHERE run = ?", run)
        else:  # of a run that is kept: it may have gone to make room
            query = "INSERT OR REPLACE INTO stops SELECT id, ? FROM recipes WHERE id = ?"
            await self._run(self._execute, query, counted, run)

    def table_path(self, key: str) -> Path:
        """See `Store.table_path`."""
        return self._files.table(key)

    async def keep_table(self, key: str, run: str, size: int) -> None:
        """See `Store.keep_table`."""
        await self._run(self._keep_table, key, run, size)

    async def summaries(self, runs: Sequence[str]) -> dict[str, Summary]:
        """See `Store.summaries`."""
        return await self._run(self._summaries, tuple(runs))

    async def record(self, visits: Sequence[tuple[str, Visit]]) -> None:
        """See `Store.record`."""
        if visits:
            await self._run(self._record, tuple(visits))

    async def visits(self, session: str) -> list[Visit]:
        """See `Store.visits`."""
        return await self._run(self._visits, session)

    async def forget(self, session: str, run: str) -> None:
        """See `Store.forget`."""
        await self._run(self._execute, "DELETE FROM visits WHERE session = ? AND run = ?", session, run)

    async def keep_upload(self, session: str, name: str, blocks: Iterable[bytes]) -> str | None:
        """See `Store.keep_upload`."""
        return await self._run(self._keep_upload, session, name, blocks, limiter=self._copying)

    async def upload(self, session: str, key: str) -> Upload | None:
        """See `Store.upload`."""
        return await self._run(self._upload, session, key)

    async def drop_upload(self, session: str, key: str) -> None:
        """See `Store.drop_upload`."""
        await self._run(self._drop_upload, session, key)

    async def close(self) -> None:
        """See `Store.close`."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    async def _run(self, work: Callable[..., T], *args: Any, limiter: anyio.CapacityLimiter | None = None) -> T:
        return await anyio.to_thread.run_sync(work, *args, limiter=limiter or self._threads)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection of the pool; it goes back there after an error too, with its transaction undone."""
        try:
            connection = self._idle.get_nowait()
        except Empty:
            connection = _connect(self._settings)
        try:
            yield connection
        finally:
            if connection.in_transaction:
                connection.rollback()
            self._idle.put(connection)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that has the write lock from its beginning, so that it cannot fail half-way for want of it."""
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def _execute(self, statement: str, *values: object) -> None:
        with self._writing() as connection:
            connection.execute(statement, values)

    def _save_recipe(self, method: Method, corpus: KeptCorpus) -> tuple[KeptRecipe, bool]:
        run, now, home = method.run_id(corpus.digest), self._clock(), self._files.corpus(corpus.digest)
        with self._writing() as connection:
            if corpus.path != home:  # even where a file is there already: this one is known to be whole
                corpus.path.replace(home)
            connection.execute(
                "INSERT INTO corpora VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET used = excluded.used",
                (corpus.digest, corpus.bytes, corpus.characters, corpus.opening, now),
            )
            row = (run, method.to_json(), corpus.digest, now)
            created = connection.execute("INSERT OR IGNORE INTO recipes VALUES (?, ?, ?, ?)", row).rowcount
            if created:
                self._make_room(connection, run, corpus.digest)
            else:
                connection.execute("UPDATE recipes SET used = ? WHERE id = ?", (now, run))
                connection.execute("DELETE FROM stops WHERE run = ?", (run,))
        return KeptRecipe(run, method, replace(corpus, path=home)), bool(created)

    def _recipe(self, run: str) -> KeptRecipe | None:
        query = (
            "SELECT method, digest, bytes, characters, opening, counted FROM recipes JOIN corpora USING (digest)"
            " LEFT JOIN stops ON run = id WHERE id = ?"
        )
        with self._connection() as connection:
            row = connection.execute(query, (run,)).fetchone()
        if row is None:
            return None
        try:
            method, digest, size, characters, opening, stopped_at = row
            corpus = KeptCorpus(digest, size, characters, opening, self._files.corpus(digest))
            recipe = KeptRecipe(run, Method.from_json(method), corpus, stopped_at)
        except DAMAGED:
            log.exception("The recipe %s is damaged in the store; it counts as not kept", run)
            return None
        with self._writing() as connection:
            _use(connection, run, self._clock())
        return recipe

    def _keep_table(self, key: str, run: str, size: int) -> None:
        with self._writing() as connection:
            row = connection.execute("SELECT digest FROM recipes WHERE id = ?", (run,)).fetchone()
            if row is None:
                self._files.table(key).unlink(missing_ok=True)
                return
            connection.execute("INSERT OR REPLACE INTO tables VALUES (?, ?, ?, ?)", (key, *row, size, self._clock()))
            _use(connection, run, self._clock())
            self._make_room(connection, key, run, *row)

    def _make_room(self, connection: sqlite3.Connection, *keep: str) -> None:
        for path in room.make_room(connection, self._files, self._settings.max_store_bytes, keep):
            path.unlink(missing_ok=True)

    def _summaries(self, runs: tuple[str, ...]) -> dict[str, Summary]:
        marks = ",".join("?" * len(runs))
        query = (
            "SELECT id, digest, opening, bytes, characters, method, run IS NOT NULL FROM recipes"  # noqa: S608
            f" JOIN corpora USING (digest) LEFT JOIN stops ON run = id WHERE id IN ({marks})"  # only marks
        )
        with self._connection() as connection:
            rows = connection.execute(query, runs).fetchall()
        found = {}
        for run, digest, opening, size, characters, stored, stopped in rows:
            try:
                method = Method.from_json(stored)
                names = (method.pattern.name, method.tie_rule)
                found[run] = Summary(run, digest, opening, size, characters, *names, stopped=bool(stopped))
            except DAMAGED:
                log.exception("The recipe %s is damaged in the store; it counts as not kept", run)
        return found

    def _record(self, visits: tuple[tuple[str, Visit], ...]) -> None:
        with self._writing() as connection:
            for session, visit in visits:
                _record_visit(connection, session, visit, self._settings.recent_runs)
            oldest = self._clock() - self._settings.session_days * 86_400
            connection.execute("DELETE FROM sessions WHERE seen < ?", (oldest,))
            connection.execute(
                "DELETE FROM sessions WHERE key IN (SELECT key FROM sessions ORDER BY seen DESC LIMIT -1 OFFSET ?)",
                (self._settings.max_sessions,),
            )

    def _visits(self, session: str) -> list[Visit]:
        query = "SELECT run, step, at FROM visits WHERE session = ? ORDER BY at DESC LIMIT ?"
        with self._connection() as connection:
            rows = connection.execute(query, (session, self._settings.recent_runs)).fetchall()
        return [Visit(*row) for row in rows]

    def _keep_upload(self, session: str, name: str, blocks: Iterable[bytes]) -> str | None:
        key = secrets.token_urlsafe(16)
        with self._files.arriving() as (file, path):
            size = sum(map(file.write, blocks))
        if size > self._settings.max_uploads_bytes:
            path.unlink()
            return None
        with self._writing() as connection:
            path.replace(self._files.upload(key))
            row = (key, session, name, size, self._clock())
            connection.execute("INSERT INTO uploads VALUES (?, ?, ?, ?, ?)", row)
            self._forget_old_uploads(connection)
        return key

    def _forget_old_uploads(self, connection: sqlite3.Connection) -> None:
        settings = self._settings
        old = room.old_uploads(
            connection, self._oldest_upload(), settings.uploads_per_session, settings.max_uploads_bytes
        )
        for key in old:
            self._files.upload(key).unlink(missing_ok=True)

    def _drop_upload(self, session: str, key: str) -> None:
        with self._writing() as connection:
            found = connection.execute("DELETE FROM uploads WHERE session = ? AND key = ?", (session, key)).rowcount
            if found:
                self._files.upload(key).unlink(missing_ok=True)

    def _upload(self, session: str, key: str) -> Upload | None:
        query = "SELECT name FROM uploads WHERE key = ? AND session = ? AND at >= ?"
        with self._connection() as connection:
            row = connection.execute(query, (key, session, self._oldest_upload())).fetchone()
        return None if row is None else Upload(row[0], self._files.upload(key))

    def _oldest_upload(self) -> float:
        return self._clock() - self._settings.upload_minutes * 60


def _keep_private(path: Path) -> None:
    """Let nobody else read a store, new or old; the files that SQLite makes beside it get the same mode."""
    with suppress(OSError):  # not ours to change, perhaps; if it cannot be opened either, SQLite says so
        path.touch(mode=0o600)
    for each in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        with suppress(OSError):
            each.chmod(0o600)


def _connect(settings: Settings) -> sqlite3.Connection:
    # Connections move between threads, one at a time, which the pool sees to; sqlite3 would forbid it by default.
    connection = sqlite3.connect(settings.store_path, timeout=10, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _record_visit(connection: sqlite3.Connection, session: str, visit: Visit, keep: int) -> None:
    connection.execute(
        "INSERT INTO sessions VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET seen = max(seen, excluded.seen)",
        (session, visit.at),
    )
    connection.execute(
        "INSERT INTO visits VALUES (?, ?, ?, ?) ON CONFLICT (session, run)"
        " DO UPDATE SET step = excluded.step, at = excluded.at WHERE excluded.at >= at",
        (session, visit.run, visit.step, visit.at),
    )
    connection.execute(
        "DELETE FROM visits WHERE session = ? AND run IN"
        " (SELECT run FROM visits WHERE session = ? ORDER BY at DESC LIMIT -1 OFFSET ?)",
        (session, session, keep),
    )
    _use(connection, visit.run, visit.at)


def _use(connection: sqlite3.Connection, run: str, at: float) -> None:
    """A recipe is used, and so its corpus is."""
    connection.execute("UPDATE recipes SET used = max(used, ?) WHERE id = ?", (at, run))
    connection.execute(
        "UPDATE corpora SET used = max(used, ?) WHERE digest = (SELECT digest FROM recipes WHERE id = ?)", (at, run)
    )
