"""The run book: runs are made once, waited for and made again; what cannot be trained or is not there is told."""

import asyncio
import time
from dataclasses import replace

import pytest

from app.runs.live import RunNotFound, StepLimit
from app.samples import toy_recipe
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened, values
from tokenizer import Exhausted, Recipe, RecipeError, TokenizerError, custom, train

pytestmark = pytest.mark.anyio


async def test_opening_twice_is_one_run(settings):
    async with opened(settings) as book:
        assert await opening(book, toy_recipe()) == (toy_recipe().id, True)
        first = await book.at(toy_recipe().id, 0, wait=SECONDS)
        assert await opening(book, toy_recipe()) == (toy_recipe().id, False)
        assert await book.at(toy_recipe().id, 0, wait=SECONDS) is first
        assert await book.peek(toy_recipe().id) is first


async def test_many_who_open_at_once_share_a_run(settings):
    async with opened(settings) as book:
        await asyncio.gather(*(opening(book, toy_recipe()) for _ in range(5)))
        live = await asyncio.gather(*(book.at(toy_recipe().id, step, wait=SECONDS) for step in range(9)))
        assert len(set(map(id, live))) == 1
        assert live[0].known == 8


async def test_a_step_that_is_waited_for_is_ready_and_right(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 12, wait=SECONDS)
        assert live.ready(12)
        alone = train(PROSE, steps=12)
        assert values(live, 12) == [alone.step(number) for number in range(1, 12)]
        assert (live.id, live.method, live.corpus.bytes) == (PROSE.id, PROSE.method, len(PROSE.corpus.encode()))
        assert live.corpus.path.read_bytes() == PROSE.corpus.encode()


async def test_a_kept_recipe_is_trained_when_it_is_asked_for(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, toy_recipe())
    async with opened(settings) as book:
        live = await book.at(run, 8, wait=SECONDS)
        assert live.ready(8)
        assert (await opening(book, toy_recipe()))[1] is False


async def test_a_step_that_takes_longer_is_not_ready_yet(settings, hold):
    hold.steps = 3
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 10, wait=0.05)
        assert not live.ready(10)
        live = await book.at(run, 3, wait=SECONDS)
        assert live.ready(3)
        assert (live.training, live.complete) == (True, False)
        begun = time.perf_counter()
        assert not (await book.at(run, 4, wait=0)).ready(4)
        assert time.perf_counter() - begun < 1
        hold.steps = 5
        assert (await book.at(run, 5, wait=SECONDS)).ready(5)


# Steps that do not exist


async def test_a_step_beyond_the_end_is_exhausted(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, Recipe("abab"))
        with pytest.raises(Exhausted, match=r"There is no step 9: this run ends with step 2") as raised:
            await book.at(run, 9, wait=SECONDS)
        assert (raised.value.last, raised.value.reason) == (2, "no_pairs")


async def test_a_step_beyond_the_vocabulary_is_exhausted_before_it_is_reached(settings, hold):
    hold.steps = 2
    async with opened(settings) as book:
        run, _ = await opening(book, toy_recipe())
        await book.at(run, 2, wait=SECONDS)
        with pytest.raises(Exhausted, match="step 8 at the latest fills the vocabulary size") as raised:
            await book.at(run, 9, wait=SECONDS)
        assert (raised.value.last, raised.value.position, raised.value.reason) == (8, 8, "vocabulary_size")
        hold.steps = 8
        with pytest.raises(Exhausted, match="this run ends with step 8"):
            await book.at((await book.at(run, 8, wait=SECONDS)).id, 9, wait=SECONDS)


@pytest.mark.parametrize(("most", "error"), [(20_000, Exhausted), (5, StepLimit)])
async def test_a_step_that_cannot_come_is_refused_while_the_corpus_is_counted(settings, hold, most, error):
    hold.counting = True
    async with opened(settings, max_steps=most) as book:
        run, _ = await opening(book, toy_recipe())
        with pytest.raises(error):
            await book.at(run, 9, wait=SECONDS)
        assert not (await book.at(run, 5, wait=0.01)).ready(5)
        hold.counting = False


async def test_a_step_beyond_the_server_s_limit_says_so(settings):
    async with opened(settings, max_steps=5) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 5, wait=SECONDS)
        assert (live.known, live.complete, live.training) == (5, True, False)
        with pytest.raises(StepLimit, match=r"This server trains 5 steps of a run at most; step 6 is beyond") as raised:
            await book.at(run, 6, wait=SECONDS)
        assert (raised.value.field, raised.value.position, raised.value.code) == ("step", 5, "step_limit")
        with pytest.raises(StepLimit):  # the recipe wants more than the server makes
            await book.at((await opening(book, replace(PROSE, vocab_size=300)))[0], 6, wait=SECONDS)


async def test_there_is_no_run_without_its_recipe(settings):
    async with opened(settings) as book:
        for ask in (book.at("a" * 26, 0, wait=1), book.peek("a" * 26)):
            with pytest.raises(RunNotFound):
                await ask
        book.cancel("a" * 26)  # nothing to cancel


# What cannot be trained


async def test_a_recipe_that_cannot_be_trained_is_refused_and_not_kept(settings):
    async with opened(settings) as book:
        recipe = Recipe("ab", vocab_size=10)
        with pytest.raises(RecipeError, match="too small"):
            await opening(book, recipe)
        with pytest.raises(RunNotFound):
            await book.peek(recipe.id)


async def test_a_pattern_that_fails_on_the_corpus_fails_the_run_with_its_reason(settings):
    recipe = Recipe("aqa", pattern=custom(r"(?<=q)|."))
    async with opened(settings, max_queue=1) as book:
        run, _ = await opening(book, recipe)
        with pytest.raises(TokenizerError, match="matches the empty string at character 2") as raised:
            await book.at(run, 0, wait=SECONDS)
        assert (raised.value.code, raised.value.field) == ("pattern", "pattern")
        live = await book.peek(run)
        assert "matches the empty string" in live.progress().failed
        assert [progress.failed async for progress in live.watch()] == [live.progress().failed]
        assert (await book.at((await opening(book, toy_recipe()))[0], 8, wait=SECONDS)).known == 8  # and nobody else


async def test_a_pattern_that_takes_too_long_fails_the_run(settings):
    async with opened(settings, pattern_seconds=0.01) as book:
        run, _ = await opening(book, Recipe("a" * 200_000, pattern=custom(r"(?:a|aa)+?b|a")))
        with pytest.raises(TokenizerError, match=r"took longer than 0\.01 s"):
            await book.at(run, 0, wait=SECONDS)
