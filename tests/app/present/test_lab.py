"""The lab's views: a step as a whole, the controls at every place, what ended a run, names and long rows."""

import pytest

from app.forms import LabQuery
from app.present.lab import ROW_WINDOW, lab, run_name, run_view, whole_row
from app.present.lists import PAIRS
from app.runs.live import LiveRun
from app.samples import SAMPLES, toy_recipe
from tests.app.live import TOY, corpus_of, golden, live_of, row, said
from tokenizer import NAMED, Recipe, RecipeError, custom
from tokenizer.patterns import NONE


@pytest.fixture(scope="module")
def toy() -> LiveRun:
    return live_of(toy_recipe())


def shown(live: LiveRun, step: int, **query):
    return lab(live, step, LabQuery(**query))


def address(live: LiveRun, rest: str) -> str:
    return f"/runs/{live.id}/{rest}"


# A step as a whole


@pytest.mark.parametrize("number", range(1, 9))
def test_every_golden_step_is_on_the_page(toy, number):
    view, step = shown(toy, number), TOY["steps"][number - 1]
    assert view.merge is not None
    assert (said(view.merge.left), said(view.merge.right)) == tuple(golden([token]) for token in step["pair"])
    assert (view.merge.left.role, view.merge.right.role, view.merge.token.role) == ("left", "right", "new")
    assert said(view.merge.token) == golden([step["token"]])
    assert (view.merge.token.id, view.merge.count) == (step["id"], step["count"])
    assert view.pairs_window.all_total == step["distinct_pairs_before"]
    assert view.gone_total == len(step["pairs_gone"])
    assert view.appeared_total == len(step["pairs_new"])
    tied = {f"{said(pair.left)} {said(pair.right)}" for pair in view.pairs if {"tied", "chosen"} & set(pair.marks)}
    assert tied == {golden(pair) for pair in step["tied_at_top"]}
    changed = {(row(r.windows[0].before), row(r.windows[0].after), r.count) for r in view.rows if r.changed}
    assert changed == {(golden(r["before"]), golden(r["after"]), r["count"]) for r in step["rows_changed"]}
    assert view.rows_changed_total == len(step["rows_changed"])


def test_step_5_says_what_the_sketch_says(toy):
    view = shown(toy, 5)
    assert view.merge is not None
    assert view.merge.sentence == (
        "Three pairs are tied at 6. w + est is taken: its first token w (0x77) is greater than n (0x6E) and e (0x65)."
    )
    assert view.tree is not None
    assert view.tree.text == "west = w + est; est = e + st; st = s + t"
    assert view.curve.now == "57 tokens in the corpus"
    assert view.announcement == "Step 5: w and est become west, count 6."
    assert view.cut is None
    run = view.run
    assert (run.name, run.corpus_bytes, run.occurrences, run.distinct) == ("low, lower, widest, newest", 95, 19, 8)
    assert (run.pattern, run.tie_rule, run.tie_rule_label) == ("gpt2", "greater_bytes", "greater bytes")
    assert (run.vocab_size, run.min_count, run.special_tokens) == (265, 1, ("<|endoftext|>",))


def test_step_0_has_no_merge_but_the_cut(toy):
    view = shown(toy, 0)
    assert (view.merge, view.tree, view.merges) == (None, None, ())
    assert view.cut is not None
    assert [said(piece.glyphs) for piece in view.cut.pieces] == [golden([p]) for p in TOY["pretokens_in_order"]]
    assert view.announcement == "Step 0, before any merge."
    assert not any(pair.marks for pair in view.pairs)
    assert not any(r.changed for r in view.rows)
    assert (view.gone_total, view.appeared_total, view.rows_changed_total) == (0, 0, 0)
    counts = {f"{said(pair.left)} {said(pair.right)}": pair.count for pair in view.pairs}
    assert counts == {golden(pair["pair"]): pair["count"] for pair in TOY["pair_counts"]}


def test_more_ties_than_a_window_are_told_and_marked():
    live = live_of(Recipe("".join(chr(0x100 + at) for at in range(100)), pattern=NONE), 1)
    view = shown(live, 1)
    assert view.merge is not None
    assert view.merge.sentence.startswith("199 pairs are tied at 1. ")
    assert sum("tied" in pair.marks or "chosen" in pair.marks for pair in view.pairs) == PAIRS


def test_the_announcement_tells_broken_bytes_from_letters():
    view = shown(live_of(Recipe("é"), 1), 1)
    assert view.announcement.startswith("Step 1: ⟨C3⟩ and ⟨A9⟩ become é, count 1.")


# Controls


def test_controls_at_the_beginning_of_a_run_that_has_ended(toy):
    at = shown(toy, 0).controls
    assert (at.step, at.known, at.last, at.end) == (0, 8, 8, 8)
    assert (at.first_link, at.back_link) == (None, None)
    assert at.next_link == at.prefetch == address(toy, "steps/1")
    assert at.last_link == address(toy, "steps/8")
    assert (at.training, at.ended) == (False, "")


def test_controls_in_the_middle(toy):
    at = shown(toy, 5).controls
    assert at.first_link == address(toy, "steps/0")
    assert at.back_link == address(toy, "steps/4")
    assert at.next_link == at.prefetch == address(toy, "steps/6")
    assert at.last_link == address(toy, "steps/8")


def test_links_keep_the_order_and_the_counts_but_no_windows(toy):
    at = shown(toy, 5, order="table", counts="now", pairs_q="e", rows=0, merges=1).controls
    assert at.next_link == address(toy, "steps/6?order=table&counts=now")
    view = shown(toy, 5, order="table", pairs_q="e & f")
    assert view.counts_link == address(toy, "steps/5?pairs_q=e+%26+f&order=table&counts=now")
    assert view.order_link == address(toy, "steps/5?pairs_q=e+%26+f")


def test_the_last_step_of_a_filled_vocabulary(toy):
    view = shown(toy, 8)
    at = view.controls
    assert (at.next_link, at.last_link, at.prefetch) == (None, None, None)
    assert at.ended == (
        "The vocabulary has its 265 entries: 256 bytes, 8 merges, 1 special token. Edit its size to go on."
    )
    assert view.announcement == f"Step 8: ␣ and newest become ␣newest, count 5. {at.ended}"


@pytest.mark.parametrize(
    ("recipe", "ended"),
    [
        (
            Recipe("ab"),
            "No pair is left: every pre-token is one token, after 1 merge. Take a longer corpus to go on.",
        ),
        (
            Recipe("abc abc"),
            "No pair is left: every pre-token is one token, after 3 merges. Take a longer corpus to go on.",
        ),
        (
            Recipe("a"),
            "There is no pair to merge: no pre-token has more than one byte. Take a longer corpus to go on.",
        ),
        (Recipe(""), "There is no pair to merge: no pre-token has more than one byte. Take a longer corpus to go on."),
        (
            Recipe("ab ab ab ac", min_count=2),
            "No pair occurs 2 times or more, after 2 merges. Edit the least count of a pair to go on.",
        ),
        (
            Recipe("ab", vocab_size=258, special_tokens=("<s>", "</s>")),
            "The vocabulary has its 258 entries: 256 bytes, 0 merges, 2 special tokens. Edit its size to go on.",
        ),
        (
            Recipe("ab abc", vocab_size=257),
            "The vocabulary has its 257 entries: 256 bytes, 1 merge. Edit its size to go on.",
        ),
    ],
)
def test_every_end_says_its_reason(recipe, ended):
    live = live_of(recipe)
    at = shown(live, live.known).controls
    assert at.ended == ended
    assert (at.next_link, at.last, at.end) == (None, live.known, live.known)


def test_the_server_s_limit_is_an_end_too():
    live = live_of(Recipe("abcdefgh"), most=3)
    at = shown(live, 3).controls
    assert at.ended == ("This server makes at most 3 steps of a run; its setting MERGE_NEXT_MAX_STEPS allows more.")
    assert (at.next_link, at.last) == (None, 3)
    assert shown(live, 2).controls.ended == ""


def test_while_training_goes_on_there_is_a_next_step_but_no_last():
    live = live_of(Recipe("abcdefgh"), 3)
    at = shown(live, 3).controls
    assert (at.known, at.last, at.end, at.training, at.ended) == (3, None, 3, True, "")
    assert at.next_link == address(live, "steps/4")
    assert (at.prefetch, at.last_link) == (None, None)  # the next step is not known yet
    assert shown(live, 2).controls.last_link == address(live, "steps/3")


def test_while_training_goes_on_the_end_is_the_wanted_size():
    live = live_of(Recipe("abcdefghijkl", vocab_size=264), 3)
    assert (shown(live, 2).controls.end, shown(live, 2).controls.last) == (8, None)


def test_a_cancelled_run_is_not_training():
    live = live_of(Recipe("abcdefgh"), 3)
    live.cancelled = True
    at = shown(live, 3).controls
    assert (at.training, at.next_link, at.ended) == (False, address(live, "steps/4"), "")


def test_every_step_of_a_stopped_run_says_where_it_was_stopped_and_how_to_go_on():
    live = live_of(Recipe("abcdefgh"), 3)
    live.cancelled = True
    for step in (0, 2, 3):
        at = shown(live, step).controls
        assert at.stopped == "Training was stopped at step 3. Any later step makes it go on from there."
        assert at.go_on == address(live, f"go-on?step={step}")


def test_a_run_that_came_to_its_end_was_not_stopped():
    live = live_of(Recipe("abcdefgh"))
    live.cancelled = True  # its last step was under way by then
    at = shown(live, live.known).controls
    assert (at.stopped, bool(at.ended)) == ("", True)


def test_a_run_without_its_table_cannot_be_shown():
    live = live_of(Recipe("ab"))
    live.run = None
    with pytest.raises(ValueError, match="not counted"):
        shown(live, 0)
    assert run_view(live).distinct is None


# Names


@pytest.mark.parametrize(
    ("corpus", "name"),
    [
        (SAMPLES["toy"].text, "low, lower, widest, newest"),
        ("", "empty corpus"),
        (" \n\t ", "white space"),
        ("to be\nor  not", "to be or not"),
        ("a" * 48, "a" * 48),
        ("a" * 49, "a" * 47 + "…"),
        ("word " * 1_000, ("word " * 10)[:47].rstrip() + "…"),
        ("x" + " " * 1_000 + "y", "x…"),
        ("<img src=x>", "<img src=x>"),
    ],
)
def test_a_run_is_named_after_its_corpus(corpus, name):
    assert run_name(corpus_of(corpus)) == name


# A long row


def test_a_long_row_is_shown_in_windows_that_lose_nothing():
    corpus = "".join(f"{number:05d} " for number in range(1_000))  # 6,000 bytes in one row
    live = live_of(Recipe(corpus, pattern=NONE), 12)
    offset, tokens, links = 0, [], 0
    while True:
        view = whole_row(live, 12, 0, offset)
        (part,) = view.row.windows
        assert part.before == ()
        assert part.lead == (offset > 0)
        assert (view.window.first, view.window.total) == (offset + 1, 6_000)
        tokens += [chip.id for chip in part.after]
        assert (view.window.previous_link is None) == (offset == 0)
        if view.window.next_link is None:
            assert not part.trail
            assert view.window.last == 6_000
            break
        assert part.trail
        links += 1
        path, _, offset_now = view.window.next_link.rpartition("=")
        assert path == address(live, "rows/0?step=12&offset")
        assert int(offset_now) == view.window.last
        offset = int(offset_now)
    assert links >= 6_000 // (ROW_WINDOW + 20) - 1
    assert b"".join(map(live.run.token, tokens)).decode() == corpus
    assert view.row.note == f"{len(tokens):,} tokens, 6,000 bytes"


def test_a_window_begins_with_a_whole_token():
    live = live_of(Recipe("ab" * 3_000, pattern=NONE), 5)
    view = whole_row(live, 5, 0, 2_001)  # within a token of 32 bytes
    assert view.window.first - 1 == 2_001 // 32 * 32
    assert view.window.previous_link == address(live, "rows/0?step=5&offset=0")


def test_a_window_beyond_the_end_is_the_last_token():
    live = live_of(Recipe("abcd", pattern=NONE), 0)
    view = whole_row(live, 0, 0, 10**9)
    assert row(view.row.windows[0].after) == "d"
    assert (view.window.first, view.window.last, view.window.next_link) == (4, 4, None)


def test_there_is_no_row_beyond_the_table():
    with pytest.raises(RecipeError, match="There is no row 8; the table has 8 rows"):
        whole_row(live_of(toy_recipe(), 1), 1, 8, 0)


def test_a_custom_pattern_shows_its_source():
    view = run_view(live_of(Recipe("ab", pattern=custom(r"\w|."))))
    assert (view.pattern, view.pattern_source) == ("custom", r"\w|.")
    assert run_view(live_of(Recipe("ab"))).pattern_source == NAMED["gpt2"].source
