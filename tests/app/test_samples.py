"""The sample corpora."""

import json
import re
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from app.samples import SAMPLES, sample_of, toy_recipe

GOLDEN = Path(__file__).parent.parent / "data" / "golden" / "toy_byte_bpe.json"


def test_the_toy_recipe_is_the_golden_one():
    golden = json.loads(GOLDEN.read_text())
    recipe = toy_recipe()
    assert recipe.corpus == golden["corpus"]
    assert recipe.pattern.source == golden["pattern"]
    assert list(recipe.special_tokens) == golden["special_tokens"]
    assert recipe.vocab_size == golden["vocab_size"]


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)
def test_a_sample_is_found_by_the_digest_of_its_text(sample):
    assert "\r" not in sample.text
    assert 10 < len(sample.text) < 20_000
    assert sample_of(sha256(sample.text.encode()).hexdigest()) is sample


def test_the_source_and_the_licence_of_every_sample_are_told():
    table = files("app").joinpath("data", "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| (\w+)\.txt \|", table, re.MULTILINE)) == set(SAMPLES)


def test_another_text_is_no_sample():
    assert sample_of(sha256(b"low").hexdigest()) is None
