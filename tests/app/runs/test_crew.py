"""Workers that end are replaced, but not in a hot loop."""

import asyncio

import pytest

from app.runs import crew
from app.runs.crew import FORGIVEN, LONGEST_PAUSE, Crew
from app.runs.live import Busy

pytestmark = pytest.mark.anyio


class Fake:
    """A worker that does nothing; the test ends it."""

    def __init__(self, on_message: object, on_lost: object, *, in_process: bool) -> None:
        self.on_message = on_message
        self.on_lost = on_lost
        self.in_process = in_process
        self.closed = False

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def lost() -> list[Fake]:
    return []


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch, lost: list[Fake]) -> Crew:
    monkeypatch.setattr(crew, "Worker", Fake)
    return Crew(1, lambda message: None, lost.append)


async def end(workers: Crew) -> Fake:
    (worker,) = workers.workers
    worker.on_lost(worker)
    await asyncio.sleep(0.01)
    return worker


async def test_a_lost_worker_is_told_of_and_replaced_at_once(one: Crew, lost: list[Fake]) -> None:
    one.start()
    gone = await end(one)
    assert lost == [gone]
    assert len(one.workers) == 1
    assert one.least(lambda worker: 0) is not gone
    await one.stop()


async def test_workers_that_end_as_they_begin_are_replaced_after_a_pause_and_nobody_waits_for_them(
    one: Crew, monkeypatch: pytest.MonkeyPatch
) -> None:
    one.start()
    for _ in range(FORGIVEN):
        await end(one)
    delays = []
    monkeypatch.setattr(asyncio.get_running_loop(), "call_later", lambda delay, call: delays.append((delay, call)))
    (worker,) = one.workers
    one._replace(worker)
    with pytest.raises(Busy) as raised:
        one.least(lambda worker: 0)
    assert raised.value.retry_after == 2
    for _ in range(10):
        delays[-1][1]()
        (worker,) = one.workers
        one._replace(worker)
    assert [delay for delay, _ in delays[:4]] == [2, 4, 8, 16]
    assert delays[-1][0] == LONGEST_PAUSE


async def test_a_worker_that_ran_for_a_while_is_forgiven(one: Crew) -> None:
    one.start()
    for _ in range(3 * FORGIVEN):
        (worker,) = one.workers
        one.workers[worker] -= crew.SOON
        await end(one)
        assert len(one.workers) == 1


async def test_no_worker_comes_after_the_end(one: Crew, lost: list[Fake]) -> None:
    one.start()
    (worker,) = one.workers
    await one.stop()
    assert worker.closed
    worker.on_lost(worker)
    await asyncio.sleep(0.01)
    assert not one.workers
    assert not lost


async def test_no_processes_means_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew, "Worker", Fake)
    workers = Crew(0, lambda message: None, lambda worker: None)
    workers.start()
    assert [worker.in_process for worker in workers.workers] == [True]
