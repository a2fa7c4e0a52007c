"""A pool of processes that never outlives who made it: not after an error, not when that process is killed."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import ParamSpec, TypeVar

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
        held.close()
        pool.shutdown(cancel_futures=True)
        raise
    finally:
        pool.shutdown()
        held.close()
        watched.close()


class _Pool(ProcessPoolExecutor):
    def submit(self, fn: Callable[_Given, _Result], /, *args: _Given.args, **kwargs: _Given.kwargs) -> Future[_Result]:
        """As of any pool. This may start a process, which inherits that Ctrl+C is not for it."""
        if not hasattr(signal, "pthread_sigmask"):  # Windows
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(watched: Connection) -> None:
    """What a new process does first: leave Ctrl+C to who made it, and end when that one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(watched,), daemon=True).start()


def _end_with(watched: Connection) -> None:
    """End when the other end of a pipe is closed, be it by the system because its process was killed."""
    watched.poll(None)  # nothing is ever sent
    os._exit(1)
