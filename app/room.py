"""What goes from the SQLite store when it holds too much: the least recently used corpora, tables and recipes."""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.files import Files

# Newest first, each with the bytes of all up to it. What was just kept stands before all others. A corpus takes its
# recipes and its tables with it (ON DELETE CASCADE), so at the same time of use it stands before them.
KEPT = """
SELECT kind, name FROM (
    SELECT kind, name, sum(size) OVER (ORDER BY name IN ({marks}) DESC, used DESC, kind, name) AS so_far FROM (
        SELECT 'corpus' AS kind, digest AS name, bytes AS size, used FROM corpora
        UNION ALL SELECT 'recipe', id, length(method), used FROM recipes
        UNION ALL SELECT 'table', key, bytes, used FROM tables))
WHERE so_far > ? AND name NOT IN ({marks})
"""
# Which uploads go.
TOO_OLD = "at < ?"
TOO_MANY = """key IN (SELECT key FROM (
    SELECT key, row_number() OVER (PARTITION BY session ORDER BY at DESC, rowid DESC) AS place FROM uploads)
    WHERE place > ?)"""
TOO_LARGE = """key IN (SELECT key FROM (
    SELECT key, sum(bytes) OVER (ORDER BY at DESC, rowid DESC) AS so_far FROM uploads) WHERE so_far > ?)"""


def make_room(connection: sqlite3.Connection, files: Files, limit: int, keep: Sequence[str]) -> list[Path]:
    """Let the least recently used go until the rest fits into `limit` bytes; the files that nothing needs any more.

    Args:
        connection: in a transaction.
        files: where they are.
        limit: bytes of corpora, tables and recipes together.
        keep: digests, keys and ids of what stays in any case.
    """
    query = KEPT.format(marks=",".join("?" * len(keep)))
    beyond = connection.execute(query, (*keep, limit, *keep)).fetchall()
    return [path for kind, name in beyond for path in _GO[kind](connection, files, name)]


def known(connection: sqlite3.Connection) -> tuple[set[str], set[str], set[str]]:
    """The digests of all corpora, the keys of all tables, those of all uploads."""
    queries = ("SELECT digest FROM corpora", "SELECT key FROM tables", "SELECT key FROM uploads")
    corpora, tables, uploads = ({name for (name,) in connection.execute(query)} for query in queries)
    return corpora, tables, uploads


def old_uploads(connection: sqlite3.Connection, oldest: float, of_session: int, limit: int) -> list[str]:
    """Let uploads go that are older than `oldest`, beyond a session's number, or beyond all bytes; their keys."""
    beyond = ((TOO_OLD, oldest), (TOO_MANY, of_session), (TOO_LARGE, limit))
    gone = [
        connection.execute(f"DELETE FROM uploads WHERE {condition} RETURNING key", (bound,)).fetchall()  # noqa: S608 - ours
        for condition, bound in beyond
    ]
    return [key for rows in gone for (key,) in rows]


def _corpus_goes(connection: sqlite3.Connection, files: Files, digest: str) -> Iterator[Path]:
    for (key,) in connection.execute("SELECT key FROM tables WHERE digest = ?", (digest,)).fetchall():
        yield files.table(key)
    connection.execute("DELETE FROM corpora WHERE digest = ?", (digest,))
    yield files.corpus(digest)


def _table_goes(connection: sqlite3.Connection, files: Files, key: str) -> Iterator[Path]:
    connection.execute("DELETE FROM tables WHERE key = ?", (key,))
    yield files.table(key)


def _recipe_goes(connection: sqlite3.Connection, _files: Files, run: str) -> Iterator[Path]:
    connection.execute("DELETE FROM recipes WHERE id = ?", (run,))
    yield from ()


_GO = {"corpus": _corpus_goes, "recipe": _recipe_goes, "table": _table_goes}
