"""How far a run is, as it goes, and how long it will take."""

import asyncio
from dataclasses import replace

import pytest

from app.runs import pace
from app.runs.live import Progress
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened

pytestmark = pytest.mark.anyio


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


async def test_a_rest_says_nothing_of_the_pace(settings, hold):
    hold.steps = 10
    async with opened(settings) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 10, wait=SECONDS)
        book.cancel(run)
        await hold.obeyed_the_cancel()
        live.pace.note(0)
        await asyncio.sleep(pace.ENOUGH)
        live.pace.note(10)
        assert live.pace.seconds_for(10) > 0
        await book.at(run, 11, wait=0)
        assert live.pace.seconds_for(10) is None
