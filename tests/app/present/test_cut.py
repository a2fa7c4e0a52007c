"""How the corpus is cut: windows of its pieces, read from its file."""

import pytest

from app.forms import LabQuery
from app.present import cut as cut_module
from app.present.cut import piece_view
from app.present.lab import lab
from app.present.lists import PIECES
from app.runs.live import LiveRun
from app.views.lab import LabView
from app.views.lists import Window
from tests.app.live import live_of, said
from tokenizer import PatternError, Piece, Recipe, RecipeError, custom, pieces


def shown(live: LiveRun, step: int, **query: object) -> LabView:
    return lab(live, step, LabQuery(**query))


def span(window: Window) -> tuple[int, int, int]:
    return window.first, window.last, window.total


def test_pieces_tell_their_alternative_and_their_place():
    live = live_of(Recipe("it's 42 <s>!\n\n x", special_tokens=("<s>",)), 0)
    cut = shown(live, 0).cut
    assert cut is not None
    found = [(said(piece.glyphs), piece.alternative, piece.kind, piece.start, piece.end) for piece in cut.pieces]
    assert found == [
        ("it", 1, "piece", 0, 2),
        ("'s", 0, "piece", 2, 4),
        ("␣42", 2, "piece", 4, 7),
        ("␣", 4, "piece", 7, 8),
        ("<s>", None, "special", 8, 11),
        ("!", 3, "piece", 11, 12),
        ("⏎⏎", 4, "piece", 12, 14),
        ("␣x", 1, "piece", 14, 16),
    ]
    assert cut.pieces[2].title == "matched by part 3 of the pattern, characters 4 to 7"
    assert cut.pieces[4].title == "special token, characters 8 to 11"
    assert cut.alternatives == live.method.pattern.alternatives
    assert len(cut.alternatives) == 6
    assert (span(cut.window), cut.uncovered) == ((1, 8, 8), 0)


def test_what_no_match_covers_is_shown_as_such():
    live = live_of(Recipe("ab-cd--e", pattern=custom(r"[a-z]+")), 0)
    cut = shown(live, 0).cut
    assert cut is not None
    assert [(said(p.glyphs), p.kind, p.alternative) for p in cut.pieces] == [
        ("ab", "piece", 0),
        ("-", "uncovered", None),
        ("cd", "piece", 0),
        ("--", "uncovered", None),
        ("e", "piece", 0),
    ]
    assert cut.uncovered == 2
    assert cut.pieces[1].title == "matched by no part of the pattern, characters 2 to 3"


def test_a_match_that_no_part_explains_alone_says_only_where_it_is():
    # A lookbehind sees the text before it, a part tried alone does too; a backreference to another part's group cannot.
    view = piece_view(Piece("b", 3, 4, None, matched=True))
    assert (view.title, view.kind) == ("characters 3 to 4", "piece")


def test_a_long_piece_is_shortened():
    live = live_of(Recipe("x" * 5_000), 0)
    cut = shown(live, 0).cut
    assert cut is not None
    assert said(cut.pieces[0].glyphs) == "xxxxxxxxxxxxxx…xxxxxxxx"
    assert cut.pieces[0].end == 5_000


@pytest.fixture(scope="module")
def long_corpus() -> tuple[str, LiveRun]:
    """More than two blocks of counting, with special tokens between."""
    words = " ".join(f"{'long' * 20} 's {number}" for number in range(7_300))
    corpus = words[:300_000] + "<s>" + words[300_000:] + "<s>"
    assert len(corpus) > 640_000
    return corpus, live_of(Recipe(corpus, special_tokens=("<s>",)), 0)


def test_deep_windows_show_the_pieces_that_are_there(long_corpus):
    corpus, live = long_corpus
    run = live.run
    assert run is not None
    whole = list(pieces(corpus, live.method.pattern, live.method.special_tokens))
    assert len(run.table.marks) > 2
    marks = [mark.piece for mark in run.table.marks]
    total = len(whole)
    for offset in {0, 300, marks[1] - 150, marks[1], marks[-1] - 1, marks[-1] + 299, total - 300, total - 1}:
        cut = shown(live, 0, cut=offset).cut
        assert cut is not None
        assert cut.pieces == tuple(piece_view(piece) for piece in whole[offset : offset + PIECES])
        assert span(cut.window) == (offset + 1, min(offset + PIECES, total), total)
    assert whole[-1].special


@pytest.mark.parametrize("error", [PatternError, RecipeError])  # of the pattern, of the special tokens
def test_what_is_too_slow_to_cut_with_has_a_note_in_place_of_pieces(monkeypatch, error):
    live = live_of(Recipe("ab ab"), 0)

    def slow(*_args: object, **_options: object):
        raise error("It took longer.")
        yield

    monkeypatch.setattr(cut_module, "pieces", slow)
    cut = shown(live, 0).cut
    assert cut is not None
    assert cut.pieces == ()
    assert cut.note == "Cutting the corpus this far took more than 5 s, so it is not shown."
    assert (cut.window.first, cut.window.total) == (0, 2)


def test_a_corpus_that_is_gone_leaves_a_note_and_its_counts():
    live = live_of(Recipe("ab ab cd"), 0)
    live.corpus.path.unlink()
    cut = shown(live, 0).cut
    assert cut is not None
    assert cut.pieces == ()
    assert cut.note.startswith("The text of this corpus is not kept here any more")
    assert cut.window.all_total == 3


def test_a_corpus_that_somebody_has_changed_leaves_a_note():
    live = live_of(Recipe("ab ab cd"), 0)
    live.corpus.path.write_bytes(b"\xff" * 8)
    cut = shown(live, 0).cut
    assert cut is not None
    assert (cut.pieces, cut.note) == ((), cut_module.CHANGED)


def test_only_the_window_is_read(long_corpus):
    _, live = long_corpus
    run = live.run
    assert run is not None
    mark = run.table.marks[1]
    data = live.corpus.path.read_bytes()
    live.corpus.path.write_bytes(b"\xff" * mark.byte + data[mark.byte :])  # not to be looked at
    try:
        cut = shown(live, 0, cut=mark.piece).cut
        assert cut is not None
        assert (len(cut.pieces), cut.pieces[0].start) == (PIECES, mark.character)
    finally:
        live.corpus.path.write_bytes(data)
