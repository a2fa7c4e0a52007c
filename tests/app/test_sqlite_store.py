"""The store: recipes by id, sessions, kept uploads, and the bounds of each."""

from dataclasses import replace

import anyio
import pytest

from app.settings import Settings
from app.sqlite_store import SQLiteStore
from app.store import Summary, Upload, Visit
from tokenizer.patterns import NAMED
from tokenizer.recipe import Recipe

pytestmark = pytest.mark.anyio
RECIPE = Recipe("low low\nlower\r\n\0é", special_tokens=("<|endoftext|>",), vocab_size=265, tie_rule="lower_ids")


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


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
    assert await store.save_recipe(RECIPE) is True
    assert await store.save_recipe(RECIPE) is False
    assert await store.recipe(RECIPE.id) == RECIPE
    assert await store.recipe("a" * 26) is None


async def test_a_custom_pattern_comes_back(make_store):
    from tokenizer.patterns import custom

    store = make_store()
    recipe = replace(RECIPE, pattern=custom(r"\w+|\W"))
    await store.save_recipe(recipe)
    assert (await store.recipe(recipe.id)).pattern == recipe.pattern


async def test_a_second_process_on_the_same_file_sees_it(make_store):
    first, second = make_store(), make_store()
    await first.save_recipe(RECIPE)
    assert await second.recipe(RECIPE.id) == RECIPE


async def test_a_file_of_a_later_version_is_refused(make_store):
    store = make_store()
    with store._connection() as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(RuntimeError, match="schema 99"):
        make_store()


async def test_summaries_leave_out_what_is_not_kept(make_store):
    store = make_store()
    await store.save_recipe(RECIPE)
    await store.save_recipe(recipe := Recipe("word " * 100, pattern=NAMED["whitespace"]))
    found = await store.summaries([RECIPE.id, recipe.id, "b" * 26])
    assert found[RECIPE.id] == Summary(RECIPE.id, "low low lower \0é", 18, "gpt2", "lower_ids")
    assert len(found[recipe.id].opening) <= 80
    assert found[recipe.id].pattern == "whitespace"
    assert len(found) == 2
    assert await store.summaries([]) == {}


async def test_the_least_recently_used_recipe_goes_when_the_limit_is_passed(make_store, clock):
    store = make_store(max_store_bytes=700)
    recipes = [Recipe(f"corpus {number}") for number in range(4)]
    for recipe in recipes[:2]:
        clock.now += 1
        await store.save_recipe(recipe)
    clock.now += 1
    await store.recipe(recipes[0].id)
    for recipe in recipes[2:]:
        clock.now += 1
        await store.save_recipe(recipe)
    kept = await store.summaries([recipe.id for recipe in recipes])
    assert recipes[1].id not in kept
    assert recipes[3].id in kept


async def test_one_recipe_larger_than_the_limit_is_kept_alone(make_store):
    store = make_store(max_store_bytes=10)
    await store.save_recipe(RECIPE)
    assert await store.recipe(RECIPE.id) == RECIPE


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


async def test_an_upload_is_for_its_session_and_for_a_while(make_store, clock):
    store = make_store()
    key = await store.keep_upload("s", "a.txt", b"\xff")
    assert len(key) >= 20
    assert await store.upload("s", key) == Upload("a.txt", b"\xff")
    assert await store.upload("t", key) is None
    clock.now += 31 * 60
    assert await store.upload("s", key) is None


async def test_uploads_are_bounded(make_store, clock):
    store = make_store(max_uploads_bytes=10, uploads_per_session=2)
    assert await store.keep_upload("s", "large", b"x" * 11) is None
    keys = []
    for number in range(3):
        clock.now += 1
        keys.append(await store.keep_upload("s", str(number), b"xxx"))
    assert [await store.upload("s", key) is not None for key in keys] == [False, True, True]
    clock.now += 1
    await store.keep_upload("t", "other", b"x" * 6)
    assert [await store.upload("s", key) is not None for key in keys] == [False, False, True]
    await store.drop_upload("s", keys[2])
    assert await store.upload("s", keys[2]) is None


async def test_an_error_leaves_no_open_transaction(make_store):
    store = make_store()
    with pytest.raises(Exception, match="no such table"):
        store._execute("DELETE FROM absent")
    assert await store.save_recipe(RECIPE) is True


async def test_many_at_once(make_store):
    store = make_store()
    async with anyio.create_task_group() as group:
        for number in range(20):
            group.start_soon(store.save_recipe, Recipe(f"corpus {number}"))
            group.start_soon(store.record, [("s", Visit(f"run {number}", number, 1e6 + number))])
    assert len(await store.visits("s")) == 20
