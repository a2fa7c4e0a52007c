"""What every whole page gets beside its own view, and the list of recent runs."""

from dataclasses import dataclass
from typing import Literal

RunState = Literal["open", "counting", "stopped", "failed"]  # all but the first: its steps cannot be read


@dataclass(frozen=True, slots=True)
class RecentRun:
    """A line of the list of recent runs."""

    id: str
    name: str
    step: int
    link: str
    about: str  # "95 bytes · gpt2 · greater bytes"
    when: str  # ISO 8601, UTC
    state: RunState = "open"


@dataclass(frozen=True, slots=True)
class PageView:
    """What every whole page gets beside its own view, as `page`."""

    title: str
    nav: str  # "lab", "trace", "runs", "docs"
    trace_link: str = "/trace"  # that leads to where this browser was
    resume: RecentRun | None = None
