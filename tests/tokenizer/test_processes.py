"""A pool's processes end with who made them, however that ends."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from tokenizer.processes import pool_of

SECONDS = 20.0  # for what takes a moment, on a machine that is busy

OWNER = """
import os, sys, time
from tokenizer.processes import pool_of

if __name__ == "__main__":
    with pool_of(1) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        pool.submit(time.sleep, 600).result()
"""


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:  # noqa: PTH123
        return file.read().rpartition(")")[2].split()[0] != "Z"


def ends(process: int) -> bool:
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            if not alive(process):
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def owner() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", OWNER]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        yield process
        process.kill()


def test_the_processes_of_a_pool_that_is_left_are_gone() -> None:
    with pool_of(1) as pool:
        process = pool.submit(os.getpid).result()
    assert ends(process)


def test_an_error_ends_what_is_being_done() -> None:
    begun, processes = time.monotonic(), []

    def fail() -> None:
        with pool_of(1) as pool:
            processes.append(pool.submit(os.getpid).result())
            pool.submit(time.sleep, 600)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert time.monotonic() - begun < SECONDS
    assert ends(processes[0])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_a_process_is_started(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may hand it to any thread; Python's handler runs in this one whatever that has blocked."""
    seen, started = list[str](), ProcessPoolExecutor.submit

    def submit(*given: Any) -> Any:
        thread = threading.Thread(target=os.kill, args=(os.getpid(), number))
        thread.start()
        thread.join()
        future = started(*given)
        seen.append("started")
        return future

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit)
    before = signal.signal(number, lambda *_: seen.append("handled"))
    try:
        with pool_of(1) as pool:
            assert pool.submit(os.getpid).result() != os.getpid()
    finally:
        signal.signal(number, before)
    assert seen == ["started", "handled"]


def test_what_was_cancelled_before_does_not_disturb_the_end() -> None:
    """An error in the pool's own thread would be a warning, which is an error here."""

    def fail() -> None:
        with pool_of(1) as pool:
            pool.submit(os.getpid).result()
            for waiting in [pool.submit(time.sleep, 600) for _ in range(10)]:
                waiting.cancel()
            raise ZeroDivisionError

    before = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        fail()
    assert threading.active_count() == before


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_killing_the_owner_ends_its_processes(owner: subprocess.Popen[str]) -> None:
    assert owner.stdout is not None
    process = int(owner.stdout.readline())
    owner.kill()
    assert ends(process)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_ctrl_c_is_for_the_owner_only(owner: subprocess.Popen[str]) -> None:
    assert owner.stdout is not None
    process = int(owner.stdout.readline())
    os.killpg(owner.pid, signal.SIGINT)
    _, said = owner.communicate(timeout=SECONDS)
    assert said.count("Traceback") == 1
    assert said.endswith("KeyboardInterrupt\n")
    assert ends(process)
