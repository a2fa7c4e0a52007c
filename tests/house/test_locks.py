"""The lock files pin and hash everything that `pyproject.toml` asks for, and agree with each other."""

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.sources import PROJECT, ROOT

NAMED = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
LOCKS = {
    "requirements.lock": [*NAMED, *EXTRAS["build"]],
    "requirements-dev.lock": [*NAMED, *EXTRAS["build"], *EXTRAS["dev"]],
    "requirements-bench.lock": [*NAMED, *EXTRAS["build"], *EXTRAS["dev"], *EXTRAS["bench"]],
}


def pins(lock: str) -> dict[str, str]:
    """Name -> version of every requirement of a lock file."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / lock).read_text(), re.MULTILINE)
    return {canonicalize_name(name): version for name, version in found}


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_has_what_the_project_asks_for(lock: str) -> None:
    locked = pins(lock)
    for wanted in map(Requirement, LOCKS[lock]):
        assert wanted.specifier.contains(locked[canonicalize_name(wanted.name)]), wanted


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes_and_there_are_no_options(lock: str) -> None:
    text = re.sub(r"\\\n\s*", "", (ROOT / lock).read_text())
    lines = [line for line in text.splitlines() if line and not line.lstrip().startswith("#")]
    assert [line for line in lines if not re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


def test_what_tests_run_with_is_what_the_app_runs_with() -> None:
    assert pins("requirements.lock").items() <= pins("requirements-dev.lock").items()


def test_what_the_bench_runs_with_is_what_tests_run_with_and_the_peers() -> None:
    tested, measured = pins("requirements-dev.lock"), pins("requirements-bench.lock")
    assert tested.items() <= measured.items()
    peers = {canonicalize_name(Requirement(wanted).name) for wanted in EXTRAS["bench"]}
    assert measured.keys() - tested.keys() == peers
