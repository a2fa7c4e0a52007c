"""The public names, and that the engine stands on its own."""

import ast
import doctest
import importlib
import inspect
import sys
from pathlib import Path

import pytest

import tokenizer

PUBLIC = """
    GPT2 NAMED TIE_RULES Candidate CorpusError Encoder EndReason Exhausted Iteration Learner Merge Method NotYet Pair
    PairChange PairCount PatternError Piece Recipe RecipeError Row RowChange RowWindow Run Specials SplitPattern Step
    Table TieRule TokenizerError Totals Trace TracedPiece Trainer Tree UnknownId Vocabulary count custom decode
    encode iterations learn pieces pre_tokens prepare replace_surrogates trace train
"""
MODULES = sorted(Path(tokenizer.__file__).parent.rglob("*.py"))


def test_the_public_names_are_these() -> None:
    assert sorted(tokenizer.__all__) == sorted(PUBLIC.split())
    assert all(hasattr(tokenizer, name) for name in tokenizer.__all__)


def test_public_values_say_what_they_are() -> None:
    for name in tokenizer.__all__:
        value = getattr(tokenizer, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert value.__doc__, name


def test_the_engine_imports_the_standard_library_and_regex_only_and_numpy_where_it_is_vectorised() -> None:
    for module in MODULES:
        allowed = {*sys.stdlib_module_names, "regex", "tokenizer"} | (
            {"numpy"} if module.parent.name == "fast" else set()
        )
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{module.name}: relative import"
                names = [node.module or ""]
            else:
                continue
            assert {name.split(".")[0] for name in names} <= allowed, module.name


def test_every_module_is_named_in_the_reading_order() -> None:
    for module in MODULES:
        if module.stem != "__init__":
            assert f"`{module.stem}`" in (tokenizer.__doc__ or ""), module.stem


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_examples_in_docstrings_are_true(module: Path) -> None:
    parts = module.relative_to(Path(tokenizer.__file__).parents[1]).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_modules_do_not_print() -> None:
    for module in MODULES:
        calls = (node for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        assert not any(isinstance(call.func, ast.Name) and call.func.id == "print" for call in calls), module.name
