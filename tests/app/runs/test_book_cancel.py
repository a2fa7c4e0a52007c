"""A run is cancelled, at whatever it is, and goes on or begins anew when it is asked for again."""

import asyncio
import sqlite3
import threading
from contextlib import closing

import pytest

from app.runs import live as live_runs
from app.runs import training_loop
from app.runs.live import Progress
from app.samples import toy_recipe
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened, until
from tokenizer import Recipe, custom, train

pytestmark = pytest.mark.anyio


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
        assert await book.at(run, 3, wait=SECONDS) is live  # nor does asking for a step
        assert live.progress().cancelled
        hold.counting = False
        await book.go_on(run, 3)
        anew = await book.at(run, 3, wait=SECONDS)
        assert anew is not live
        assert anew.ready(3)
        await until(lambda: anew.known > 3)
        assert live.run is None


async def test_going_on_with_counting_wants_the_step_that_was_asked_for(settings, hold):
    hold.counting = True
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        await book.at(run, 0, wait=0.01)
        book.cancel(run)
        await book.go_on(run, 0)
        live = await book.peek(run)
        assert (live.cancelled, live.wanted) == (False, 0)
        hold.counting = False


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
    monkeypatch.setattr(live_runs, "AGAIN", 4)
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


async def test_once_a_cancelled_training_has_come_to_rest_no_step_comes(settings, hold):
    hold.steps = 10
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 10, wait=SECONDS)
        book.cancel(run)
        assert not live.at_rest
        assert await book.rested(run, wait=SECONDS) is live
        assert live.at_rest
        hold.steps = 1_000_000
        await asyncio.sleep(0.05)
        assert live.known == 10
        await book.go_on(run, 3)  # whoever looks at a step that is known has those after the last one made
        assert not live.progress().cancelled
        assert (await book.at(run, 11, wait=SECONDS)).ready(11)


async def test_a_worker_that_does_not_answer_is_not_waited_for(settings, hold, monkeypatch):
    monkeypatch.setattr(training_loop, "ANSWERS", {"drop": "dropped"})
    hold.steps = 2
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        await book.at(run, 2, wait=SECONDS)
        book.cancel(run)
        live = await book.rested(run, wait=0.05)
        assert (live.cancelled, live.at_rest) == (True, False)


async def test_going_on_with_what_was_not_cancelled_changes_nothing(settings, hold):
    hold.steps = 2
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 2, wait=SECONDS)
        await book.go_on(run, 2)
        assert (live.wanted, live.ahead) == (2, -1)


async def test_cancelling_what_is_over_changes_nothing(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, toy_recipe())
        live = await book.at(run, 8, wait=SECONDS)
        await until(lambda: live.complete)
        book.cancel(run)
        assert not live.progress().cancelled
