"""What README says is so."""

import doctest
import re

from app.settings import Settings
from tests.house.sources import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_examples_run() -> None:
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False, encoding="utf-8")
    assert results.attempted >= 5
    assert results.failed == 0


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
