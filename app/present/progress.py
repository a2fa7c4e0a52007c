"""Work that goes on: what is being done, how far it is, how long it takes, and where it was stopped."""

from app.present.lab import go_on_link, run_view, stopped_at
from app.runs.live import LiveRun, Progress
from app.sizes import MEGABYTE, size_in_words
from app.views.lab import ProgressView, Way


def progress_view(live: LiveRun, step: int) -> ProgressView:
    """Work for a step that is not known yet."""
    progress = live.progress()
    counting = progress.phase == "counting"
    # Between the last byte and step 0 the pairs of the table are indexed, of which nobody knows how far it is.
    indexing = counting and 0 < progress.total <= progress.done
    total = progress.total if counting else step
    measured = bool(total) and not indexing and not (counting and not progress.done)
    return ProgressView(
        run=run_view(live),
        step=step,
        title=_title(progress, step),
        phase="Counting pairs" if indexing else "Counting pre-tokens" if counting else "Training",
        done="" if indexing else _sized(progress.done, total) if counting else f"{progress.done:,}",
        total="" if indexing else size_in_words(total) if counting else f"{total:,}",
        percent=min(100, 100 * progress.done // total) if measured else None,
        time_left="" if indexing else time_left(live.seconds_left(step)),
        back=_back(live),
        target=f"/runs/{live.id}/steps/{step}",
        stream=f"/runs/{live.id}/progress?step={step}",
        go_on=go_on_link(live.id, step),
        failed=progress.failed,
        stopped=stopped(live),
    )


def _title(progress: Progress, step: int) -> str:
    counting = progress.phase == "counting"
    if progress.failed:
        return "The corpus could not be counted" if counting else f"Step {step:,} could not be made"
    if progress.cancelled:
        return "Counting was stopped" if counting else f"Stopped before step {step:,}"
    return "Counting the corpus" if counting else f"Step {step:,} is being made"


def _back(live: LiveRun) -> Way:
    """To the last step that there is; while there is none, to the corpus that there always is: another run."""
    if live.run is None:
        return Way("/", "To the small corpus", same_run=False)
    return Way(f"/runs/{live.id}/steps/{live.known}", f"To step {live.known:,}", same_run=True)


def stopped(live: LiveRun) -> str:
    """Where a run was stopped and how to go on; "" where it was not."""
    progress = live.progress()
    if not progress.cancelled:
        return ""
    if progress.phase == "training":
        return stopped_at(progress.done)
    where = f"{_sized(progress.done, progress.total)} of {size_in_words(progress.total)}"
    return f"{where} had been counted. The corpus is kept; going on counts it from its beginning."


def time_left(seconds: float | None) -> str:
    """An estimate in words that change less often than it does: "about 4 s left"; "" while there is none."""
    if seconds is None:
        return ""
    if seconds < 10:
        return f"about {max(1, round(seconds))} s left"
    if seconds < 57.5:
        return f"about {5 * round(seconds / 5)} s left"
    return f"about {max(1, round(seconds / 60)):,} min left"


def _sized(done: int, total: int) -> str:
    """A part of a size in the unit of the whole."""
    return f"{done / MEGABYTE:.1f} MB" if total >= MEGABYTE else f"{done:,} bytes"
