"""The run book and its workers: who gets a run, what a worker is told, and what is left when one is lost."""

import asyncio
import gzip
import multiprocessing
import os
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from app.runs import crew
from app.samples import toy_recipe
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened, until, values
from tokenizer import Recipe, TokenizerError
from tokenizer.patterns import NONE

pytestmark = pytest.mark.anyio
AUSTEN = Path(__file__).parents[2] / "data" / "text" / "jane_austen.txt.gz"


def large_recipe() -> Recipe:
    """A recipe that keeps a worker busy for as long as any test here takes."""
    return Recipe(gzip.decompress(AUSTEN.read_bytes()).decode())


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
    async with opened(settings, workers=1) as book:
        done = await book.at((await opening(book, toy_recipe()))[0], 8, wait=SECONDS)
        await until(lambda: done.complete)
        run, _ = await opening(book, large_recipe())
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


async def test_a_small_run_beside_a_large_one_is_soon_there(settings):
    async with opened(settings) as book:
        large, _ = await opening(book, large_recipe())
        await book.at(large, 1, wait=SECONDS)
        small, _ = await opening(book, toy_recipe())
        live = await book.at(small, 8, wait=SECONDS)
        assert live.known == 8
        assert not (await book.peek(large)).complete


async def test_stopping_in_the_middle_leaves_nothing(settings):
    async with opened(settings) as book:
        run, _ = await opening(book, Recipe("abcdefghij " * 3_000, pattern=NONE))
        with suppress(TokenizerError):
            await book.at(run, 1, wait=SECONDS)
