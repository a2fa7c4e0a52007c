"""`merge-next encode`: the ids of files and of standard input, as text and binary."""

import array
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.commands import encode as command_module
from tests.app.commands.conftest import CORPUS, Command
from tokenizer import encode
from tokenizer.saved import load

TEXT = "lowest newer\n<|endoftext|>low"


@pytest.fixture
def text(tmp_path: Path) -> str:
    """The name of a file to encode."""
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    return "text.txt"


def test_the_ids_are_those_of_the_engine(command: Command, trained: Path, text: str) -> None:
    said = command("encode", text, "--vocab", "toy")
    vocabulary = load(trained)
    assert [int(word) for word in said.out.split()] == encode(TEXT, vocabulary)
    assert vocabulary.special_tokens["<|endoftext|>"] in encode(TEXT, vocabulary)
    size = len(encode(TEXT, vocabulary))
    assert said.err == f"{size} ids of {len(TEXT)} bytes, {len(TEXT) / size:.2f} bytes a token\n"


def test_every_file_is_a_line(command: Command, trained: Path, text: str, tmp_path: Path) -> None:
    (tmp_path / "empty.txt").write_text("")
    lines = command("encode", text, "empty.txt", "corpus.txt", "--vocab", "toy").out.split("\n")
    vocabulary = load(trained)
    assert lines == [" ".join(map(str, encode(each, vocabulary))) for each in (TEXT, "", CORPUS)] + [""]


def test_standard_input_is_read_when_no_file_is_named(
    command: Command, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    said = command("encode", "--vocab", "toy", "--quiet")
    assert [int(word) for word in said.out.split()] == encode(TEXT, load(trained))
    assert said.err == ""


def test_special_tokens_may_be_text(command: Command, trained: Path, text: str) -> None:
    said = command("encode", text, "--vocab", "toy", "--specials-as-text")
    assert [int(word) for word in said.out.split()] == encode(TEXT, load(trained), specials="as_text")


def test_ids_may_be_counted_only(command: Command, trained: Path, text: str) -> None:
    assert command("encode", text, "--vocab", "toy", "--count").out == f"{len(encode(TEXT, load(trained)))}\n"


def test_ids_may_be_written_binary(command: Command, trained: Path, text: str, tmp_path: Path) -> None:
    said = command("encode", text, text, "--vocab", "toy", "--binary", "ids.bin")
    assert said.out == ""
    assert "16 bits each" in said.err
    found = array.array("H", (tmp_path / "ids.bin").read_bytes())
    if sys.byteorder == "big":
        found.byteswap()
    assert found.tolist() == encode(TEXT, load(trained)) * 2


@pytest.mark.usefixtures("trained")
def test_text_that_is_not_utf8_is_named_with_its_place(command: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"fine \xff bad")
    said = command("encode", "bad.txt", "--vocab", "toy")
    assert said.status == 1
    assert "bad.txt: " in said.err
    assert "byte 5" in said.err


@pytest.mark.parametrize("words", [["nowhere.txt", "--vocab", "toy"], ["text.txt", "--vocab", "nowhere"]])
@pytest.mark.usefixtures("trained", "text")
def test_what_is_not_there_is_named(command: Command, words: list[str]) -> None:
    said = command("encode", *words)
    assert said.status == 1
    assert "nowhere" in said.err


@pytest.mark.parametrize("path", [".", os.devnull])
@pytest.mark.usefixtures("trained")
def test_what_is_no_regular_file_is_named(command: Command, path: str) -> None:
    for words in (["encode", path, "--vocab", "toy"], ["train", path, "--vocab-size", "300", "--out", "new"]):
        said = command(*words)
        assert said.status == 1
        assert said.err.startswith(f"merge-next: {path}: I")
        assert not said.err.endswith("..\n")


@pytest.mark.parametrize("name", ["text.txt", "./text.txt", "toy/merge-next.json", "toy/vocab.json"])
@pytest.mark.usefixtures("trained", "text")
def test_what_is_read_is_not_written_over(command: Command, tmp_path: Path, name: str) -> None:
    before = (tmp_path / name).read_bytes()
    said = command("encode", "text.txt", "--vocab", "toy", "--binary", name)
    assert said.status == 1
    assert "Name another file" in said.err
    assert (tmp_path / name).read_bytes() == before


@pytest.mark.parametrize("bad", ["nowhere.txt", "bad.txt"])
@pytest.mark.usefixtures("trained", "text")
def test_a_file_of_ids_that_is_there_is_kept_when_the_new_one_fails(command: Command, tmp_path: Path, bad: str) -> None:
    (tmp_path / "bad.txt").write_bytes(b"fine \xff bad")
    (tmp_path / "ids.bin").write_bytes(b"old")
    before = sorted(tmp_path.iterdir())
    assert command("encode", "text.txt", bad, "--vocab", "toy", "--binary", "ids.bin").status == 1
    assert (tmp_path / "ids.bin").read_bytes() == b"old"
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("trained")
def test_standard_input_has_a_limit(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_module, "LONGEST_INPUT", 3)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"four")))
    said = command("encode", "--vocab", "toy")
    assert (said.status, said.out) == (1, "")
    assert "more than 3 bytes" in said.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no such device")
@pytest.mark.parametrize(
    ("redirected", "says"),
    [
        ("<&-", "Standard input is closed. Name a file."),
        (">&- </dev/null", "Standard output is closed; there is nowhere to write to."),
        (">/dev/full <corpus.txt", "No space left on device."),
        ("--count >/dev/full <corpus.txt", "No space left on device."),
    ],
)
@pytest.mark.usefixtures("command")
def test_streams_that_cannot_be_used_are_told(trained: Path, redirected: str, says: str) -> None:
    line = f'"{sys.executable}" -m app encode --vocab "{trained}" {redirected}'
    root = Path(__file__).parents[3]
    # An empty PYTHONUNBUFFERED counts as none: what is written late must not be found out late.
    environment = os.environ | {"PYTHONPATH": str(root), "PYTHONUNBUFFERED": ""}
    finished = subprocess.run(  # noqa: S602 - a shell closes streams
        line, shell=True, capture_output=True, text=True, check=False, env=environment
    )
    assert (finished.returncode, finished.stderr) == (1, f"merge-next: {says}\n")
