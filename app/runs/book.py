"""Live runs: a recipe's id becomes a run in memory, trained by a worker while others read what is known.

A run that is not in memory is trained again from its recipe, so nothing here has to outlive the process. A corpus is
read by the workers alone, and only where its table is not kept from an earlier training.
"""

import asyncio
import gc
from collections import OrderedDict
from collections.abc import Coroutine
from contextlib import suppress
from itertools import count
from typing import Any

import anyio.to_thread

from app.kept import KeptCorpus, KeptRecipe
from app.runs.crew import Crew
from app.runs.live import Busy, LiveRun, RunNotFound, RunState
from app.runs.training_loop import Job, Message
from app.runs.worker import Worker
from app.settings import Settings
from app.store import Store
from app.tables import table_key
from tokenizer import Method

HEAVY = 10_000_000  # bytes of a run's log whose objects are worth to be kept from garbage collection
PASSING = {"memory", "corpus_gone", "corpus_damaged", "corpus_unread"}  # failures that need not be there the next time
LOST = (
    "The process that trained this run ended unexpectedly, perhaps for want of memory. "
    "Load the page to train it again, or take a smaller corpus."
)


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
        self._leaving: dict[int, LiveRun] = {}  # let go while they were counted; their workers have yet to notice
        self._keys = count()
        self._crew = Crew(settings.workers, self._on_message, self._on_lost)
        self._telling: set[asyncio.Task[None]] = set()  # the store of tables and stops

    async def start(self) -> None:
        """Start the workers."""
        self._crew.start()

    async def stop(self) -> None:
        """End the workers; the recipes stay in the store."""
        await self._crew.stop()
        await asyncio.gather(*self._telling, return_exceptions=True)

    async def open(self, method: Method, corpus: KeptCorpus) -> tuple[str, bool]:
        """Keep a recipe and begin to train it; its id, and whether it is new.

        Args:
            method: how to train.
            corpus: on what; one that has arrived just now (`Store.arriving`), or one of another run.

        Raises:
            RecipeError: it cannot be trained.
            Busy: too many are being trained.
        """
        await anyio.to_thread.run_sync(method.validate)
        if method.run_id(corpus.digest) not in self._live:
            self._refuse_when_busy()
        kept, created = await self._store.save_recipe(method, corpus)
        self._revive(kept)
        return kept.id, created

    async def at(self, run: str, step: int, *, wait: float) -> LiveRun:
        """The live run with this id, once a step of it is known, `wait` seconds are over, or somebody cancelled it.

        Ask `LiveRun.ready(step)` which it was. Steps that are not known are trained first of all; but what was
        cancelled while it was counted stays so until somebody has it go on.

        Raises:
            RunNotFound: there is no such recipe.
            Busy: too many are being trained.
            TokenizerError: the recipe cannot be trained after all, or the step does not exist (`Exhausted`,
                `StepLimit`).
        """
        live = await self._find(run)
        live.check(step)
        if self._was_dropped(live):
            return live
        self._want(live, step)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                while not live.ready(step) and live.training:
                    await live.changed.wait()
        live.check(step)
        return live

    async def peek(self, run: str) -> LiveRun:
        """The live run with this id as it is, without asking for more of it.

        Raises:
            RunNotFound: there is no such recipe.
        """
        return await self._find(run)

    def state(self, run: str) -> RunState | None:
        """Whether the steps of a run can be read, and else why not; None where it is not in memory."""
        live = self._live.get(run)
        return live.state if live is not None else None

    def cancel(self, run: str) -> None:
        """Stop training a run where it is; going on later is possible."""
        live = self._live.get(run)
        if live is None or not live.training:
            return
        live.cancelled, live.at_rest = True, False
        if live.run is None:
            self._drop(live)
            self._tell(self._store.keep_stop(run, live.counted))
        else:
            live.worker.send(("rest", live.key))
        live.wake()

    async def rested(self, run: str, *, wait: float) -> LiveRun:
        """The live run with this id once no further step of it comes, or `wait` seconds are over.

        Raises:
            RunNotFound: there is no such recipe.
        """
        live = await self._find(run)
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                while live.cancelled and live.run is not None and not live.at_rest:
                    await live.changed.wait()
        return live

    async def go_on(self, run: str, step: int) -> None:
        """Go on with a run that was cancelled: with counting from its beginning, with training for a while.

        Args:
            run: its id.
            step: at which somebody is or wants to be; those after it are made too.

        Raises:
            RunNotFound, Busy, TokenizerError: as of `at`.
        """
        live = await self._find(run)
        live.check(step)
        if not live.cancelled:
            return
        if self._was_dropped(live):
            self._refuse_when_busy()
            await asyncio.gather(*self._telling)  # that it was stopped, perhaps
            await self._store.keep_stop(run, None)
            live = self._revive(KeptRecipe(run, live.method, live.corpus))
        self._want(live, step if live.run is None else max(step, min(live.known + 1, live.most)))

    async def _find(self, run: str) -> LiveRun:
        live = self._live.get(run)
        if live is None:
            kept = await self._store.recipe(run)
            if kept is None:
                raise RunNotFound(run)
            if kept.stopped_at is not None:
                return self._stopped(kept)
            self._refuse_when_busy()
            return self._revive(kept)
        self._live.move_to_end(run)
        return live

    def _revive(self, kept: KeptRecipe) -> LiveRun:
        """A live run for a recipe, new unless there is one that goes on."""
        known = self._live.get(kept.id)
        if known is not None and not self._was_dropped(known):
            self._live.move_to_end(kept.id)
            return known
        method, corpus = kept.method, kept.corpus
        live = self._live_of(kept)
        self._by_key[live.key] = live
        job = Job(
            corpus.path,
            corpus.digest,
            self._store.table_path(table_key(corpus.digest, method)),
            method,
            live.most,
            pattern_seconds=self._pattern_seconds(corpus.bytes),
            most_table_bytes=self._settings.max_table_bytes,
        )
        live.worker.send(("train", live.key, job))
        self._make_room()
        return live

    def _stopped(self, kept: KeptRecipe) -> LiveRun:
        """A live run for one that was stopped while it was counted, before it left memory: no worker knows of it."""
        if (known := self._live.get(kept.id)) is not None:
            return known  # somebody had it go on while the store was asked
        live = self._live_of(kept)
        live.cancelled, live.counted = True, kept.stopped_at or 0
        self._make_room()
        return live

    def _live_of(self, kept: KeptRecipe) -> LiveRun:
        """A live run for a recipe, the newest of all."""
        wanted = kept.method.merges_wanted
        most = self._settings.max_steps if wanted is None else min(wanted, self._settings.max_steps)
        live = LiveRun(kept.id, kept.method, kept.corpus, most, next(self._keys), self._crew.least(self._load))
        self._live[kept.id] = live
        self._live.move_to_end(kept.id)
        return live

    def _pattern_seconds(self, size: int) -> float:
        """How long a custom pattern may take over so many bytes."""
        return self._settings.pattern_seconds * max(1.0, size / self._settings.max_typed_bytes)

    def _was_dropped(self, live: LiveRun) -> bool:
        """Whether a run was cancelled while it was counted: its worker has forgotten it, so it begins anew."""
        return live.cancelled and live.key not in self._by_key

    def _load(self, worker: Worker) -> int:
        """Bytes of the corpora that it is at work on. One that was let go holds it up until it has noticed."""
        working = [live for live in self._live.values() if live.training] + [*self._leaving.values()]
        return sum(live.corpus.bytes for live in working if live.worker is worker)

    def _refuse_when_busy(self) -> None:
        if sum(live.awaited for live in self._live.values()) >= self._settings.max_queue:
            raise Busy

    def _make_room(self) -> None:
        """Let the least recently used runs go where there are too many; the newest stays in any case."""
        weight = sum(live.weight for live in self._live.values())
        trainings = sum(not live.complete for live in self._live.values())
        for live in list(self._live.values())[:-1]:
            crowded = len(self._live) > self._settings.live_runs or weight > self._settings.live_bytes
            if crowded or (trainings > self._settings.live_trainings and not live.complete):
                weight -= live.weight
                trainings -= not live.complete
                self._drop(live)
                self._put_away(live, "This run was put away to make room. Load the page again.", "put_away")

    def _drop(self, live: LiveRun) -> None:
        """Have a worker forget a run. One that is being counted may end all the same, and leave a table."""
        if live.run is None and live.failure is None and live.worker in self._crew.workers:
            self._leaving[live.key] = live
        self._by_key.pop(live.key, None)
        live.worker.send(("drop", live.key))
        if live.key in self._leaving and not live.method.pattern.linear:
            self._free(live.worker)

    def _free(self, worker: Worker) -> None:
        """Have a worker begin anew that may be matching a slow pattern for nobody, if it does nothing else."""
        if any(live.worker is worker and self._is_held(live) for live in self._live.values()):
            return
        self._crew.renew(worker)
        self._forget_leaving(worker)

    def _is_held(self, live: LiveRun) -> bool:
        """Whether its worker holds a training of it that could go on."""
        return live.key in self._by_key and not live.complete and live.failure is None

    def _put_away(self, live: LiveRun, message: str, code: str) -> None:
        """Take a run out of memory; whoever waits for it is told, whoever asks for it later has it trained again."""
        self._live.pop(live.id, None)
        self._by_key.pop(live.key, None)
        live.fail(message, code=code)
        live.wake()

    def _want(self, live: LiveRun, step: int) -> None:
        """Ask for a step before all others; go on ahead, after a cancel for a while only."""
        if live.ready(step) or (live.wanted >= step and live.training):
            return
        live.want(step)
        live.worker.send(("want", live.key, step, live.most if live.ahead < 0 else live.ahead))

    def _on_message(self, message: Message) -> None:
        """Take in what a worker tells; runs in the worker's reading thread, the only writer of its runs."""
        word, key, *rest = message
        live = self._by_key.get(key)
        if live is None:
            self._on_late_message(word, key, rest)
            return
        live.hear(word, *rest)
        if word == "opened":
            table_bytes = rest[-1]
            self._crew.in_loop(lambda: self._tell_of_table(live, table_bytes))
        self._crew.in_loop(lambda: self._told(live))

    def _on_late_message(self, word: str, key: int, rest: list[Any]) -> None:
        """Take in what is told of a run that was let go: its table was written, or its worker has noticed."""
        live = self._leaving.get(key)
        if live is not None and word == "opened":
            size = rest[-1]
            self._crew.in_loop(lambda: self._tell_of_table(live, size))
        elif word == "dropped":
            self._leaving.pop(key, None)

    def _tell_of_table(self, live: LiveRun, size: int) -> None:
        """Have the store know of the table's file that a training began with or has written (0 bytes: it could not)."""
        if size:
            key = table_key(live.corpus.digest, live.method)
            self._tell(self._store.keep_table(key, live.id, size))

    def _tell(self, what: Coroutine[Any, Any, None]) -> None:
        """Have the store know of something, in the background."""
        telling = asyncio.create_task(what)
        self._telling.add(telling)
        telling.add_done_callback(self._telling.discard)

    def _told(self, live: LiveRun) -> None:
        live.note_pace()
        if live.failure is not None and live.failure.code in PASSING:
            self._put_away(live, live.failure.message, live.failure.code)
        if live.weight > live.frozen + HEAVY:
            # What is in its log never changes. Garbage collection would go through its hundreds of thousands of arrays
            # again and again, 0.2 s each time, in which nobody is answered.
            gc.freeze()
            live.frozen = live.weight
        live.wake()
        self._make_room()

    def _on_lost(self, lost: Worker) -> None:
        """A worker has ended by itself: its unfinished runs fail with a reason."""
        self._forget_leaving(lost)
        for live in [live for live in self._live.values() if live.worker is lost and not live.complete]:
            self._put_away(live, LOST, "worker_lost")

    def _forget_leaving(self, gone: Worker) -> None:
        """Nobody waits any more for what a worker that has gone would have told."""
        for key in [key for key, live in list(self._leaving.items()) if live.worker is gone]:
            self._leaving.pop(key, None)
