"""Forms: text boxes, files, limits, and what becomes of a recipe's fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.faults import Fault
from app.forms import LabQuery, RecipeIn
from app.limits import check_ids, check_text, ids_of
from app.recipe_form import RecipeFields, recipe_form
from app.settings import Settings
from app.text_boxes import from_text_box, in_text_box, kept
from tests.app.live import kept as saved
from tokenizer.errors import PatternError, RecipeError
from tokenizer.patterns import NAMED, custom
from tokenizer.recipe import Method, Recipe

SETTINGS = Settings()
FIELDS = RecipeFields("gpt2", "", "greater_bytes", "", "", "1")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\r\n\0\ufffd"))


def fields(**changes):
    return RecipeFields(**{name: changes.get(name, getattr(FIELDS, name)) for name in FIELDS.__slots__})


def sent(text):
    """What a browser sends of a text box that a page filled with a text (HTML standard, form submission)."""
    return in_text_box(text).replace("\n", "\r\n")


@given(TEXTS)
def test_a_corpus_that_comes_back_unchanged_stays_exactly_as_it_is(text):
    assert kept(sent(text), text) == text


@given(TEXTS)
def test_a_text_that_was_written_has_line_feeds(text):
    assert "\r\n" not in from_text_box(sent(text))
    assert from_text_box(sent(text)) == in_text_box(text)


def test_a_changed_corpus_is_what_was_written():
    assert kept("x\r\ny!", "x\r\ny") == "x\ny!"


def test_fields_become_a_method():
    chosen = fields(
        pattern="custom", custom=r"\w+|\W", tie_rule="lower_ids", special_tokens="<a>\r\n\r\n<b>", vocab_size="1,000"
    )
    method, errors = chosen.to_method(None, SETTINGS)
    assert errors == []
    assert method == Method(
        pattern=custom(r"\w+|\W"), tie_rule="lower_ids", special_tokens=("<a>", "<b>"), vocab_size=1000, min_count=1
    )


def test_the_fields_of_a_method_give_it_back():
    method = Method(special_tokens=("a\nb", "\r"), vocab_size=300, min_count=2, pattern=custom("a|\r?\nb"))
    shown = RecipeFields.of_method(method)
    back = RecipeFields(*(sent(getattr(shown, name)) for name in RecipeFields.__slots__))
    assert back.to_method(method, SETTINGS) == (method, [])


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"pattern": "custom", "custom": "("}, "custom", "does not compile"),
        ({"pattern": "custom", "custom": "a*"}, "custom", "empty string"),
        ({"pattern": "custom", "custom": ""}, "custom", "is empty"),
        ({"pattern": "other"}, "pattern", "no split pattern “other”"),
        ({"tie_rule": "other"}, "tie_rule", "no tie rule “other”"),
        ({"vocab_size": "many"}, "vocab_size", "whole number"),
        ({"vocab_size": "255"}, "vocab_size", "at least 256"),
        ({"vocab_size": "9999999"}, "vocab_size", "at most 1,000,000"),
        ({"min_count": "-1"}, "min_count", "whole number"),
        ({"min_count": "0"}, "min_count", "at least 1"),
        ({"special_tokens": "a\na"}, "special_tokens", "twice"),
        ({"special_tokens": "x" * 257}, "special_tokens", "257 characters; at most 256"),
        ({"special_tokens": "\n".join(map(str, range(65)))}, "special_tokens", "65 special tokens; at most 64"),
    ],
)
def test_what_is_wrong_stands_beside_its_field(changes, field, words):
    method, errors = fields(**changes).to_method(None, SETTINGS)
    assert method is None
    assert [error.field for error in errors] == [field]
    assert words in errors[0].message


def test_all_that_is_wrong_is_said_at_once():
    wrong = fields(tie_rule="?", vocab_size="?")
    _, errors = wrong.to_method(None, Settings(max_corpus_bytes=10), corpus_bytes=11)
    assert [error.field for error in errors] == ["tie_rule", "vocab_size", "corpus"]
    assert "11 bytes; at most 10" in errors[2].message


def test_the_pattern_none_has_a_limit_of_its_own():
    method, errors = fields(pattern="none").to_method(None, Settings(max_corpus_bytes_none=10), corpus_bytes=12)
    assert method is None
    assert "12 bytes; at most 10 are taken with the pattern none" in errors[0].message


def test_what_is_typed_has_a_limit_of_its_own():
    small = Settings(max_corpus_bytes=100, max_typed_bytes=10)
    _, errors = FIELDS.to_method(None, small, corpus_bytes=11, typed=True)
    assert [error.message for error in errors] == [
        "The corpus has 11 bytes; at most 10 are taken as text; send it as a file."
    ]
    assert FIELDS.to_method(None, small, corpus_bytes=11)[1] == []
    with pytest.raises(RecipeError, match="at most 10 are taken as text"):
        RecipeIn(corpus="x" * 11).to_recipe(small)


def test_a_long_corpus_is_not_put_into_the_text_box():
    small = Settings(textarea_bytes=10)
    base, short = saved(Recipe("x" * 11)), saved(Recipe("a\r\n\0b"))
    form = recipe_form(FIELDS, small, base=base, base_text="")
    assert (form.corpus, form.base) == ("", base.id)
    assert "11 bytes" in form.corpus_note
    assert recipe_form(FIELDS, small, base=short, base_text="a\r\n\0b").corpus == "a\n\ufffdb"
    typed = recipe_form(FIELDS, small, base=base, base_text="", text="typed instead of it")
    assert typed.corpus == "typed instead of it"


def test_the_editor_says_the_limits():
    form = recipe_form(FIELDS, SETTINGS, base=None, base_text="")
    assert form.limits == "A file of up to 64 MB of UTF-8, a text of up to 8 MB; 1 MB with the pattern none."
    assert form.largest_file == 64_000_000


def test_recipes_in_json_are_strict():
    for wrong in ({"vocab_size": "300"}, {"vocab_size": True}, {"vocab_size": 1.5}, {"other": 1}, {"pattern": "x"}):
        with pytest.raises(ValidationError):
            RecipeIn.model_validate({"corpus": "low", **wrong})
    with pytest.raises(ValidationError):
        RecipeIn.model_validate({})


def test_recipes_in_json_have_the_defaults_of_the_interface():
    assert RecipeIn(corpus="low").to_recipe(SETTINGS) == Recipe("low", algorithm="byte_bpe", pattern=NAMED["gpt2"])
    custom_pattern = RecipeIn.model_validate({"corpus": "low", "pattern": {"custom": "lo|w"}})
    assert custom_pattern.to_recipe(SETTINGS).pattern == custom("lo|w")
    with pytest.raises(PatternError):
        RecipeIn.model_validate({"corpus": "low", "pattern": {"custom": "("}}).to_recipe(SETTINGS)
    with pytest.raises(RecipeError, match="wordpiece"):
        RecipeIn(corpus="low", algorithm="wordpiece").to_recipe(SETTINGS)


@pytest.mark.parametrize(
    ("text", "ids"), [("259, 257", [259, 257]), ("[1,2,\n3]", [1, 2, 3]), ("", []), (" 7 ", [7]), ("1,,2", [1, 2])]
)
def test_ids_as_text(text, ids):
    assert ids_of(text, SETTINGS) == ids


@pytest.mark.parametrize(("text", "position"), [("1 x", 1), ("-1", 0), ("1.5", 0), ("1 2 ٣", 2), ("9" * 13, 0)])
def test_what_is_no_id_is_named(text, position):
    with pytest.raises(Fault) as fault:
        ids_of(text, SETTINGS)
    assert (fault.value.field, fault.value.position) == ("ids", position)


def test_limits_of_texts_and_ids():
    with pytest.raises(Fault) as fault:
        check_text("é" * 6, Settings(max_text_bytes=10))
    assert "12 bytes; at most 10" in fault.value.message
    check_text("é" * 5, Settings(max_text_bytes=10))
    with pytest.raises(Fault) as fault:
        check_ids([1, 2, 3], Settings(max_ids=2))
    assert "3 ids; at most 2" in fault.value.message
    with pytest.raises(Fault) as fault:
        ids_of("1 2 3 x", Settings(max_ids=2))
    assert "4 ids; at most 2" in fault.value.message


def test_queries_that_mean_the_same_have_one_key():
    assert LabQuery().key == LabQuery(rows=0).key == ""
    assert LabQuery(rows=50).key == LabQuery(rows=50, order="changed").key != LabQuery(pairs=50).key
