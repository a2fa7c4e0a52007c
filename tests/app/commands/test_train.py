"""`merge-next train`: what it writes, what it says of its work, and what it refuses."""

import io
import re
import signal
import sys
from concurrent.futures import BrokenExecutor
from pathlib import Path

import pytest

from app.commands import train as command_module
from tests.app.commands.conftest import CORPUS, Command
from tokenizer import NAMED, Recipe, train
from tokenizer.saved import load


def test_it_writes_the_vocabulary_of_the_same_recipe(trained: Path) -> None:
    run = train(Recipe(CORPUS, special_tokens=("<|endoftext|>",), vocab_size=266))
    expected, found = run.vocabulary(run.known), load(trained)
    assert found.ranks == expected.ranks
    assert found.tokens == list(expected.tokens)
    assert found.special_tokens == expected.special_tokens
    assert sorted(path.name for path in trained.iterdir()) == ["merge-next.json", "merges.txt", "vocab.json"]


def test_it_reports_what_it_read_learned_and_took(command: Command) -> None:
    said = command("train", "corpus.txt", "--vocab-size", "265", "--out", "toy")
    lines = dict(line.split(maxsplit=1) for line in said.out.replace("Peak memory", "Peak-memory").splitlines())
    assert lines["Read"] == f"1 file, {len(CORPUS)} bytes, {len(CORPUS)} characters"
    assert lines["Pre-tokens"] == "17, 6 of them distinct; 0 special tokens"
    assert lines["Learned"] == "9 merges: 265 entries"
    assert re.fullmatch(r"counting [\d.]+ s, picking [\d.]+ s, applying [\d.]+ s, in all [\d.]+ s", lines["Time"])
    assert re.match(r"\d+ MB|not told", lines["Peak-memory"])
    assert lines["Wrote"] == "toy/merge-next.json, toy/vocab.json, toy/merges.txt"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--min-count", "1"], "nothing is left to merge"),
        (["--min-count", "4"], "--min-count asks"),
    ],
)
def test_it_says_why_it_ended_before_the_vocabulary_was_full(command: Command, words: list[str], says: str) -> None:
    assert says in command("train", "corpus.txt", "--vocab-size", "5000", *words, "--out", "toy").out


def test_several_files_are_documents_of_their_own(command: Command, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("xy xy xy x")
    (tmp_path / "b.txt").write_text("y z")
    said = command("train", "a.txt", "b.txt", "--vocab-size", "300", "--out", "both")
    assert "2 files, 13 bytes" in said.out
    assert "6, 5 of them distinct" in said.out


def test_workers_change_nothing_but_the_time(command: Command, trained: Path, tmp_path: Path) -> None:
    words = ("--vocab-size", "266", "--special", "<|endoftext|>", "--workers", "2", "--out", "again")
    assert command("train", "corpus.txt", *words).status == 0
    for name in ("merge-next.json", "vocab.json", "merges.txt"):
        assert (tmp_path / "again" / name).read_bytes() == (trained / name).read_bytes()


def test_another_pattern_and_tie_rule_are_taken(command: Command, tmp_path: Path) -> None:
    words = ("--pattern", "none", "--tie-rule", "first_seen", "--vocab-size", "270", "--out", "other")
    assert command("train", "corpus.txt", *words).status == 0
    run = train(Recipe(CORPUS, pattern=NAMED["none"], tie_rule="first_seen", vocab_size=270))
    assert load(tmp_path / "other").ranks == run.vocabulary(14).ranks


def test_a_pattern_of_ones_own_is_taken(command: Command, tmp_path: Path) -> None:
    words = ("--pattern", "custom", "--custom", r"\w+|\W", "--vocab-size", "260", "--out", "own")
    assert command("train", "corpus.txt", *words).status == 0
    assert load(tmp_path / "own").pattern.source == r"\w+|\W"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.txt"], "nowhere.txt: No such file"),
        (["."], ".: Is a directory"),
        (["bad.txt"], "byte 5"),
        (["corpus.txt", "--vocab-size", "200"], "--vocab-size: A vocabulary of 200 is too small"),
        (["corpus.txt", "--special", "a", "--special", "a"], "--special: The special token “a” is listed twice"),
        (["corpus.txt", "--special", "a" * 65_537], "--special: at most 1,000"),
        (["corpus.txt", "--special", ""], "--special: Special token 1 is empty"),
        (["corpus.txt", "--min-count", "0"], "--min-count: "),
        (["corpus.txt", "--workers", "0"], "--workers 0"),
        (["corpus.txt", "--custom", "a"], "--pattern custom and --custom"),
        (["corpus.txt", "--pattern", "custom", "--custom", "("], "--pattern: "),
    ],
)
def test_what_cannot_be_done_is_said_with_its_argument(
    command: Command, tmp_path: Path, words: list[str], says: str
) -> None:
    (tmp_path / "bad.txt").write_bytes(b"fine \xff bad")
    said = command("train", "--vocab-size", "300", "--out", "new", *words)
    assert said.status == 1
    assert said.out == ""
    assert says in said.err
    assert said.err.startswith("merge-next: ")
    assert not (tmp_path / "new").exists()


def test_a_vocabulary_that_is_there_is_not_lost(command: Command, trained: Path) -> None:
    before = (trained / "merge-next.json").read_bytes()
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", "toy")
    assert said.status == 1
    assert "--force" in said.err
    assert (trained / "merge-next.json").read_bytes() == before
    assert command("train", "corpus.txt", "--vocab-size", "258", "--out", "toy", "--force").status == 0
    assert load(trained).merges == 2


def test_what_gpt2s_files_cannot_hold_is_said_and_the_rest_is_kept(command: Command, tmp_path: Path) -> None:
    said = command("train", "corpus.txt", "--vocab-size", "300", "--special", "Ġlow", "--out", "clash")
    assert said.status == 0
    assert "vocab.json cannot hold the special token “Ġlow”" in said.err
    assert [path.name for path in (tmp_path / "clash").iterdir()] == ["merge-next.json"]
    assert load(tmp_path / "clash").special_tokens == {"Ġlow": 256 + load(tmp_path / "clash").merges}


def test_a_folder_that_cannot_be_made_is_named(command: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", "file/in")
    assert said.status == 1
    assert "file/in" in said.err


class Terminal(io.StringIO):
    """A standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


def test_a_bar_shows_progress_where_somebody_looks(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    assert command("train", "corpus.txt", "--vocab-size", "300", "--out", "toy").status == 0
    assert "Counting" in seen.getvalue()
    assert "Merging" in seen.getvalue()


def test_ctrl_c_ends_it_with_nothing_written(command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command_module, "_learn", interrupted)
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", "toy")
    assert said.status == 130
    assert said.err == "\nmerge-next: interrupted\n"
    assert not (tmp_path / "toy").exists()


def test_a_worker_that_is_killed_is_told(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise BrokenExecutor("A process was terminated abruptly")

    monkeypatch.setattr(command_module, "count_files", broken)
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", "new")
    assert said.status == 1
    assert "take fewer --workers" in said.err.lower()


def test_ctrl_c_sent_twice_does_not_disturb_the_clearing_up(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, cleared = signal.getsignal(signal.SIGINT), []

    def interrupted(*_: object, **__: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            signal.raise_signal(signal.SIGINT)
            cleared.append(True)

    monkeypatch.setattr(command_module, "count_files", interrupted)
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", "new")
    assert (said.status, said.err, cleared) == (130, "\nmerge-next: interrupted\n", [True])
    assert not (tmp_path / "new").exists()
    assert signal.getsignal(signal.SIGINT) == before


def test_a_job_in_the_background_still_ignores_ctrl_c(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        counted = command_module.count_files
        monkeypatch.setattr(
            command_module, "count_files", lambda *a, **b: signal.raise_signal(signal.SIGINT) or counted(*a, **b)
        )
        assert command("train", "corpus.txt", "--vocab-size", "300", "--out", "new").status == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigterm_ends_it_as_an_error_would(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(command_module, "count_files", lambda *_, **__: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit) as ended:
        command("train", "corpus.txt", "--vocab-size", "300", "--out", "new")
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.parametrize("word", ["nan", "inf", "-1", "0", "x"])
def test_seconds_are_positive_and_finite(command: Command, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command("train", "corpus.txt", "--vocab-size", "300", "--out", "new", f"--pattern-seconds={word}")
    assert "--pattern-seconds" in capsys.readouterr().err


@pytest.mark.parametrize("out", ["a" * 300, "corpus.txt", "corpus.txt/new", "deep/" + "a" * 300])
def test_a_folder_that_cannot_be_made_is_told_before_training(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    monkeypatch.setattr(command_module, "count_files", None)
    said = command("train", "corpus.txt", "--vocab-size", "300", "--out", out)
    assert said.status == 1
    assert said.err.startswith(f"merge-next: {out}")
    assert [path.name for path in tmp_path.iterdir()] == ["corpus.txt"]
