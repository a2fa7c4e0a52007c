"""A pool of processes that never outlives who made it: not after an error, not when that process is killed."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from threading import Thread, current_thread, main_thread
from typing import Any, ParamSpec, TypeVar, cast

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@contextmanager
def pool_of(processes: int) -> Iterator[Executor]:
    """A pool of so many spawned processes. An error, or Ctrl+C, ends them at once, whatever they are doing."""
    context = get_context("spawn")
    watched, held = context.Pipe(duplex=False)
    pool = _Pool(processes, mp_context=context, initializer=_begin, initargs=(watched,))
    try:
        yield pool
    except BaseException:
        pool.end(held)
        raise
    finally:
        pool.shutdown()
        held.close()
        watched.close()


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs) -> Future[_Result]:
        """As of any pool. This may start a process, which inherits that Ctrl+C is not for it."""
        with starting():
            return super().submit(fn, *args, **kwargs)

    def end(self, held: Connection) -> None:
        """End its processes at once, as closing `held` makes them do, and cancel what has not begun."""
        thread, results = cast("Any", (self._executor_manager_thread, self._result_queue))
        # First, since the pool's thread cannot bear processes that end with cancelled work before it knows of this.
        self.shutdown(wait=False, cancel_futures=True)
        # With our own end of it open the thread would wait for ever for the rest of what a process had half written.
        results._writer.close()  # noqa: SLF001 - there is no other way to it
        held.close()
        if thread is not None:
            thread.join()


@contextmanager
def starting() -> Iterator[None]:
    """Within this processes are started: not left half started by Ctrl+C, and inheriting that it is not for them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    with _signals_held_back():
        resource_tracker.ensure_running()  # else the first process starts it, which unblocks Ctrl+C again
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Have what Ctrl+C and SIGTERM do wait until the end, for they would leave a process half started.

    Blocking them is not enough: any other thread may take them, and Python has the main thread handle them even so.
    """
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    if current_thread() is not main_thread() or None in handlers.values():  # it handles none; or they are not Python's
        yield
        return
    came: list[int] = []
    for number in handlers:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if came:
        signal.raise_signal(came[0])


def _begin(watched: Connection) -> None:
    """What a new process does first: leave Ctrl+C to who made it, and end when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """End when the other end of a pipe is closed, be it by the system because its process was killed."""
    watched.poll(None)  # nothing is ever sent
    os._exit(1)
