"""The trace of a text, and ids back to text."""

from dataclasses import dataclass
from typing import Literal

from app.views.lab import RunView
from app.views.tokens import Chip, Glyph, TreeView


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A bracket under two neighbours in an iteration of the trace."""

    rank: int
    applied: bool
    title: str  # "rank 3: l + ow"


@dataclass(frozen=True, slots=True)
class IterationView:
    """One line of a trace."""

    number: int  # from 1; the last line has no applied candidate
    chips: tuple[Chip, ...]
    brackets: tuple[CandidateView | None, ...]  # for each chip the bracket between it and the next
    lost: str  # "" or the candidates that this merge takes a token from: "w + est (rank 4) can no longer happen"
    words: str  # "rank 0: s + t" or "no pair has a merge"
    cut: str  # "" or "first 200 of 9,000 tokens"


@dataclass(frozen=True, slots=True)
class TracedPieceView:
    """A distinct pre-token of the traced text."""

    index: int
    glyphs: tuple[Glyph, ...]
    special: bool
    times: int
    chips: tuple[Chip, ...]
    iterations: tuple[IterationView, ...] | None  # None: open on demand, by sending the text with `opened=index`
    iterations_total: int
    first_iteration: int  # number of the first that is shown, from 1
    next_start: int | None  # `start` for the iterations after those shown
    tree: TreeView | None
    bytes: int
    cut: str = ""  # "" or what is not shown of the chips


@dataclass(frozen=True, slots=True)
class TraceView:
    """The trace page: everything in `trace/_trace.html`."""

    run: RunView
    step: int
    known: int  # steps that can be chosen
    text: str
    specials: Literal["as_special", "as_text"]
    chips: tuple[Chip, ...]  # the whole text in order, cut at a limit
    chips_total: int
    ids: str  # all ids, joined by ", "
    bytes: int
    code_points: int
    tokens: int
    bytes_per_token: str
    pieces: tuple[TracedPieceView, ...]
    pieces_total: int
    more: int | None  # `shown` for more of them
    has_specials: bool
    notices: tuple[str, ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class DecodedView:
    """Ids back to text: `trace/_decoded.html`."""

    ids: str
    text: str
    chips: tuple[Chip, ...]
    valid_utf8: bool
    error: str = ""
