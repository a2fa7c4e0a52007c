"""The lists of the lab: pairs, rows, merges, pieces of the corpus; each a window with its totals."""

from dataclasses import dataclass
from typing import Protocol

from app.forms import LabQuery
from app.present.glyphs import STAND_INS, chip
from app.views.lists import Mark, MergeView, PairView, RowView, RowWindowView, Window
from app.views.tokens import Chip, Role
from tokenizer import Pair, Row, RowChange, Run, Step

# What a screen 720 px high shows; each line more is felt in how soon a step is painted (`make bench`).
PAIRS = ROWS = 14
MERGES = 10
PIECES = 300
ROW_BYTES = 160  # of a row that a step did not change
# What stands for an invisible character on the page can be searched for.
TYPED = str.maketrans(
    {chr(0x2400 + control): chr(control) for control in range(32)}
    | {shown: character for character, shown in STAND_INS.items()}
)


class Addresses(Protocol):
    """Whoever knows the addresses of a run's steps."""

    def to(self, **changes: int | str) -> str:
        """This step with other windows."""

    def step(self, step: int) -> str:
        """Another step."""

    def row(self, number: int) -> str:
        """One row, whole."""


def window(name: str, offset: int, shown: int, total: int, all_total: int, query: str, links: Addresses) -> Window:
    """Which part of a list is shown; `name` is the query's field with its offset."""
    size = {"pairs": PAIRS, "rows": ROWS, "cut": PIECES, "merges": MERGES}[name]
    beyond_last_page = -(-total // size) * size
    return Window(
        first=offset + 1 if shown else 0,
        last=offset + shown if shown else 0,
        total=total,
        all_total=all_total,
        query=query,
        previous_link=links.to(**{name: max(min(offset, beyond_last_page) - size, 0)}) if offset else None,
        next_link=links.to(**{name: offset + size}) if offset + shown < total else None,
    )


@dataclass(frozen=True, slots=True)
class PairLists:
    """The window of pairs and, beside it, pairs that only the other state has."""

    shown: tuple[PairView, ...]
    total: int
    all_total: int
    appeared: tuple[PairView, ...]
    gone: tuple[PairView, ...]


def pair_lists(run: Run, step: Step | None, query: LabQuery) -> PairLists:
    """The pair counts: those that decided the step (or those after it), with marks for what the step did to them."""
    number = step.number if step is not None else 0
    before = step is not None and query.counts == "before"
    as_of = number - 1 if before else number
    found, total = run.pairs(as_of, offset=query.pairs, limit=PAIRS, query=searched(query.pairs_q))
    _, all_total = run.pairs(as_of, limit=0)
    marks = _Marks(run, step, before=before)
    appeared = step.pairs_new if step is not None and before and not query.pairs else ()
    gone = step.pairs_gone if step is not None and not before and not query.pairs else ()
    return PairLists(
        shown=tuple(marks.view(pair.pair, pair.count) for pair in found),
        total=total,
        all_total=all_total,
        appeared=tuple(marks.pair_view(new.pair, new.count, ("new",), "new") for new in appeared),
        gone=tuple(marks.pair_view(old.pair, old.count, ("gone",), "gone") for old in gone),
    )


class _Marks:
    """What a step did to each pair."""

    def __init__(self, run: Run, step: Step | None, *, before: bool) -> None:
        self._run = run
        self._step = step
        self._before = before
        changes = run.pair_changes(step.number) if step is not None else {}
        self._changes = changes

    def view(self, pair: Pair, count: int) -> PairView:
        marks: list[Mark] = []
        words: list[str] = []
        step = self._step
        if step is not None and self._before:
            if pair == step.pair:
                marks.append("chosen")
            elif count == step.count:
                marks.append("tied")
            words += marks
        if (change := self._changes.get(pair)) is not None and "chosen" not in marks:
            old, new = change
            if not new:
                marks.append("gone")
                words.append("gone")
            elif not old:
                marks.append("new")
                words.append("new")
            else:
                marks.append("changed")
                words.append(f"now {new:,}" if self._before else f"was {old:,}")
        return self.pair_view(pair, count, tuple(marks), ", ".join(words))

    def pair_view(self, pair: Pair, count: int, marks: tuple[Mark, ...], words: str) -> PairView:
        chosen = "chosen" in marks
        left = self._chip(pair[0], "left" if chosen else "")
        right = self._chip(pair[1], "right" if chosen else "")
        return PairView(left, right, count, marks, words)

    def _chip(self, token: int, role: Role) -> Chip:
        is_new = self._step is not None and token == self._step.token
        return chip(token, self._run.token(token), role="new" if is_new else role)


def row_views(run: Run, step: Step | None, query: LabQuery, links: Addresses) -> tuple[tuple[RowView, ...], int]:
    """Rows of the table: those that the step changed before and after, the others as they are."""
    at = step.number if step is not None else 0
    numbers, total = run.row_numbers(at, offset=query.rows, limit=ROWS, query=searched(query.rows_q), order=query.order)
    views = []
    for number in numbers:
        if step is not None and run.is_changed(at, number):
            views.append(_changed_row(run, step, run.row_change(at, number), links))
        else:
            views.append(_plain_row(run, run.row(at, number, length=ROW_BYTES), links))
    return tuple(views), total


def _changed_row(run: Run, step: Step, change: RowChange, links: Addresses) -> RowView:
    windows = []
    for part in change.windows:
        before, after = _merged(run, part.before, part.after, step.token)
        lead = part.offset > 0
        end = part.offset + sum(len(run.token(token)) for token in part.after)
        windows.append(RowWindowView(lead, before, after, end < len(change.pre_token)))
    cut = change.windows_total > len(windows) or any(part.lead or part.trail for part in windows)
    note = ""
    if cut:
        places = f"{change.replaced:,} replacement{'s' * (change.replaced != 1)}"
        some = change.windows_total > len(windows)
        shown = f"the first {len(windows)} of {change.windows_total:,} changed stretches" if some else ""
        lengths = f"{change.before_total:,} → {change.after_total:,} tokens"
        note = ", ".join(part for part in (places, shown, lengths) if part)
    return RowView(change.number, change.count, True, tuple(windows), note, links.row(change.number) if cut else None)


def _merged(
    run: Run, before: tuple[int, ...], after: tuple[int, ...], token: int
) -> tuple[tuple[Chip, ...], tuple[Chip, ...]]:
    """A stretch before and after, with the two tokens that become one marked where they do."""
    old: list[Chip] = []
    new: list[Chip] = []
    tokens = iter(before)
    for result in after:
        merged = result == token
        new.append(chip(result, run.token(result), role="new" if merged else ""))
        taken: tuple[Role, ...] = ("left", "right") if merged else ("",)
        old.extend(chip(part, run.token(part), role=role) for role, part in zip(taken, tokens, strict=False))
    return tuple(old), tuple(new)


def _plain_row(run: Run, row: Row, links: Addresses) -> RowView:
    chips = tuple(chip(token, run.token(token)) for token in row.tokens)
    cut = len(row.tokens) < row.total
    note = f"{len(row.tokens):,} of {row.total:,} tokens" if cut else ""
    part = RowWindowView(row.offset > 0, (), chips, cut)
    return RowView(row.number, row.count, False, (part,), note, links.row(row.number) if cut else None)


def merge_views(run: Run, step: int, offset: int, links: Addresses) -> tuple[MergeView, ...]:
    """The merges up to a step, newest first; `offset` counts from the newest."""
    newest = step - offset
    oldest = max(newest - MERGES, 0)
    return tuple(
        MergeView(
            rank=merge.rank,
            left=chip(merge.pair[0], run.token(merge.pair[0]), role="left" if merge.rank == step - 1 else ""),
            right=chip(merge.pair[1], run.token(merge.pair[1]), role="right" if merge.rank == step - 1 else ""),
            token=chip(merge.token, run.token(merge.token), role="new" if merge.rank == step - 1 else ""),
            count=merge.count,
            link=links.step(merge.rank + 1),
            current=merge.rank == step - 1,
        )
        for merge in reversed(run.merges(step, offset=oldest, limit=newest - oldest))
    )


def searched(query: str) -> bytes:
    """The bytes that a search looks for; ␣ ⏎ ⇥ and their like may be typed for what they stand for."""
    return query.translate(TYPED).encode()
