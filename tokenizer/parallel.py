"""Counting large files in parts, by whatever runs functions elsewhere: threads, processes, the workers of a cluster."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from itertools import pairwise
from typing import NamedTuple

from tokenizer.blocks import Cuts, part_bounds
from tokenizer.counting import Counting
from tokenizer.errors import CorpusError
from tokenizer.fast.tally import Tally
from tokenizer.patterns import SplitPattern
from tokenizer.processes import pool_of
from tokenizer.sources import Source, source_of
from tokenizer.table import Table

PART = 64 << 20  # bytes; large enough that sending a part's counts costs little beside counting it
SMALL_PART = 8 << 20  # bytes; it costs more there, but is still little
PARTS_EACH = 4  # for a process of ours, so that progress is seen to move and no process is idle for long at the end
WORTH_PROCESSES = 32 << 20  # bytes; starting processes takes as long as counting some ten megabytes
MOST_IN_FLIGHT = 32  # parts that are being counted, or counted and not yet merged
MERGED_TOGETHER = 8  # parts

Progress = Callable[[int, int], object]


class Part(NamedTuple):
    """All that counting a part needs, so that it can be done anywhere that can read the source."""

    source: Source
    start: int
    end: int
    pattern: SplitPattern
    special_tokens: tuple[str, ...]
    time_limit: float | None


def count_files(
    files: Sequence[str | Source],
    pattern: SplitPattern,
    special_tokens: Sequence[str] = (),
    *,
    executor: Executor | None = None,
    processes: int | None = None,
    parts: int | None = None,
    time_limit: float | None = None,
    on_progress: Progress | None = None,
) -> Table:
    """Count the distinct pre-tokens of files; the table is the same in every field however the work is done.

    Args:
        files: paths, URLs or sources, in order; a pre-token never spans two of them.
        pattern: how they are cut.
        special_tokens: boundaries that take no part.
        executor: counts the parts, for instance a Dask client's `get_executor()`; its workers must be able to read
            the files.
        processes: how many are started for this where no executor is given; 1 counts here. None: as many as there are
            cores if there is enough to do. They are spawned, so a script that calls this needs the usual
            `if __name__ == "__main__":`.
        parts: how many parts to cut the files into, about; None for parts of `PART` bytes, or for smaller ones where
            processes are started that would get few of them. A file is one part if the pattern is not a named one.
        time_limit: seconds for the matching in a file, where the pattern is not a named one.
        on_progress: called with the bytes that are done and the bytes in all, as blocks or parts come in.

    Raises:
        CorpusError, PatternError, RecipeError: as of `Counting`; of several errors the first in the files that is known
            by then. Parts that have not begun are cancelled.
        OSError: a file cannot be read.
        concurrent.futures.BrokenExecutor: a process that counted was ended by something else.
    """
    sources = [source_of(file) if isinstance(file, str) else file for file in files]
    total = sum(source.size() for source in sources)
    if processes is None:
        processes = (os.cpu_count() or 1) if total >= WORTH_PROCESSES else 1
    parts = parts or _parts_for(total, processes if executor is None else 1)
    cuts = Cuts(pattern, special_tokens, time_limit=time_limit)
    work = [
        Part(source, start, end, pattern, tuple(special_tokens), time_limit)
        for source in sources
        for start, end in pairwise(part_bounds(source, cuts, _parts_of(source, pattern, parts, total)))
    ]
    report = on_progress or _no_report
    if executor is not None:
        return _merged(_count_elsewhere(work, executor, report)).table()
    if processes == 1:
        return _merged(_count_here(work, report)).table()
    with pool_of(min(processes, len(work))) as pool:
        return _merged(_count_elsewhere(work, pool, report)).table()


def count_part(part: Part, on_progress: Callable[[int], None] | None = None) -> Tally:
    """Count one part; `on_progress` is called with the bytes that are done.

    Raises:
        TokenizerError, OSError: as of `count_files`.
    """
    source, start, end, pattern, special_tokens, time_limit = part
    counting = Counting(source, pattern, special_tokens, start=start, end=end, time_limit=time_limit)
    try:
        while counting.advance():
            if on_progress is not None:
                on_progress(counting.done)
    except CorpusError as error:
        raise CorpusError(f"{source.name}: {error.message}", field=error.field, position=error.position) from error
    return counting.tally()


def _parts_for(total: int, processes: int) -> int:
    """How many parts all files together get, for processes of ours or, if it is 1, for who counts them all."""
    size = PART if processes == 1 else min(PART, max(SMALL_PART, total // (PARTS_EACH * processes)))
    return max(-(-total // size), processes)


def _parts_of(source: Source, pattern: SplitPattern, parts: int, total: int) -> int:
    """How many of the parts of all files a file gets. One of a custom pattern has one time limit and so is one part."""
    return -(-parts * source.size() // total) if pattern.linear and total else 1


def _count_here(work: Sequence[Part], report: Progress) -> Iterator[Tally]:
    done, total = 0, sum(part.end - part.start for part in work)

    def report_block(bytes_of_part: int) -> None:
        report(done + bytes_of_part, total)

    for part in work:
        yield count_part(part, report_block)
        done += part.end - part.start


def _count_elsewhere(work: Sequence[Part], executor: Executor, report: Progress) -> Iterator[Tally]:
    """The tallies of parts, in order. At most so many are under way that nothing piles up behind a slow one."""
    done, total = 0, sum(part.end - part.start for part in work)
    running: dict[Future[Tally], int] = {}
    tallies: dict[int, Tally] = {}
    begun = given = 0
    try:
        while given < len(work):
            while begun < min(len(work), given + MOST_IN_FLIGHT):
                running[executor.submit(count_part, work[begun])] = begun
                begun += 1
            for future in sorted(wait(running, return_when=FIRST_COMPLETED).done, key=running.__getitem__):
                number = running.pop(future)
                tallies[number] = future.result()
                done += work[number].end - work[number].start
                report(done, total)
            while given in tallies:
                yield tallies.pop(given)
                given += 1
    finally:
        for future in running:
            future.cancel()


def _merged(tallies: Iterator[Tally]) -> Tally:
    """All of them as one, a few at a time, so that no more are held than that."""
    merged: list[Tally] = []
    for tally in tallies:
        merged.append(tally)
        if len(merged) > MERGED_TOGETHER:
            merged = [Tally.merge(merged)]
    return Tally.merge(merged)


def _no_report(_done: int, _total: int) -> None:
    pass
