"""Workers: what they tell, what is told when one ends by itself, and that nothing is left of a closed one."""

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from app.runs.worker import Worker
from app.samples import toy_recipe
from tests.app.live import job_of
from tokenizer import Recipe, custom

SECONDS = 60


class Ear:
    """Keeps what a worker tells."""

    def __init__(self):
        self.messages: SimpleQueue[tuple[Any, ...]] = SimpleQueue()
        self.lost: SimpleQueue[Worker] = SimpleQueue()

    def worker(self, *, in_process: bool) -> Worker:
        return Worker(self.messages.put, self.lost.put, in_process=in_process)

    def until(self, wanted: Callable[[tuple[Any, ...]], bool]) -> list[tuple[Any, ...]]:
        heard = [self.messages.get(timeout=SECONDS)]
        while not wanted(heard[-1]):
            heard.append(self.messages.get(timeout=SECONDS))
        return heard


@pytest.fixture
def ear():
    return Ear()


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = set(threading.enumerate())
    yield
    assert not [
        thread for thread in threading.enumerate() if thread.name.startswith("training") and thread not in before
    ]
    assert not multiprocessing.active_children()


def ended(message: tuple[Any, ...]) -> bool:
    return message[0] == "records" and message[3] is not None


def steps(messages: list[tuple[Any, ...]]) -> int:
    return sum(len(message[2]) for message in messages if message[0] == "records")


def test_a_worker_in_a_thread_trains_and_is_closed(ear):
    worker = ear.worker(in_process=True)
    worker.send(("train", 1, job_of(toy_recipe(), 8)))
    assert steps(ear.until(ended)) == 8
    worker.send(("train", 2, job_of(Recipe("aqa", pattern=custom("(?<=q)|.")), 8)))
    assert ear.until(lambda message: message[0] != "counting")[-1][:3] == ("failed", 2, "pattern")
    worker.close()
    worker.close()  # a second time does no harm
    assert ear.lost.empty()


def test_a_worker_in_a_thread_is_closed_in_the_middle_of_its_work(ear):
    worker = ear.worker(in_process=True)
    worker.send(("train", 1, job_of(Recipe("abcdefghijklmnop " * 2_000, pattern=custom("(?s).+")), 20_000)))
    ear.until(lambda message: message[0] == "opened")
    worker.close()
    assert ear.lost.empty()


def test_a_worker_in_a_process_trains_is_killed_and_tells(ear):
    worker = ear.worker(in_process=False)
    worker.send(("train", 1, job_of(toy_recipe(), 8)))
    assert steps(ear.until(ended)) == 8
    (child,) = multiprocessing.active_children()
    assert child.daemon
    os.kill(child.pid, signal.SIGKILL)
    assert ear.lost.get(timeout=SECONDS) is worker
    with pytest.raises(Empty):
        ear.lost.get(timeout=0.05)
    worker.send(("train", 2, job_of(toy_recipe(), 8)))  # to nobody
    worker.close()


def test_a_worker_in_a_process_is_closed_without_being_lost(ear):
    worker = ear.worker(in_process=False)
    worker.send(("train", 1, job_of(Recipe("ab " * 200_000), 20_000)))
    worker.close()
    assert ear.lost.empty()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell what is blocked")
def test_ctrl_c_is_not_for_a_worker_that_has_only_begun(ear):
    """What it does first takes a moment, in which it would end with a traceback."""
    worker = ear.worker(in_process=False)
    (child,) = multiprocessing.active_children()
    blocked = re.search(r"SigBlk:\s+(\w+)", Path(f"/proc/{child.pid}/status").read_text())
    worker.close()
    assert blocked is not None
    assert int(blocked[1], 16) & 1 << signal.SIGINT - 1


def test_ctrl_c_in_the_terminal_does_not_end_a_worker(ear):
    worker = ear.worker(in_process=False)
    worker.send(("train", 1, job_of(toy_recipe(), 8)))
    ear.until(ended)
    (child,) = multiprocessing.active_children()
    os.kill(child.pid, signal.SIGINT)
    worker.send(("train", 2, job_of(toy_recipe(), 8)))
    assert steps(ear.until(ended)) == 8
    worker.close()
    assert ear.lost.empty()
