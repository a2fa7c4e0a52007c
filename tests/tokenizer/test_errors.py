"""The tree of errors, and what each carries."""

import pytest

from tokenizer import (
    CorpusError,
    Exhausted,
    NotYet,
    PatternError,
    Recipe,
    RecipeError,
    TokenizerError,
    UnknownId,
    VocabularyError,
    decode,
    errors,
    train,
)

KINDS = (TokenizerError, RecipeError, PatternError, CorpusError, VocabularyError, Exhausted, NotYet, UnknownId)


def test_the_tree_is_the_one_drawn_in_the_docstring() -> None:
    assert issubclass(TokenizerError, ValueError)
    assert PatternError.__mro__[1] == RecipeError
    for error in (RecipeError, CorpusError, VocabularyError, Exhausted, NotYet, UnknownId):
        assert error.__mro__[1] == TokenizerError
    for error in KINDS:
        assert error.__name__ in (errors.__doc__ or "")


def test_codes_are_distinct() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_an_error_carries_message_field_and_position() -> None:
    error = TokenizerError("What is wrong.", field="corpus", position=7)
    assert (str(error), error.message, error.field, error.position) == ("What is wrong.", "What is wrong.", "corpus", 7)


def test_past_the_end_says_why_and_where_the_end_is() -> None:
    run = train(Recipe("low low"))
    with pytest.raises(Exhausted) as caught:
        run.step(run.known + 1)
    assert (caught.value.code, caught.value.last, caught.value.reason) == ("exhausted", run.known, "no_pairs")
    assert str(run.known) in caught.value.message


def test_a_step_that_is_not_trained_yet_says_how_far_training_is() -> None:
    run = train(Recipe("low lower lowest"), steps=2)
    with pytest.raises(NotYet) as caught:
        run.step(3)
    assert (caught.value.code, caught.value.known) == ("not_yet", 2)


def test_an_unknown_id_says_where_it_stands() -> None:
    with pytest.raises(UnknownId) as caught:
        decode([97, 98, 999], train(Recipe("")).vocabulary(0))
    assert (caught.value.code, caught.value.position) == ("unknown_id", 2)
    assert "999" in caught.value.message
