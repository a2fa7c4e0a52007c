"""The lists of the lab: windows of pairs, rows, merges, pieces of the corpus."""

from dataclasses import dataclass
from typing import Literal

from app.views.tokens import Chip, Glyph

Mark = Literal["chosen", "tied", "new", "gone", "changed", ""]


@dataclass(frozen=True, slots=True)
class Window:
    """Which part of a long list is shown. Links are addresses, None where there is nothing in that direction."""

    first: int  # counted from 1; 0 when empty
    last: int
    total: int
    all_total: int  # without the search
    query: str
    previous_link: str | None
    next_link: str | None


@dataclass(frozen=True, slots=True)
class PairView:
    """A row of the pair list."""

    left: Chip
    right: Chip
    count: int  # in the state that the list shows
    marks: tuple[Mark, ...]
    words: str  # the marks in words, and the count in the other state: "chosen", "tied, gone", "new", "now 4", "was 7"


@dataclass(frozen=True, slots=True)
class RowWindowView:
    """A stretch of a row: before is empty for a row that this step did not change."""

    lead: bool  # something of the row comes before this window
    before: tuple[Chip, ...]
    after: tuple[Chip, ...]
    trail: bool


@dataclass(frozen=True, slots=True)
class RowView:
    """A row of the pre-token table."""

    number: int
    count: int
    changed: bool
    windows: tuple[RowWindowView, ...]
    note: str  # "" or what is not shown: "3 of 120 changed places, 51,234 tokens"
    link: str | None  # to the whole row when it is cut


@dataclass(frozen=True, slots=True)
class MergeView:
    """A line of the merges so far."""

    rank: int
    left: Chip
    right: Chip
    token: Chip
    count: int
    link: str  # the step that made it
    current: bool


@dataclass(frozen=True, slots=True)
class PieceView:
    """A pre-token at step 0, in the corpus's order."""

    glyphs: tuple[Glyph, ...]
    start: int
    end: int
    alternative: int | None  # from 0
    kind: Literal["piece", "special", "uncovered"]
    title: str


@dataclass(frozen=True, slots=True)
class CutView:
    """Step 0: how the corpus is cut."""

    pieces: tuple[PieceView, ...]
    alternatives: tuple[str, ...]  # sources of the pattern's alternatives, in order
    window: Window
    specials: int  # special tokens among the pieces of the whole corpus
    uncovered: int  # pieces that no match covers
    note: str = ""  # why pieces are not shown
