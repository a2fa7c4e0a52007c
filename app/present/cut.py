"""How the corpus is cut: a window of its pieces in order, read from the corpus's file."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Literal

from app.forms import LabQuery
from app.kept import KeptCorpus
from app.present.glyphs import glyphs_of_text, shortened
from app.present.lists import PIECES, Addresses, window
from app.views.lists import CutView, PieceView
from tokenizer import Method, PatternError, RecipeError, Table
from tokenizer.pretokens import Piece, pieces

CUT_SECONDS = 5.0
TOO_SLOW = f"Cutting the corpus this far took more than {CUT_SECONDS:g} s, so it is not shown."
GONE = (
    "The text of this corpus is not kept here any more, so its pieces are not shown. "
    "What was counted in it is kept: every step can still be looked at."
)
CHANGED = "The file that this corpus is kept in has been changed since it was counted, so its pieces are not shown."


def cut_view(table: Table, method: Method, corpus: KeptCorpus, query: LabQuery, links: Addresses) -> CutView:
    """The window of pieces that a query asks for. Call it in a thread: it reads a file.

    Args:
        table: what was counted; its marks say where cutting can begin.
        method: the pattern and the special tokens.
        corpus: where the text is.
        query: of it, `cut` is the first piece to show.
        links: addresses of the other windows.
    """
    total = table.occurrences + table.specials
    shown, note = list[PieceView](), ""
    try:
        shown = [piece_view(piece) for piece in _pieces(table, method, corpus, query.cut)]
    except OSError:
        note = GONE
    except UnicodeDecodeError:
        note = CHANGED
    except (PatternError, RecipeError):  # they had longer than this to count the corpus, once and for all steps
        note = TOO_SLOW
    return CutView(
        pieces=tuple(shown),
        alternatives=method.pattern.alternatives,
        window=window("cut", query.cut, len(shown), total, total, "", links),
        specials=table.specials,
        uncovered=table.uncovered,
        note=note,
    )


def _pieces(table: Table, method: Method, corpus: KeptCorpus, first: int) -> Iterator[Piece]:
    """The pieces of a window, with their places in the whole corpus."""
    mark = table.mark_before(first)
    after = next((other.byte for other in table.marks if other.piece >= first + PIECES), corpus.bytes)
    with corpus.path.open("rb") as file:
        file.seek(mark.byte)
        text = file.read(after - mark.byte).decode()
    found = pieces(text, method.pattern, method.special_tokens, skip=first - mark.piece, time_limit=CUT_SECONDS)
    for piece in islice(found, PIECES):
        yield replace(piece, start=mark.character + piece.start, end=mark.character + piece.end)


def piece_view(piece: Piece) -> PieceView:
    """A piece of the corpus with what cut it."""
    label, _ = shortened(glyphs_of_text(piece.text[:2_000]))
    where = f"characters {piece.start:,} to {piece.end:,}"
    if piece.special:
        title = f"special token, {where}"
    elif piece.alternative is not None:
        title = f"matched by part {piece.alternative + 1} of the pattern, {where}"
    else:
        title = where if piece.matched else f"matched by no part of the pattern, {where}"
    kind: Literal["piece", "special", "uncovered"] = "piece" if piece.matched else "uncovered"
    return PieceView(label, piece.start, piece.end, piece.alternative, "special" if piece.special else kind, title)
