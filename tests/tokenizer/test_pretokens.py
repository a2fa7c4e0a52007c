"""Cutting a text: special tokens first, then the pattern; and the table of distinct pre-tokens."""

import json
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tokenizer import oracle, peers
from tests.tokenizer.conftest import DATA
from tests.tokenizer.strategies import PATTERNS, PUBLISHED, texts_with_specials
from tokenizer import pretokens
from tokenizer.counting import count
from tokenizer.errors import PatternError, RecipeError
from tokenizer.patterns import GPT2, NAMED, custom
from tokenizer.pretokens import pieces, pre_tokens, replace_surrogates


def rows(table):
    return [(table.pre_token(number), table.count(number)) for number in range(len(table))]


# --- Golden values and cases ------------------------------------------------------------------------------------------


def test_the_toy_corpus_is_cut_as_written_down(toy):
    assert list(pre_tokens(toy["corpus"], GPT2, toy["special_tokens"])) == toy["pretokens_in_order"]
    assert [piece.text for piece in pieces(toy["corpus"], GPT2, toy["special_tokens"])] == toy["pretokens_in_order"]


def test_the_toy_corpus_has_the_table_written_down(toy):
    table = count(toy["corpus"], GPT2, toy["special_tokens"])
    assert rows(table) == [("".join(row["row"]).encode("latin-1"), row["count"]) for row in toy["table"]]
    assert len(table) == toy["distinct_pretokens"]
    assert table.occurrences == toy["pretoken_occurrences"]
    assert table.characters == len(toy["corpus"])
    assert table.corpus_bytes == len(toy["corpus"].encode())
    assert table.uncovered == 0


published = json.loads((DATA / "golden" / "published_vocabularies.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("golden", published["pretokens"], ids=lambda golden: golden["pattern"])
def test_published_patterns_cut_as_written_down(golden):
    assert list(pre_tokens(golden["text"], NAMED[golden["pattern"]])) == golden["pretokens"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("walk ", {"gpt2": ["walk", " "], "cl100k_base": ["walk", " "], "o200k_base": ["walk", " "]}),
        (
            "a   b  ",
            {
                "gpt2": ["a", "  ", " b", "  "],
                "cl100k_base": ["a", "  ", " b", "  "],
                "o200k_base": ["a", "  ", " b", "  "],
            },
        ),
        (
            "\n\n  x",
            {
                "gpt2": ["\n\n ", " x"],
                "cl100k_base": ["\n\n", " ", " x"],
                "o200k_base": ["\n\n", " ", " x"],
            },
        ),
        (" \n  \n", {name: [" \n  \n"] for name in PUBLISHED}),
    ],
)
def test_p01_trailing_and_repeated_spaces(case, text, expected):
    """The case gives ids of published vocabularies; here the pieces count, and tiktoken must cut the same."""
    assert text in case("P01")["input"]["texts"]
    for name, cut in expected.items():
        assert list(pre_tokens(text, NAMED[name])) == cut
        assert peers.tiktoken_pieces([text], peers.tiktoken_pattern(name)) == [cut]


@pytest.mark.parametrize("name", PUBLISHED)
def test_p03_combining_marks_split_words_in_two_of_the_three(case, name):
    p03 = case("P03")
    assert list(pre_tokens(p03["input"]["text"], NAMED[name])) == p03["expected"]["pieces"][name]
    if name in p03["expected"]["pieces_also"]:
        assert list(pre_tokens(p03["input"]["also"], NAMED[name])) == p03["expected"]["pieces_also"][name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_p04_digit_groups_other_numbers_and_control_characters(case, name):
    for text, cuts in case("P04")["expected"]["pieces"].items():
        assert list(pre_tokens(text, NAMED[name])) == cuts[name], text


def test_t07_special_tokens_are_cut_out_before_the_pattern_sees_the_text(case):
    run = case("T07")["input"]["runs"][1]
    expected = case("T07")["expected"]["pretokens_run2"]
    assert list(pre_tokens(run["corpus"], GPT2, run["specials"])) == expected


def test_t07_no_special_tokens_mean_no_split():
    assert list(pre_tokens("hug hug hug", GPT2, ())) == ["hug", " hug", " hug"]


def test_s02_special_tokens_are_taken_literally(case):
    s02 = case("S02")
    cut = list(pieces(s02["input"]["text"], GPT2, s02["input"]["specials"]))
    assert [piece.text for piece in cut] == s02["expected"]["tokens"]
    assert [piece.text for piece in cut if piece.special] == ["[x|y]", "(.*)", "a+", "$"]


def test_x02_line_ends_stay_as_they_came():
    assert list(pre_tokens("\nA", GPT2)) == ["\n", "A"]
    assert "".join(pre_tokens("x\r\ny\rz\n", GPT2)) == "x\r\ny\rz\n"


# --- Special tokens ---------------------------------------------------------------------------------------------------


def test_of_special_tokens_at_one_place_the_longest_wins():
    cut = list(pieces("<|endoftext|><|endo<|", GPT2, ["<|", "<|endo", "<|endoftext|>"]))
    assert [(piece.text, piece.special) for piece in cut] == [("<|endoftext|>", True), ("<|endo", True), ("<|", True)]


def test_the_leftmost_special_token_wins_over_a_longer_one_that_begins_later():
    assert [piece.text for piece in pieces("abcd", GPT2, ["bcd", "ab"])] == ["ab", "cd"]


def test_a_special_token_is_a_boundary_in_the_middle_of_a_word():
    cut = list(pieces("ab<s>cd", GPT2, ["<s>"]))
    assert [(piece.start, piece.end, piece.special, piece.alternative) for piece in cut] == [
        (0, 2, False, 1),
        (2, 5, True, None),
        (5, 7, False, 1),
    ]


def test_a_pattern_does_not_look_across_a_special_token():
    # Without the boundary the first blank would go to the word after it, and `^` would match once only.
    assert [piece.text for piece in pieces("a  <s>b", GPT2, ["<s>"])] == ["a", "  ", "<s>", "b"]
    assert [p.matched for p in pieces("ab<s>ab", custom("^a"), ["<s>"])] == [True, False, True, True, False]
    assert [p.matched for p in pieces("a<s>b", custom("(?<=a.*)b|a"), ["<s>"])] == [True, True, False]


# --- Properties -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials())
@example(sample=("", []))
@example(sample=("<|endoftext|>", ["<|endoftext|>"]))
def test_pieces_are_those_of_the_definition(name, sample):
    text, specials = sample
    expected = oracle.cut(text, oracle.ALTERNATIVES[name], specials)
    got = list(pieces(text, NAMED[name], specials))
    assert [(p.text, p.start, p.end, p.alternative, p.special) for p in got] == [
        (cut.text, cut.start, cut.end, cut.alternative, cut.special) for cut in expected
    ]
    assert list(pre_tokens(text, NAMED[name], specials)) == [p.text for p in got if not p.special]


@given(
    sample=texts_with_specials(),
    alternatives=st.lists(st.sampled_from([r"\w+", "a", "aa", r"\s", " ?[a-z]+", r"\p{N}{2}"]), min_size=1),
)
def test_pieces_of_custom_patterns_are_those_of_the_definition(sample, alternatives):
    text, specials = sample
    pattern = custom("|".join(alternatives))
    expected = oracle.cut(text, alternatives, specials)
    got = list(pieces(text, pattern, specials))
    assert [(p.text, p.start, p.end, p.alternative) for p in got] == [
        (cut.text, cut.start, cut.end, cut.alternative) for cut in expected
    ]
    assert [p.matched for p in got] == [cut.alternative is not None or cut.special for cut in expected]


@given(sample=texts_with_specials(), name=st.sampled_from(PATTERNS))
def test_pieces_joined_are_the_text_and_their_places_are_true(sample, name):
    text, specials = sample
    got = list(pieces(text, NAMED[name], specials))
    assert "".join(piece.text for piece in got) == text
    assert all(text[piece.start : piece.end] == piece.text for piece in got)
    assert all(piece.text in specials for piece in got if piece.special)


@given(sample=texts_with_specials(), name=st.sampled_from(PATTERNS))
def test_the_table_counts_the_pre_tokens_by_count_then_first_seen(sample, name):
    text, specials = sample
    words = [word.encode() for word in pre_tokens(text, NAMED[name], specials)]
    table = count(text, NAMED[name], specials)
    assert rows(table) == sorted(Counter(words).items(), key=lambda row: -row[1])
    assert table.occurrences == len(words)
    assert table.corpus_bytes == sum(map(len, words))
    assert table.characters == len(text)
    assert table.uncovered == 0


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts_with_specials(), size=st.integers(1, 9))
@example(sample=("a\nb", []), size=1)
def test_cutting_in_blocks_changes_nothing(name: str, sample: tuple[str, list[str]], size: int) -> None:
    """Long texts are cut block by block; here the blocks are a few characters long, so that there are many."""
    text, specials = sample
    whole = list(pieces(text, NAMED[name], specials))
    with patch.object(pretokens, "BLOCK", size):
        assert list(pieces(text, NAMED[name], specials)) == whole


# --- Surrogates and limits --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ("", 0)),
        ("plain é 😀", ("plain é 😀", 0)),
        ("a\ud83db", ("a\ufffdb", 1)),
        ("\udc4d", ("\ufffd", 1)),
        ("\udc4d\ud83d", ("\ufffd\ufffd", 2)),
        ("\ud83d\udc4d", ("👍", 0)),
        ("\ud83d\ud83d\udc4d\udc4d", ("\ufffd👍\ufffd", 2)),
        ("a\ufffdb\ud800", ("a\ufffdb\ufffd", 1)),
    ],
)
def test_e03_lone_surrogates_become_replacement_characters_and_pairs_one_character(text, expected):
    assert replace_surrogates(text) == expected


@given(text=st.text(st.characters(exclude_categories=())))
def test_what_had_surrogates_is_utf8_afterwards(text):
    replaced, number = replace_surrogates(text)
    assert replaced.encode().decode() == replaced
    assert number <= sum("\ud800" <= character <= "\udfff" for character in text)


def test_an_empty_match_is_refused_with_its_place_in_the_text() -> None:
    for cut in (lambda *given: list(pieces(*given)), count):
        with pytest.raises(PatternError) as caught:
            cut("x<s>abq", custom(r"(?=q)|\w"), ["<s>"])
        assert caught.value.position == 6


def test_without_a_pattern_a_document_of_a_megabyte_is_taken_and_a_longer_one_refused():
    assert len(count("ab" * 500_000, NAMED["none"])) == 1
    with pytest.raises(RecipeError) as caught:
        count("ab" * 500_001, NAMED["none"])
    assert caught.value.field == "pattern"


def test_without_a_pattern_special_tokens_part_documents():
    table = count("one<s>two<s>one", NAMED["none"], ["<s>"])
    assert rows(table) == [(b"one", 2), (b"two", 1)]
