"""The sentence of a merge: its words for each rule and case, and that all it claims is true."""

from itertools import pairwise

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from app.present.glyphs import name_of
from app.present.sentence import NUMBERS, opening, sentence
from tests.app.live import TOY
from tokenizer import TIE_RULES, Recipe, Run, Step, custom, train
from tokenizer.patterns import NAMED

WORDS = custom(r"[^ ]+")


def toy(tie_rule="greater_bytes") -> Run:
    return train(Recipe(TOY["corpus"], tie_rule=tie_rule))


def said(run: Run, step: int, *, limit: int = 50) -> str:
    return sentence(run, run.step(step, limit=limit))


def of(corpus: str, step: int, **recipe) -> str:
    return said(train(Recipe(corpus, **recipe), steps=step), step)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (1, "Two pairs are tied at 9. s + t is taken: its first token s (0x73) is greater than e (0x65)."),
        (2, "e + st occurs 9 times, more often than any other pair; the next occurs 8 times."),
        (3, "Two pairs are tied at 7. o + w is taken: its first token o (0x6F) is greater than l (0x6C)."),
        (
            5,
            (
                "Three pairs are tied at 6. w + est is taken: "
                "its first token w (0x77) is greater than n (0x6E) and e (0x65)."
            ),
        ),
        (
            8,
            (
                "Two pairs are tied at 5. ␣ + newest is taken: "
                "both begin with ␣, and its second token newest is greater than low (0x6E against 0x6C)."
            ),
        ),
        (
            10,
            (
                "Four pairs are tied at 3. w + i is taken: "
                "its first token w (0x77) is greater than i (0x69), d (0x64) and ␣ (0x20)."
            ),
        ),
        (14, "e + r occurs 2 times, more often than any other pair; the next occurs once."),
    ],
)
def test_the_toy_corpus_by_greater_bytes(step, words):
    assert said(toy(), step) == words


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (1, "Two pairs are tied at 9. e + s is taken: it comes first in the corpus as tokenized now, before s + t."),
        (
            5,
            (
                "Three pairs are tied at 6. n + e is taken: "
                "it comes first in the corpus as tokenized now, before e + w and w + est."
            ),
        ),
    ],
)
def test_the_toy_corpus_by_first_seen(step, words):
    assert said(toy("first_seen"), step) == words


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (
            1,
            "Two pairs are tied at 9. e + s is taken: its ids (101, 115) are lower than (115, 116), those of s + t.",
        ),
        (
            5,
            (
                "Three pairs are tied at 6. e + w is taken: "
                "its ids (101, 119) are the lowest; the next are (110, 101), those of n + e."
            ),
        ),
        (
            8,
            (
                "Two pairs are tied at 5. ␣ + low is taken: "
                "its ids (32, 259) are lower than (32, 262), those of ␣ + newest."
            ),
        ),
    ],
)
def test_the_toy_corpus_by_lower_ids(step, words):
    assert said(toy("lower_ids"), step) == words


def test_golden_counts_and_ties_are_in_the_sentences():
    run = toy()
    for golden in TOY["steps"]:
        words = said(run, golden["number"])
        tied = len(golden["tied_at_top"])
        if tied > 1:
            assert words.startswith(f"{NUMBERS[tied]} pairs are tied at {golden['count']}. ")
        else:
            assert f"occurs {golden['count']} times, more often" in words


def test_an_ordered_merge_is_not_said_to_be_chosen():
    run = train(Recipe(TOY["corpus"]), steps=2, orders={1: (ord("l"), ord("o"))})
    assert said(run, 1) == "l + o is merged because it was ordered, not chosen; it occurs 7 times."
    assert said(run, 2) == of(TOY["corpus"], 1)
    overlapping = train(Recipe("aaaa", pattern=WORDS), orders={1: (ord("a"), ord("a"))})
    assert said(overlapping, 1).startswith(
        "a + a is merged because it was ordered, not chosen; it occurs 3 times. Only 2 of the 3 are replaced:"
    )


def test_a_count_that_overlaps_tells_the_replacements():
    assert of("aaaa", 1) == (
        "a + a occurs 3 times; it is the only pair. Only 2 of the 3 are replaced: in a run of a they overlap, "
        "and each replacement, from the left, uses up a token that the next one needs."
    )
    assert "Only 1 of the 2 is replaced: in a run of a they overlap" in of("aaa", 1)
    assert "Only" not in of("aa", 1)
    assert "Only" not in of("aa aa aa", 1)


def test_the_only_pair_and_the_only_occurrence():
    assert of("ab", 1) == "a + b occurs once; it is the only pair."
    assert of("ab ab", 1, pattern=WORDS) == "a + b occurs 2 times; it is the only pair."


def test_more_than_ten_ties_are_a_figure():
    words = of("abcdefghijkl", 1)
    assert words == (
        "11 pairs are tied at 1. k + l is taken. The closest rival is j + k: "
        "the first token k is greater than j (0x6B against 0x6A)."
    )
    assert of("abcdefghijk", 1).startswith("Ten pairs are tied at 1. ")
    assert of("abcdefghijkl", 1, tie_rule="first_seen") == (
        "11 pairs are tied at 1. a + b is taken: it comes first in the corpus as tokenized now, "
        "before b + c, c + d, d + e and 7 more."
    )
    assert of("abcdefghijkl", 1, tie_rule="lower_ids") == (
        "11 pairs are tied at 1. a + b is taken: its ids (97, 98) are the lowest; the next are (98, 99), "
        "those of b + c."
    )


def test_large_numbers_have_separators():
    words = of("ab " * 1_200 + "ac " * 1_200, 1, pattern=WORDS)
    assert words.startswith("Two pairs are tied at 1,200. ")
    assert "occurs 2,400 times, more often than any other pair; the next occurs 1,200 times." in of(
        "ab " * 2_400 + "cd " * 1_200, 1, pattern=WORDS
    )
    assert "Only 1,200 of the 2,400 are replaced" in of("aaa " * 1_200, 1, pattern=WORDS)


def test_a_token_against_its_own_beginning():
    # After ab: ab + x and a + y are tied; ab is greater than a since it goes on.
    words = of("ab ab ab abx abx ay ay", 2, pattern=WORDS)
    assert words == (
        "Two pairs are tied at 2. ab + x is taken: "
        "its first token ab is greater than a, because it begins with that and goes on with 0x62."
    )


def test_a_second_token_against_its_own_beginning():
    words = of("ab ab ab zab zab za za", 2, pattern=WORDS)
    assert words == (
        "Two pairs are tied at 2. z + ab is taken: both begin with z, and "
        "its second token ab is greater than a, because it begins with that and goes on with 0x62."
    )


def test_a_difference_further_on_is_named_with_its_place():
    words = of("abc abc abc abd abd abd abcx abdx", 4, pattern=WORDS)
    assert words.endswith("its first token abd is greater than abc at byte 3 (0x64 against 0x63).")


def test_binary_tokens_are_told_from_letters():
    assert of("é", 1) == "⟨C3⟩ + ⟨A9⟩ occurs once; it is the only pair."
    words = of("éè", 1)
    assert words.startswith("Three pairs are tied at 1. ⟨C3⟩ + ⟨A9⟩ is taken. The closest rival is ⟨C3⟩ + ⟨A8⟩: ")
    assert words.endswith("both begin with ⟨C3⟩, and the second token ⟨A9⟩ is greater than ⟨A8⟩ (0xA9 against 0xA8).")


def test_long_tokens_are_shortened_in_the_middle():
    run = train(Recipe("abcdefghijklmnopqrstuvwxyz0123456789ab", pattern=WORDS))
    words = said(run, run.known)
    assert "…" in words
    assert len(words) < 200
    assert "occurs once; it is the only pair." in words


def test_tokens_that_read_as_punctuation_are_quoted():
    assert of(",,", 1) == "“,” + “,” occurs once; it is the only pair."
    assert of("++ ++", 1, pattern=WORDS) == "“+” + “+” occurs 2 times; it is the only pair."
    assert of("x.", 1, pattern=WORDS) == "x + “.” occurs once; it is the only pair."
    assert "“" not in of("é", 1)


def test_tokens_written_from_right_to_left_are_isolated():
    run = train(Recipe("אב", pattern=WORDS))
    words = said(run, run.known)
    assert regex.findall("\u2068(.*?)\u2069", words)
    assert words.count("\u2068") == words.count("\u2069")
    assert "\u2068" not in of("ab", 1)


def test_markup_stays_text():
    assert of("<b", 1, pattern=WORDS) == "< + b occurs once; it is the only pair."


# All that is claimed


def claims(run: Run, step: Step) -> None:
    words = sentence(run, step)
    counts, total = run.pairs(step.number - 1)
    names = {pair.pair: " + ".join(spoken(run, token) for token in pair.pair) for pair in counts}
    at_top = [pair.pair for pair in counts if pair.count == step.count]
    first_part = words.split(" Only ")[0] if step.replaced != step.count else words
    assert (first_part != words) == (step.replaced < step.count)
    if step.replaced < step.count:
        assert f"Only {step.replaced:,} of the {step.count:,} " in words
        assert step.pair[0] == step.pair[1]
    if len(at_top) > 1:
        begin = f"{NUMBERS[len(at_top)] if len(at_top) <= 10 else len(at_top)} pairs are tied at {step.count:,}. "
        assert words.startswith(f"{begin}{names[step.pair]} is taken")
        REASONS[run.method.tie_rule](run, step, first_part[len(begin) :], at_top, names)
    else:
        begin = f"{names[step.pair]} occurs {times(step.count)}"
        rest = (
            "; it is the only pair."
            if total == 1
            else f", more often than any other pair; the next occurs {times(counts[1].count)}."
        )
        assert first_part == begin + rest


def times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def spoken(run: Run, token: int) -> str:
    name = name_of(run.token(token))
    quoted = regex.search(r"^(?!⟨)[\p{P}+]|[\p{P}+](?<!⟩)$", name)
    return f"“{name}”" if quoted else name


def greater_bytes(run: Run, step: Step, words: str, at_top, names) -> None:
    spelled = [tuple(run.token(token) for token in pair) for pair in at_top]
    chosen = tuple(run.token(token) for token in step.pair)
    assert chosen == max(spelled)
    closest = max(pair for pair in spelled if pair != chosen)
    octets = [int(found, 16) for found in regex.findall(r"0x([0-9A-F]{2})", words)]
    if " (0x" in words and "against" not in words and " goes on with" not in words:
        rivals = dict.fromkeys(pair[0] for pair in sorted(spelled, reverse=True) if pair != chosen)
        assert octets == [chosen[0][0], *(token[0] for token in rivals)]
        assert all(octets[0] > octet for octet in octets[1:])
        return
    if len(at_top) > 2:
        pair = next(pair for pair in at_top if tuple(map(run.token, pair)) == closest)
        assert f". The closest rival is {names[pair]}: " in words
    which = 1 if "both begin with " in words else 0
    assert (chosen[0] == closest[0]) == (which == 1)
    greater, lesser = chosen[which], closest[which]
    if "goes on with" in words:
        assert greater.startswith(lesser)
        assert octets == [greater[len(lesser)]]
        return
    place = int(found[1].replace(",", "")) if (found := regex.search(r" at byte ([\d,]+) \(", words)) else 1
    assert greater[: place - 1] == lesser[: place - 1]
    assert octets == [greater[place - 1], lesser[place - 1]]
    assert octets[0] > octets[1]


def first_seen(run: Run, step: Step, words: str, at_top, names) -> None:
    places = {}
    for place, row in enumerate(sorted(range(len(run.table)), key=run.table.seen.__getitem__)):
        tokens = run.row(step.number - 1, row, length=1 << 30).tokens
        for at, pair in enumerate(pairwise(tokens)):
            places.setdefault(pair, (place, at))
    in_order = sorted(at_top, key=places.__getitem__)
    assert in_order[0] == step.pair
    rivals = [names[pair] for pair in in_order[1:4]]
    if len(in_order) > 4:
        rivals.append(f"{len(in_order) - 4:,} more")
    listed = rivals[0] if len(rivals) == 1 else ", ".join(rivals[:-1]) + " and " + rivals[-1]
    assert words.endswith(f"comes first in the corpus as tokenized now, before {listed}.")


def lower_ids(_run: Run, step: Step, words: str, at_top, names) -> None:
    lowest, following = sorted(at_top)[:2]
    assert step.pair == lowest
    assert f"its ids {lowest} are " in words
    assert words.endswith(f"{following}, those of {names[following]}.")


REASONS = {"greater_bytes": greater_bytes, "first_seen": first_seen, "lower_ids": lower_ids}

PARTS = st.sampled_from(
    ["a", "b", "aa", "ab", "ba", " ", " a", "aaa", "é", "è", "日", "本", "\n", ",", "+", "x y", "<b>", "\0", "0", "-"]
)


@pytest.mark.parametrize("tie_rule", TIE_RULES)
@given(corpus=st.lists(PARTS, max_size=25).map("".join), pattern=st.sampled_from(["gpt2", "whitespace", "none"]))
@settings(max_examples=25)
def test_every_claim_is_true(tie_rule, corpus, pattern):
    run = train(Recipe(corpus, tie_rule=tie_rule, pattern=NAMED[pattern]), steps=20)
    for number in range(1, run.known + 1):
        claims(run, run.step(number, limit=50))


@pytest.mark.parametrize("tie_rule", TIE_RULES)
def test_every_claim_about_the_toy_corpus_is_true(tie_rule):
    run = toy(tie_rule)
    for number in range(1, run.known + 1):
        claims(run, run.step(number, limit=50))
        assert said(run, number) == said(run, number, limit=4)  # a cut step will do


@pytest.mark.parametrize(
    ("corpus", "said"),
    [
        ("", "The corpus is empty: there is nothing to merge."),
        ("x", "The corpus is cut into 1 pre-token, 1 of them distinct. Every byte is a token."),
        ("abab ab", "Every byte is a token. a + b occurs most often, 3 times, and merges next."),
        (TOY["corpus"], "Two pairs are tied at the top, 9 times each; the tie rule takes s + t next."),
        ("abcdefghijklmnop", "More than ten pairs are tied at the top, once each; the tie rule takes o + p next."),
    ],
)
def test_before_any_merge_it_says_what_is_tied_and_what_comes_next(corpus, said):
    assert opening(train(Recipe(corpus))).endswith(said)
