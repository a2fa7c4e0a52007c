"""What the tests of the run book share: a book at work, and trainings that are held where a test wants them."""

import asyncio
import multiprocessing
import threading
import time
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from app.runs import training_loop
from app.runs.book import RunBook
from app.runs.live import LiveRun
from app.runs.training_loop import Training
from app.samples import SAMPLES
from app.settings import Settings
from app.sqlite_store import SQLiteStore
from tokenizer import Recipe

SECONDS = 60  # more than anything here takes, even on a busy machine
PROSE = Recipe(SAMPLES["pride"].text, vocab_size=256 + 300)


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
        await until(lambda: self.obeyed and self.obeyed[-1][0] == "rest")


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
