"""The tables of the SQLite store, and how a store that an older version wrote becomes one of this version.

Schema 1 held every recipe with its corpus, compressed, in one row. Schema 2 knows of corpora by their digest; the text
is in files, and recipes that share one share the file.
"""

import logging
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress

from app.arrival import write_corpus
from app.files import BLOCK, Files
from tokenizer.recipe import Method

log = logging.getLogger(__name__)
# What reading a row that something else has written to may raise.
DAMAGED = (zlib.error, ValueError, KeyError, TypeError)

VERSION = 2
# Came later, and older versions do without it: no reason for a version of its own.
STOPS = """
CREATE TABLE IF NOT EXISTS stops (
    run TEXT PRIMARY KEY REFERENCES recipes (id) ON DELETE CASCADE, counted INTEGER NOT NULL)
"""
SESSIONS = """
CREATE TABLE sessions (key TEXT PRIMARY KEY, seen REAL NOT NULL);
CREATE INDEX sessions_by_seen ON sessions (seen);
CREATE TABLE visits (
    session TEXT NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
    run TEXT NOT NULL, step INTEGER NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, run));
CREATE INDEX visits_by_time ON visits (session, at)
"""
# The same in both versions are the sessions; `used`, `seen` and `at` are seconds since 1970.
CORPORA = """
CREATE TABLE corpora (
    digest TEXT PRIMARY KEY, bytes INTEGER NOT NULL, characters INTEGER NOT NULL, opening TEXT NOT NULL,
    used REAL NOT NULL);
CREATE TABLE recipes (
    id TEXT PRIMARY KEY, method TEXT NOT NULL, digest TEXT NOT NULL REFERENCES corpora (digest) ON DELETE CASCADE,
    used REAL NOT NULL);
CREATE INDEX recipes_by_corpus ON recipes (digest);
CREATE TABLE tables (
    key TEXT PRIMARY KEY, digest TEXT NOT NULL REFERENCES corpora (digest) ON DELETE CASCADE, bytes INTEGER NOT NULL,
    used REAL NOT NULL);
CREATE INDEX tables_by_corpus ON tables (digest);
CREATE TABLE uploads (
    key TEXT PRIMARY KEY, session TEXT NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL, at REAL NOT NULL);
CREATE INDEX uploads_by_time ON uploads (at)
"""


def prepare(connection: sqlite3.Connection, files: Files) -> None:
    """Make the tables in a new store, bring those of an older version up to date.

    Raises:
        RuntimeError: a later version wrote it.
    """
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    with closing(connection.execute("PRAGMA user_version")) as cursor:
        version = cursor.fetchone()[0]
    if version > VERSION:
        raise RuntimeError(f"The store was written by a later version (schema {version}, known: {VERSION}).")
    if version == 0:
        _run(connection, SESSIONS)
        _run(connection, CORPORA)
    elif version == 1:
        _from_1(connection, files)
    connection.execute(STOPS)
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")
    if version == 1:
        with suppress(sqlite3.Error):  # the file would keep the room of the corpora that have left it; no harm if so
            connection.execute("VACUUM")


def _from_1(connection: sqlite3.Connection, files: Files) -> None:
    """Corpora become files, recipes keep their ids. Uploads go: they were kept for half an hour."""
    connection.execute("ALTER TABLE recipes RENAME TO old_recipes")
    connection.execute("DROP INDEX recipes_by_use")
    connection.execute("DROP TABLE uploads")
    _run(connection, CORPORA)
    runs = [run for (run,) in connection.execute("SELECT id FROM old_recipes ORDER BY used")]
    for run in runs:
        query = "SELECT parts, corpus, used FROM old_recipes WHERE id = ?"
        parts, packed, used = connection.execute(query, (run,)).fetchone()
        try:
            _keep_1(connection, files, run, parts, packed, used)
        except DAMAGED:
            log.exception("The recipe %s is damaged in the store; it is left out", run)
    connection.execute("DROP TABLE old_recipes")


def _keep_1(connection: sqlite3.Connection, files: Files, run: str, parts: str, packed: bytes, used: float) -> None:
    """A recipe of schema 1. A crash before the end leaves files, which the next attempt writes again."""
    method = Method.from_json(parts)
    corpus = write_corpus(files, _unpacked(packed))
    corpus.path.replace(files.corpus(corpus.digest))
    connection.execute(
        "INSERT INTO corpora VALUES (?, ?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET used = excluded.used",
        (corpus.digest, corpus.bytes, corpus.characters, corpus.opening, used),
    )
    connection.execute("INSERT INTO recipes VALUES (?, ?, ?, ?)", (run, method.to_json(), corpus.digest, used))


def _unpacked(packed: bytes) -> Iterator[bytes]:
    unpack = zlib.decompressobj()
    while packed:
        yield unpack.decompress(packed, BLOCK)
        packed = unpack.unconsumed_tail
    yield unpack.flush()
    if not unpack.eof:
        raise zlib.error("the corpus is cut short")


def _run(connection: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        connection.execute(statement)
