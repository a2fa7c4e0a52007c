"""The loop of a training process, by a scripted connection: turns, urgency, drops, ends and failures."""

from collections.abc import Callable
from itertools import count, pairwise
from typing import Any

import pytest

from app.runs import training_loop
from app.runs.training_loop import Training, serve
from app.samples import SAMPLES, toy_recipe
from tests.app.live import job_of
from tokenizer import Recipe, RecipeError, Run, custom, train
from tokenizer.patterns import GPT2, NAMED

Sent = list[tuple[Any, ...]]
PROSE = Recipe(SAMPLES["pride"].text)
EMPTY_AFTER_Q = custom(r"(?<=q)|.")  # the probes hold no q, a corpus may


class Script:
    """The server's end: says each message once its condition holds, or when there is nothing else to do."""

    def __init__(self, *script: tuple[Callable[[Sent], bool], tuple[Any, ...]]):
        self.script = list(script)
        self.sent: Sent = []
        self.closed = False

    def poll(self, timeout: float | None) -> bool:
        if self.script and (timeout is None or self.script[0][0](self.sent)):
            return True
        if timeout is None:
            raise EOFError
        return False

    def recv(self) -> tuple[Any, ...]:
        return self.script.pop(0)[1]

    def send(self, message: tuple[Any, ...]) -> None:
        self.sent.append(message)

    def close(self) -> None:
        self.closed = True


def at_once(_sent: Sent) -> bool:
    return True


def when_idle(_sent: Sent) -> bool:
    return False


def after(word: str, key: int, times: int = 1) -> Callable[[Sent], bool]:
    return lambda sent: sum(message[:2] == (word, key) for message in sent) >= times


def training(key: int, recipe: Recipe, most: int = 20_000) -> tuple[Any, ...]:
    return ("train", key, job_of(recipe, most))


@pytest.fixture(autouse=True)
def one_record_a_turn(monkeypatch):
    """A clock in which every look costs half a slice."""
    ticks = count()
    monkeypatch.setattr(training_loop, "SLICE", 2)
    monkeypatch.setattr(training_loop, "monotonic", lambda: next(ticks))


def played(*script: tuple[Callable[[Sent], bool], tuple[Any, ...]]) -> Sent:
    connection = Script(*script)
    serve(connection)
    assert connection.closed
    return connection.sent


def steps_of(sent: Sent, key: int) -> int:
    return sum(len(message[2]) for message in sent if message[:2] == ("records", key))


def turns(sent: Sent) -> list[int]:
    return [message[1] for message in sent if message[0] == "records"]


def test_a_training_tells_its_counting_its_table_and_its_records_to_the_end():
    recipe = toy_recipe()
    sent = played((at_once, training(7, recipe)))
    words = [message[0] for message in sent]
    assert words[: words.index("opened")] == ["counting"] * words.index("opened")
    assert sent[:2] == [("counting", 7, 0, 95), ("counting", 7, 95, 95)]
    _, _, table, opening, ended, table_bytes = sent[words.index("opened")]
    assert ended is None
    assert table_bytes > 0
    run = Run(recipe, table, opening)
    for message in sent[words.index("opened") + 1 :]:
        assert message[:2] == ("records", 7)
        for record in message[2]:
            run.append(record)
    assert sent[-1][3] == "vocabulary_size"
    assert all(message[3] is None for message in sent[words.index("opened") + 1 : -1])
    whole = train(recipe)
    assert [run.step(number) for number in range(1, 8)] == [whole.step(number) for number in range(1, 8)]
    assert (run.merges(8), run.totals(8)) == (whole.merges(8), whole.totals(8))


@pytest.mark.parametrize(
    ("recipe", "ended"),
    [
        (Recipe(""), "no_pairs"),
        (Recipe("a b"[:1]), "no_pairs"),
        (Recipe("ab", vocab_size=256), "vocabulary_size"),
        (Recipe("ab", min_count=2), "minimum_count"),
    ],
)
def test_a_training_without_steps_ends_as_it_opens(recipe, ended):
    sent = played((at_once, training(1, recipe)))
    assert [message[0] for message in sent if message[0] != "counting"] == ["opened"]
    assert sent[-1][4] == ended


def test_no_more_steps_are_made_than_the_server_wants():
    sent = played((at_once, training(1, PROSE, most=5)))
    assert steps_of(sent, 1) == 5
    assert sent[-1][3] is None  # it has not ended, it was stopped


def test_trainings_take_turns():
    sent = played((at_once, training(1, PROSE, most=40)), (at_once, training(2, PROSE, most=40)))
    assert (steps_of(sent, 1), steps_of(sent, 2)) == (40, 40)
    both = turns(sent)[:-1]
    assert sum(one != other for one, other in pairwise(both)) > 70


def test_a_small_training_beside_a_large_one_is_soon_done():
    sent = played(
        (at_once, training(1, PROSE, most=400)),
        (after("records", 1, 100), training(2, toy_recipe())),
    )
    begun = next(place for place, message in enumerate(sent) if message[1] == 2)
    done = max(place for place, message in enumerate(sent) if message[1] == 2)
    assert done - begun < 30
    assert steps_of(sent, 2) == 8
    assert steps_of(sent, 1) == 400


def test_steps_that_are_waited_for_come_before_steps_ahead():
    sent = played(
        (at_once, training(1, PROSE, most=100)),
        (at_once, training(2, PROSE, most=100)),
        (after("records", 2, 5), ("want", 2, 60, 100)),
    )
    order = turns(sent)
    asked = [place for place, key in enumerate(order) if key == 2][4]
    until = [place for place, key in enumerate(order) if key == 2][59]
    assert order[asked : until + 1] == [2] * (until - asked + 1)
    assert set(order[until + 1 : until + 5]) == {1, 2}


def test_two_that_are_waited_for_take_turns():
    sent = played(
        (at_once, training(1, PROSE, most=50)),
        (at_once, training(2, PROSE, most=50)),
        (after("opened", 2), ("want", 1, 30, 50)),
        (after("opened", 2), ("want", 2, 30, 50)),
    )
    order = turns(sent)
    assert abs(order[:40].count(1) - order[:40].count(2)) <= 3


def test_counting_comes_before_steps_ahead():
    sent = played(
        (at_once, training(1, PROSE, most=200)),
        (after("records", 1, 3), training(2, Recipe("abcdefghijklmno " * 40_000), most=1)),
    )
    begun = next(place for place, message in enumerate(sent) if message[1] == 2)
    opened = next(place for place, message in enumerate(sent) if message[:2] == ("opened", 2))
    assert opened - begun >= 2  # several blocks
    assert {message[1] for message in sent[begun:opened]} == {2}
    done = [message[2] for message in sent if message[0] == "counting" and message[1] == 2]
    assert done == sorted(done)
    assert done[-1] == 640_000


def test_a_cancelled_training_rests_and_goes_on_where_it_was():
    sent = played(
        (at_once, training(1, PROSE, most=100)),
        (after("records", 1, 10), ("want", 1, 0, 0)),
        (when_idle, ("want", 1, 12, 15)),
    )
    assert steps_of(sent, 1) == 15
    run = train(PROSE, steps=15)
    pairs = [record.pair for message in sent if message[0] == "records" for record in message[2]]
    assert pairs == [merge.pair for merge in run.merges(15)]


def test_a_dropped_training_says_nothing_more():
    sent = played(
        (at_once, training(1, PROSE, most=100)),
        (at_once, training(2, PROSE, most=20)),
        (after("records", 1, 5), ("drop", 1)),
    )
    assert steps_of(sent, 1) == 5
    assert steps_of(sent, 2) == 20
    last = [place for place, message in enumerate(sent) if message[1] == 1][-1]
    assert sent[last] == ("dropped", 1)


def test_what_is_asked_of_a_training_that_has_ended_is_passed_over():
    sent = played(
        (at_once, training(1, toy_recipe())),
        (when_idle, ("want", 1, 3, 8)),
        (when_idle, ("drop", 1)),
        (when_idle, training(2, toy_recipe())),
    )
    assert steps_of(sent, 2) == 8


def test_a_pattern_that_fails_fails_its_own_training_only():
    failing = Recipe("aqa", pattern=EMPTY_AFTER_Q)
    sent = played((at_once, training(1, failing)), (at_once, training(2, toy_recipe())))
    _, failed = [message for message in sent if message[1] == 1]
    assert failed[:3] == ("failed", 1, "pattern")
    assert failed[3].startswith("The split pattern matches the empty string at character 2 ")
    assert failed[4] == "pattern"
    assert steps_of(sent, 2) == 8


def test_a_pattern_that_takes_too_long_fails():
    recipe = Recipe("a" * 200_000, pattern=custom(r"(?:a|aa)+?b|a"))
    sent = played((at_once, ("train", 1, job_of(recipe, 10, pattern_seconds=0.01))))
    assert sent[-1][:3] == ("failed", 1, "pattern")
    assert "took longer than 0.01 s" in sent[-1][3]


def test_a_corpus_of_too_many_distinct_pre_tokens_fails_before_it_takes_the_memory():
    recipe = Recipe("low lower lowest low")
    sent = played((at_once, ("train", 1, job_of(recipe, most_table_bytes=19))))
    word, key, code, message, field = sent[-1]
    assert (word, key, code, field) == ("failed", 1, "recipe", "corpus")
    assert message.startswith("The distinct pre-tokens that the corpus is cut into have more than 19 bytes together, ")
    assert steps_of(played((at_once, ("train", 1, job_of(recipe, most_table_bytes=20)))), 1) > 0


@pytest.mark.parametrize("pattern", [GPT2, NAMED["o200k_base"], custom(r"\S+|\s+")])
def test_too_many_distinct_pre_tokens_are_refused_while_they_are_counted(pattern):
    letters = str.maketrans("0123456789", "ghijklmnop")
    words = "".join(f" {number:x}{'x' * 20}".translate(letters) for number in range(60_000))
    recipe = Recipe(words, pattern=pattern)
    sent = played((at_once, ("train", 1, job_of(recipe, most_table_bytes=200_000))))
    assert sent[-1][0] == "failed"
    assert "more than 200,000 bytes together" in sent[-1][3]
    assert not [message for message in sent if message[0] == "counting" and message[2] == message[3]]


def test_what_is_refused_leaves_no_table():
    job = job_of(Recipe("low lower lowest low"), most_table_bytes=19)
    assert played((at_once, ("train", 1, job)))[-1][0] == "failed"
    assert not job.table.exists()


def test_a_recipe_that_is_no_good_fails():
    sent = played((at_once, training(1, Recipe("ab", vocab_size=3))))
    assert sent == [("failed", 1, RecipeError.code, sent[0][3], "vocab_size")]


def test_want_of_memory_fails_one_training(monkeypatch):
    def greedy(self):
        if self.key == 1:
            raise MemoryError
        return real(self)

    real = Training.slice
    monkeypatch.setattr(Training, "slice", greedy)
    sent = played((at_once, training(1, PROSE)), (at_once, training(2, toy_recipe())))
    assert [message[:3] for message in sent if message[1] == 1] == [("failed", 1, "memory")]
    assert steps_of(sent, 2) == 8


def test_it_stops_when_told():
    connection = Script(
        (at_once, training(1, PROSE)), (after("records", 1, 3), ("stop",)), (at_once, training(2, PROSE))
    )
    serve(connection)
    assert connection.closed
    assert steps_of(connection.sent, 1) == 3
    assert len(connection.script) == 1


@pytest.mark.parametrize("error", [BrokenPipeError, ConnectionResetError])
def test_it_ends_when_the_server_is_gone(error):
    class Gone(Script):
        def send(self, _message):
            raise error

    connection = Gone((at_once, training(1, PROSE)))
    serve(connection)
    assert connection.closed


def test_a_training_that_rests_says_so_and_goes_on_when_it_is_wanted():
    rest, want = ("rest", 1), ("want", 1, 5, 0)
    sent = played((at_once, training(1, PROSE)), (after("records", 1, 3), rest), (when_idle, want))
    words = [message[0] for message in sent]
    assert words[words.index("rests") + 1 :] == ["records", "records"]
    assert steps_of(sent, 1) == 5


def test_what_has_ended_is_at_rest():
    recipe = toy_recipe()
    sent = played((at_once, training(1, recipe)), (when_idle, ("rest", 1)))
    assert sent[-1] == ("rests", 1)
