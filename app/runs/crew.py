"""The workers of a server: started, chosen for work, and replaced when one ends by itself."""

import asyncio
import threading
from collections.abc import Callable
from time import monotonic

import anyio.to_thread

from app.runs.live import Busy
from app.runs.training_loop import Message
from app.runs.worker import Worker

SOON = 5.0  # seconds; a worker that ends sooner than this may not be able to start at all
FORGIVEN = 4  # ends soon after the start that are replaced at once
LONGEST_PAUSE = 60.0


class Crew:
    """All workers.

    Args:
        size: how many processes; 0 is one thread of this process.
        on_message: called with what a worker tells, in the worker's reading thread.
        on_lost: called, in the event loop, with a worker that has ended by itself.
    """

    def __init__(self, size: int, on_message: Callable[[Message], None], on_lost: Callable[[Worker], None]) -> None:
        self._size = size
        self._on_message = on_message
        self._on_lost = on_lost
        self._loop: asyncio.AbstractEventLoop | None = None
        self._in_a_row = 0  # workers that ended soon after their start
        self._pause = 0.0
        self.workers: dict[Worker, float] = {}  # each with the time of its start

    def start(self) -> None:
        """Start all; in the event loop."""
        self._loop = asyncio.get_running_loop()
        for _ in range(max(self._size, 1)):
            self._add()

    async def stop(self) -> None:
        """End all."""
        self._loop = None
        for worker in self.workers:
            await anyio.to_thread.run_sync(worker.close)
        self.workers.clear()

    def least(self, load: Callable[[Worker], int]) -> Worker:
        """The worker with the least to do.

        Raises:
            Busy: none runs at the moment.
        """
        if not self.workers:
            raise Busy(max(1, round(self._pause)))
        return min(self.workers, key=load)

    def renew(self, worker: Worker) -> None:
        """End a worker in the middle of what it does, and have another take its place; a thread cannot be ended."""
        if self._size and self.workers.pop(worker, None) is not None:
            self._add()
            threading.Thread(target=worker.close, daemon=True, name="training_end").start()

    def in_loop(self, call: Callable[[], None]) -> None:
        """Have something done in the event loop, from any thread."""
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(call)

    def _add(self) -> None:
        if self._loop is not None:
            worker = Worker(self._on_message, self._lost, in_process=self._size == 0)
            self.workers[worker] = monotonic()

    def _lost(self, worker: Worker) -> None:
        self.in_loop(lambda: self._replace(worker))

    def _replace(self, lost: Worker) -> None:
        """Another takes its place: at once, or after a pause that doubles while workers end soon after their start."""
        begun = self.workers.pop(lost, None)
        if begun is None or self._loop is None:
            return
        self._in_a_row = self._in_a_row + 1 if monotonic() - begun < SOON else 0
        if self._in_a_row > FORGIVEN:
            self._pause = min(2.0 ** (self._in_a_row - FORGIVEN), LONGEST_PAUSE)
            self._loop.call_later(self._pause, self._add)
        else:
            self._add()
        self._on_lost(lost)
