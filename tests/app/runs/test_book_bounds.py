"""What the run book does not hold: too many who wait, too many runs, too much memory."""

import asyncio
from dataclasses import replace

import pytest

from app.runs.live import Busy
from app.samples import toy_recipe
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened, until, values
from tokenizer import Recipe, TokenizerError

pytestmark = pytest.mark.anyio


async def test_when_too_many_wait_others_are_told_to_come_again(settings, hold):
    hold.steps = 1
    async with opened(settings, max_queue=1) as book:
        run, _ = await opening(book, PROSE)
        await book.at(run, 1, wait=SECONDS)
        await opening(book, Recipe("ab"))  # a run that is only made ahead keeps nobody waiting
        assert not (await book.at(run, 50, wait=0.01)).ready(50)
        with pytest.raises(Busy) as raised:
            await opening(book, toy_recipe())
        assert raised.value.retry_after > 0
        assert await opening(book, PROSE) == (run, False)  # no further work
        assert (await book.at(run, 1, wait=SECONDS)).ready(1)
        hold.steps = 1_000_000
        live = await book.peek(run)
        await until(lambda: live.complete)
        await opening(book, toy_recipe())


async def test_a_kept_run_is_not_revived_while_too_many_wait(settings, hold):
    async with opened(settings) as book:
        kept, _ = await opening(book, toy_recipe())
    hold.steps = 1
    async with opened(settings, max_queue=1) as book:
        run, _ = await opening(book, PROSE)
        await book.at(run, 50, wait=0.01)
        with pytest.raises(Busy):
            await book.at(kept, 0, wait=1)


async def test_of_many_unfinished_runs_the_least_recently_used_goes(settings, hold):
    hold.steps = 1
    async with opened(settings, live_trainings=2) as book:
        first, _ = await opening(book, PROSE)
        waiting = asyncio.create_task(book.at(first, 50, wait=SECONDS))
        await until(lambda: book._live[first].wanted == 50)
        second, _ = await opening(book, replace(PROSE, min_count=2))
        third, _ = await opening(book, replace(PROSE, min_count=3))
        assert list(book._live) == [second, third]
        with pytest.raises(TokenizerError, match="put away to make room"):
            await waiting
        assert (await book.at(first, 1, wait=SECONDS)).ready(1)


async def test_the_least_recently_used_run_goes_and_comes_back_the_same(settings):
    recipes = [Recipe(f"{letter}b {letter}bc") for letter in "xyz"]
    async with opened(settings, live_runs=2) as book:
        one, two, three = [(await opening(book, recipe))[0] for recipe in recipes[:2]] + [recipes[2].id]
        first, second = await book.at(one, 2, wait=SECONDS), await book.at(two, 2, wait=SECONDS)
        steps = values(first, 3)
        await book.at(one, 1, wait=SECONDS)  # so that the second is the least recently used
        await opening(book, recipes[2])
        assert await book.peek(one) is first
        assert "put away to make room" in second.progress().failed
        assert first.run is not None
        revived = await book.at(two, 2, wait=SECONDS)
        assert revived is not second
        assert values(revived, 3) == values(second, 3)
        assert (await book.at(three, 2, wait=SECONDS)).ready(2)
        assert values(await book.at(one, 2, wait=SECONDS), 3) == steps


async def test_who_waits_for_a_run_that_is_put_away_is_told(settings, hold):
    hold.steps = 1
    async with opened(settings, live_runs=1) as book:
        run, _ = await opening(book, PROSE)
        waiting = asyncio.create_task(book.at(run, 9, wait=SECONDS))
        await until(lambda: book._live[run].wanted == 9)
        await opening(book, toy_recipe())
        with pytest.raises(TokenizerError, match="put away to make room"):
            await waiting


async def test_runs_go_when_they_grow_too_heavy_together(settings, hold):
    hold.steps = 0
    other = replace(PROSE, tie_rule="lower_ids")
    async with opened(settings, live_bytes=400_000) as book:
        one = await book.at((await opening(book, PROSE))[0], 0, wait=SECONDS)
        two = await book.at((await opening(book, other))[0], 0, wait=SECONDS)
        assert one.failure is two.failure is None
        hold.steps = 200
        await until(lambda: one.failure is not None)
        await until(lambda: two.known == 200)
        assert two.failure is None  # the newest stays
        assert two.weight > 400_000
        assert list(book._live) == [other.id]
        assert list(book._by_key.values()) == [two]
