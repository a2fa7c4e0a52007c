"""A store in one SQLite file, by the standard library alone.

The file is in WAL mode, so that readers never wait for a writer. All work runs in threads, so that no call ever holds
up the event loop; connections are pooled, each call is a transaction, several processes may share the file.

A recipe is kept as its small parts in JSON and its corpus compressed with zlib: text shrinks to about a third. Only
when all recipes together pass `Settings.max_store_bytes` do the least recently used ones go.
"""

import json
import logging
import secrets
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from queue import Empty, LifoQueue
from typing import Any, TypeVar

import anyio
import anyio.to_thread

from app.settings import Settings
from app.store import Summary, Upload, Visit
from tokenizer.recipe import Method, Recipe

T = TypeVar("T")

log = logging.getLogger(__name__)
# What reading a row that something else has written to may raise.
DAMAGED = (zlib.error, ValueError, KeyError, TypeError)

SCHEMA_VERSION = 1
SCHEMA = """
CREATE TABLE recipes (
    id TEXT PRIMARY KEY, parts TEXT NOT NULL, opening TEXT NOT NULL, corpus_bytes INTEGER NOT NULL,
    corpus BLOB NOT NULL, size INTEGER NOT NULL, used REAL NOT NULL);
CREATE INDEX recipes_by_use ON recipes (used);
CREATE TABLE sessions (key TEXT PRIMARY KEY, seen REAL NOT NULL);
CREATE INDEX sessions_by_seen ON sessions (seen);
CREATE TABLE visits (
    session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    run TEXT NOT NULL, step INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, run));
CREATE INDEX visits_by_time ON visits (session, at);
CREATE TABLE uploads (
    key TEXT PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, data BLOB NOT NULL, size INTEGER NOT NULL,
    at REAL NOT NULL);
CREATE INDEX uploads_by_time ON uploads (at);
"""
OPENING_CHARS = 80


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
        settings.store_path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._connection() as connection:
            _prepare(connection)

    async def save_recipe(self, recipe: Recipe) -> bool:
        """See `Store.save_recipe`."""
        return await self._run(self._save_recipe, recipe)

    async def recipe(self, run: str) -> Recipe | None:
        """See `Store.recipe`."""
        return await self._run(self._recipe, run)

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

    async def keep_upload(self, session: str, name: str, data: bytes) -> str | None:
        """See `Store.keep_upload`."""
        return await self._run(self._keep_upload, session, name, data)

    async def upload(self, session: str, key: str) -> Upload | None:
        """See `Store.upload`."""
        return await self._run(self._upload, session, key)

    async def drop_upload(self, session: str, key: str) -> None:
        """See `Store.drop_upload`."""
        await self._run(self._execute, "DELETE FROM uploads WHERE session = ? AND key = ?", session, key)

    async def close(self) -> None:
        """See `Store.close`."""
        while True:
            try:
                self._idle.get_nowait().close()
            except Empty:
                return

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await anyio.to_thread.run_sync(work, *args, limiter=self._threads)

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

    def _save_recipe(self, recipe: Recipe) -> bool:
        parts, corpus = _taken_apart(recipe)
        run, data = recipe.id, recipe.corpus.encode()  # an id takes long: it is made of the whole corpus
        opening = " ".join(recipe.corpus[: 4 * OPENING_CHARS].split())[:OPENING_CHARS]
        row = (run, parts, opening, len(data), corpus, len(corpus) + len(parts), self._clock())
        with self._writing() as connection:
            created = connection.execute("INSERT OR IGNORE INTO recipes VALUES (?, ?, ?, ?, ?, ?, ?)", row).rowcount
            if created:
                _make_room(connection, self._settings.max_store_bytes, keep=run)
            else:
                connection.execute("UPDATE recipes SET used = ? WHERE id = ?", (self._clock(), run))
        return bool(created)

    def _recipe(self, run: str) -> Recipe | None:
        with self._connection() as connection:
            row = connection.execute("SELECT parts, corpus FROM recipes WHERE id = ?", (run,)).fetchone()
        if row is None:
            return None
        self._execute("UPDATE recipes SET used = ? WHERE id = ?", self._clock(), run)
        try:
            return _put_together(row[0], row[1])
        except DAMAGED:
            log.exception("The recipe %s is damaged in the store; it counts as not kept", run)
            return None

    def _summaries(self, runs: tuple[str, ...]) -> dict[str, Summary]:
        marks = ",".join("?" * len(runs))
        query = f"SELECT id, opening, corpus_bytes, parts FROM recipes WHERE id IN ({marks})"  # noqa: S608 (only marks)
        with self._connection() as connection:
            rows = connection.execute(query, runs).fetchall()
        found = {}
        for row in rows:
            try:
                found[row[0]] = _summary(*row)
            except DAMAGED:
                log.exception("The recipe %s is damaged in the store; it counts as not kept", row[0])
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

    def _keep_upload(self, session: str, name: str, data: bytes) -> str | None:
        if len(data) > self._settings.max_uploads_bytes:
            return None
        key = secrets.token_urlsafe(16)
        with self._writing() as connection:
            row = (key, session, name, data, len(data), self._clock())
            connection.execute("INSERT INTO uploads VALUES (?, ?, ?, ?, ?, ?)", row)
            self._forget_old_uploads(connection, session)
        return key

    def _forget_old_uploads(self, connection: sqlite3.Connection, session: str) -> None:
        connection.execute("DELETE FROM uploads WHERE at < ?", (self._oldest_upload(),))
        connection.execute(
            "DELETE FROM uploads WHERE key IN (SELECT key FROM uploads WHERE session = ?"
            " ORDER BY at DESC, rowid DESC LIMIT -1 OFFSET ?)",
            (session, self._settings.uploads_per_session),
        )
        connection.execute(
            "DELETE FROM uploads WHERE key IN (SELECT key FROM"
            " (SELECT key, sum(size) OVER (ORDER BY at DESC, rowid DESC) AS so_far FROM uploads) WHERE so_far > ?)",
            (self._settings.max_uploads_bytes,),
        )

    def _upload(self, session: str, key: str) -> Upload | None:
        query = "SELECT name, data FROM uploads WHERE key = ? AND session = ? AND at >= ?"
        with self._connection() as connection:
            row = connection.execute(query, (key, session, self._oldest_upload())).fetchone()
        return None if row is None else Upload(*row)

    def _oldest_upload(self) -> float:
        return self._clock() - self._settings.upload_minutes * 60


def _connect(settings: Settings) -> sqlite3.Connection:
    # Connections move between threads, one at a time, which the pool sees to; sqlite3 would forbid it by default.
    connection = sqlite3.connect(settings.store_path, timeout=10, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables in a new file; refuse a file of a later version."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection.execute("PRAGMA user_version")) as cursor:
        version = cursor.fetchone()[0]
    if version == 0:
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    elif version != SCHEMA_VERSION:
        raise RuntimeError(f"The store was written by a later version (schema {version}, known: {SCHEMA_VERSION}).")
    connection.execute("COMMIT")


def _make_room(connection: sqlite3.Connection, limit: int, *, keep: str) -> None:
    """Delete the least recently used recipes until the rest fit into `limit` bytes; `keep` stays in any case."""
    connection.execute(
        "DELETE FROM recipes WHERE id != ? AND id IN (SELECT id FROM"
        " (SELECT id, sum(size) OVER (ORDER BY id = ? DESC, used DESC, id) AS so_far FROM recipes) WHERE so_far > ?)",
        (keep, keep, limit),
    )


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
    connection.execute("UPDATE recipes SET used = max(used, ?) WHERE id = ?", (visit.at, visit.run))


def _summary(run: str, opening: str, corpus_bytes: int, parts: str) -> Summary:
    known = json.loads(parts)
    return Summary(run, opening, corpus_bytes, known["pattern"][0], known["tie_rule"])


def _taken_apart(recipe: Recipe) -> tuple[str, bytes]:
    # Level 1: whoever sent 5 MB waits for this; the higher levels take thrice as long for a fifth less.
    return recipe.to_json(), zlib.compress(recipe.corpus.encode(), level=1)


def _put_together(parts: str, corpus: bytes) -> Recipe:
    return Recipe.of(Method.from_json(parts), zlib.decompress(corpus).decode())
