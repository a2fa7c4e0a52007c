"""A corpus of real size in the lab: uploaded, stepped through, clicked through, and what others notice of it."""

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event, Thread

from tests.bench.browser import THINKING_MS, Clicks, chromium, click_through, show_clicks
from tests.bench.corpus import Corpus
from tests.bench.server import FAR_STEP, Answers, Sent, of_run, show_sent, show_steps, static_file
from tests.bench.serving import Client, form, server, toy_run
from tests.bench.table import limit, median, number, p95, say, show

FIRST_STEP_SECONDS = 15
VOCABULARY = 256 + FAR_STEP + 1
OTHERS_STEP_MS = 100
OTHERS_PAUSE = 0.05  # seconds between two steps of somebody else
STEPS = 200  # that are asked for of each kind
# Every answer is rendered when it is asked for, and a corpus of this size is taken.
SETTINGS = {"page_cache_bytes": "0", "max_corpus_bytes": "64000000"}


@dataclass
class Phases:
    """Milliseconds that another client waited for a step of its own run, by what the server did beside it."""

    idle: list[float] = field(default_factory=list)
    arriving: list[float] = field(default_factory=list)
    training: list[float] = field(default_factory=list)


def measure(corpora: Iterable[Corpus], *, uploads: int, clicks: int) -> None:
    """Print the figures of each corpus.

    Args:
        corpora: at most 64 MB each.
        uploads: how often each is sent, to a new server.
        clicks: of each kind.
    """
    for corpus in corpora:
        sent: list[Sent] = []
        others = Phases()
        for place in range(uploads):
            say(f"upload {place + 1} of {uploads}: {corpus.name}")
            with server(**SETTINGS) as address, Client(address) as client:
                sent.append(_upload(client, corpus, others))
                if place == uploads - 1:
                    _read(client, corpus, sent[-1].run, clicks)
        _show(corpus, sent, others)


def _upload(client: Client, corpus: Corpus, others: Phases) -> Sent:
    """Send a corpus and wait until its steps can be read, while another client steps through the toy."""
    toy = toy_run(client)
    client.await_step(toy, 8)
    body = form(corpus.path.read_bytes(), vocab_size=str(VOCABULARY))
    with _stepping(client.address, toy, others.idle):
        time.sleep(2)
    begun = time.perf_counter()
    with _stepping(client.address, toy, others.arriving):
        run = client.send_form(body)
        answered = time.perf_counter() - begun
        client.await_step(run, 1)
        first = time.perf_counter() - begun
    with _stepping(client.address, toy, others.training):
        client.await_step(run, FAR_STEP)
        far = time.perf_counter() - begun
    return Sent(run, answered, first, far)


@contextmanager
def _stepping(address: str, run: str, times: list[float]) -> Iterator[None]:
    """While this lasts, somebody steps through a run of eight steps."""
    over = Event()

    def step_through() -> None:
        with Client(address) as other:
            while not over.wait(OTHERS_PAUSE):
                milliseconds, answer = other.timed(f"/runs/{run}/steps/{1 + len(times) % 8}")
                assert answer.status == 200, f"another's step was answered with {answer.status}"
                times.append(milliseconds)

    other = Thread(target=step_through)
    other.start()
    try:
        yield
    finally:
        over.set()
        other.join()


def _read(client: Client, corpus: Corpus, run: str, clicks: int) -> None:
    """Ask for steps of the run, and click through it."""
    answers: list[Answers] = of_run(client, corpus.name, run, range(1, STEPS + 1), FAR_STEP)
    show_steps(answers, static_file(client, STEPS))
    found: list[Clicks] = []
    with chromium() as browser:
        for begin in (0, FAR_STEP // 2):
            for pause, pace in ((0, "at once"), (THINKING_MS, f"{THINKING_MS} ms apart")):
                say(f"clicking: {corpus.name}, from step {begin:,}, {pace}")
                start = f"{client.address}/runs/{run}/steps/{begin}"
                found.append(click_through(browser, f"from step {begin:,}, {pace}", start, clicks, pause))
    show_clicks(f"Browser: click to painted, {corpus.name}", found)


def _show(corpus: Corpus, sent: list[Sent], others: Phases) -> None:
    show_sent(f"Upload, {corpus.name}", sent, FIRST_STEP_SECONDS)
    kinds = {
        "nothing": others.idle,
        "the upload and its counting": others.arriving,
        f"its training until step {FAR_STEP:,}": others.training,
    }
    rows = [
        (name, str(len(times)), number(median(times)), *limit(p95(times), OTHERS_STEP_MS), number(max(times)))
        for name, times in kinds.items()
        if times
    ]
    heads = ("beside it", "answers", "p50 ms", "p95 ms", "target", "of target", "most ms")
    show(f"Upload, {corpus.name}: somebody else's step meanwhile", heads, rows)
