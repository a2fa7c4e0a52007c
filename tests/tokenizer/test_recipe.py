"""Recipes: an id made from all of it, and what cannot be trained is refused with the field."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given

from tests.tokenizer.conftest import Case
from tests.tokenizer.strategies import specials, texts
from tokenizer import GPT2, NAMED, TIE_RULES, Method, PatternError, Recipe, RecipeError, SplitPattern, custom, train

BASE = Recipe("low lower", special_tokens=("<s>", "</s>"), vocab_size=300)


def test_what_is_not_given_is_the_default() -> None:
    recipe = Recipe("x")
    assert (recipe.algorithm, recipe.pattern, recipe.tie_rule) == ("byte_bpe", GPT2, "greater_bytes")
    assert (recipe.special_tokens, recipe.vocab_size, recipe.min_count) == ((), None, 1)
    assert TIE_RULES == ("greater_bytes", "first_seen", "lower_ids")


def test_the_same_recipe_has_the_same_id() -> None:
    assert BASE.id == Recipe("low lower", special_tokens=("<s>", "</s>"), vocab_size=300).id
    assert re.fullmatch("[a-z2-7]{26}", BASE.id)


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, corpus="low lower "),
        replace(BASE, algorithm="classic_bpe"),
        replace(BASE, pattern=NAMED["cl100k_base"]),
        replace(BASE, pattern=custom(GPT2.source)),
        replace(BASE, tie_rule="lower_ids"),
        replace(BASE, special_tokens=("<s>",)),
        replace(BASE, special_tokens=("</s>", "<s>")),
        replace(BASE, special_tokens=("<s></s>",)),
        replace(BASE, vocab_size=301),
        replace(BASE, vocab_size=None),
        replace(BASE, min_count=2),
    ],
)
def test_every_part_of_a_recipe_is_in_its_id(other: Recipe) -> None:
    assert other.id != BASE.id


def test_the_id_of_a_recipe_stays_the_same_over_releases() -> None:
    """Links and stored recipes hang on it; a change of the format version is the only reason to change this."""
    assert json.loads(BASE.to_json())["format"] == 2
    assert BASE.id == "nqokartvprkubppmgz6w2zq7wc"


@given(corpus=texts(), tokens=specials)
def test_a_recipe_survives_being_stored(corpus: str, tokens: list[str]) -> None:
    recipe = Recipe(corpus, special_tokens=tuple(tokens), pattern=custom(r"\w+|é"), tie_rule="first_seen", min_count=3)
    again = Recipe.of(Method.from_json(recipe.to_json()), corpus)
    assert (again, again.method) == (recipe, recipe.method)
    assert again.id == recipe.id


@pytest.mark.parametrize(
    ("recipe", "field"),
    [
        (replace(BASE, algorithm="no_such"), "algorithm"),
        (replace(BASE, tie_rule="coin"), "tie_rule"),
        (replace(BASE, min_count=0), "min_count"),
        (replace(BASE, min_count=-1), "min_count"),
        (replace(BASE, vocab_size=257), "vocab_size"),
        (replace(BASE, vocab_size=0), "vocab_size"),
        (replace(BASE, vocab_size=-5), "vocab_size"),
        (replace(BASE, special_tokens=("",)), "special_tokens"),
        (replace(BASE, special_tokens=("a", "b", "a")), "special_tokens"),
        (replace(BASE, pattern=SplitPattern("custom", "(")), "pattern"),
        (replace(BASE, pattern=SplitPattern("custom", "a*")), "pattern"),
    ],
)
def test_what_cannot_be_trained_is_refused_with_its_field(recipe: Recipe, field: str) -> None:
    for refuse in (recipe.validate, lambda: train(recipe)):
        with pytest.raises(RecipeError) as caught:
            refuse()
        assert caught.value.field == field
        assert caught.value.message
    assert issubclass(PatternError, RecipeError)


@pytest.mark.parametrize(("number", "least"), [(2, 257), (3, 256)])
def test_t06_too_small_a_vocabulary_names_the_least_possible(case: Case, number: int, least: int) -> None:
    run = case("T06")["input"]["runs"][number]
    with pytest.raises(RecipeError, match=str(least)) as caught:
        Recipe(
            case("T06")["input"]["corpus"], special_tokens=tuple(run["specials"]), vocab_size=run["vocab_size"]
        ).validate()
    assert caught.value.field == "vocab_size"


def test_the_least_vocabulary_is_possible_and_has_no_merges() -> None:
    assert train(replace(BASE, vocab_size=258)).known == 0


def test_e03_lone_surrogates_break_neither_the_id_nor_the_training() -> None:
    recipe = Recipe("a\ud83db a\ud83db")
    assert re.fullmatch("[a-z2-7]{26}", recipe.id)
    assert Recipe.of(Method.from_json(recipe.to_json()), recipe.corpus).id == recipe.id
    run = train(recipe)
    assert run.table.pre_token(0) in ("a\ufffdb".encode(), b"a", "\ufffd".encode(), b"b")


def test_a_special_token_with_a_lone_surrogate_is_refused_or_works() -> None:
    try:
        run = train(Recipe("a\ud83db", special_tokens=("\ud83d",)))
    except RecipeError as error:
        assert error.field == "special_tokens"
    else:
        run.vocabulary(0).token(256)
