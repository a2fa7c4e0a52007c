"""Live runs: a recipe's id becomes a run in memory, trained by a worker while others read what is known.

A run that is not in memory is trained again from its recipe, so nothing here has to outlive the process.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

import anyio.to_thread

from app.settings import Settings
from app.store import Store
from app.training_loop import Message
from app.workers import Worker
from tokenizer import Exhausted, Recipe, Run, TokenizerError

AGAIN = 1_000  # steps that are made ahead when somebody goes on after a cancel


class RunNotFound(LookupError):
    """No recipe has this id."""


class Busy(RuntimeError):
    """Too many trainings wait already; `retry_after` is in seconds."""

    def __init__(self, retry_after: int = 5) -> None:
        super().__init__("Too many runs are being trained at the moment. Try again in a few seconds.")
        self.retry_after = retry_after


class StepLimit(TokenizerError):
    """A step beyond what this server trains."""

    code = "step_limit"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: characters counted, or steps trained towards `total`."""

    done: int
    total: int | None
    phase: Literal["counting", "training"]
    cancelled: bool = False
    failed: str = ""


@dataclass(slots=True, eq=False)
class LiveRun:
    """A run in memory. `run` is None until its corpus is counted."""

    id: str
    recipe: Recipe
    most: int  # steps that this server trains of it
    key: int
    worker: Worker
    corpus_bytes: int
    run: Run | None = None
    counted: int = 0
    wanted: int = 0  # the last step that somebody asked for
    ahead: int = -1  # the last step that is made unasked; -1 as far as the server goes
    cancelled: bool = False
    failure: TokenizerError | None = None
    weight: int = 0  # bytes, about
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def known(self) -> int:
        """The last step that is known."""
        return self.run.known if self.run is not None else 0

    def ready(self, step: int) -> bool:
        """Whether a step can be read."""
        return self.run is not None and step <= self.run.known

    @property
    def complete(self) -> bool:
        """Whether no further step will come."""
        return self.run is not None and (self.run.ended is not None or self.run.known >= self.most)

    @property
    def training(self) -> bool:
        """Whether the corpus is being counted or steps are being made now."""
        if self.complete or self.cancelled or self.failure is not None:
            return False
        return self.run is None or self.ahead < 0 or self.run.known < max(self.ahead, self.wanted)

    def wake(self) -> None:
        """Let everybody who waits look again."""
        self.changed.set()
        self.changed = asyncio.Event()


class RunBook:
    """All live runs of this process.

    Args:
        settings: how many workers, runs and steps.
        store: where recipes are kept.
    """

    def __init__(self, settings: Settings, store: Store) -> None:
        self._settings = settings
        self._store = store
        self._live: OrderedDict[str, LiveRun] = OrderedDict()
        self._by_key: dict[int, LiveRun] = {}
        self._keys = count()
        self._workers: list[Worker] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Start the workers."""
        self._loop = asyncio.get_running_loop()
        self._workers = [self._worker() for _ in range(max(self._settings.workers, 1))]

    async def stop(self) -> None:
        """End the workers; the recipes stay in the store."""
        for worker in self._workers:
            await anyio.to_thread.run_sync(worker.close)
        self._workers.clear()

    async def open(self, recipe: Recipe) -> tuple[str, bool]:
        """Keep a recipe and begin to train it; its id, and whether it is new.

        Raises:
            RecipeError: it cannot be trained.
            Busy: too many are being trained.
        """
        await anyio.to_thread.run_sync(recipe.validate)
        run = await anyio.to_thread.run_sync(lambda: recipe.id)
        if run not in self._live:
            self._refuse_when_busy()
        self._revive(run, recipe)  # training begins while the recipe is written
        return run, await self._store.save_recipe(recipe)

    async def at(self, run: str, step: int, *, wait: float) -> LiveRun:
        """The live run with this id, once a step of it is known, `wait` seconds are over, or somebody cancelled it.

        Ask `LiveRun.ready(step)` which it was. Steps that are not known are trained first of all.

        Raises:
            RunNotFound: there is no such recipe.
            Busy: too many are being trained.
            TokenizerError: the recipe cannot be trained after all, or the step does not exist (`Exhausted`,
                `StepLimit`).
        """
        live = await self._find(run)
        self._check(live, step)
        self._want(live, step)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                while not live.ready(step) and live.training:
                    await live.changed.wait()
        self._check(live, step)
        return live

    async def peek(self, run: str) -> LiveRun:
        """The live run with this id as it is, without asking for more of it.

        Raises:
            RunNotFound: there is no such recipe.
        """
        return await self._find(run, train=False)

    def cancel(self, run: str) -> None:
        """Stop training a run where it is; going on later is possible."""
        live = self._live.get(run)
        if live is None or not live.training:
            return
        live.cancelled = True
        if live.run is None:
            live.worker.send(("drop", live.key))
            self._by_key.pop(live.key, None)
        else:
            live.worker.send(("want", live.key, 0, 0))
        live.wake()

    def progress(self, live: LiveRun) -> Progress:
        """How far a run is."""
        failed = live.failure.message if live.failure is not None else ""
        if live.run is None:
            return Progress(live.counted, len(live.recipe.corpus), "counting", live.cancelled, failed)
        return Progress(live.known, live.most, "training", live.cancelled, failed)

    async def watch(self, live: LiveRun, *, pause: float = 0.2) -> AsyncIterator[Progress]:
        """A run's progress as it changes, at most every `pause` seconds; ends when nothing more will come."""
        while True:
            changed, going = live.changed, live.training
            yield self.progress(live)
            if not going:
                return
            await changed.wait()
            await asyncio.sleep(pause)

    async def _find(self, run: str, *, train: bool = True) -> LiveRun:
        live = self._live.get(run)
        if live is None:
            recipe = await self._store.recipe(run)
            if recipe is None:
                raise RunNotFound(run)
            self._refuse_when_busy()
            return self._revive(run, recipe)
        self._live.move_to_end(run)
        return self._revive(run, live.recipe) if train and self._was_dropped(live) else live

    def _revive(self, run: str, recipe: Recipe) -> LiveRun:
        """A live run for a recipe, new unless there is one that goes on."""
        known = self._live.get(run)
        if known is not None and not self._was_dropped(known):
            self._live.move_to_end(run)
            return known
        wanted = recipe.merges_wanted
        most = self._settings.max_steps if wanted is None else min(wanted, self._settings.max_steps)
        worker = min(self._workers, key=self._load)
        size = len(recipe.corpus.encode())
        live = LiveRun(run, recipe, most, next(self._keys), worker, corpus_bytes=size, weight=2 * size)
        self._live[run] = self._by_key[live.key] = live
        self._live.move_to_end(run)
        worker.send(("train", live.key, recipe, most, self._settings.pattern_seconds))
        self._make_room()
        return live

    def _was_dropped(self, live: LiveRun) -> bool:
        """Whether a run was cancelled while it was counted: its worker has forgotten it, so it begins anew."""
        return live.cancelled and live.key not in self._by_key

    def _load(self, worker: Worker) -> int:
        return sum(len(live.recipe.corpus) for live in self._live.values() if live.worker is worker and live.training)

    def _refuse_when_busy(self) -> None:
        if sum(live.training for live in self._live.values()) >= self._settings.max_queue:
            raise Busy

    def _make_room(self) -> None:
        """Let the least recently used runs go; the newest stays in any case."""
        weight = sum(live.weight for live in self._live.values())
        while len(self._live) > 1 and (
            len(self._live) > self._settings.live_runs or weight > self._settings.live_bytes
        ):
            _, gone = self._live.popitem(last=False)
            weight -= gone.weight
            self._by_key.pop(gone.key, None)
            gone.worker.send(("drop", gone.key))
            gone.failure = TokenizerError("This run was put away to make room. Load the page again.")
            gone.wake()

    def _check(self, live: LiveRun, step: int) -> None:
        if live.failure is not None:
            raise live.failure
        if live.run is None or step <= live.run.known:
            return
        if live.run.ended is not None:
            live.run.check(step)
        if step > live.most == live.recipe.merges_wanted:
            raise Exhausted(
                f"There is no step {step:,}: step {live.most:,} at the latest fills the vocabulary size of this run.",
                last=live.most,
                reason="vocabulary_size",
            )
        if step > live.most:
            raise StepLimit(
                f"This server trains {live.most:,} steps of a run at most; step {step:,} is beyond.",
                field="step",
                position=live.most,
            )

    def _want(self, live: LiveRun, step: int) -> None:
        """Ask for a step before all others; go on ahead, after a cancel for a while only."""
        if live.ready(step) or (live.wanted >= step and live.training):
            return
        if live.cancelled or live.ahead >= 0:
            live.ahead = max(live.ahead, min(live.most, step + AGAIN))
        live.wanted, live.cancelled = step, False
        live.worker.send(("want", live.key, step, live.most if live.ahead < 0 else live.ahead))

    def _worker(self) -> Worker:
        return Worker(self._on_message, self._on_lost, in_process=self._settings.workers == 0)

    def _on_message(self, message: Message) -> None:
        """Take in what a worker tells; runs in the worker's reading thread, the only writer of its runs."""
        word, key, *rest = message
        live = self._by_key.get(key)
        if live is None:
            return
        if word == "counting":
            live.counted = rest[0]
        elif word == "opened":
            table, opening, ended = rest
            run = Run(live.recipe, table, opening)
            run.ended = ended
            live.weight += 12 * len(table.blob)
            live.run = run
        elif word == "records" and live.run is not None:
            records, ended = rest
            for record in records:
                live.run.append(record)
                live.weight += record.weight
            live.run.ended = ended
        elif word == "failed":
            code, text, field_ = rest
            live.failure = TokenizerError(text, field=field_)
            live.failure.code = code
        self._in_loop(lambda: self._grown(live))

    def _grown(self, live: LiveRun) -> None:
        live.wake()
        self._make_room()

    def _on_lost(self, worker: Worker) -> None:
        self._in_loop(lambda: self._replace(worker))

    def _replace(self, lost: Worker) -> None:
        """A worker ended by itself: its unfinished runs fail with a reason, and another takes its place."""
        if lost not in self._workers:
            return
        self._workers[self._workers.index(lost)] = self._worker()
        for live in [live for live in self._live.values() if live.worker is lost and not live.complete]:
            live.failure = TokenizerError(
                "The process that trained this run ended unexpectedly, perhaps for want of memory. "
                "Load the page to train it again, or take a smaller corpus."
            )
            live.failure.code = "worker_lost"
            del self._live[live.id]
            self._by_key.pop(live.key, None)
            live.wake()

    def _in_loop(self, call: Callable[[], None]) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(call)
