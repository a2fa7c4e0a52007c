"""The trace's views: a text as chips and ids, its pre-tokens with their iterations, and ids back to text."""

import time
from itertools import pairwise

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from app.forms import LabQuery
from app.present.lab import lab
from app.present.trace import (
    CELLS,
    CHIPS,
    PIECES,
    ROUNDS,
    SHORT,
    TREES,
    WIDE,
    TraceQuery,
    decoded_view,
    empty_trace,
    trace_view,
)
from app.runs.live import LiveRun
from app.samples import SAMPLES, toy_recipe
from app.text_boxes import in_text_box
from app.views.trace import IterationView, TracedPieceView, TraceView
from tests.app.live import TOY, golden, live_of, row, said
from tokenizer import PatternError, Recipe, UnknownId, custom, encode
from tokenizer.patterns import NONE


@pytest.fixture(scope="module")
def toy() -> LiveRun:
    return live_of(toy_recipe())


@pytest.fixture(scope="module")
def prose() -> LiveRun:
    return live_of(Recipe(SAMPLES["pride"].text), 300)


def traced(live: LiveRun, text: str, step: int | None = None, **query) -> TraceView:
    return trace_view(live, live.known if step is None else step, TraceQuery(text, **query), time_limit=20.0)


def rounds(piece: TracedPieceView) -> tuple[IterationView, ...]:
    assert piece.iterations is not None
    return piece.iterations


def brackets(line: IterationView) -> list[tuple[int, int, bool, str]]:
    found = enumerate(line.brackets)
    return [(at, bracket.rank, bracket.applied, bracket.title) for at, bracket in found if bracket is not None]


# A text


def test_lowest_as_in_the_sketch(toy):
    view = traced(toy, "lowest", 5)
    assert (view.ids, view.tokens, view.bytes, view.code_points) == ("259, 257", 2, 6, 6)
    assert (view.bytes_per_token, view.step, view.text) == ("3.00", 5, "lowest")
    (piece,) = view.pieces
    lines = [(line.number, row(line.chips), line.words) for line in rounds(piece)]
    assert lines == [
        (1, "l o w e s t", "rank 0: s + t"),
        (2, "l o w e st", "rank 1: e + st"),
        (3, "l o w est", "rank 2: o + w"),
        (4, "l ow est", "rank 3: l + ow"),
        (5, "low est", "no pair has a merge"),
    ]
    assert brackets(rounds(piece)[2]) == [(1, 2, True, "rank 2: o + w"), (2, 4, False, "rank 4: w + est")]
    assert [line.lost for line in rounds(piece)] == ["", "", "w + est (rank 4) can no longer happen", "", ""]
    assert brackets(rounds(piece)[4]) == []
    assert all(len(line.brackets) == len(line.chips) for line in rounds(piece))
    assert (piece.iterations_total, piece.first_iteration, piece.next_start, piece.cut) == (5, 1, None, "")
    assert piece.tree is not None
    assert piece.tree.text == "low = l + ow; ow = o + w; est = e + st; st = s + t"
    assert [said(chip) for chip in piece.chips] == ["low", "est"]


@pytest.mark.parametrize("text", TOY["encode_traces"])
def test_every_golden_trace_is_on_the_page(toy, text):
    expected = TOY["encode_traces"][text]
    (piece,) = traced(toy, text).pieces
    for line, found in zip(rounds(piece), expected["iterations"], strict=False):
        assert row(line.chips) == golden(found["tokens"])
        ranks = {(rank, applied) for _, rank, applied, _ in brackets(line)}
        assert ranks == {(c["rank"], c["rank"] == found["applied_rank"]) for c in found["candidates"]}
    assert row(piece.chips) == golden(expected["result"])


def test_the_text_as_of_a_step_and_of_step_0(toy):
    assert traced(toy, "west", 0).ids == "119, 101, 115, 116"
    assert traced(toy, "west", 4).ids == "119, 257"
    assert traced(toy, "west", 5).ids == "260"
    (piece,) = traced(toy, "west", 0).pieces
    assert (piece.iterations_total, rounds(piece)[0].words, piece.tree) == (1, "no pair has a merge", None)


def test_one_token_is_one_token(toy):
    (piece,) = traced(toy, "w").pieces
    assert [line.words for line in rounds(piece)] == ["one token"]


def test_nothing_has_no_tokens(toy):
    view = traced(toy, "")
    assert (view.ids, view.tokens, view.bytes, view.bytes_per_token) == ("", 0, 0, "0")
    assert (view.pieces, view.chips, view.more) == ((), (), None)


def test_identical_pre_tokens_are_traced_once(toy):
    view = traced(toy, "low low low\nlow")
    assert [(said(piece.glyphs), piece.times) for piece in view.pieces] == [("low", 2), ("␣low", 2), ("⏎", 1)]
    assert view.pieces_total == 3
    assert row(view.chips) == "low ␣ low ␣ low ⏎ low"


def test_a_merge_that_happens_twice_in_a_round_says_so(toy):
    (piece,) = traced(toy, "stst").pieces
    assert rounds(piece)[0].words == "rank 0: s + t, 2 times"
    assert [at for at, *_ in brackets(rounds(piece)[0])] == [0, 2]


def test_chips_have_hues_that_are_the_same_everywhere(toy):
    view = traced(toy, "low low")
    lows = [chip for chip in (*view.chips, *view.pieces[0].chips) if said(chip) == "low"]
    assert len({chip.hue for chip in lows}) == 1
    assert all(chip.hue is not None for chip in view.chips)


def test_broken_bytes_are_told_in_words(toy):
    (piece,) = traced(toy, "é").pieces
    assert row(piece.chips) == "C3 A9"
    view = traced(live_of(Recipe("éé"), 1), "é")
    assert rounds(view.pieces[0])[0].words == "rank 0: ⟨C3⟩ + ⟨A9⟩"


# Special tokens


def test_special_tokens_as_special(toy):
    view = traced(toy, "low<|endoftext|>low")
    assert view.ids == "259, 264, 259"
    assert view.has_specials
    special = view.pieces[1]
    assert (special.special, special.iterations, special.tree, special.times) == (True, None, None, 1)
    assert (view.chips[1].kind, said(view.chips[1]), view.chips[1].hue) == ("special", "<|endoftext|>", None)
    assert (
        view.chips[1].title
        == f"special token, id 264 · “<|endoftext|>” · 13 bytes: {b'<|endoftext|>'.hex(' ').upper()}"
    )


def test_special_tokens_as_text(toy):
    view = traced(toy, "low<|endoftext|>low", specials="as_text")
    assert view.specials == "as_text"
    assert "264" not in view.ids.split(", ")
    assert not any(piece.special for piece in view.pieces)
    assert not any(chip.kind == "special" for chip in view.chips)
    assert [said(piece.glyphs) for piece in view.pieces] == ["low", "<|", "endoftext", "|>"]


def test_the_id_of_a_special_token_is_that_of_its_step(toy):
    assert traced(toy, "<|endoftext|>", 0).ids == "256"
    assert traced(toy, "<|endoftext|>", 3).ids == "259"


def test_a_special_token_is_not_opened(toy):
    view = traced(toy, "<|endoftext|>", opened=0)
    assert view.pieces[0].iterations is None


def test_a_run_without_special_tokens_has_no_switch(prose):
    assert not traced(prose, "a").has_specials


# Lone surrogates, limits


def test_lone_surrogates_become_u_fffd_and_are_told(toy):
    view = traced(toy, "a\ud800b")
    assert view.notices == ("1 lone surrogate, which no text can hold, became U+FFFD.",)
    assert (view.text, view.code_points, view.bytes) == ("a\ufffdb", 3, 5)
    assert traced(toy, "\udfff\ud800").notices == ("2 lone surrogates, which no text can hold, became U+FFFD.",)
    assert traced(toy, "\ud83d\ude00").notices == ()  # a pair of them is one character after all
    assert traced(toy, "\ud83d\ude00").text == "😀"
    assert traced(toy, "plain").notices == ()


def test_a_pattern_that_takes_too_long_is_an_error():
    live = live_of(Recipe("ab", pattern=custom(r"(?:a|aa)+?b|a")))
    with pytest.raises(PatternError, match=r"took longer than 0\.01 s"):
        trace_view(live, 0, TraceQuery("a" * 200_000), time_limit=0.01)


def test_the_first_pre_tokens_are_shown_and_more_on_demand(prose):
    text = " ".join(f"{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(200))
    view = traced(prose, text)
    assert (len(view.pieces), view.pieces_total, view.more) == (PIECES, 200, 4 * PIECES)
    view = traced(prose, text, shown=4 * PIECES)
    assert (len(view.pieces), view.more) == (160, 200)
    view = traced(prose, text, shown=200)
    assert (len(view.pieces), view.more) == (200, None)


def test_step_lists_are_open_as_long_as_the_budget_lasts(prose):
    text = " ".join(f"{'acknowledged' * 2}{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(60))
    view = traced(prose, text, shown=100)
    open_ = [piece for piece in view.pieces if piece.iterations is not None]
    assert 1 < len(open_) < view.pieces_total
    assert sum(len(line.chips) for piece in open_ for line in rounds(piece)) <= CELLS
    assert view.pieces[0].iterations is not None
    assert all(piece.chips and piece.iterations_total > 1 for piece in view.pieces if piece.bytes > 20)


def test_a_piece_that_is_asked_for_is_open_wherever_it_is(prose):
    text = " ".join(f"{'acknowledged' * 2}{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(60))
    closed = next(piece for piece in traced(prose, text, shown=100).pieces[::-1] if piece.iterations is None)
    view = traced(prose, text, opened=closed.index)
    assert closed.index >= PIECES
    last = view.pieces[-1]
    assert (last.index, last.glyphs) == (closed.index, closed.glyphs)
    assert len(rounds(last)) == closed.iterations_total
    assert len(view.pieces) == PIECES + 1
    assert len(traced(prose, text, opened=10**6).pieces) == PIECES  # there is none


def test_a_long_pre_token_is_whole_in_its_ids_and_opened_in_parts(prose):
    run = prose.run
    assert run is not None
    text = "".join(word for word in SAMPLES["pride"].text.split() if word.isalpha())
    assert len(text) > 10 * SHORT
    view = traced(prose, text)
    (piece,) = view.pieces
    assert piece.iterations is None
    assert view.ids == ", ".join(map(str, encode(text, run.vocabulary(300))))
    assert len(piece.chips) == WIDE
    assert piece.cut == f"{WIDE:,} of {view.tokens:,} tokens are drawn"
    assert piece.iterations_total > 2 * ROUNDS
    seen, start = [], 0
    while start is not None:
        (piece,) = traced(prose, text, opened=0, start=start).pieces
        assert piece.first_iteration == start + 1
        assert len(rounds(piece)) <= ROUNDS
        seen += [line.number for line in rounds(piece)]
        start = piece.next_start
    assert seen == list(range(1, piece.iterations_total + 1))
    assert rounds(piece)[-1].words == "no pair has a merge"
    assert rounds(piece)[-1].cut == f"first {WIDE} of {view.tokens:,} tokens"
    assert piece.tree is None  # more tokens than anybody looks at


def test_a_start_beyond_the_end_has_no_lines(prose):
    (piece,) = traced(prose, "truth", opened=0, start=10**6).pieces
    assert (rounds(piece), piece.next_start) == ((), None)


def test_trees_are_drawn_for_a_few_tokens_only():
    live = live_of(Recipe("ab ab ab"), 1)
    (few,) = traced(live, "ab" * TREES).pieces
    (many,) = traced(live, "ab" * (TREES + 1)).pieces
    assert few.tree is not None
    assert few.tree.text == "ab = a + b"
    assert many.tree is None


def test_a_long_text_is_whole_in_its_ids_and_its_chips_are_cut(prose):
    text = SAMPLES["pride"].text * 3
    view = traced(prose, text)
    assert view.chips_total == view.tokens > CHIPS
    assert len(view.chips) == CHIPS
    assert len(view.ids.split(", ")) == view.tokens
    assert view.bytes_per_token == f"{len(text.encode()) / view.tokens:.2f}"


def test_a_single_pre_token_of_100_kb_is_traced_soon():
    live = live_of(Recipe("ab" * 50, pattern=NONE), 6)
    begun = time.perf_counter()
    view = traced(live, "ab" * 50_000)
    (piece,) = view.pieces
    assert time.perf_counter() - begun < 20
    assert (view.bytes, piece.iterations, len(piece.chips)) == (100_000, None, WIDE)
    assert said(piece.glyphs) == "ababababababab…abababab"


def test_markup_stays_text(toy):
    view = traced(toy, "<img src=x onerror=alert(1)>")
    assert view.text == "<img src=x onerror=alert(1)>"
    assert said(view.pieces[0].glyphs) == "<"


@given(st.text(max_size=40))
def test_chips_ids_and_pieces_agree(text):
    live = TRAINED
    view = traced(live, text)
    run = live.run
    assert run is not None
    ids = [int(token) for token in view.ids.split(", ") if token]
    assert ids == [chip.id for chip in view.chips] == encode(text, run.vocabulary(live.known))
    assert b"".join(map(run.token, ids)).decode() == text
    assert view.text == in_text_box(text)
    assert sum(len(piece.chips) * piece.times for piece in view.pieces) == len(ids)
    for piece in view.pieces:
        if piece.iterations is not None and piece.next_start is None:
            assert [chip.id for chip in rounds(piece)[-1].chips] == [chip.id for chip in piece.chips]
            assert brackets(rounds(piece)[-1]) == []
            for line in rounds(piece)[:-1]:
                ranks = [rank for _, rank, _, _ in brackets(line)]
                assert {rank for _, rank, applied, _ in brackets(line) if applied} == {min(ranks)}
            for line, after in pairwise(rounds(piece)):
                still = {rank for _, rank, _, _ in brackets(after)}
                lost = {rank for _, rank, applied, _ in brackets(line) if not applied} - still
                named = set(map(int, regex.findall(r"\(rank (\d+)\)", line.lost)))
                assert named <= lost
                assert len(named) == min(len(lost), 3)
                later = {rank for next_ in rounds(piece)[line.number :] for _, rank, _, _ in brackets(next_)}
                assert not named & later


TRAINED = live_of(Recipe("aaaa aaa abab éé 日本 \u200b\u200b low lower"))


# The page before a text, and with an error


def test_the_empty_page_keeps_the_text_and_says_what_is_wrong(toy):
    view = empty_trace(toy, 3, text="x" * 10, specials="as_text", error="Too long.")
    assert (view.text, view.specials, view.error, view.tokens) == ("x" * 10, "as_text", "Too long.", 0)
    assert (view.step, view.run) == (3, lab(toy, 3, LabQuery()).run)
    assert empty_trace(toy, 0).error == ""


def test_a_run_that_is_not_counted_cannot_be_traced():
    live = live_of(Recipe("ab"))
    live.run = None
    with pytest.raises(ValueError, match="not counted"):
        traced(live, "a", 0)


# Ids back to text


def test_ids_are_decoded_as_one(toy):
    view = decoded_view(toy, 8, [259, 264, 32, 260], "259,264 32 260")
    assert (view.text, view.valid_utf8, view.ids, view.error) == ("low<|endoftext|> west", True, "259,264 32 260", "")
    assert row(view.chips) == "low <|endoftext|> ␣ west"
    assert [chip.kind for chip in view.chips] == ["text", "special", "text", "text"]
    assert decoded_view(toy, 8, [0xC3, 0xA9], "").text == "é"


def test_ids_that_are_no_text_are_said_to_be_none(toy):
    view = decoded_view(toy, 8, [0xE2, 0x82, 97], "226 130 97")
    assert (view.text, view.valid_utf8) == ("\ufffda", False)
    assert [chip.kind for chip in view.chips] == ["bytes", "bytes", "text"]
    text = decoded_view(toy, 8, [0xEF, 0xBF, 0xBD], "239 191 189")
    assert (text.text, text.valid_utf8) == ("\ufffd", True)


def test_an_id_that_is_no_token_s_is_named_with_its_place(toy):
    with pytest.raises(UnknownId, match=r"There is no token 265 \(number 3 of the list\): ids go from 0 to 264\."):
        decoded_view(toy, 8, [259, 264, 265], "")
    with pytest.raises(UnknownId, match=r"There is no token 260 .* ids go from 0 to 259\."):
        decoded_view(toy, 3, [260], "")
    with pytest.raises(UnknownId):
        decoded_view(toy, 8, [-1], "")


def test_of_many_ids_the_first_are_drawn_and_all_are_decoded(toy):
    view = decoded_view(toy, 8, [97] * 5_000, "")
    assert (len(view.chips), len(view.text)) == (CHIPS, 5_000)
