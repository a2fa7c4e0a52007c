"""Split patterns: the published ones equal tiktoken's, custom ones are refused where they cannot work."""

import sys
import time

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle, peers
from tests.tokenizer.strategies import PATTERNS, PUBLISHED, fragments, scaled, texts
from tokenizer.counting import count
from tokenizer.errors import PatternError
from tokenizer.patterns import GPT2, NAMED, SplitPattern, custom
from tokenizer.pretokens import pieces, pre_tokens

ALL_CHARACTERS = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))


def test_the_named_patterns_are_the_five_and_gpt2_is_the_default_form():
    assert list(NAMED) == list(PATTERNS)
    assert all(name == pattern.name for name, pattern in NAMED.items())
    assert GPT2.source == r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


@pytest.mark.parametrize("name", PATTERNS)
def test_alternatives_are_the_parts_between_the_top_level_bars(name):
    assert NAMED[name].alternatives == oracle.ALTERNATIVES[name]
    assert "|".join(NAMED[name].alternatives) == NAMED[name].source


@pytest.mark.parametrize(
    ("source", "alternatives"),
    [
        ("a", ("a",)),
        ("a|b|c", ("a", "b", "c")),
        ("(a|b)|c", ("(a|b)", "c")),
        ("(?:a|(b|c))d|e", ("(?:a|(b|c))d", "e")),
        (r"a\|b|c", (r"a\|b", "c")),
        (r"\\|b", (r"\\", "b")),
        (r"\(a|b\)", (r"\(a", r"b\)")),
        ("[a|b]|c", ("[a|b]", "c")),
        ("[(]|[)]", ("[(]", "[)]")),
        ("[]|]|x", ("[]|]", "x")),
        ("[^]|]|x", ("[^]|]", "x")),
        (r"[\]|]|x", (r"[\]|]", "x")),
        ("[[:alpha:]|]|x", ("[[:alpha:]|]", "x")),
        ("(?i)a|b", ("(?i)a", "(?i)b")),
        ("(?i:a|b)|c", ("(?i:a|b)", "c")),
        ("(?=a|b).|c", ("(?=a|b).", "c")),
    ],
)
def test_a_bar_inside_a_group_a_class_or_an_escape_does_not_part_alternatives(source, alternatives):
    assert custom(source).alternatives == alternatives


# --- Beside tiktoken --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "characters", [r"\p{L}", r"\p{N}", r"\p{M}", r"\s", r"\p{Lu}", r"\p{Ll}", r"\p{Lt}", r"\p{Lm}", r"\p{Lo}"]
)
def test_character_classes_equal_tiktokens_over_all_code_points(characters):
    assert "".join(regex.findall(characters, ALL_CHARACTERS)) == peers.tiktoken_matches(ALL_CHARACTERS, characters)


@pytest.mark.parametrize("ending", ["s", "d", "m", "t", "l", "v", "r", "e"])
def test_case_insensitive_endings_equal_tiktokens_over_all_code_points(ending):
    pattern = f"(?i:{ending})"
    assert "".join(regex.findall(pattern, ALL_CHARACTERS)) == peers.tiktoken_matches(ALL_CHARACTERS, pattern)


@pytest.mark.parametrize("name", PUBLISHED)
@scaled(0.5)
@given(batch=st.lists(texts(12).map(lambda text: text[:48]), min_size=1, max_size=6))
def test_published_patterns_cut_generated_texts_as_tiktoken_does(name, batch):
    expected = peers.tiktoken_pieces(batch, peers.tiktoken_pattern(name))
    assert [list(pre_tokens(text, NAMED[name])) for text in batch] == expected


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_patterns_cut_many_scripts_as_tiktoken_does(name, udhr):
    # Short lines, some at a time, so that not too many stretches come together.
    lines = [line[:50] for text in udhr.values() for line in text.split("\n")[:3]]
    for batch in (lines[at : at + 150] for at in range(0, len(lines), 150)):
        expected = peers.tiktoken_pieces(batch, peers.tiktoken_pattern(name))
        assert [list(pre_tokens(text, NAMED[name])) for text in batch] == expected


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_patterns_cut_english_as_the_tokenizers_package_does(name, english):
    for text in english.values():
        assert list(pre_tokens(text, NAMED[name])) == peers.tokenizers_pieces(text, NAMED[name].source)


# --- Custom patterns --------------------------------------------------------------------------------------------------


def test_a_custom_pattern_is_named_so_and_keeps_its_source():
    assert custom(r"\w+|\W") == SplitPattern("custom", r"\w+|\W")


@pytest.mark.parametrize(
    ("source", "position"), [("(", 1), ("a)", 1), ("[a", 2), ("*a", 0), ("(?P<a", None), (r"\p{Nowhere}", None)]
)
def test_a_pattern_that_does_not_compile_is_refused_with_the_place(source, position):
    with pytest.raises(PatternError) as caught:
        custom(source)
    assert caught.value.field == "pattern"
    assert "does not compile" in caught.value.message
    if position is not None:
        assert caught.value.position == position


@pytest.mark.parametrize(
    "source",
    ["", "a*", r"\s*", "a|", "|a", "a?", "()", "(?=a)", r"\b", "^", "$", "(?!a)", "a{0,3}", r"\w*|\W+", "(?:)"],
)
def test_a_pattern_that_matches_the_empty_string_is_refused(source):
    with pytest.raises(PatternError) as caught:
        custom(source)
    assert caught.value.field == "pattern"


@pytest.mark.parametrize("source", ["(?=q)", r"(?<=zq)", r"(?=\p{Han})|\w+"])
def test_a_pattern_that_matches_the_empty_string_only_on_the_corpus_is_refused_there(source):
    text = "abc zq 漢 zqq"
    for cut in (
        lambda: list(pieces(text, custom(source))),
        lambda: list(pre_tokens(text, custom(source))),
        lambda: count(text, custom(source)),
    ):
        with pytest.raises(PatternError) as caught:
            cut()
        assert caught.value.field == "pattern"
        assert "empty" in caught.value.message


def test_a_very_long_pattern_is_refused():
    with pytest.raises(PatternError):
        custom("|".join(["ab"] * 5_000))


def test_a_deeply_nested_pattern_is_refused_or_works_but_never_breaks():
    for depth in (50, 200, 400):
        source = "(?:" * depth + "a" + ")" * depth
        try:
            assert list(pre_tokens("aa", custom(source))) == ["a", "a"]
        except PatternError as error:
            assert error.field == "pattern"


@pytest.mark.parametrize("source", ["(a+)+$", "(a|a)+$", "(?:a|aa)+b|c+$", "(.*a){20}"])
def test_a_pattern_that_runs_away_is_stopped_in_time(source):
    text, pattern = "a" * 40 + "!", custom(source)
    started = time.process_time()
    for cut in (
        lambda: count(text, pattern, time_limit=0.3),
        lambda: list(pieces(text, pattern, time_limit=0.3)),
        lambda: list(pre_tokens(text, pattern, time_limit=0.3)),
    ):
        try:
            cut()
        except PatternError as error:
            assert error.field == "pattern"
    assert time.process_time() - started < 5


@pytest.mark.parametrize("source", [r"(?:(?:(?:a{0,50}){50}){50}){50}b", "(?R)?a", r"(?r)\w+|\W", r"(?r)ab|c"])
def test_a_pattern_that_cannot_be_tried_or_reads_backwards_is_refused_or_loses_nothing(source: str) -> None:
    text = "aabb cd" + "a" * 30
    started = time.process_time()
    try:
        assert "".join(piece.text for piece in pieces(text, custom(source), time_limit=1)) == text
    except PatternError as error:
        assert error.field == "pattern"
    assert time.process_time() - started < 5


def test_what_runs_away_names_the_limit():
    with pytest.raises(PatternError, match=r"0\.2 s"):
        count("a" * 40 + "!", custom("(a|a)+$"), time_limit=0.2)


# What such patterns could run back and forth on: long runs that one alternative takes and gives back to the next.
RUNS = [
    *"A a1 \n'/!\u0301\u6f22\u01c5",
    "Aa\u0301\u02b0\u6f22",
    "A's",
    "!\n/",
    " \n",
    "'S'LL'd",
    "a\u0301",
    "\t ",
    "\xa0",
]


@pytest.mark.parametrize("name", PATTERNS)
def test_a_named_pattern_has_no_limit_for_it_needs_none(name):
    pattern, text = NAMED[name], "x".join(run * (60_000 // len(run)) for run in RUNS)
    assert pattern.linear
    started = time.process_time()
    assert "".join(pre_tokens(text, pattern, time_limit=1e-9)) == text
    assert time.process_time() - started < 10  # squares of these lengths would take hours
    assert not SplitPattern("custom", pattern.source).linear


@given(
    text=texts(), source=st.sampled_from([r"\w+", "a", r"\p{L}|[0-9]+", "b+|aa", r"(?<=a)b", "^a", r"(a)(b)?", r"\s+$"])
)
def test_no_custom_pattern_loses_text(text, source):
    cuts = list(pieces(text, custom(source)))
    assert "".join(piece.text for piece in cuts) == text
    assert "".join(pre_tokens(text, custom(source))) == text
    table = count(text, custom(source))
    assert table.corpus_bytes == len(text.encode())
    assert table.uncovered == sum(not piece.matched for piece in cuts)


@given(fragment=fragments)
def test_none_takes_a_document_whole_with_its_line_ends(fragment):
    assert list(pre_tokens(fragment, NAMED["none"])) == [fragment]


@pytest.mark.parametrize("source", ["(?au)a+", "(?V0)(?V1)a", r"a|(?<=\Ka)b", r"(?=ab\K)a|.", r"(?<=\K.)."])
def test_flags_at_odds_and_moved_starts_are_refused(source):
    with pytest.raises(PatternError):
        custom(source)


@pytest.mark.parametrize(
    "source",
    [
        "(?:(?:(?:a){99,100}){99,100}){99,100}b",
        "(?:" * 19 + "a" + "){1,9}" * 19,
        *("a{1,99999}", "a{99999}", "a{99999,}", "a{,99999}b", "(?:a{9999}){9999}", "(?:a{9999,}){9999,}"),
        *("(?x)(?:a{ 9999 }){ 9999 }", "(?x:(?:a{99 #7\n 99, }){99\t99})b", "a{1000000001}"),
        *("(?#[)(?:a{9999}){9999}(?#])", "(?:a{9999})(?#x){9999}", "[[:](?:a{9999}){9999}[:]]"),
        *("(?x)#[\n(?:a{9999}){9999}#]\n", "(?x:#[\n(?-x:#)(?:a{9999}[)]){9999}#]\n)"),
    ],
)
def test_what_would_compile_into_gigabytes_is_refused(source):
    with pytest.raises(PatternError, match="repeats too much"):
        custom(source)


@pytest.mark.parametrize(
    "source",
    [
        *(r"a{3}|\{9999999\}", "[{99999}]", r"\p{L}{1,40}|(?:ab){2,5}c|(?s:.)", r"\\K"),
        *("(?x) a{1,3} | [0-9]{1,3}  # digits\n | (?: b{2} c ){,5} d", "a(?#{9999}{9999})b", "[[:alpha:]]{1,30}"),
    ],
)
def test_numbers_that_repeat_little_or_nothing_are_taken(source):
    assert custom(source).source == source


def test_the_time_limit_is_for_all_segments_together():
    slow = "!<s>" + ("a" * 22 + "!<s>") * 400
    with pytest.raises(PatternError, match=r"longer than 0\.2 s"):
        list(pre_tokens(slow, custom("(?:a+)+b|(?:a|aa)+c|!"), ["<s>"], time_limit=0.2))
