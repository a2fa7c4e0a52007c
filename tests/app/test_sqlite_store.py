"""The store: corpora in files, recipes by id, tables, sessions, kept uploads, and the bounds of each."""

import errno
import os
import stat
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import anyio
import pytest

from app import files
from app.files import blocks_of_text
from app.kept import DiskFull, KeptRecipe
from app.settings import Settings
from app.sqlite_store import SQLiteStore
from app.store import Summary, Visit
from tokenizer.patterns import NAMED
from tokenizer.recipe import Recipe

pytestmark = pytest.mark.anyio
RECIPE = Recipe("low low\nlower\r\n\0é", special_tokens=("<|endoftext|>",), vocab_size=265, tie_rule="lower_ids")


async def save(store: SQLiteStore, recipe: Recipe) -> tuple[KeptRecipe, bool]:
    async with store.arriving(blocks_of_text(recipe.corpus)) as corpus:
        return await store.save_recipe(recipe.method, corpus)


async def read(store: SQLiteStore, run: str) -> Recipe | None:
    """A recipe with its corpus as text."""
    kept = await store.recipe(run)
    return None if kept is None else Recipe.of(kept.method, kept.corpus.path.read_bytes().decode())


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def folder(tmp_path) -> Path:
    """Where the files are."""
    return tmp_path / "new" / "store.sqlite3-files"


def names(folder: Path) -> dict[str, set[str]]:
    """What is in each folder that is not empty."""
    found = {kind.name: {path.name for path in kind.iterdir()} for kind in folder.iterdir()}
    return {kind: held for kind, held in found.items() if held}


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def make_store(tmp_path, clock):
    stores = []

    def make(**settings):
        store = SQLiteStore(Settings(store_path=tmp_path / "new" / "store.sqlite3", **settings), clock=clock)
        stores.append(store)
        return store

    yield make
    for store in stores:
        anyio.run(store.close)


async def test_a_recipe_comes_back_whole(make_store):
    store = make_store()
    kept, created = await save(store, RECIPE)
    assert (kept.id, created) == (RECIPE.id, True)
    assert await save(store, RECIPE) == (kept, False)
    assert await store.recipe(RECIPE.id) == kept
    assert await read(store, RECIPE.id) == RECIPE
    corpus = kept.corpus
    assert (corpus.digest, corpus.bytes, corpus.characters) == (digest(RECIPE.corpus), 18, 17)
    assert await store.recipe("a" * 26) is None


async def test_a_custom_pattern_comes_back(make_store):
    from tokenizer.patterns import custom

    store = make_store()
    recipe = replace(RECIPE, pattern=custom(r"\w+|\W"))
    await save(store, recipe)
    assert (await store.recipe(recipe.id)).method == recipe.method


async def test_a_second_process_on_the_same_file_sees_it(make_store):
    first, second = make_store(), make_store()
    await save(first, RECIPE)
    assert await read(second, RECIPE.id) == RECIPE


async def test_a_file_of_a_later_version_is_refused(make_store):
    store = make_store()
    with store._connection() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RuntimeError, match="schema 99"):
        make_store()


async def test_summaries_leave_out_what_is_not_kept(make_store):
    store = make_store()
    await save(store, RECIPE)
    await save(store, recipe := Recipe("word " * 100, pattern=NAMED["whitespace"]))
    found = await store.summaries([RECIPE.id, recipe.id, "b" * 26])
    assert found[RECIPE.id] == Summary(
        RECIPE.id, digest(RECIPE.corpus), "low low lower \0é", 18, 17, "gpt2", "lower_ids"
    )
    assert len(found[recipe.id].opening) <= 80
    assert found[recipe.id].pattern == "whitespace"
    assert len(found) == 2
    assert await store.summaries([]) == {}


async def test_the_least_recently_used_recipe_goes_when_the_limit_is_passed(make_store, clock, folder):
    store = make_store(max_store_bytes=4_500)
    recipes = [Recipe(f"{number}" * 1_000) for number in range(4)]
    for recipe in recipes[:2]:
        clock.now += 1
        await save(store, recipe)
    clock.now += 1
    await store.recipe(recipes[0].id)
    for recipe in recipes[2:]:
        clock.now += 1
        await save(store, recipe)
    kept = await store.summaries([recipe.id for recipe in recipes])
    assert set(kept) == {recipes[place].id for place in (0, 2, 3)}
    assert names(folder) == {"corpora": {digest(recipes[place].corpus) for place in (0, 2, 3)}}


async def test_one_recipe_larger_than_the_limit_is_kept_alone(make_store, clock, folder):
    store = make_store(max_store_bytes=10)
    await save(store, RECIPE)
    assert await read(store, RECIPE.id) == RECIPE
    clock.now += 1
    await save(store, Recipe("another"))
    assert await read(store, RECIPE.id) is None
    assert names(folder) == {"corpora": {digest("another")}}


async def test_a_visit_is_a_use(make_store, clock):
    store = make_store(max_store_bytes=3_500)
    first, second, third = (Recipe(letter * 1_000) for letter in "abc")
    await save(store, first)
    clock.now += 1
    await save(store, second)
    clock.now += 1
    await store.record([("s", Visit(first.id, 1, clock.now))])
    clock.now += 1
    await save(store, third)
    assert set(await store.summaries([first.id, second.id, third.id])) == {first.id, third.id}


# Corpora in files


async def test_two_methods_share_the_file_of_their_corpus(make_store, folder):
    store = make_store()
    first, _ = await save(store, RECIPE)
    second, created = await save(store, other := replace(RECIPE, min_count=2))
    assert created
    assert first.corpus == second.corpus
    assert await read(store, other.id) == other
    assert names(folder) == {"corpora": {digest(RECIPE.corpus)}}


async def test_what_has_arrived_and_is_not_kept_leaves_nothing(make_store, folder):
    store = make_store()
    async with store.arriving([b"low ", b"lower"]) as corpus:
        assert corpus.path.read_bytes() == b"low lower"
        assert names(folder) == {"arriving": {corpus.path.name}}
    assert names(folder) == {}
    with pytest.raises(RuntimeError, match="on the way"):
        async with store.arriving([b"low"]):
            raise RuntimeError("on the way")
    assert names(folder) == {}


async def test_a_full_disk_is_an_error_of_its_own_and_leaves_nothing(make_store, folder):
    def blocks():
        yield b"x" * 100_000
        raise OSError(errno.ENOSPC, "No space left on device")

    store = make_store()
    with pytest.raises(DiskFull, match="no room left"):
        async with store.arriving(blocks()):
            pass
    with pytest.raises(DiskFull, match="no room left"):
        await store.keep_upload("s", "a.txt", blocks())
    assert names(folder) == {}


async def test_files_are_their_owner_s_alone(make_store, folder):
    store = make_store()
    kept, _ = await save(store, RECIPE)
    for path in (folder, *folder.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE(kept.corpus.path.stat().st_mode) == 0o600


async def test_a_corpus_whose_file_is_gone_or_cut_short_is_mended_when_it_comes_again(make_store):
    store = make_store()
    kept, _ = await save(store, RECIPE)
    for damage in (kept.corpus.path.unlink, lambda: kept.corpus.path.write_bytes(b"lo")):
        damage()
        assert await store.recipe(RECIPE.id) == kept  # its table may still be there
        assert await save(store, RECIPE) == (kept, False)
        assert await read(store, RECIPE.id) == RECIPE


async def test_a_damaged_row_counts_as_not_kept(make_store):
    store = make_store()
    await save(store, RECIPE)
    store._execute("UPDATE recipes SET method = '{'")
    assert await store.recipe(RECIPE.id) is None
    assert await store.summaries([RECIPE.id]) == {}


def old(path: Path) -> Path:
    """Let a file be two hours old."""
    then = path.stat().st_mtime - 7_200
    os.utime(path, (then, then))
    return path


async def test_what_a_crash_has_left_goes_at_the_next_start(make_store, folder):
    kept, _ = await save(make_store(), RECIPE)
    old(kept.corpus.path)
    for kind in ("corpora", "tables", "uploads", "arriving"):
        path = folder / kind / f"left-in-{kind}"
        path.write_bytes(b"x")
        old(path)
    young = folder / "arriving" / "another-process-writes-it"
    young.write_bytes(b"x")
    store = make_store()
    assert names(folder) == {"corpora": {kept.corpus.digest}, "arriving": {young.name}}
    assert await read(store, RECIPE.id) == RECIPE


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "", "a" * 65, "a/b" * 10, "aaaaaaaaaa\n"])
def test_no_name_leads_out_of_the_folder(tmp_path, name):
    kept = files.Files(tmp_path / "store")
    for way in (kept.corpus, kept.table, kept.upload):
        with pytest.raises(ValueError, match="is no name of a file"):
            way(name)


# Tables


async def keep_table(store: SQLiteStore, key: str, recipe: Recipe, size: int = 100) -> Path:
    path = store.table_path(key)
    path.write_bytes(b"t" * size)
    await store.keep_table(key, recipe.id, size)
    return path


async def test_tables_count_and_go_before_their_corpus(make_store, clock, folder):
    store = make_store(max_store_bytes=3_000)
    recipe = Recipe("x" * 1_000)
    await save(store, recipe)
    paths = []
    for place in range(3):
        clock.now += 1
        paths.append(await keep_table(store, f"table-{place}-abc", recipe, 800))
    assert [path.exists() for path in paths] == [False, True, True]
    assert await read(store, recipe.id) == recipe
    clock.now += 1
    await keep_table(store, "table-1-abc", recipe, 800)  # it was used
    clock.now += 1
    await keep_table(store, "table-3-abc", recipe, 800)
    assert names(folder)["tables"] == {"table-1-abc", "table-3-abc"}


async def test_a_corpus_takes_its_tables_with_it(make_store, clock, folder):
    store = make_store(max_store_bytes=1_500)
    recipe, other = Recipe("x" * 600), Recipe("y" * 600)
    await save(store, recipe)
    await keep_table(store, "table-0-abc", recipe)
    clock.now += 1
    await save(store, other)
    clock.now += 1
    await keep_table(store, "table-1-abc", other, 700)
    assert names(folder) == {"corpora": {digest(other.corpus)}, "tables": {"table-1-abc"}}
    assert await read(store, recipe.id) is None


async def test_a_table_of_a_run_that_is_not_kept_goes_again(make_store, folder):
    store = make_store()
    await keep_table(store, "table-0-abc", Recipe("nobody has this"))
    assert names(folder) == {}


# Sessions


async def test_visits_come_latest_first_and_an_older_one_overwrites_nothing(make_store, clock):
    store = make_store(recent_runs=2)
    at = clock.now
    await store.record([("s", Visit("a", 5, at)), ("s", Visit("b", 1, at + 1)), ("t", Visit("a", 9, at + 2))])
    await store.record([("s", Visit("a", 3, at - 1)), ("s", Visit("b", 2, at + 3))])
    assert await store.visits("s") == [Visit("b", 2, at + 3), Visit("a", 5, at)]
    await store.record([("s", Visit("c", 0, at + 4))])
    assert [visit.run for visit in await store.visits("s")] == ["c", "b"]
    await store.forget("s", "c")
    assert [visit.run for visit in await store.visits("s")] == ["b"]
    assert [visit.step for visit in await store.visits("t")] == [9]


async def test_sessions_end_after_their_days_and_beyond_their_number(make_store, clock):
    store = make_store(session_days=1, max_sessions=2)
    await store.record([("old", Visit("a", 1, clock.now))])
    clock.now += 100_000
    await store.record([("x", Visit("a", 1, clock.now - 3)), ("y", Visit("a", 1, clock.now - 2))])
    assert await store.visits("old") == []
    await store.record([("z", Visit("a", 1, clock.now - 1))])
    assert await store.visits("x") == []
    assert len(await store.visits("y")) == 1


async def test_an_upload_is_for_its_session_and_for_a_while(make_store, clock, folder):
    store = make_store()
    key = await store.keep_upload("s", "../a.txt", [b"\xff", b"\xfe"])
    assert len(key) >= 20
    upload = await store.upload("s", key)
    assert (upload.name, upload.path.read_bytes()) == ("../a.txt", b"\xff\xfe")
    assert upload.path.parent == folder / "uploads"
    assert await store.upload("t", key) is None
    for guess in ("../corpora/x", "", key[:-1]):
        assert await store.upload("s", guess) is None
        await store.drop_upload("s", guess)
    clock.now += 31 * 60
    assert await store.upload("s", key) is None
    make_store()
    assert names(folder) == {}


async def test_uploads_are_bounded(make_store, clock, folder):
    store = make_store(max_uploads_bytes=10, uploads_per_session=2)
    assert await store.keep_upload("s", "large", [b"x" * 11]) is None
    keys = []
    for number in range(3):
        clock.now += 1
        keys.append(await store.keep_upload("s", str(number), [b"xxx"]))
    assert [await store.upload("s", key) is not None for key in keys] == [False, True, True]
    clock.now += 1
    await store.keep_upload("t", "other", [b"x" * 6])
    assert [await store.upload("s", key) is not None for key in keys] == [False, False, True]
    await store.drop_upload("t", keys[2])
    assert await store.upload("s", keys[2]) is not None
    await store.drop_upload("s", keys[2])
    assert await store.upload("s", keys[2]) is None
    assert len(names(folder)["uploads"]) == 1


async def test_an_error_leaves_no_open_transaction(make_store):
    store = make_store()
    with pytest.raises(Exception, match="no such table"):
        store._execute("DELETE FROM absent")
    assert (await save(store, RECIPE))[1] is True


async def test_many_at_once(make_store):
    store = make_store()
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(save, store, Recipe(f"corpus {number}"))
            group.start_soon(store.record, [("s", Visit(f"run {number}", number, 1e6 + number))])
    assert len(await store.visits("s")) == 20


async def test_a_stop_is_known_until_the_run_goes_on_or_is_made_anew(make_store):
    store = make_store()
    await save(store, RECIPE)

    async def known() -> tuple[int | None, bool]:
        return (await store.recipe(RECIPE.id)).stopped_at, (await store.summaries([RECIPE.id]))[RECIPE.id].stopped

    assert await known() == (None, False)
    await store.keep_stop(RECIPE.id, 0)
    assert await known() == (0, True)
    await store.keep_stop(RECIPE.id, None)
    assert await known() == (None, False)
    await store.keep_stop(RECIPE.id, 12)
    assert await known() == (12, True)
    await save(store, RECIPE)
    assert await known() == (None, False)
    await store.keep_stop("a" * 26, 12)  # one that has gone
