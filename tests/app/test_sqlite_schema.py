"""A store that an older version wrote becomes one of this version."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from app.settings import Settings
from app.sqlite_store import SQLiteStore
from app.store import Visit
from tokenizer.recipe import Recipe

pytestmark = pytest.mark.anyio
SCHEMA_1 = (Path(__file__).parents[1] / "data" / "store" / "schema_1.sql").read_text(encoding="utf-8")
# What was kept in it, under ids that are made in another way today.
LOWER_IDS, FIRST_SEEN, TO_BE = "sfwr6ze2sl7fwglsoofyvtibug", "u3de6r4iyblg3u33tgdbaug42o", "nkzokmpr7rgejt3ntmuufbogii"
LOW = "low low\nlower\r\n\0é"
NOW = 1_700_000_200.0
SESSION = "a" * 64


@pytest.fixture
def path(tmp_path) -> Path:
    """A store of schema 1."""
    path = tmp_path / "store.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCHEMA_1)
    return path


@pytest.fixture
def opened(path):
    stores = []

    def open_store(**settings: object) -> SQLiteStore:
        stores.append(SQLiteStore(Settings(store_path=path, **settings), clock=lambda: NOW))
        return stores[-1]

    yield open_store
    for store in stores:
        anyio.run(store.close)


async def test_recipes_keep_their_ids_and_their_corpora(opened, path):
    store = opened()
    low, shared, to_be = [await store.recipe(run) for run in (LOWER_IDS, FIRST_SEEN, TO_BE)]
    assert [kept.id for kept in (low, shared, to_be)] == [LOWER_IDS, FIRST_SEEN, TO_BE]
    expected = Recipe(LOW, special_tokens=("<|endoftext|>",), vocab_size=265, tie_rule="lower_ids")
    assert low.method == expected.method
    assert (shared.method.tie_rule, shared.method.pattern.source) == ("first_seen", r"\w+|\W")
    assert (to_be.method.min_count, to_be.method.vocab_size) == (2, None)
    assert low.corpus == shared.corpus
    assert low.corpus.path.read_bytes() == LOW.encode()
    assert to_be.corpus.path.read_text() == "to be or not to be " * 40
    assert len(list(low.corpus.path.parent.iterdir())) == 2
    assert (low.corpus.bytes, low.corpus.characters, low.corpus.opening) == (18, 17, "low low lower \0é")
    assert not list((path.parent / "store.sqlite3-files" / "arriving").iterdir())


async def test_sessions_stay_and_find_their_runs(opened):
    store = opened()
    assert await store.visits(SESSION) == [Visit(FIRST_SEEN, 3, 1_700_000_100.0)]
    found = await store.summaries([FIRST_SEEN])
    assert (found[FIRST_SEEN].corpus_bytes, found[FIRST_SEEN].pattern) == (18, "custom")


async def test_uploads_go(opened):
    store = opened()
    assert await store.upload(SESSION, "eSn0U44Yxwijm4dLepApSg") is None


async def test_it_happens_once(opened, path):
    opened()
    store = opened()
    assert await store.recipe(TO_BE) is not None
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == {"corpora", "recipes", "tables", "stops", "uploads", "sessions", "visits"}


@pytest.mark.parametrize("damage", ["corpus = X'00'", "corpus = substr(corpus, 1, 20)", "parts = '{}'", "parts = ''"])
async def test_a_damaged_recipe_is_left_out(opened, path, damage):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE recipes SET {damage} WHERE id = ?", (LOWER_IDS,))  # noqa: S608
    store = opened()
    assert await store.recipe(LOWER_IDS) is None
    assert (await store.recipe(FIRST_SEEN)).corpus.path.read_bytes() == LOW.encode()


async def test_the_limit_of_what_is_kept_holds_from_the_start(opened):
    store = opened(max_store_bytes=700)  # corpora are not compressed any more
    assert await store.recipe(TO_BE) is None
    assert await store.recipe(FIRST_SEEN) is not None


async def test_an_attempt_that_failed_is_made_again(opened, monkeypatch):
    def fail(*_arguments: object) -> None:
        raise OSError("in the middle")

    monkeypatch.setattr("app.sqlite_schema.write_corpus", fail)
    with pytest.raises(OSError, match="in the middle"):
        opened()
    monkeypatch.undo()
    assert await opened().recipe(TO_BE) is not None
