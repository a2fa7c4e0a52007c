"""Processes that train beside the server, so that its event loop never waits for a merge.

A worker is a process with a pipe to it; one thread writes into the pipe and one reads, because both may have to wait.
With `Settings.workers = 0` the same loop runs in a thread of the server (tests, small machines).
"""

import multiprocessing
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Protocol

from app.runs.training_loop import Message, serve
from tokenizer.processes import starting


class Runnable(Protocol):
    """A process or a thread."""

    def start(self) -> None:
        """Begin to run."""

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended, so many seconds at most."""


def _serve(connection: "Connection[Message, Message]") -> None:
    """The loop in a process of its own, which Ctrl+C in a terminal reaches too; but it is the server that ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    serve(connection)


class Worker:
    """A process that trains.

    Args:
        on_message: called with what it tells, in a thread of its own.
        on_lost: called, in that thread, when the process has ended without being asked to.
        in_process: train in a thread instead.
    """

    def __init__(
        self, on_message: Callable[[Message], None], on_lost: Callable[["Worker"], None], *, in_process: bool
    ) -> None:
        self._on_message = on_message
        self._on_lost = on_lost
        self._closing = False
        self._outbox: SimpleQueue[Message | None] = SimpleQueue()
        # Spawned, not forked: a fork of a process with threads can inherit a lock that nobody will ever release.
        context = multiprocessing.get_context("spawn")
        self._connection, far_end = context.Pipe()
        self._runnable: Runnable
        if in_process:
            self._runnable = threading.Thread(target=serve, args=(far_end,), daemon=True, name="training")
        else:
            self._runnable = context.Process(target=_serve, args=(far_end,), daemon=True, name="training")
        with starting():
            self._runnable.start()
        if not in_process:
            far_end.close()
        self._writer = threading.Thread(target=self._write, daemon=True, name="training_write")
        self._reader = threading.Thread(target=self._read, daemon=True, name="training_read")
        self._writer.start()
        self._reader.start()

    def send(self, message: Message) -> None:
        """Tell the worker something; returns at once."""
        self._outbox.put(message)

    def close(self) -> None:
        """End the worker."""
        self._closing = True
        self._outbox.put(("stop",))
        if isinstance(self._runnable, multiprocessing.process.BaseProcess):
            self._runnable.terminate()
        self._runnable.join(timeout=2)
        self._reader.join(timeout=2)

    def _write(self) -> None:
        while (message := self._outbox.get()) is not None:
            try:
                self._connection.send(message)
            except (OSError, ValueError):
                return  # the reading thread sees the end as well and reports it

    def _read(self) -> None:
        try:
            while True:
                self._on_message(self._connection.recv())
        except (EOFError, OSError):
            # Closed by the thread that reads, for one that waits in `recv` would not notice that another one closed it;
            # and when the thread that writes has ended, for one that is closed in the middle of `send` fails at random.
            self._outbox.put(None)
            self._writer.join()
            self._connection.close()
            if not self._closing:
                self._on_lost(self)
