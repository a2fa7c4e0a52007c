"""The lab's lists: windows with totals and ways on, marks, rows before and after, merges, the cut of the corpus."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.forms import LabQuery
from app.present.lab import LISTED, lab
from app.present.lists import MERGES, PAIRS, PIECES, ROWS, searched
from app.runs.live import LiveRun
from app.samples import SAMPLES, toy_recipe
from app.views.lab import LabView
from app.views.lists import PairView, Window
from tests.app.live import live_of, row, said
from tokenizer import Recipe, custom
from tokenizer.patterns import NAMED, NONE

WORDS = custom(r"[^ ]+")


@pytest.fixture(scope="module")
def toy() -> LiveRun:
    return live_of(toy_recipe())


@pytest.fixture(scope="module")
def prose() -> LiveRun:
    return live_of(Recipe(SAMPLES["pride"].text), 200)


def shown(live: LiveRun, step: int, **query) -> LabView:
    return lab(live, step, LabQuery(**query))


def pair(view: PairView) -> tuple[str, int, str]:
    return f"{said(view.left)} {said(view.right)}", view.count, view.words


def offset_of(link: str | None, name: str) -> int | None:
    """The offset that a link leads to; 0 where it names none."""
    return None if link is None else int(parse_qs(urlsplit(link).query).get(name, ["0"])[0])


def span(window: Window) -> tuple[int, int, int]:
    return window.first, window.last, window.total


# Windows


@pytest.mark.parametrize(
    ("name", "step", "size"), [("pairs", 30, PAIRS), ("rows", 30, ROWS), ("merges", 180, MERGES), ("cut", 0, PIECES)]
)
def test_windows_lead_from_the_first_page_to_the_last_and_back(prose, name, step, size):
    def window_at(offset: int) -> Window:
        view = shown(prose, step, **{name: offset})
        return view.cut.window if view.cut is not None and name == "cut" else getattr(view, f"{name}_window")

    first = window_at(0)
    assert span(first) == (1, size, first.all_total)
    assert (first.previous_link, offset_of(first.next_link, name)) == (None, size)
    second = window_at(size)
    assert second.first == size + 1
    assert offset_of(second.previous_link, name) == 0
    last_offset = (first.total - 1) // size * size
    last = window_at(last_offset)
    assert span(last) == (last_offset + 1, first.total, first.total)
    assert (offset_of(last.previous_link, name), last.next_link) == (last_offset - size, None)


@pytest.mark.parametrize(("name", "step"), [("pairs", 30), ("rows", 30), ("cut", 0)])
def test_a_page_beyond_the_last_leads_to_the_last(prose, name, step):
    view = shown(prose, step, **{name: 10**9})
    window = view.cut.window if view.cut is not None else getattr(view, f"{name}_window")
    size = {"pairs": PAIRS, "rows": ROWS, "cut": PIECES}[name]
    assert (window.first, window.last, window.next_link) == (0, 0, None)
    assert window.total == window.all_total > 0
    assert offset_of(window.previous_link, name) == (window.total - 1) // size * size


def test_merges_beyond_the_last_are_the_oldest(toy):
    view = shown(toy, 5, merges=10**9)
    assert [merge.rank for merge in view.merges] == [0]
    assert span(view.merges_window) == (5, 5, 5)


def test_links_of_windows_keep_everything_else(prose):
    view = shown(prose, 30, rows=50, pairs=50, order="table", rows_q="e", counts="now")
    query = parse_qs(urlsplit(view.rows_window.next_link or view.rows_window.previous_link or "").query)
    assert query["pairs"] == ["50"]
    assert (query["order"], query["rows_q"], query["counts"]) == (["table"], ["e"], ["now"])


def test_all_pages_together_are_the_whole_list(prose):
    run = prose.run
    assert run is not None
    seen, offset = [], 0
    while offset is not None:
        view = shown(prose, 30, pairs=offset)
        seen += [(p.left.id, p.right.id) for p in view.pairs]
        offset = offset_of(view.pairs_window.next_link, "pairs")
    assert seen == [found.pair for found in run.pairs(29)[0]]
    seen, offset = [], 0
    while offset is not None:
        view = shown(prose, 30, rows=offset)
        seen += [r.number for r in view.rows]
        offset = offset_of(view.rows_window.next_link, "rows")
    assert sorted(seen) == list(range(len(run.table)))


# Searches


def test_pairs_are_found_by_their_text(toy):
    view = shown(toy, 5, pairs_q="est")
    assert [pair(p)[0] for p in view.pairs] == ["w est", "d est"]
    window = view.pairs_window
    assert (span(window), window.all_total, window.query) == ((1, 2, 2), 11, "est")
    assert shown(toy, 5, pairs_q="nothing").pairs_window.total == 0


def test_rows_are_found_by_their_text(toy):
    view = shown(toy, 5, rows_q="low")
    assert [row(r.windows[0].after) for r in view.rows] == ["␣ low", "low", "low e r", "␣ low e r"]
    assert (span(view.rows_window), view.rows_window.all_total) == ((1, 4, 4), 8)


def test_stand_ins_are_searched_for_as_what_they_stand_for(toy):
    spaced = [row(r.windows[0].after) for r in shown(toy, 5, rows_q="␣low").rows]
    assert spaced == ["␣ low", "␣ low e r"]
    assert spaced == [row(r.windows[0].after) for r in shown(toy, 5, rows_q=" low").rows]
    assert [row(r.windows[0].after) for r in shown(toy, 5, rows_q="⏎").rows] == ["⏎"]
    assert [pair(p)[0] for p in shown(toy, 0, pairs_q="␣w").pairs] == ["␣ w"]
    assert searched("␣⏎⇥␍␀␡⍽x") == b" \n\t\r\0\x7f\xc2\xa0x"


def test_a_search_with_changed_rows_first(toy):
    view = shown(toy, 5, rows_q="e", order="changed")
    assert [r.changed for r in view.rows] == [True, True, False, False, False]
    view = shown(toy, 5, rows_q="e", order="table")
    assert [r.number for r in view.rows] == [0, 3, 5, 6, 7]


# Marks


def test_the_marks_of_step_5_on_the_counts_that_decided_it(toy):
    view = shown(toy, 5)
    assert [pair(p) for p in view.pairs[:5]] == [
        ("w est", 6, "chosen"),
        ("n e", 6, "tied"),
        ("e w", 6, "tied, gone"),
        ("␣ n", 5, ""),
        ("␣ low", 5, ""),
    ]
    chosen = view.pairs[0]
    assert (chosen.left.role, chosen.right.role) == ("left", "right")
    assert not any(p.left.role or p.right.role for p in view.pairs[1:])
    assert [p.marks for p in view.pairs[:3]] == [("chosen",), ("tied",), ("tied", "gone")]
    assert [pair(p) for p in view.appeared] == [("e west", 6, "new")]
    assert (view.gone, view.appeared_total, view.gone_total) == ((), 1, 2)


def test_the_marks_of_step_5_on_the_counts_after_it(toy):
    view = shown(toy, 5, counts="now")
    assert [pair(p) for p in view.pairs[:3]] == [("n e", 6, ""), ("e west", 6, "new"), ("␣ n", 5, "")]
    assert {pair(p) for p in view.gone} == {("w est", 6, "gone"), ("e w", 6, "gone")}
    assert view.appeared == ()
    assert view.pairs_window.all_total == 10


def test_changed_pairs_tell_the_other_count(toy):
    # Step 1 makes st: e s goes, s t is chosen; step 2 takes w e from 8 to 2.
    before = {pair(p)[0]: (p.count, p.marks, p.words) for p in shown(toy, 2).pairs}
    assert before["w e"] == (8, ("changed",), "now 2")
    after = {pair(p)[0]: (p.count, p.marks, p.words) for p in shown(toy, 2, counts="now").pairs}
    assert after["w e"] == (2, ("changed",), "was 8")


def test_a_pair_that_is_tied_and_changed_has_both_marks():
    # x a and a y are tied at 3; merging x a leaves one a y of its three.
    live = live_of(Recipe("xay xay xab ay", pattern=WORDS), 1)
    views = {pair(p)[0]: p for p in shown(live, 1).pairs}
    assert pair(views["x a"]) == ("x a", 3, "chosen")
    assert (views["a y"].marks, views["a y"].words) == (("tied", "changed"), "tied, now 1")


@pytest.mark.parametrize("tie_rule", ["greater_bytes", "first_seen", "lower_ids"])
@given(corpus=st.lists(st.sampled_from(["ab", "ba", "aa", " a", "c", "ac", "é"]), max_size=25).map("".join))
@settings(max_examples=15)
def test_marks_are_what_a_step_did(tie_rule, corpus):
    live = live_of(Recipe(corpus, tie_rule=tie_rule, pattern=NAMED["whitespace"]), 8)
    run = live.run
    assert run is not None
    for number in range(1, run.known + 1):
        old = {found.pair: found.count for found in run.pairs(number - 1)[0]}
        new = {found.pair: found.count for found in run.pairs(number)[0]}
        step = run.step(number)
        before, now = shown(live, number), shown(live, number, counts="now")
        for p in before.pairs:
            key = p.left.id, p.right.id
            assert p.count == old[key]
            assert ("chosen" in p.marks) == (key == step.pair)
            assert ("tied" in p.marks) == (key != step.pair and old[key] == step.count)
            if key != step.pair:
                assert ("gone" in p.marks) == (key not in new)
                assert ("changed" in p.marks) == (key in new and new[key] != old[key])
        for p in now.pairs:
            key = p.left.id, p.right.id
            assert p.count == new[key]
            assert set(p.marks) <= {"new", "changed"}
            assert ("new" in p.marks) == (key not in old)
            assert ("changed" in p.marks) == (key in old and new[key] != old[key])
        assert before.gone_total == now.gone_total == len(old.keys() - new.keys())
        assert before.appeared_total == now.appeared_total == len(new.keys() - old.keys())


def test_of_many_new_pairs_the_first_are_shown_with_their_total(prose):
    run = prose.run
    assert run is not None
    number = max(range(1, 30), key=lambda step: run.step(step).pairs_new_total)
    view = shown(prose, number)
    assert view.appeared_total == run.step(number).pairs_new_total > len(view.appeared) == LISTED
    assert [p.count for p in view.appeared] == sorted((p.count for p in view.appeared), reverse=True)
    assert shown(prose, number, pairs=50).appeared == ()  # on the first page only


# Rows


def test_changed_rows_come_first_or_stay_in_the_table_s_order(toy):
    view = shown(toy, 5)
    assert [(r.number, r.changed) for r in view.rows][:3] == [(0, True), (7, True), (1, False)]
    assert view.rows_changed_total == 2
    view = shown(toy, 5, order="table")
    assert [r.number for r in view.rows] == list(range(8))
    assert [r.number for r in view.rows if r.changed] == [0, 7]
    assert [r.count for r in view.rows] == [5, 4, 3, 3, 1, 1, 1, 1]


def test_a_changed_row_is_shown_before_and_after_with_the_merged_tokens_marked(toy):
    changed = shown(toy, 5).rows[0]
    (part,) = changed.windows
    assert (row(part.before), row(part.after)) == ("␣ n e w est", "␣ n e west")
    assert [chip.role for chip in part.before] == ["", "", "", "left", "right"]
    assert [chip.role for chip in part.after] == ["", "", "", "new"]
    assert (changed.count, changed.note, changed.link) == (5, "", None)
    assert (part.lead, part.trail) == (False, False)


def test_an_unchanged_row_has_one_state_and_no_roles(toy):
    still = shown(toy, 5).rows[2]
    (part,) = still.windows
    assert (part.before, row(part.after)) == ((), "␣ low")
    assert not any(chip.role for chip in part.after)


@pytest.mark.parametrize(
    ("corpus", "before", "after"),
    [
        ("aaaaa", "left right left right ", "new new "),
        ("aaab", "left right  ", "new  "),
        ("baaa", " left right ", " new "),  # from the left
        ("aa", "left right", "new"),
    ],
)
def test_roles_stand_where_replacements_were_made_and_nowhere_else(corpus, before, after):
    live = live_of(Recipe(corpus + " aa aa", pattern=WORDS), 1)
    (part,) = next(r for r in shown(live, 1).rows if row(r.windows[0].before) == " ".join(corpus)).windows
    assert " ".join(chip.role for chip in part.before) == before
    assert " ".join(chip.role for chip in part.after) == after


@given(corpus=st.lists(st.sampled_from(["a", "b", "aa", "ab", "é", "aaa"]), min_size=1, max_size=30).map("".join))
@settings(max_examples=25)
def test_roles_and_bytes_agree_before_and_after(corpus):
    live = live_of(Recipe(corpus, pattern=NONE), 10)
    run = live.run
    assert run is not None
    for number in range(1, run.known + 1):
        (only,) = shown(live, number).rows
        step = run.step(number)
        (part,) = only.windows
        spelled = [b"".join(run.token(chip.id) for chip in side) for side in (part.before, part.after)]
        assert spelled == [corpus.encode()] * 2
        merged = [chip for chip in part.after if chip.role]
        assert {(chip.id, chip.role) for chip in merged} == {(step.token, "new")}
        assert len(merged) == step.replaced
        roles = [(chip.role, chip.id) for chip in part.before if chip.role]
        assert roles == [("left", step.pair[0]), ("right", step.pair[1])] * step.replaced


# Long rows


@pytest.fixture(scope="module")
def document() -> LiveRun:
    """One row of 3,000 bytes with a pair at six far places only."""
    filler = "".join(chr(ord("a") + at % 23) + chr(ord("a") + at // 23 % 23) for at in range(232))
    return live_of(Recipe(("ZZ" + filler) * 6, pattern=NONE, tie_rule="lower_ids"))


def test_a_long_changed_row_has_windows_around_the_changes_with_totals_and_a_link(document):
    run = document.run
    assert run is not None
    number = next(k for k in range(1, run.known) if run.step(k).bytes == b"ZZ")
    (only,) = shown(document, number).rows
    assert len(only.windows) == 3
    change = run.row_change(number, 0)
    assert (change.replaced, change.windows_total) == (6, 6)
    assert only.note == (
        f"6 replacements, the first 3 of 6 changed stretches, {change.before_total:,} → {change.after_total:,} tokens"
    )
    assert only.link == f"/runs/{document.id}/rows/0?step={number}"
    for part in only.windows:
        assert [chip.role for chip in part.before if chip.role] == ["left", "right"]
        assert [said(chip) for chip in part.after if chip.role] == ["ZZ"]
        assert len(part.before) < 120
    assert [part.lead for part in only.windows] == [False, True, True]
    assert all(part.trail for part in only.windows)


def test_a_long_row_that_a_step_did_not_change_is_cut_with_a_link(document):
    view = shown(document, 0)
    (only,) = view.rows
    (part,) = only.windows
    assert (len(part.after), part.lead, part.trail) == (160, False, True)
    assert only.note == "160 of 2,796 tokens"
    assert only.link == f"/runs/{document.id}/rows/0?step=0"


def test_a_row_of_middling_length_is_whole_where_it_changed():
    live = live_of(Recipe("xy" + "abcdefgh" * 40, pattern=NONE), 1)
    (only,) = shown(live, 1).rows
    assert (only.note, only.link) == ("", None)
    assert len(only.windows[0].before) == 322


# Merges


def test_merges_stand_newest_first_with_the_newest_marked(toy):
    view = shown(toy, 5)
    lines = [(merge.rank, said(merge.left), said(merge.right), said(merge.token), merge.count) for merge in view.merges]
    assert lines == [
        (4, "w", "est", "west", 6),
        (3, "l", "ow", "low", 7),
        (2, "o", "w", "ow", 7),
        (1, "e", "st", "est", 9),
        (0, "s", "t", "st", 9),
    ]
    assert [merge.current for merge in view.merges] == [True, False, False, False, False]
    assert [merge.link for merge in view.merges][-1] == f"/runs/{toy.id}/steps/1"
    newest, older = view.merges[0], view.merges[1]
    assert (newest.left.role, newest.right.role, newest.token.role) == ("left", "right", "new")
    assert (older.left.role, older.right.role, older.token.role) == ("", "", "")


def test_an_empty_corpus_has_empty_lists():
    view = shown(live_of(Recipe("")), 0)
    assert view.cut is not None
    assert (view.cut.pieces, view.pairs, view.rows, view.merges) == ((), (), (), ())
    for window in (view.cut.window, view.pairs_window, view.rows_window, view.merges_window):
        assert (span(window), window.previous_link, window.next_link) == ((0, 0, 0), None, None)


def test_markup_stays_text():
    live = live_of(Recipe("<img src=x onerror=alert(1)>", pattern=NONE), 3)
    assert row(shown(live, 0).rows[0].windows[0].after).replace(" ", "").startswith("<img␣src=x")
