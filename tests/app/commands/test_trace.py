"""`merge-next trace`: every merge with its rank, the candidates that it won over, the ids."""

import io
import sys
from pathlib import Path

import pytest

from app.commands.trace import LONGEST_TEXT
from tests.app.commands.conftest import Command
from tokenizer import encode
from tokenizer.saved import load


def test_a_pre_token_is_shown_merge_by_merge(command: Command, trained: Path) -> None:
    said = command("trace", "lowest", "--vocab", "toy")
    lines = said.out.splitlines()
    ids = " ".join(map(str, encode("lowest", load(trained))))
    assert lines[0] == f"lowest  →  {ids}"
    assert lines[1].split("  ")[1] == "l o w e s t"
    assert "s + t (rank 0)" in lines[1]
    assert lines[-1] == f"ids {ids}"


@pytest.mark.usefixtures("trained")
def test_what_occurs_again_is_shown_once_with_its_number(command: Command) -> None:
    lines = command("trace", "low low low low", "--vocab", "toy").out.splitlines()
    assert sum(line.startswith("␣low, 3 times") for line in lines) == 1


@pytest.mark.usefixtures("trained")
def test_special_tokens_are_named_or_taken_as_text(command: Command) -> None:
    special = command("trace", "<|endoftext|>", "--vocab", "toy").out
    assert special.splitlines()[0].endswith("a special token")
    assert len(command("trace", "<|endoftext|>", "--vocab", "toy", "--specials-as-text").out.splitlines()) > 3


@pytest.mark.usefixtures("trained")
def test_what_is_left_out_is_said(command: Command) -> None:
    said = command("trace", "low newest widest", "--vocab", "toy", "--limit", "1", "--rounds", "1").out
    assert "… 2 more distinct pre-tokens" in said
    assert "more merges; --rounds" in said


@pytest.mark.usefixtures("trained")
def test_standard_input_is_traced(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"low")))
    assert command("trace", "-", "--vocab", "toy").out == command("trace", "low", "--vocab", "toy").out


@pytest.mark.parametrize(("sent", "says"), [(b"\xff", "not UTF-8"), (b"a" * (LONGEST_TEXT + 1), "at most 1,000,000")])
@pytest.mark.usefixtures("trained")
def test_what_cannot_be_traced_is_said(
    command: Command, monkeypatch: pytest.MonkeyPatch, sent: bytes, says: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(sent)))
    said = command("trace", "-", "--vocab", "toy")
    assert said.status == 1
    assert says in said.err


@pytest.mark.parametrize("words", [["--rounds", "0"], ["--rounds", "-3"], ["--limit", "-1"], ["--limit", "x"]])
@pytest.mark.usefixtures("trained")
def test_numbers_below_one_are_refused(command: Command, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command("trace", "low", "--vocab", "toy", *words)
    assert ended.value.code == 2
    assert words[0] in capsys.readouterr().err
