"""What the tests of the commands share: a corpus in a file, and the command run on files in an empty folder."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from app import cli

CORPUS = "low low low low low lower lower newest newest newest newest newest newest widest widest widest\n"


@dataclass(frozen=True)
class Said:
    """What a command ended with and wrote."""

    status: int
    out: str
    err: str


Command = Callable[..., Said]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """The command, run in a folder that holds `corpus.txt`."""
    (tmp_path / "corpus.txt").write_text(CORPUS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> Said:
        capsys.readouterr()
        status = cli.main(words)
        return Said(status, *capsys.readouterr())

    return run


@pytest.fixture
def trained(command: Command, tmp_path: Path) -> Path:
    """The folder of a vocabulary that was trained on the corpus."""
    said = command(
        "train", "corpus.txt", "--vocab-size", "266", "--special", "<|endoftext|>", "--out", "toy", "--quiet"
    )
    assert (said.status, said.out, said.err) == (0, "", "")
    return tmp_path / "toy"
