"""The run book: runs are made once, waited for, cancelled, put away and made again; workers come and go."""

import asyncio
import gzip
import multiprocessing
import os
import signal
import sqlite3
import threading
import time
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from app.runs import book as runs
from app.runs import crew, pace, training_loop
from app.runs.book import RunBook
from app.runs.live import Busy, LiveRun, Progress, RunNotFound, StepLimit
from app.runs.training_loop import Training
from app.samples import SAMPLES, toy_recipe
from app.settings import Settings
from app.sqlite_store import SQLiteStore
from tests.app.live import opening
from tokenizer import Exhausted, Recipe, RecipeError, TokenizerError, custom, train
from tokenizer.counting import Counting
from tokenizer.patterns import NONE
from tokenizer.sources import LocalFile

pytestmark = pytest.mark.anyio
SECONDS = 60  # more than anything here takes, even on a busy machine
PROSE = Recipe(SAMPLES["pride"].text, vocab_size=256 + 300)
DATA = Path(__file__).parents[2] / "data" / "text"


@asynccontextmanager
async def opened(settings: Settings, **changes: object):
    """A run book at work on a store of its own; nothing of it is left afterwards."""
    settings = settings.model_copy(update=changes)
    store = SQLiteStore(settings)
    book = RunBook(settings, store)
    before = set(threading.enumerate())
    await book.start()
    try:
        yield book
    finally:
        await book.stop()
        await store.close()
    left = [thread for thread in threading.enumerate() if thread.name.startswith("training") and thread not in before]
    assert not left
    assert not multiprocessing.active_children()


class Hold:
    """Trainings make no more than so many steps; while `counting`, none is counted."""

    def __init__(self):
        self.steps = 1_000_000
        self.counting = False
        self.obeyed = []

    async def obeyed_the_cancel(self) -> None:
        """Wait until a training has heard that it is to rest."""
        await until(lambda: self.obeyed and self.obeyed[-1][2:] == (0, 0))


@pytest.fixture
def hold(monkeypatch):
    held = Hold()
    merge, count = Training._merge, Training._count

    def merge_some(self, trainer):
        job, self.job = self.job, replace(self.job, most=min(self.job.most, held.steps))
        try:
            if self.made >= self.job.most:
                time.sleep(0.002)
                return ("records", self.key, [], None if self.made < job.most else trainer.ended)
            return merge(self, trainer)
        finally:
            self.job = job

    def count_some(self, counting):
        if held.counting:
            time.sleep(0.002)
            return ("counting", self.key, 1, 100)
        return count(self, counting)

    def obey(message, trainings, turns):
        real_obey(message, trainings, turns)
        held.obeyed.append(message)

    real_obey = training_loop._obey
    monkeypatch.setattr(training_loop, "_obey", obey)
    monkeypatch.setattr(Training, "_merge", merge_some)
    monkeypatch.setattr(Training, "_count", count_some)
    return held


async def until(condition) -> None:
    async with asyncio.timeout(SECONDS):
        while not condition():  # noqa: ASYNC110 - the code under test has no event for it
            await asyncio.sleep(0.002)


def values(live: LiveRun, last: int) -> list:
    assert live.run is not None
    return [live.run.step(number) for number in range(1, last)]  # the last one knows that it is


# Open and wait


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


# Tables that are kept


@pytest.fixture
def counted(monkeypatch):
    """The files that are counted."""
    seen = []

    def begin(self, source, *arguments: object, **options: object):
        if isinstance(source, LocalFile):
            seen.append(source)
        real(self, source, *arguments, **options)

    real = Counting.__init__
    monkeypatch.setattr(Counting, "__init__", begin)
    return seen


async def first_steps(settings, recipe, **changes):
    """The first steps of a run in a server of its own, and where its corpus is."""
    async with opened(settings, **changes) as book:
        run, _ = await opening(book, recipe)
        live = await book.at(run, 5, wait=SECONDS)
        return values(live, 5), live.corpus.path


async def test_after_a_restart_the_table_is_enough(settings, counted):
    steps, path = await first_steps(settings, PROSE)
    path.unlink()
    async with opened(settings) as book:
        live = await book.at(PROSE.id, 5, wait=SECONDS)
        assert values(live, 5) == steps
        assert not live.corpus.is_there
    assert len(counted) == 1


@pytest.mark.parametrize("other", [{"vocab_size": 300}, {"tie_rule": "lower_ids"}, {"min_count": 2}])
async def test_another_method_that_cuts_the_same_way_begins_with_the_table(settings, counted, other):
    await first_steps(settings, PROSE)
    recipe = replace(PROSE, **other)
    steps, _ = await first_steps(settings, recipe)
    alone = train(recipe, steps=5)
    assert steps == [alone.step(number) for number in range(1, 5)]
    assert len(counted) == 1
    await first_steps(settings, replace(PROSE, special_tokens=("the",)))
    assert len(counted) == 2


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"?" + data[1:]])
async def test_a_damaged_corpus_is_not_trained_until_it_is_sent_again(settings, damage):
    steps, path = await first_steps(settings, PROSE)
    for table in (path.parent.parent / "tables").iterdir():
        table.unlink()
    path.write_bytes(damage(path.read_bytes()))
    async with opened(settings) as book:
        with pytest.raises(TokenizerError, match="was changed or damaged on this server") as raised:
            await book.at(PROSE.id, 5, wait=SECONDS)
        assert raised.value.code == "corpus_damaged"
        assert not list((path.parent.parent / "tables").iterdir())
        await opening(book, PROSE)
        assert path.read_bytes() == PROSE.corpus.encode()
        assert values(await book.at(PROSE.id, 5, wait=SECONDS), 5) == steps


async def test_a_damaged_table_is_counted_anew(settings, counted):
    steps, path = await first_steps(settings, PROSE)
    (table,) = (path.parent.parent / "tables").iterdir()
    whole = table.read_bytes()
    table.write_bytes(whole[:-9] + b"damaged!!")
    assert (await first_steps(settings, PROSE))[0] == steps
    assert len(counted) == 2
    assert table.read_bytes() == whole


async def test_a_table_counts_in_what_the_store_keeps(settings):
    await first_steps(settings, PROSE)
    store = SQLiteStore(settings)
    with store._connection() as connection:
        ((size,),) = connection.execute("SELECT bytes FROM tables").fetchall()
    await store.close()
    ((path),) = (settings.store_path.parent / "store.sqlite3-files" / "tables").iterdir()
    assert size == path.stat().st_size


async def test_without_corpus_and_table_a_run_says_so_and_can_be_made_again(settings):
    _, path = await first_steps(settings, PROSE)
    path.unlink()
    for table in (path.parent.parent / "tables").iterdir():
        table.unlink()
    async with opened(settings) as book:
        with pytest.raises(TokenizerError, match="not kept here any more") as raised:
            await book.at(PROSE.id, 1, wait=SECONDS)
        assert raised.value.code == "corpus_gone"
        assert await opening(book, PROSE) == (PROSE.id, False)
        assert (await book.at(PROSE.id, 1, wait=SECONDS)).ready(1)


async def test_a_live_run_goes_on_when_its_corpus_goes(settings, hold):
    hold.steps = 2
    other = Recipe("another corpus " * 200)
    async with opened(settings, max_store_bytes=5_000) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 2, wait=SECONDS)
        await opening(book, other)
        assert not live.corpus.is_there
        hold.steps = 30
        assert (await book.at(run, 30, wait=SECONDS)).ready(30)


# How long it takes


async def test_the_time_that_is_left_is_estimated_while_somebody_waits(settings, hold, monkeypatch):
    monkeypatch.setattr(pace, "ENOUGH", 0.0)
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        for hold.steps in (5, 10):
            live = await book.at(run, hold.steps, wait=SECONDS)
            await asyncio.sleep(0.02)
        assert 0 < live.seconds_left(100) < live.seconds_left(300)
        assert live.seconds_left(3) == 0
        book.cancel(run)
        assert live.seconds_left(300) is None


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


# Bounds


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


# Cancel and go on


async def test_cancelling_while_it_counts_and_beginning_anew(settings, hold):
    hold.counting = True
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 3, wait=0.05)
        await until(lambda: live.counted == 1)
        assert live.progress() == Progress(1, len(PROSE.corpus.encode()), "counting")
        waiting = asyncio.create_task(book.at(run, 3, wait=SECONDS))
        await asyncio.sleep(0.01)
        book.cancel(run)
        assert not (await waiting).ready(3)  # at once, not after its time
        assert live.progress().cancelled
        assert (live.training, live.complete) == (False, False)
        assert await book.peek(run) is live  # looking does not begin anew
        hold.counting = False
        anew = await book.at(run, 3, wait=SECONDS)
        assert anew is not live
        assert anew.ready(3)
        await until(lambda: anew.known > 3)
        assert live.run is None


async def test_the_table_of_a_run_that_was_cancelled_as_its_counting_ended_is_known_to_the_store(settings, monkeypatch):
    writing, written = threading.Event(), threading.Event()

    def write(path, table):
        writing.set()
        assert written.wait(SECONDS)
        return real(path, table)

    real = training_loop.write_table
    monkeypatch.setattr(training_loop, "write_table", write)
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.peek(run)
        await until(writing.is_set)
        book.cancel(run)
        written.set()
        await until(lambda: not book._leaving)
        assert live.run is None
        await until(lambda: tables_in(settings))
    (name,) = tables_in(settings)
    assert (settings.store_path.with_name("store.sqlite3-files") / "tables" / name).is_file()


def tables_in(settings) -> list[str]:
    with closing(sqlite3.connect(settings.store_path)) as connection:
        return [key for (key,) in connection.execute("SELECT key FROM tables")]


SLOW = Recipe("a" * 60_000, pattern=custom(r"(?:a|aa)+?b|a"))


async def test_a_cancel_frees_a_worker_that_matches_a_slow_pattern(settings):
    async with opened(settings, workers=1, pattern_seconds=300.0) as book:
        (before,) = book._crew.workers
        run, _ = await opening(book, SLOW)
        live = await book.peek(run)
        await asyncio.sleep(0.5)
        book.cancel(run)
        assert (live.failure, live.progress().cancelled) == (None, True)
        assert (await book.at((await opening(book, PROSE))[0], 1, wait=SECONDS)).ready(1)
        (after,) = book._crew.workers
        assert after is not before
        assert not book._leaving
        await until(lambda: not before._reader.is_alive())


async def test_a_worker_that_has_not_noticed_a_cancel_is_busy(settings):
    async with opened(settings, workers=2, pattern_seconds=300.0) as book:
        first, second = book._crew.workers
        run, _ = await opening(book, SLOW)
        live = await book.peek(run)
        stuck, other = (first, second) if live.worker is first else (second, first)
        book._leaving[live.key] = live
        live.cancelled = True
        assert (book._load(stuck), book._load(other)) == (60_000, 0)


async def test_opening_again_after_a_cancel_while_it_counts(settings, hold):
    hold.counting = True
    async with opened(settings, max_queue=1) as book:
        run, _ = await opening(book, PROSE)
        book.cancel(run)
        hold.counting = False
        await opening(book, PROSE)
        assert (await book.at(run, 3, wait=SECONDS)).ready(3)


async def test_cancelling_while_it_trains_and_going_on_for_a_while(settings, hold, monkeypatch):
    monkeypatch.setattr(runs, "AGAIN", 4)
    hold.steps = 10
    async with opened(settings, max_queue=1) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 10, wait=SECONDS)
        book.cancel(run)
        await hold.obeyed_the_cancel()
        hold.steps = 1_000_000
        await asyncio.sleep(0.05)
        assert (live.known, live.training, live.progress().cancelled) == (10, False, True)
        assert await book.at(run, 7, wait=SECONDS) is live
        assert live.progress().cancelled  # looking at a known step does not go on
        assert (await book.at(run, 11, wait=SECONDS)).ready(11)
        await until(lambda: live.known == 15)
        await asyncio.sleep(0.05)
        assert (live.known, live.training, live.complete, live.progress().cancelled) == (15, False, False, False)
        assert [progress.done async for progress in live.watch()] == [15]
        await opening(book, toy_recipe())  # a run at rest makes nobody wait
        assert (await book.at(run, 16, wait=SECONDS)).ready(16)
        await until(lambda: live.known == 20)
        alone = train(PROSE, steps=20)
        assert live.run is not None
        assert live.run.merges(20) == alone.merges(20)


async def test_a_cancel_releases_who_waits_and_holds(settings, hold):
    hold.steps = 2
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 2, wait=SECONDS)
        waiting = [asyncio.create_task(book.at(run, step, wait=SECONDS)) for step in (5, 50)]
        await until(lambda: live.wanted == 50)
        book.cancel(run)
        assert [found.ready(5) for found in await asyncio.gather(*waiting)] == [False, False]
        await hold.obeyed_the_cancel()
        hold.steps = 1_000_000
        await asyncio.sleep(0.05)
        assert (live.known, live.cancelled) == (2, True)


async def test_cancelling_what_is_over_changes_nothing(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, toy_recipe())
        live = await book.at(run, 8, wait=SECONDS)
        await until(lambda: live.complete)
        book.cancel(run)
        assert not live.progress().cancelled


# Progress


async def test_progress_is_seen_as_it_goes_and_ends(settings, hold):
    hold.counting = True
    async with opened(settings) as book:
        run, _ = await opening(book, replace(PROSE, vocab_size=256 + 40))
        live = await book.peek(run)
        seen = []
        async with asyncio.timeout(SECONDS):
            async for progress in live.watch(pause=0):
                seen.append(progress)
                hold.counting = False
        assert seen[0].phase == "counting"
        assert seen[0].total == len(PROSE.corpus.encode())
        assert seen[-1] == Progress(40, 40, "training")
        done = [progress.done for progress in seen if progress.phase == "training"]
        assert done == sorted(done)


async def test_watching_ends_with_a_cancel(settings, hold):
    hold.steps = 2
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 2, wait=SECONDS)
        seen = []
        async with asyncio.timeout(SECONDS):
            async for progress in live.watch(pause=0):
                seen.append(progress)
                book.cancel(run)
        assert seen[-1].cancelled
        assert seen[-1].done == 2


async def test_a_small_run_beside_a_large_one_is_soon_there(settings):
    corpus = gzip.decompress((DATA / "jane_austen.txt.gz").read_bytes()).decode()
    async with opened(settings) as book:
        large, _ = await opening(book, Recipe(corpus))
        await book.at(large, 1, wait=SECONDS)
        small, _ = await opening(book, toy_recipe())
        live = await book.at(small, 8, wait=SECONDS)
        assert live.known == 8
        assert not (await book.peek(large)).complete


# Workers


class Deaf:
    """A worker that only remembers what it was told."""

    def __init__(self, on_message, on_lost, **_options):
        self.on_message, self.on_lost = on_message, on_lost
        self.told = []

    def send(self, message):
        self.told.append(message)

    def close(self):
        pass


async def test_a_run_goes_to_the_worker_with_the_least_to_do(settings, monkeypatch):
    monkeypatch.setattr(crew, "Worker", Deaf)
    async with opened(settings, workers=2) as book:
        for recipe in (Recipe("a" * 100), Recipe("b" * 10), Recipe("c" * 10), Recipe("d" * 200)):
            await opening(book, recipe)
        told = [[message[2].corpus.read_text()[0] for message in worker.told] for worker in book._crew.workers]
        assert told == [["a"], ["b", "c", "d"]]


async def test_what_a_worker_is_told(settings, monkeypatch):
    monkeypatch.setattr(crew, "Worker", Deaf)
    async with opened(settings, workers=1, max_steps=200, pattern_seconds=3.0) as book:
        run, _ = await opening(book, PROSE)
        (worker,) = book._crew.workers
        key = book._live[run].key
        ((word, told, job),) = worker.told
        assert (word, told) == ("train", key)
        assert (job.method, job.most, job.pattern_seconds) == (PROSE.method, 200, 3.0)
        assert job.corpus.read_bytes() == PROSE.corpus.encode()
        assert not job.table.exists()
        for step in (20, 10, 20):
            await book.at(run, step, wait=0)
        assert worker.told[1:] == [("want", key, 20, 200)]
        book.cancel(run)
        assert worker.told[-1] == ("drop", key)
        worker.on_message(("counting", key, 5, 10))  # what was under way when it was dropped
        assert book._live[run].counted == 0


async def test_a_pattern_may_take_longer_over_a_larger_corpus(settings, monkeypatch):
    monkeypatch.setattr(crew, "Worker", Deaf)
    async with opened(settings, workers=1, pattern_seconds=3.0, max_typed_bytes=100) as book:
        await opening(book, Recipe("x" * 100))
        await opening(book, Recipe("x" * 250))
        (worker,) = book._crew.workers
        assert [message[2].pattern_seconds for message in worker.told] == [3.0, 7.5]


async def test_a_worker_that_is_lost_fails_its_unfinished_runs_only(settings, monkeypatch):
    monkeypatch.setattr(crew, "Worker", Deaf)
    async with opened(settings, workers=2) as book:
        run, _ = await opening(book, PROSE)
        other, _ = await opening(book, toy_recipe())
        lost = book._live[run].worker
        kept = book._live[other]
        assert kept.worker is not lost
        lost.on_lost(lost)
        lost.on_lost(lost)
        await until(lambda: run not in book._live)
        assert lost not in book._crew.workers
        assert len(book._crew.workers) == 2
        assert kept.failure is None


async def test_a_worker_process_that_is_killed(settings):
    corpus = gzip.decompress((DATA / "jane_austen.txt.gz").read_bytes()).decode()
    async with opened(settings, workers=1) as book:
        done = await book.at((await opening(book, toy_recipe()))[0], 8, wait=SECONDS)
        await until(lambda: done.complete)
        run, _ = await opening(book, Recipe(corpus))
        live = await book.at(run, 1, wait=SECONDS)
        waiting = asyncio.create_task(book.at(run, 19_999, wait=SECONDS))
        await until(lambda: live.wanted == 19_999)
        (child,) = multiprocessing.active_children()
        os.kill(child.pid, signal.SIGKILL)
        with pytest.raises(TokenizerError, match="ended unexpectedly") as raised:
            await waiting
        assert raised.value.code == "worker_lost"
        assert "Load the page to train it again" in raised.value.message
        assert not live.training
        assert await book.at(done.id, 8, wait=0) is done  # what was finished stays
        again = await book.at(run, 2, wait=SECONDS)
        assert again is not live
        assert again.ready(2)
        assert values(again, 2) == values(live, 2)


async def test_stopping_in_the_middle_leaves_nothing(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, Recipe("abcdefghij " * 3_000, pattern=NONE))
        with suppress(TokenizerError):
            await book.at(run, 1, wait=SECONDS)
