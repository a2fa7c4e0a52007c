"""Figures and how they are printed: medians, percentiles, ratios, plain tables."""

import os
import platform
import statistics
import sys
from collections.abc import Sequence

Samples = Sequence[float]


def median(values: Samples) -> float:
    """The middle one."""
    return statistics.median(values)


def p95(values: Samples) -> float:
    """The value that 95 of 100 do not exceed (nearest rank)."""
    return sorted(values)[-(-95 * len(values) // 100) - 1]


def machine() -> str:
    """What the figures were measured on."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    python = f"{platform.python_implementation()} {platform.python_version()}"
    load = f", load {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return f"{platform.system()} {platform.machine()}, {cores} cores, {python}{load}"


def number(value: float, digits: int = 1) -> str:
    """A figure for a cell."""
    return f"{value:,.{digits}f}"


def limit(value: float, target: float, digits: int = 1) -> tuple[str, str, str]:
    """Three cells: a figure, what it should not exceed, and the figure as a share of that."""
    return number(value, digits), f"≤ {target:g}", number(value / target, 2)


def at_least(value: float, target: float | None = None, digits: int = 1) -> tuple[str, str, str]:
    """Three cells: a figure, what it should reach, and the figure as a share of that; without a target the figure."""
    if target is None:
        return number(value, digits), "", ""
    return number(value, digits), f"≥ {target:g}", number(value / target, 2)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> None:
    """Print a table: its first column to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    print(f"\n{title}")
    for cells in (heads, ["-" * width for width in widths], *rows):
        figures = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        print("  ".join((cells[0].ljust(widths[0]), *figures)))
    for note in notes:
        print(f"  {note}")
    sys.stdout.flush()


def say(what: str) -> None:
    """What is going on, to standard error."""
    print(f"... {what}", file=sys.stderr, flush=True)
