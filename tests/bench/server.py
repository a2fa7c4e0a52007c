"""What the server does by itself: a step's answer as htmx asks for it, its size, and an upload until it can be read."""

import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.bench.serving import Client, form, server, toy_run
from tests.bench.table import limit, median, number, p95, say, show

STEP_MS = 10
PACKED_KB = 10
FIRST_STEP_SECONDS = 3
FAR_STEP = 10_000


@dataclass
class Answers:
    """Milliseconds and bytes of answers of one kind."""

    name: str
    times: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)


def measure(page: str, large: str, what: str, *, steps: int, uploads: int) -> None:
    """Print the server's figures.

    Args:
        page: a corpus of 4,000 characters.
        large: a corpus of 5 MB.
        what: what that corpus is.
        steps: of each kind.
        uploads: how often the large corpus is sent.
    """
    answers: list[Answers] = []
    with server(page_cache_bytes="0") as address, Client(address) as client:
        say("the toy's steps")
        run = toy_run(client)
        last = [1 + place % 8 for place in range(steps)]
        client.await_step(run, 8)
        answers.append(ask(client, "toy, cold", run, last))
    with server() as address, Client(address) as client:
        client.await_step(toy_run(client), 8)
        answers.append(ask(client, "toy, warm", run, last * 2, skip=8))
        floor = static_file(client, steps)
        say("steps of 4,000 characters")
        small = client.make_run(page)
        end = client.await_end(small)
        answers += of_run(client, "4,000 characters", small, range(1, min(end, steps) + 1), end)
        say(f"{uploads} uploads of 5 MB, each until step {FAR_STEP:,}")
        during = Answers("5 MB, while steps are made")
        sent = [_upload(client, f"Text {place}.\n{large}", steps, during) for place in range(uploads)]
        client.await_end(sent[-1].run)
        answers.append(during)
        answers += of_run(client, "5 MB", sent[-1].run, range(steps + 1, 2 * steps + 1), FAR_STEP)
    show_steps(answers, floor)
    _show_sizes(answers)
    show_sent(f"Server: 5 MB uploaded ({what})", sent, FIRST_STEP_SECONDS)


@dataclass
class Sent:
    """An upload: its run, seconds until it was answered, until step 1 and until the far step."""

    run: str
    answered: float
    first: float
    far: float


def _upload(client: Client, corpus: str, steps: int, during: Answers) -> Sent:
    """Send a corpus and wait until its steps can be read; how long those in between took is added to `during`."""
    body = form(corpus.encode())
    begun = time.perf_counter()
    run = client.send_form(body)
    answered = time.perf_counter() - begun
    client.await_step(run, 1)
    first = time.perf_counter() - begun
    client.await_step(run, steps)
    during.times += ask(client, "", run, range(2, steps + 1)).times
    client.await_step(run, FAR_STEP)
    far = time.perf_counter() - begun
    client.cancel(run)  # what it would make beyond is not to disturb the next one; who asks for more of it gets it
    return Sent(run, answered, first, far)


def of_run(client: Client, name: str, run: str, sequence: Iterable[int], end: int) -> list[Answers]:
    """Steps in order and at random, each first cold (asked for the first time) and then warm."""
    ordered = list(sequence)
    others = [step for step in range(1, end + 1) if step not in set(ordered)] or ordered
    chosen = random.Random(1).sample(others, min(len(ordered), len(others)))
    return [
        ask(client, f"{name}, {order}, {state}", run, steps)
        for order, steps in (("in order", ordered), ("at random", chosen))
        for state in ("cold", "warm")
    ]


def ask(client: Client, name: str, run: str, steps: Iterable[int], skip: int = 0) -> Answers:
    """Ask for steps of a run as htmx does; the first `skip` are left out of the figures."""
    found = Answers(name)
    for step in steps:
        milliseconds, answer = client.timed(f"/runs/{run}/steps/{step}")
        found.times.append(milliseconds)
        assert answer.status == 200, f"step {step} was answered with {answer.status}"
        assert answer.headers.get("content-encoding") == "gzip", f"step {step} was not compressed"
        found.sizes.append(len(answer.body))
    return Answers(name, found.times[skip:], found.sizes[skip:])


def static_file(client: Client, times: int) -> Answers:
    """The least that an answer of this server takes: a small static file."""
    found = Answers("(a small static file)")
    for _ in range(times):
        found.times.append(client.timed("/static/icons/favicon.svg")[0])
    return found


def show_steps(answers: Sequence[Answers], floor: Answers) -> None:
    """Print how long answers took, and the least that any takes."""
    rows = [
        (each.name, str(len(each.times)), number(median(each.times)), *limit(p95(each.times), STEP_MS))
        for each in (*answers, floor)
    ]
    heads = ("a step's answer", "answers", "p50 ms", "p95 ms", "target", "of target")
    show("Server: a step, asked for as htmx does", heads, rows, ("cold: never rendered before; warm: asked for again",))


def _show_sizes(answers: Sequence[Answers]) -> None:
    rows = [
        (each.name, number(median(each.sizes) / 1000), *limit(max(each.sizes) / 1000, PACKED_KB))
        for each in answers
        if each.sizes and "warm" not in each.name
    ]
    show("Server: a step's size, compressed", ("", "median kB", "most kB", "target", "of target"), rows)


def show_sent(title: str, sent: Sequence[Sent], target: float) -> None:
    """Print how long uploads took; `target` is the seconds until step 1."""
    rows = [
        ("until it is answered", number(median([each.answered for each in sent]), 2), "", ""),
        ("until step 1 can be read", *limit(median([each.first for each in sent]), target, 2)),
        (f"until step {FAR_STEP:,} can be read", number(median([each.far for each in sent]), 2), "", ""),
    ]
    show(f"{title}, median of {len(sent)}", ("", "seconds", "target", "of target"), rows)
