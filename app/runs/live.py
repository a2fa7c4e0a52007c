"""A run in memory, and how far it is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field as made_by
from typing import Any, Literal

from app.kept import KeptCorpus
from app.runs.pace import Pace
from app.runs.worker import Worker
from tokenizer import Exhausted, Method, Run, TokenizerError

AGAIN = 1_000  # steps that are made ahead when somebody goes on after a cancel

RunState = Literal["open", "counting", "stopped", "failed"]  # all but the first: its steps cannot be read


class RunNotFound(LookupError):
    """No recipe has this id."""


class Busy(RuntimeError):
    """Too many trainings wait already; `retry_after` is in seconds."""

    def __init__(self, retry_after: int = 5) -> None:
        super().__init__("Too many runs are being trained at the moment. Try again in a few seconds.")
        self.retry_after = retry_after


class StepLimit(TokenizerError):
    """A step beyond what this server trains."""

    code = "step_limit"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: bytes counted, or steps trained, towards `total`."""

    done: int
    total: int
    phase: Literal["counting", "training"]
    cancelled: bool = False
    failed: str = ""


@dataclass(slots=True, eq=False)
class LiveRun:
    """A run in memory. `run` is None until its corpus is counted. Of the corpus it holds no more than where it is."""

    id: str
    method: Method
    corpus: KeptCorpus
    most: int  # steps that this server trains of it
    key: int
    worker: Worker
    run: Run | None = None
    counted: int = 0  # bytes
    wanted: int = 0  # the last step that somebody asked for
    ahead: int = -1  # the last step that is made unasked; -1 as far as the server goes
    cancelled: bool = False
    at_rest: bool = False  # cancelled, and its worker has said that no further step comes
    failure: TokenizerError | None = None
    weight: int = 0  # bytes, about
    frozen: int = 0  # of them kept from garbage collection
    pace: Pace = made_by(default_factory=Pace)
    changed: asyncio.Event = made_by(default_factory=asyncio.Event)

    @property
    def known(self) -> int:
        """The last step that is known."""
        return self.run.known if self.run is not None else 0

    def ready(self, step: int) -> bool:
        """Whether a step can be read."""
        return self.run is not None and step <= self.run.known

    @property
    def complete(self) -> bool:
        """Whether no further step will come."""
        return self.run is not None and (self.run.ended is not None or self.run.known >= self.most)

    @property
    def training(self) -> bool:
        """Whether the corpus is being counted or steps are being made now."""
        if self.complete or self.cancelled or self.failure is not None:
            return False
        return self.run is None or self.ahead < 0 or self.run.known < max(self.ahead, self.wanted)

    @property
    def state(self) -> RunState:
        """Whether its steps can be read, and else why not."""
        if self.failure is not None:
            return "failed"
        if self.run is not None:
            return "open"
        return "stopped" if self.cancelled else "counting"

    @property
    def awaited(self) -> bool:
        """Whether somebody waits for it: its corpus is being counted, or a step that was asked for is being made."""
        return self.training and (self.run is None or self.run.known < self.wanted)

    def check(self, step: int) -> None:
        """See to it that a step may come.

        Raises:
            TokenizerError: the recipe cannot be trained after all.
            Exhausted: the run ends before the step.
            StepLimit: this server does not go so far.
        """
        if self.failure is not None:
            raise self.failure
        if self.ready(step):
            return
        if self.run is not None and self.run.ended is not None:
            self.run.check(step)
        if step > self.most == self.method.merges_wanted:
            raise Exhausted(
                f"There is no step {step:,}: step {self.most:,} at the latest fills the vocabulary size of this run.",
                last=self.most,
                reason="vocabulary_size",
            )
        if step > self.most:
            raise StepLimit(
                f"This server trains {self.most:,} steps of a run at most; step {step:,} is beyond.",
                field="step",
                position=self.most,
            )

    def progress(self) -> Progress:
        """How far it is."""
        failed = self.failure.message if self.failure is not None else ""
        if self.run is None:
            return Progress(self.counted, self.corpus.bytes, "counting", self.cancelled, failed)
        return Progress(self.known, self.most, "training", self.cancelled, failed)

    def seconds_left(self, step: int) -> float | None:
        """How long the work that goes on takes at its pace; None while nobody knows.

        Args:
            step: which is waited for; while the corpus is counted, that is until it is.
        """
        if not self.training:
            return None
        if self.run is None:
            left = self.corpus.bytes - self.counted
            return self.pace.seconds_for(left) if left else None  # what comes after the last byte has no measure
        return self.pace.seconds_for(max(0, step - self.known))

    def note_pace(self) -> None:
        """Take the time of what is done by now; in the event loop."""
        self.pace.note(self.counted if self.run is None else self.known)

    async def watch(self, *, pause: float = 0.2, at_least: float = 15.0) -> AsyncIterator[Progress]:
        """Its progress whenever it changes; ends when nothing more will come.

        Args:
            pause: seconds between two values, so that a fast training is not told step by step.
            at_least: seconds after which the same value comes again, so that a reader who has gone is noticed.
        """
        while True:
            changed, going = self.changed, self.training
            yield self.progress()
            if not going:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(at_least):
                    await changed.wait()
            await asyncio.sleep(pause)

    def want(self, step: int) -> None:
        """Take note that a step is asked for, and that it goes on ahead of it: after a cancel for a while only."""
        if self.cancelled or self.ahead >= 0:
            self.ahead = max(self.ahead, min(self.most, step + AGAIN))
        if not self.training:
            self.pace.rest()
        self.wanted, self.cancelled = step, False

    def hear(self, word: str, *rest: Any) -> None:
        """Take in what its worker tells (see `training_loop`); in the worker's reading thread alone."""
        if word == "counting":
            self.counted = rest[0]
        elif word == "opened":
            table, opening, ended, _ = rest
            run = Run(self.method, table, opening)
            run.ended = ended
            self.weight += 12 * len(table.blob)
            self.run = run
        elif word == "records" and self.run is not None:
            records, ended = rest
            for record in records:
                self.run.append(record)
                self.weight += record.weight
            self.run.ended = ended
        elif word == "rests":
            self.at_rest = self.cancelled  # else it has been asked to go on in the meantime
        elif word == "failed":
            code, message, field = rest
            self.fail(message, code=code, field=field)

    def fail(self, message: str, *, code: str = "failed", field: str | None = None) -> None:
        """Give up, with a reason that everybody who asks is told."""
        self.failure = TokenizerError(message, field=field)
        self.failure.code = code

    def wake(self) -> None:
        """Let everybody who waits look again."""
        self.changed.set()
        self.changed = asyncio.Event()
