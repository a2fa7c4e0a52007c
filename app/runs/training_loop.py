"""What a training process does: several trainings in turns, each a slice at a time.

Messages are tuples, a word and a training's key first. To it come `("train", key, job)`, `("want", key, step, ahead)`,
`("rest", key)`, `("drop", key)`, `("stop",)`; from it go `("counting", key, done, total)`, in bytes,
`("opened", key, table, opening, ended, table_bytes)`, `("records", key, records, ended)`,
`("failed", key, code, message, field)`, and `("rests", key)` or `("dropped", key)` in answer to a rest or a drop:
nothing more comes of that training, until it is wanted again where it rests.
"""

from collections import deque
from dataclasses import dataclass, field
from hashlib import file_digest
from multiprocessing.connection import Connection
from pathlib import Path
from time import monotonic
from typing import Any

from app.sizes import limit_in_words
from app.tables import read_table, write_table
from tokenizer import Method, RecipeError, Table, TokenizerError, Trainer
from tokenizer.counting import Counting
from tokenizer.errors import CorpusError
from tokenizer.records import Record
from tokenizer.sources import LocalFile

SLICE = 0.02  # seconds that one training has before the next has its turn
# Records are made faster than a server can take them in. It holds up everybody while it unpacks a message, 20 µs a
# record and more, so that a message is small.
MOST_RECORDS = 50
GONE = "The corpus of this run is not kept here any more. Make the run again with the same text to go on."
DAMAGED = "The file of this corpus was changed or damaged on this server. Send the text again to go on."

ANSWERS = {"rest": "rests", "drop": "dropped"}

Message = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """What to train.

    Args:
        corpus: the file of UTF-8.
        digest: the SHA-256 that it should have, in hex.
        table: the file where its table is or will be.
        method: how.
        most: steps, at most.
        pattern_seconds: the time limit of a custom pattern.
        most_table_bytes: of distinct pre-tokens; what a training takes in memory grows with them.
    """

    corpus: Path
    digest: str
    table: Path
    method: Method
    most: int
    pattern_seconds: float
    most_table_bytes: int


@dataclass(slots=True)
class Training:
    """One training: first its corpus is counted, then merges are made up to `ahead`, those up to `wanted` first."""

    key: int
    job: Job
    ahead: int
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
        return self.trainer is not None and (self.trainer.ended is not None or self.made >= self.job.most)

    def slice(self) -> Message:
        """Work for a while; what there is to tell."""
        if self.trainer is not None:
            return self._merge(self.trainer)
        if self.counting is None:
            return self._begin()
        return self._count(self.counting)

    def _begin(self) -> Message:
        table = read_table(self.job.table)
        if table is not None:
            return self._open(table, self.job.table.stat().st_size)
        method = self.job.method
        method.validate()
        _verify(self.job.corpus, self.job.digest)
        self.counting = Counting(
            LocalFile(str(self.job.corpus)),
            method.pattern,
            method.special_tokens,
            time_limit=self.job.pattern_seconds,
        )
        return ("counting", self.key, 0, self.counting.total)  # its pace is reckoned from here

    def _count(self, counting: Counting) -> Message:
        if counting.advance():
            _refuse_too_varied(counting.distinct_bytes, self.job.most_table_bytes)
            return ("counting", self.key, counting.done, counting.total)
        table = counting.table()
        self.counting = None
        return self._open(table)

    def _open(self, table: Table, table_bytes: int | None = None) -> Message:
        """Begin to train a table, which is kept in its file unless that is known, by its size, to be there."""
        _refuse_too_varied(len(table.blob), self.job.most_table_bytes)
        if table_bytes is None:
            table_bytes = write_table(self.job.table, table)
        self.trainer = Trainer(table, self.job.method)
        return ("opened", self.key, table, self.trainer.opening, self.trainer.ended, table_bytes)

    def _merge(self, trainer: Trainer) -> Message:
        records: list[Record] = []
        target = min(self.job.most, self.wanted if self.made < self.wanted else self.ahead, self.made + MOST_RECORDS)
        until = monotonic() + SLICE
        while self.made < target and monotonic() < until and (record := trainer.advance()) is not None:
            records.append(record)
            self.made += 1
        return ("records", self.key, records, trainer.ended)


class DamagedCorpus(CorpusError):
    """The file of a corpus does not hold what was sent."""

    code = "corpus_damaged"


def _verify(corpus: Path, digest: str) -> None:
    """See to it that a corpus's file holds what was sent; takes 0.1 s for 64 MB."""
    with corpus.open("rb") as file:
        if file_digest(file, "sha256").hexdigest() != digest:
            raise DamagedCorpus(DAMAGED, field="corpus")


def _refuse_too_varied(distinct_bytes: int, limit: int) -> None:
    if distinct_bytes > limit:
        raise RecipeError(
            f"The distinct pre-tokens that the corpus is cut into have more than {limit_in_words(limit)} together, "
            "which is more than is trained here. Take a smaller corpus, or a pattern that cuts finer.",
            field="corpus",
        )


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
                if message[0] in ANSWERS:
                    connection.send((ANSWERS[message[0]], message[1]))
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
    failed: tuple[str, str, str | None]
    try:
        message = training.slice()
    except TokenizerError as error:
        failed = (error.code, error.message, error.field)
    except MemoryError:
        failed = ("memory", "There is not enough memory to train this corpus.", "corpus")
    except FileNotFoundError:
        failed = ("corpus_gone", GONE, "corpus")
    except OSError as error:
        failed = ("corpus_unread", f"The corpus cannot be read: {error.strerror or error}.", "corpus")
    else:
        connection.send(message)
        return not training.finished
    connection.send(("failed", training.key, *failed))
    return False


def _obey(message: Message, trainings: dict[int, Training], turns: "deque[int]") -> None:
    word, key, *rest = message
    if word == "train":
        (job,) = rest
        trainings[key] = Training(key, job, ahead=job.most)
        turns.append(key)
    elif key not in trainings:
        return  # it ended in the meantime
    elif word == "want":
        trainings[key].wanted, trainings[key].ahead = rest
    elif word == "rest":
        trainings[key].wanted = trainings[key].ahead = 0
    elif word == "drop":
        del trainings[key]
        turns.remove(key)
