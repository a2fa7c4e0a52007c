"""What README says is so."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

from app.settings import Settings
from tests.house.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")

CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*\n)((?:(?!\$ ).*\n)*)", re.MULTILINE)


def test_its_examples_run() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert results.attempted >= 5
    assert results.failed == 0


def test_its_commands_say_what_it_says(tmp_path: Path) -> None:
    """The blocks of `console`, one after the other in one folder; … stands for what differs from time to time."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "merge-next").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m app "$@"\n')
    (programs / "merge-next").chmod(0o755)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    commands = [each for block in CONSOLE.findall(README) for each in COMMAND.findall(block)]
    assert len(commands) >= 4
    for command, expected in commands:
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        assert doctest.OutputChecker().check_output(
            expected.replace("…", "..."), done.stdout.replace("…", "..."), doctest.ELLIPSIS
        ), f"$ {command}\n{done.stdout}"


def test_the_commands_that_it_names_exist() -> None:
    targets = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)", README)) <= targets


def test_the_settings_that_it_names_exist() -> None:
    named = {name.lower() for name in re.findall(r"\bMERGE_NEXT_([A-Z_]+)=?\b", README)} - {""}
    assert named
    assert named <= set(Settings.model_fields)


def test_the_files_that_it_names_exist() -> None:
    named = set(re.findall(r"`((?:app|tokenizer|tests|static|templates)/[\w./-]*)`", README))
    assert named
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_its_pictures_exist() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert pictures
    assert [path for path in pictures if not (ROOT / path).is_file()] == []
