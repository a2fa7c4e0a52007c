"""A run as of a step becomes what the lab shows: typed views, no markup."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from app.forms import TIE_RULE_LABELS, LabQuery
from app.kept import KeptCorpus
from app.names import corpus_name
from app.present.cut import cut_view
from app.present.drawing import curve_view, tree_view
from app.present.glyphs import chip, name_of
from app.present.lists import MERGES, merge_views, pair_lists, row_views, window
from app.present.sentence import opening, sentence
from app.runs.live import LiveRun
from app.sizes import size_in_words
from app.views.lab import ControlsView, LabView, MergeSentence, RunView, WholeRowView
from app.views.lists import RowView, RowWindowView, Window
from app.views.tokens import Chip, Role, TreeView
from tokenizer import Run, Step

LISTED = 6  # of each of the step's own lists: ties for the sentence, pairs that appeared or went
CURVE_POINTS = 60
TREE_NODES = 19  # of the newest token's tree; more could not be read in its corner, the trace draws them
ROW_WINDOW = 2_000  # bytes of a long row shown at once
USUAL = LabQuery().model_dump()


def lab(live: LiveRun, step: int, query: LabQuery) -> LabView:
    """Everything that the lab shows of a run as of a step. Call it in a thread: a search looks at whole lists.

    Args:
        live: the run; its step must be known.
        step: which step.
        query: which parts of the lists.

    Raises:
        ValueError: the run is not counted yet.
    """
    run = _counted(live)
    value = run.step(step, limit=LISTED, rows=False) if step else None
    links = Links(live.id, step, query)
    pairs = pair_lists(run, value, query)
    rows, rows_total = row_views(run, value, query, links)
    merges_offset = min(query.merges, max(step - 1, 0))
    controls = _controls(live, run, step, links)
    return LabView(
        run=run_view(live),
        controls=controls,
        opening=opening(run) if value is None else "",
        merge=_merge(run, value) if value is not None else None,
        cut=cut_view(run.table, live.method, live.corpus, query, links) if value is None else None,
        pairs=pairs.shown,
        pairs_window=window("pairs", query.pairs, len(pairs.shown), pairs.total, pairs.all_total, query.pairs_q, links),
        counts=query.counts,
        counts_link=links.to(counts="now" if query.counts == "before" else "before", pairs=0),
        gone_total=value.pairs_gone_total if value is not None else 0,
        gone=pairs.gone,
        appeared_total=value.pairs_new_total if value is not None else 0,
        appeared=pairs.appeared,
        rows=rows,
        rows_window=window("rows", query.rows, len(rows), rows_total, len(run.table), query.rows_q, links),
        rows_changed_total=run.changed_total(step),
        order=query.order,
        order_link=links.to(order="table" if query.order == "changed" else "changed", rows=0),
        merges=merge_views(run, step, merges_offset, links),
        merges_window=window("merges", merges_offset, min(MERGES, step - merges_offset), step, step, "", links),
        tree=_tree(run, value) if value is not None else None,
        curve=curve_view(run.curve(step, points=CURVE_POINTS), run.table.corpus_bytes, end=controls.end),
        announcement=_announcement(run, value, controls),
    )


class Links:
    """Addresses of a run's steps that keep what a person has chosen to see."""

    def __init__(self, run: str, step: int, query: LabQuery) -> None:
        self._run = run
        self._step = step
        self._chosen = query.model_dump()
        self._manner = _asked({name: self._chosen[name] for name in ("order", "counts")})

    def to(self, **changes: Any) -> str:
        """This step with other windows."""
        return f"/runs/{self._run}/steps/{self._step}{_asked(self._chosen | changes)}"

    def step(self, step: int) -> str:
        """Another step, seen in the same manner: the order of rows and the state of pair counts stay."""
        return f"/runs/{self._run}/steps/{step}{self._manner}"

    def row(self, number: int) -> str:
        """One row, whole."""
        return f"/runs/{self._run}/rows/{number}?step={self._step}"


def _asked(chosen: Mapping[str, Any]) -> str:
    """What is chosen as the end of an address; nothing where all is as usual."""
    unusual = {name: value for name, value in chosen.items() if value != USUAL[name]}
    return f"?{urlencode(unusual)}" if unusual else ""


def run_view(live: LiveRun) -> RunView:
    """What is the same at every step."""
    method, run = live.method, live.run
    table = run.table if run is not None else None
    return RunView(
        id=live.id,
        name=run_name(live.corpus),
        corpus_bytes=live.corpus.bytes,
        size=size_in_words(live.corpus.bytes),
        occurrences=table.occurrences if table is not None else None,
        distinct=len(table) if table is not None else None,
        pattern=method.pattern.name,
        pattern_source=method.pattern.source,
        tie_rule=method.tie_rule,
        tie_rule_label=TIE_RULE_LABELS[method.tie_rule],
        special_tokens=method.special_tokens,
        vocab_size=method.vocab_size,
        min_count=method.min_count,
    )


def run_name(corpus: KeptCorpus) -> str:
    """A run's name for people."""
    return corpus_name(corpus.digest, corpus.opening, corpus.characters)


def whole_row(live: LiveRun, step: int, number: int, offset: int) -> WholeRowView:
    """A long row, a window of it; windows count bytes.

    Raises:
        RecipeError: there is no such row.
    """
    run = _counted(live)
    row = run.row(step, number, offset=offset, length=ROW_WINDOW)
    size = len(row.pre_token)
    shown = sum(len(run.token(token)) for token in row.tokens)
    end = row.offset + shown
    link = f"/runs/{live.id}/rows/{number}?step={step}&offset="
    chips = tuple(run_chip(run, token) for token in row.tokens)
    part = RowWindowView(row.offset > 0, (), chips, end < size)
    return WholeRowView(
        run=run_view(live),
        step=step,
        row=RowView(number, row.count, False, (part,), f"{row.total:,} tokens, {size:,} bytes", None),
        window=Window(
            first=row.offset + 1 if shown else 0,
            last=end,
            total=size,
            all_total=size,
            query="",
            previous_link=f"{link}{max(row.offset - ROW_WINDOW, 0)}" if row.offset else None,
            next_link=f"{link}{end}" if end < size else None,
        ),
    )


def _counted(live: LiveRun) -> Run:
    if live.run is None:
        raise ValueError("the run's corpus is not counted yet")
    return live.run


def _controls(live: LiveRun, run: Run, step: int, links: Links) -> ControlsView:
    complete = live.complete  # before `known`: steps may come in meanwhile, and a last step is never a stale one
    known = run.known
    ahead = step < known or not complete
    return ControlsView(
        step=step,
        known=known,
        last=known if complete else None,
        end=known if complete else live.most if live.method.vocab_size is not None else known,
        first_link=links.step(0) if step else None,
        back_link=links.step(step - 1) if step else None,
        next_link=links.step(step + 1) if ahead else None,
        last_link=links.step(known) if step < known else None,
        prefetch=links.step(step + 1) if step < known else None,
        training=live.training,
        ended=_end(live, run) if complete and step == known else "",
        stopped=stopped_at(known) if live.cancelled and not complete else "",
        go_on=go_on_link(live.id, step),
    )


def go_on_link(run: str, step: int) -> str:
    """Where to post so that a run that was stopped goes on, seen from a step."""
    return f"/runs/{run}/go-on?step={step}"


def stopped_at(known: int) -> str:
    """Where training was stopped and how to go on."""
    return f"Training was stopped at step {known:,}. Any later step makes it go on from there."


def _end(live: LiveRun, run: Run) -> str:
    """What ended a run and how to go on."""
    method, made = live.method, run.known
    merges = f"{made:,} merge{'s' * (made != 1)}"
    specials = len(method.special_tokens)
    entries = f"256 bytes, {merges}" + (f", {specials} special token{'s' * (specials != 1)}" if specials else "")
    if run.ended == "vocabulary_size":
        return f"The vocabulary has its {method.vocab_size:,} entries: {entries}. Edit its size to go on."
    if run.ended == "no_pairs" and not made:
        return "There is no pair to merge: no pre-token has more than one byte. Take a longer corpus to go on."
    if run.ended == "no_pairs":
        return f"No pair is left: every pre-token is one token, after {merges}. Take a longer corpus to go on."
    if run.ended == "minimum_count":
        times = f"{method.min_count:,} times or more, after {merges}"
        return f"No pair occurs {times}. Edit the least count of a pair to go on."
    return f"This server makes at most {live.most:,} steps of a run; its setting MERGE_NEXT_MAX_STEPS allows more."


def _merge(run: Run, step: Step) -> MergeSentence:
    return MergeSentence(
        left=run_chip(run, step.pair[0], "left"),
        right=run_chip(run, step.pair[1], "right"),
        token=run_chip(run, step.token, "new"),
        count=step.count,
        sentence=sentence(run, step),
    )


def run_chip(run: Run, token: int, role: Role = "") -> Chip:
    """A token of a run as a chip."""
    return chip(token, run.token(token), role=role)


def _tree(run: Run, step: Step) -> TreeView:
    tree = run.tree(step.token, most=TREE_NODES)
    return tree_view([tree], lambda token, role: run_chip(run, token, role), run.token, newest=True)


def _announcement(run: Run, step: Step | None, controls: ControlsView) -> str:
    if step is None:
        return "Step 0, before any merge."
    left, right, new = (name_of(run.token(token)) for token in (*step.pair, step.token))
    end = f" {controls.ended}" if controls.ended else ""
    return f"Step {step.number}: {left} and {right} become {new}, count {step.count:,}.{end}"
