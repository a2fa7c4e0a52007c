"""The lab at a step, and what goes on while a step is being made."""

from dataclasses import dataclass
from typing import Literal

from app.views.lists import CutView, MergeView, PairView, RowView, Window
from app.views.tokens import Chip, TreeView


@dataclass(frozen=True, slots=True)
class RunView:
    """The run, the same at every step."""

    id: str
    name: str  # "low low low low low…" or the sample's name
    corpus_bytes: int
    size: str  # the same in words: "95 bytes", "22.3 MB"
    occurrences: int | None  # of pre-tokens; None while they are being counted
    distinct: int | None
    pattern: str
    pattern_source: str
    tie_rule: str
    tie_rule_label: str  # "greater bytes"
    special_tokens: tuple[str, ...]
    vocab_size: int | None
    min_count: int


@dataclass(frozen=True, slots=True)
class MergeSentence:
    """The chosen merge and why."""

    left: Chip
    right: Chip
    token: Chip
    count: int
    sentence: str  # plain words, all of it


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
    stopped: str  # "" or where somebody cancelled the training, at whatever step one looks
    go_on: str  # address to post to, so that what was stopped goes on


@dataclass(frozen=True, slots=True)
class Way:
    """A link to somewhere else."""

    link: str
    text: str  # where it leads
    same_run: bool  # only the step changes; else all of the page


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
    """Work that is going on for a step that is not known yet, or that was stopped or cannot go on."""

    run: RunView
    step: int
    title: str  # "Counting the corpus"
    phase: str  # "Counting pre-tokens", "Counting pairs" or "Training"
    done: str  # "8.2 MB", "1,234"; "" where nobody knows
    total: str
    percent: int | None  # None where nobody knows
    time_left: str  # "about 4 s left", "" while nobody knows
    back: Way
    target: str  # address that will be loaded when it is ready
    stream: str  # address of the server-sent events
    go_on: str  # address to post to, so that what was stopped goes on
    failed: str = ""  # why it cannot go on, "" while it does
    stopped: str = ""  # where somebody cancelled it and how to go on, "" while nobody has
