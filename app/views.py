"""What the templates read: frozen dataclasses, filled by `app.present`, held by tests.

A template formats and lays out; it decides nothing. Every string here is plain text (templates escape it).
"""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["", "left", "right", "new"]
Kind = Literal["text", "bytes", "special"]
Mark = Literal["chosen", "tied", "new", "gone", "changed", ""]


@dataclass(frozen=True, slots=True)
class Glyph:
    """A stretch of a token's label; `dim` where it stands for something invisible (␣ ⏎ ⇥ ␀) or is left out (…)."""

    text: str
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as a chip.

    `kind` "bytes" is a token that is no whole characters (label in hex, another shape); "special" a special token.
    `role` marks the chosen pair's left and right token and the token that they became. `hue` 0-11 colours tokens
    stably by id where a page wants coloured chips (trace), None else. `title` is the whole token in words.
    """

    id: int
    glyphs: tuple[Glyph, ...]
    title: str
    kind: Kind = "text"
    role: Role = ""
    hue: int | None = None
    shortened: bool = False

    def __hash__(self) -> int:
        # A page looks up hundreds of drawings by their chips; hashing all fields takes ten times as long.
        return self.id


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
class TreeView:
    """How a token was built, as placed boxes for an SVG.

    A node's `x` and `y` are its left upper corner, its height is 24; an edge leads from the middle of a node's lower
    side to the middle of the upper side of its part.
    """

    @dataclass(frozen=True, slots=True)
    class Node:
        x: float
        y: float
        width: float
        chip: Chip
        cut: bool  # it has parts, which are left out

    @dataclass(frozen=True, slots=True)
    class Edge:
        x1: float
        y1: float
        x2: float
        y2: float

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: float  # in SVG user units (px at 100 %)
    height: float
    text: str  # the same in words for screen readers: "west = w + est; est = e + st; st = s + t"


@dataclass(frozen=True, slots=True)
class CurveView:
    """Compression over the steps: an SVG polyline in a 0..100 by 0..30 box, and its figures."""

    points: str  # "0,2.1 3.4,8 ..."
    x: float  # this step
    y: float
    first: str  # "95 tokens"
    now: str  # "57 tokens in the corpus"
    ratio: str  # "1.67 bytes per token"
    text: str  # in words for screen readers


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
    uncovered: int  # pieces that no match covers
    note: str = ""  # why pieces are not shown


@dataclass(frozen=True, slots=True)
class MergeSentence:
    """The chosen merge and why."""

    left: Chip
    right: Chip
    token: Chip
    count: int
    sentence: str  # plain words, all of it


@dataclass(frozen=True, slots=True)
class RunView:
    """The run, the same at every step."""

    id: str
    name: str  # "low low low low low…" or the sample's name
    corpus_bytes: int
    occurrences: int
    distinct: int
    pattern: str
    pattern_source: str
    tie_rule: str
    tie_rule_label: str  # "greater bytes"
    special_tokens: tuple[str, ...]
    vocab_size: int | None
    min_count: int


@dataclass(frozen=True, slots=True)
class ControlsView:
    """Where we are and where one can go; links are None where there is nothing."""

    step: int
    known: int  # steps trained so far
    last: int | None  # the last step of all, once known
    end: int  # what the progress line is drawn against: last, else the wanted number of steps, else known
    first_link: str | None
    back_link: str | None
    next_link: str | None
    last_link: str | None
    prefetch: str | None  # the address of the step to fetch ahead: `next_link` when that step is known, else None
    training: bool  # steps are being made ahead
    ended: str  # "" or the sentence of the end: "The vocabulary has its 265 entries. ..."


@dataclass(frozen=True, slots=True)
class LabView:
    """The lab at step k: everything in `lab/_step.html`."""

    run: RunView
    controls: ControlsView
    opening: str  # at step 0: what is there and what comes next, "" else
    merge: MergeSentence | None  # None at step 0
    cut: CutView | None  # at step 0 only
    pairs: tuple[PairView, ...]
    pairs_window: Window
    counts: Literal["before", "now"]  # which state `pairs` shows: the one that decided this merge, or the one after it
    counts_link: str  # the other one
    gone: tuple[PairView, ...]  # the first that vanished in this step, where `pairs` shows the state after it
    gone_total: int
    appeared: tuple[PairView, ...]  # the first that are new in this step, where `pairs` shows the state before it
    appeared_total: int
    rows: tuple[RowView, ...]
    rows_window: Window
    rows_changed_total: int
    order: Literal["changed", "table"]
    order_link: str  # the other order
    merges: tuple[MergeView, ...]
    merges_window: Window
    tree: TreeView | None
    curve: CurveView
    announcement: str  # for the polite live region


@dataclass(frozen=True, slots=True)
class WholeRowView:
    """A row too long for the table, a window at a time: `lab/row.html`. The window counts bytes."""

    run: RunView
    step: int
    row: RowView  # one RowWindowView
    window: Window


@dataclass(frozen=True, slots=True)
class ProgressView:
    """Work that is going on for a step that is not known yet."""

    run: RunView
    step: int
    done: int
    total: int | None
    phase: str  # "Counting pre-tokens" or "Training"
    percent: int | None
    back_link: str
    target: str  # address that will be loaded when it is ready
    stream: str  # address of the server-sent events
    failed: str = ""  # why it cannot go on, "" while it does
    cancelled: bool = False


@dataclass(frozen=True, slots=True)
class SampleView:
    """A corpus that ships with the project."""

    key: str
    name: str
    about: str


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field of a form."""

    field: str
    message: str


@dataclass(frozen=True, slots=True)
class RecipeForm:
    """The recipe editor. `corpus` is what the text box holds; `base` the run whose corpus is kept if unchanged."""

    corpus: str
    corpus_note: str  # for corpora too long for a text box: "The corpus has 5,100,000 bytes; ..." ("" else)
    base: str
    pattern: str
    custom: str
    tie_rule: str
    special_tokens: str  # one a line
    vocab_size: str
    min_count: str
    patterns: tuple[tuple[str, str], ...]  # value, label
    tie_rules: tuple[tuple[str, str], ...]
    samples: tuple[SampleView, ...]
    errors: tuple[FieldError, ...] = ()
    kept_upload: str = ""  # key of an upload that is not UTF-8, kept so that it can be read another way
    limits: str = ""  # "Up to 8 MB, UTF-8."
    merges: int | None = None  # how many the vocabulary size leaves room for
    values: dict[str, str] = field(default_factory=dict)


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


@dataclass(frozen=True, slots=True)
class RecentRun:
    """A line of the list of recent runs."""

    id: str
    name: str
    step: int
    link: str
    about: str  # "95 bytes · gpt2 · greater bytes"
    when: str  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class PageView:
    """What every whole page gets beside its own view, as `page`."""

    title: str
    nav: str  # "lab", "trace", "runs", "docs"
    trace_link: str = "/trace"  # that leads to where this browser was
    resume: RecentRun | None = None
