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
from app.text_boxes import decode_file, from_text_box, in_text_box, kept
from tokenizer.errors import CorpusError, PatternError, RecipeError
from tokenizer.patterns import NAMED, custom
from tokenizer.recipe import Recipe

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


@pytest.mark.parametrize(
    ("data", "text"), [(b"x\r\ny", "x\r\ny"), (b"\xef\xbb\xbfa", "\ufeffa"), ("é\0".encode(), "é\0"), (b"", "")]
)
def test_a_file_is_read_character_by_character(data, text):
    assert decode_file(data) == text


def test_a_file_that_is_not_utf8_says_where():
    with pytest.raises(CorpusError, match=r"byte 3 \(counted from 0\) is 0xFF") as fault:
        decode_file(b"abc\xff\xfe")
    assert fault.value.position == 3
    assert decode_file(b"abc\xff", "replace") == "abc\ufffd"
    assert decode_file(b"abc\xff", "latin-1") == "abcÿ"


def test_utf16_gets_a_hint():
    with pytest.raises(CorpusError, match="UTF-16"):
        decode_file("abc".encode("utf-16"))


def test_fields_become_a_recipe():
    chosen = fields(
        pattern="custom", custom=r"\w+|\W", tie_rule="lower_ids", special_tokens="<a>\r\n\r\n<b>", vocab_size="1,000"
    )
    recipe, errors = chosen.to_recipe("low", None, SETTINGS)
    assert errors == []
    assert recipe == Recipe("low", "byte_bpe", custom(r"\w+|\W"), "lower_ids", ("<a>", "<b>"), 1000, 1)


def test_the_fields_of_a_recipe_give_it_back():
    recipe = Recipe("low", special_tokens=("a\nb", "\r"), vocab_size=300, min_count=2, pattern=custom("a|\r?\nb"))
    shown = RecipeFields.of_recipe(recipe)
    back = RecipeFields(*(sent(getattr(shown, name)) for name in RecipeFields.__slots__))
    assert back.to_recipe("low", recipe, SETTINGS) == (recipe, [])


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
    recipe, errors = fields(**changes).to_recipe("low", None, SETTINGS)
    assert recipe is None
    assert [error.field for error in errors] == [field]
    assert words in errors[0].message


def test_all_that_is_wrong_is_said_at_once():
    _, errors = fields(tie_rule="?", vocab_size="?").to_recipe("x" * 11, None, Settings(max_corpus_bytes=10))
    assert [error.field for error in errors] == ["tie_rule", "vocab_size", "corpus"]
    assert "11 bytes; at most 10" in errors[2].message


def test_the_pattern_none_has_a_limit_of_its_own():
    recipe, errors = fields(pattern="none").to_recipe("é" * 6, None, Settings(max_corpus_bytes_none=10))
    assert recipe is None
    assert "12 bytes; at most 10 are taken with the pattern none" in errors[0].message


def test_a_long_corpus_is_not_put_into_the_text_box():
    small = Settings(textarea_bytes=10)
    base = Recipe("x" * 11)
    form = recipe_form(FIELDS, small, base=base)
    assert (form.corpus, form.base) == ("", base.id)
    assert "11 bytes" in form.corpus_note
    assert recipe_form(FIELDS, small, base=Recipe("a\r\n\0b")).corpus == "a\n\ufffdb"
    assert recipe_form(FIELDS, small, base=base, text="typed instead of it").corpus == "typed instead of it"


def test_recipes_in_json_are_strict():
    for wrong in ({"vocab_size": "300"}, {"vocab_size": True}, {"vocab_size": 1.5}, {"other": 1}, {"pattern": "x"}):
        with pytest.raises(ValidationError):
            RecipeIn.model_validate({"corpus": "low", **wrong})
    with pytest.raises(ValidationError):
        RecipeIn.model_validate({})


def test_recipes_in_json_have_the_defaults_of_the_interface():
    assert RecipeIn(corpus="low").to_recipe(SETTINGS) == Recipe("low", "byte_bpe", NAMED["gpt2"])
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
