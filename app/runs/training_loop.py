"""What a training process does: several trainings in turns, each a slice at a time.

Messages are tuples, a word and a training's key first. To it come `("train", key, recipe, most, pattern_seconds)`,
`("want", key, step, ahead)`, `("drop", key)`, `("stop",)`; from it go `("counting", key, done, total)`,
`("opened", key, table, opening, ended)`, `("records", key, records, ended)`, `("failed", key, error)`.
"""

from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any

from tokenizer import Recipe, TokenizerError, Trainer
from tokenizer.counting import Counting
from tokenizer.records import Record
from tokenizer.training import counting

SLICE = 0.02  # seconds that one training has before the next has its turn

Message = tuple[Any, ...]


@dataclass(slots=True)
class Training:
    """One training: first its corpus is counted, then merges are made up to `ahead`, those up to `wanted` first."""

    key: int
    recipe: Recipe
    most: int
    ahead: int
    pattern_seconds: float
    wanted: int = 0
    made: int = 0
    counting: Counting | None = field(default=None)
    trainer: Trainer | None = field(default=None)

    @property
    def urgent(self) -> bool:
        """Whether somebody waits for it."""
        return self.trainer is None or self.made < self.wanted

    @property
    def idle(self) -> bool:
        """Whether it has made all that it should for now."""
        return self.trainer is not None and self.made >= max(self.ahead, self.wanted)

    @property
    def finished(self) -> bool:
        """Whether there is nothing that it could ever make."""
        return self.trainer is not None and (self.trainer.ended is not None or self.made >= self.most)

    def slice(self) -> Message:
        """Work for a while; what there is to tell."""
        if self.trainer is None:
            return self._count()
        return self._merge(self.trainer)

    def _count(self) -> Message:
        if self.counting is None:
            self.counting = counting(self.recipe, time_limit=self.pattern_seconds)
        if self.counting.advance():
            return ("counting", self.key, self.counting.done, self.counting.total)
        table = self.counting.table()
        self.trainer = Trainer(table, self.recipe)
        self.counting = None
        return ("opened", self.key, table, self.trainer.opening, self.trainer.ended)

    def _merge(self, trainer: Trainer) -> Message:
        records: list[Record] = []
        target = min(self.most, self.wanted if self.made < self.wanted else self.ahead)
        until = monotonic() + SLICE
        while self.made < target and monotonic() < until and (record := trainer.advance()) is not None:
            records.append(record)
            self.made += 1
        return ("records", self.key, records, trainer.ended)


def serve(connection: "Connection[Message, Message]") -> None:
    """Train what is asked for until `("stop",)` comes or the other end of the connection closes."""
    trainings: dict[int, Training] = {}
    turns: deque[int] = deque()
    try:
        while True:
            at_work = [key for key in turns if not trainings[key].idle]
            while connection.poll(None if not at_work else 0):
                message = connection.recv()
                if message[0] == "stop":
                    return
                _obey(message, trainings, turns)
                at_work = [key for key in turns if not trainings[key].idle]
            key = next((key for key in at_work if trainings[key].urgent), at_work[0] if at_work else None)
            if key is None:
                continue
            turns.remove(key)
            if _take_turn(trainings[key], connection):
                turns.append(key)
            else:
                del trainings[key]
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the server is gone
    finally:
        connection.close()


def _take_turn(training: Training, connection: "Connection[Message, Message]") -> bool:
    """One slice of a training; whether it goes on."""
    try:
        connection.send(training.slice())
    except TokenizerError as error:
        connection.send(("failed", training.key, error.code, error.message, error.field))
        return False
    except MemoryError:
        connection.send(
            ("failed", training.key, "memory", "There is not enough memory to train this corpus.", "corpus")
        )
        return False
    return not training.finished


def _obey(message: Message, trainings: dict[int, Training], turns: "deque[int]") -> None:
    word, key, *rest = message
    if word == "train":
        recipe, most, pattern_seconds = rest
        trainings[key] = Training(key, recipe, most, ahead=most, pattern_seconds=pattern_seconds)
        turns.append(key)
    elif key not in trainings:
        return  # it ended in the meantime
    elif word == "want":
        trainings[key].wanted, trainings[key].ahead = rest
    elif word == "drop":
        del trainings[key]
        turns.remove(key)
