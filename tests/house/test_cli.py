"""The command `merge-next`: its words, and where a checkout's files are found."""

from pathlib import Path

import pytest

from app import cli, paths


@pytest.mark.parametrize("arguments", [["--port", "65536"], ["--port", "x"], ["serve", "--port", "-1"], ["dance"]])
def test_wrong_arguments_are_named(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    assert arguments[-1] in capsys.readouterr().err


@pytest.mark.parametrize("command", sorted(cli.COMMANDS))
def test_every_command_tells_what_it_takes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert "--" in said.partition("--help")[2]
    assert cli.COMMANDS[command][1:] in " ".join(said.split())


def test_the_commands_are_listed_with_what_they_do(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    said = capsys.readouterr().out
    assert all(word in said for word in cli.COMMANDS)


def test_the_folders_of_a_checkout_are_found() -> None:
    top = Path(__file__).resolve().parents[2]
    assert top / "templates" == paths.TEMPLATES
    assert top / "static" == paths.STATIC
