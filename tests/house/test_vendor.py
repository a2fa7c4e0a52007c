"""Third-party files are the released ones, byte for byte, and each is listed with its version and licence."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.house.sources import ROOT

FOLDERS = [ROOT / "static" / "vendor", ROOT / "tests" / "vendor"]
FIELDS = {"file", "package", "version", "origin", "licence", "sha256"}


def listed(folder: Path) -> dict[str, dict[str, str]]:
    return {entry["file"]: entry for entry in json.loads((folder / "vendor.json").read_text())}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_file_is_listed_and_nothing_else(folder: Path) -> None:
    entries = listed(folder)
    assert set(entries) == {path.name for path in folder.iterdir()} - {"vendor.json"}
    assert all(entry.keys() == FIELDS and all(entry.values()) for entry in entries.values())


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_checksums_hold(folder: Path) -> None:
    found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in listed(folder)}
    assert found == {name: entry["sha256"] for name, entry in listed(folder).items()}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_package_travels_with_its_licence(folder: Path) -> None:
    entries = listed(folder).values()
    packages = {entry["package"] for entry in entries}
    assert packages == {entry["package"] for entry in entries if "LICENSE" in entry["file"]}


def test_htmx_is_the_version_that_the_pages_are_written_for() -> None:
    entries = listed(ROOT / "static" / "vendor")
    assert {name: entry["version"] for name, entry in entries.items() if name.endswith(".js")} == {
        "htmx.min.js": "4.0.1",
        "hx-sse.min.js": "4.0.1",
    }
