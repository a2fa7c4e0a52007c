"""A pattern that is named is offered everywhere: README says what adding one takes, and no more must be needed."""

import argparse
import json

import pytest

from app.api_models import PreTokensIn
from app.commands import train
from app.forms import RecipeIn
from app.recipe_form import RecipeFields, recipe_form
from app.settings import Settings
from tokenizer import NAMED, Method


def test_the_editor_offers_every_named_pattern() -> None:
    form = recipe_form(RecipeFields.of_method(Method()), Settings(), base=None, base_text="")
    assert [value for value, _ in form.patterns] == [*NAMED, "custom"]
    assert all(label.startswith(value) for value, label in form.patterns)


@pytest.mark.parametrize("name", NAMED)
def test_the_interface_takes_every_named_pattern_and_lists_it(name: str) -> None:
    given = RecipeIn.model_validate({"corpus": "low", "pattern": name})
    assert given.to_recipe(Settings()).pattern == NAMED[name]
    for body in (RecipeIn, PreTokensIn):
        assert f'"{name}"' in json.dumps(body.model_json_schema()["properties"]["pattern"])


def test_the_command_takes_every_named_pattern() -> None:
    parser = argparse.ArgumentParser()
    train.add_arguments(parser)
    (choices,) = [action.choices for action in parser._actions if action.dest == "pattern"]
    assert list(choices or ()) == [*NAMED, "custom"]
