"""How a text is encoded, as the trace page shows it; and ids back to text."""

from dataclasses import dataclass, replace

from app.present.drawing import MOST_NODES, tree_view
from app.present.glyphs import chip, glyphs_of_text, name_of, shortened
from app.present.lab import run_chip, run_view
from app.runs.live import LiveRun
from app.text_boxes import in_text_box
from app.views.tokens import Chip, TreeView
from app.views.trace import CandidateView, DecodedView, IterationView, TracedPieceView, TraceView
from tokenizer import Run, Specials, Trace, TracedPiece, Vocabulary, decode, iterations, trace
from tokenizer.encoding import Candidate, Iteration

CHIPS = 2_000  # tokens of the whole text that are drawn
PIECES = 40  # distinct pre-tokens shown at first
CELLS = 2_500  # chips in step lists that are open from the start
SHORT = 64  # bytes of a pre-token whose steps may be open from the start
WIDE = 200  # tokens of an iteration that are drawn
TREES = 12  # tokens of a pre-token whose trees are drawn side by side
MOST_LOST = 3  # candidates named as lost
ROUNDS = 60  # iterations of a step list that are shown at once


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """A text to trace and which parts of the answer are wanted.

    `shown` is how many pre-tokens, `opened` the one whose step list was asked for, `start` where in it.
    """

    text: str
    specials: Specials = "as_special"
    shown: int = PIECES
    opened: int | None = None
    start: int = 0


def trace_view(live: LiveRun, step: int, query: TraceQuery, *, time_limit: float) -> TraceView:
    """Trace a text under a run's merges as of a step. Call it in a thread.

    Args:
        live: the run; the step must be known.
        step: as of which step.
        query: the text, and what is wanted.
        time_limit: seconds for the pattern.

    Raises:
        PatternError: the pattern took longer.
    """
    run = _run(live)
    vocabulary = run.vocabulary(step)
    traced = trace(query.text, vocabulary, specials=query.specials, time_limit=time_limit)
    size = len(traced.text.encode())
    tokens = len(traced.ids)
    notices: list[str] = []
    if traced.replaced:
        lone = "1 lone surrogate" if traced.replaced == 1 else f"{traced.replaced:,} lone surrogates"
        notices.append(f"{lone}, which no text can hold, became U+FFFD.")
    shown = in_text_box(traced.text)
    if shown != traced.text:
        notices.append(
            "A text box cannot hold every character of this text (NUL, carriage return): what is traced next from the "
            "box is what it shows."
        )
    return TraceView(
        run=run_view(live),
        step=step,
        known=run.known,
        text=shown,
        specials=query.specials,
        chips=tuple(_chip(vocabulary, token) for token in traced.ids[:CHIPS]),
        chips_total=tokens,
        ids=", ".join(map(str, traced.ids)),
        bytes=size,
        code_points=len(traced.text),
        tokens=tokens,
        bytes_per_token=f"{size / tokens:.2f}" if tokens else "0",
        pieces=_pieces(run, vocabulary, traced, query),
        pieces_total=len(traced.pieces),
        more=min(4 * query.shown, len(traced.pieces)) if query.shown < len(traced.pieces) else None,
        has_specials=bool(vocabulary.special_tokens),
        notices=tuple(notices),
    )


def empty_trace(
    live: LiveRun, step: int, *, text: str = "", specials: Specials = "as_special", error: str = ""
) -> TraceView:
    """The trace page before anything was typed, or with what is wrong with the text, which stays in its box."""
    blank = trace_view(live, step, TraceQuery("", specials), time_limit=1.0)
    return replace(blank, text=text, error=error)


def decoded_view(live: LiveRun, step: int, ids: list[int], written: str) -> DecodedView:
    """Ids back to text.

    Raises:
        UnknownId: an id is no token's.
    """
    vocabulary = _run(live).vocabulary(step)
    data = decode(ids, vocabulary)
    text = data.decode(errors="replace")
    try:
        data.decode()
        valid = True
    except UnicodeDecodeError:
        valid = False
    return DecodedView(written, text, tuple(_chip(vocabulary, token) for token in ids[:CHIPS]), valid)


def _run(live: LiveRun) -> Run:
    if live.run is None:
        raise ValueError("the run's corpus is not counted yet")
    return live.run


def _chip(vocabulary: Vocabulary, token: int) -> Chip:
    special = vocabulary.is_special(token)
    return chip(token, vocabulary.token(token), special=special, coloured=True)


def _pieces(run: Run, vocabulary: Vocabulary, traced: Trace, query: TraceQuery) -> tuple[TracedPieceView, ...]:
    shown = []
    budget = CELLS
    for index, piece in enumerate(traced.pieces):
        opened = index == query.opened
        if index >= query.shown and not opened:
            continue
        size = len(piece.text.encode())
        cost = (piece.iterations + 1) * size
        fits = not piece.special and size <= SHORT and cost <= budget
        if fits:
            budget -= cost
        shown.append(_piece(run, vocabulary, index, piece, query.start if opened else 0, open_=opened or fits))
    return tuple(shown)


def _piece(
    run: Run, vocabulary: Vocabulary, index: int, piece: TracedPiece, start: int, *, open_: bool
) -> TracedPieceView:
    spelled = piece.text.encode()
    label, _ = shortened(glyphs_of_text(piece.text[:1_000] + piece.text[1_000:][-100:]))
    rounds = None
    if open_ and not piece.special:
        found = iterations(spelled, vocabulary, offset=start, limit=ROUNDS, longest=WIDE)
        rounds = tuple(_iteration(vocabulary, iteration) for iteration in found)
    total = piece.iterations + 1
    return TracedPieceView(
        index=index,
        glyphs=label,
        special=piece.special,
        times=piece.occurrences,
        chips=tuple(_chip(vocabulary, token) for token in piece.ids[:WIDE]),
        iterations=rounds,
        iterations_total=total,
        first_iteration=start + 1,
        next_start=start + ROUNDS if rounds is not None and start + ROUNDS < total else None,
        tree=_tree(run, piece) if rounds is not None else None,
        bytes=len(spelled),
        cut=f"{WIDE:,} of {len(piece.ids):,} tokens are drawn" if len(piece.ids) > WIDE else "",
    )


def _tree(run: Run, piece: TracedPiece) -> TreeView | None:
    """The merge trees of a pre-token's tokens; None where there are too many to look at."""
    if len(piece.ids) > TREES or not piece.iterations:
        return None
    trees = [run.tree(token, most=MOST_NODES) for token in piece.ids]
    return tree_view(trees, lambda token, role: run_chip(run, token, role), run.token)


def _iteration(vocabulary: Vocabulary, iteration: Iteration) -> IterationView:
    brackets: list[CandidateView | None] = [None] * len(iteration.tokens)
    for candidate in iteration.candidates:
        title = f"rank {candidate.rank}: {_words(vocabulary, candidate.pair)}"
        for position in candidate.positions:
            brackets[position] = CandidateView(candidate.rank, candidate.rank == iteration.applied, title)
    applied = next((found for found in iteration.candidates if found.rank == iteration.applied), None)
    if iteration.applied is None:
        words = "no pair has a merge" if iteration.total > 1 else "one token"
    else:
        pair = f": {_words(vocabulary, applied.pair)}" if applied is not None else ""
        times = f", {iteration.places:,} times" if iteration.places > 1 else ""
        words = f"rank {iteration.applied}{pair}{times}"
    cut = f"first {len(iteration.tokens):,} of {iteration.total:,} tokens" if iteration.total > WIDE else ""
    return IterationView(
        number=iteration.number,
        chips=tuple(_chip(vocabulary, token) for token in iteration.tokens),
        brackets=tuple(brackets),
        lost=_lost(vocabulary, iteration, applied) if applied is not None and not cut else "",
        words=words,
        cut=cut,
    )


def _lost(vocabulary: Vocabulary, iteration: Iteration, applied: Candidate) -> str:
    """The candidates that can no longer happen, because everywhere the merge takes one of their two tokens."""
    merged: set[int] = set()
    for position in applied.positions:
        if position - 1 not in merged:
            merged.add(position)
    lost = [
        f"{_words(vocabulary, candidate.pair)} (rank {candidate.rank})"
        for candidate in iteration.candidates
        if candidate is not applied
        and all(position - 1 in merged or position + 1 in merged for position in candidate.positions)
    ]
    if len(lost) > MOST_LOST:
        lost[MOST_LOST:] = [f"{len(lost) - MOST_LOST} more"]
    return f"{', '.join(lost)} can no longer happen" if lost else ""


def _words(vocabulary: Vocabulary, pair: tuple[int, int]) -> str:
    return " + ".join(name_of(vocabulary.token(token)) for token in pair)
