"""Progress in words: what is done of what, how long it still takes, where it was stopped and how to go on."""

import pytest

from app.present.progress import progress_view, time_left
from app.runs.live import LiveRun
from app.views.lab import Way
from tests.app.live import live_of
from tokenizer import Recipe

LETTERS = Recipe("abcdefgh")


def counting(counted: int, corpus: str = "x" * 200) -> LiveRun:
    live = live_of(Recipe(corpus), 0)
    live.run, live.counted = None, counted
    return live


def test_progress_of_training():
    live = live_of(LETTERS, 3)
    view = progress_view(live, 7)
    assert (view.done, view.total, view.percent, view.phase) == ("3", "7", 42, "Training")
    assert view.title == "Step 7 is being made"
    assert view.back == Way(f"/runs/{live.id}/steps/3", "To step 3", same_run=True)
    assert view.target == f"/runs/{live.id}/steps/7"
    assert view.stream == f"/runs/{live.id}/progress?step=7"
    assert progress_view(live, 2).percent == 100


def test_progress_of_counting():
    view = progress_view(counting(30), 7)
    assert (view.done, view.total, view.percent, view.phase) == ("30 bytes", "200 bytes", 15, "Counting pre-tokens")
    assert view.title == "Counting the corpus"
    assert view.back == Way("/", "To the small corpus", same_run=False)
    large = progress_view(counting(250_000, "x" * 2_340_000), 0)
    assert (large.done, large.total, large.percent) == ("0.2 MB", "2.3 MB", 10)


def test_after_the_last_byte_nobody_knows_how_far_the_pairs_are():
    view = progress_view(counting(200), 0)
    assert (view.phase, view.percent, view.time_left) == ("Counting pairs", None, "")
    assert (view.done, view.total) == ("", "")


def test_before_the_first_part_of_a_corpus_is_counted_nobody_knows_how_far_it_is():
    view = progress_view(counting(0), 0)
    assert (view.done, view.total, view.percent) == ("0 bytes", "200 bytes", None)


def test_a_failure_has_its_reason():
    live = counting(0, "")
    live.fail("No.")
    view = progress_view(live, 0)
    assert (view.percent, view.failed, view.stopped) == (None, "No.", "")
    assert view.title == "The corpus could not be counted"
    live = live_of(LETTERS, 3)
    live.fail("No.")
    assert progress_view(live, 7).title == "Step 7 could not be made"


def test_what_was_stopped_says_where_and_how_to_go_on():
    live = live_of(LETTERS, 3)
    live.cancelled = True
    assert progress_view(live, 7).title == "Stopped before step 7"
    assert progress_view(live, 7).go_on == f"/runs/{live.id}/go-on?step=7"
    assert progress_view(live, 7).stopped == (
        "Training was stopped at step 3. Any later step makes it go on from there."
    )
    live = counting(250_000, "x" * 2_340_000)
    live.cancelled = True
    assert progress_view(live, 7).title == "Counting was stopped"
    assert progress_view(live, 7).stopped == (
        "0.2 MB of 2.3 MB had been counted. The corpus is kept; going on counts it from its beginning."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (None, ""),
        (0.0, "about 1 s left"),
        (3.6, "about 4 s left"),
        (9.9, "about 10 s left"),
        (12.4, "about 10 s left"),
        (57.0, "about 55 s left"),
        (58.0, "about 1 min left"),
        (200.0, "about 3 min left"),
    ],
)
def test_time_left_in_words(seconds, words):
    assert time_left(seconds) == words
