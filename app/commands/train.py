"""`merge-next train`: learn a vocabulary from files and write it into a folder."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from time import perf_counter

from app.commands.arguments import seconds
from app.commands.failures import Failure, failure_of
from app.commands.progress import progress
from tokenizer import NAMED, TIE_RULES, Method, RecipeError, Table, TokenizerError, VocabularyError, custom
from tokenizer.learning import Learner
from tokenizer.parallel import count_files
from tokenizer.saved import MOST_SPECIAL_CHARACTERS, MOST_SPECIAL_TOKENS, NAME, save, save_for_gpt2
from tokenizer.sources import Source, source_of

MERGES_AT_ONCE = 50  # between two looks at the progress bar
PATTERN_SECONDS = 600.0
# The argument that a part of a recipe comes from.
ARGUMENTS = {
    "special_tokens": "--special",
    "vocab_size": "--vocab-size",
    "min_count": "--min-count",
    "pattern": "--pattern",
    "tie_rule": "--tie-rule",
}


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long each part of the work took."""

    counting: float
    picking: float
    applying: float
    total: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="UTF-8 texts: paths, or URLs with the extra `remote`")
    parser.add_argument(
        "--vocab-size", required=True, type=int, metavar="N", help="entries: 256 bytes, merges and special tokens"
    )
    parser.add_argument(
        "--special",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token; it takes no part in training. May be given more than once",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="DIR", help="the folder to write, made if needed")
    parser.add_argument("--force", action="store_true", help="write over a vocabulary that is there")
    parser.add_argument("--pattern", default="gpt2", choices=(*NAMED, "custom"), help="the split pattern (%(default)s)")
    parser.add_argument("--custom", metavar="REGEX", help="the expression of --pattern custom")
    parser.add_argument("--tie-rule", default=TIE_RULES[0], choices=TIE_RULES, help="(%(default)s)")
    parser.add_argument(
        "--min-count", default=1, type=int, metavar="N", help="the least count of a merge (%(default)s)"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes that count; as many as pay off when left out"
    )
    parser.add_argument(
        "--pattern-seconds",
        default=PATTERN_SECONDS,
        type=seconds,
        metavar="S",
        help="how long a pattern of your own may take over a file (%(default)g)",
    )
    parser.add_argument("--quiet", action="store_true", help="neither progress nor report")


def run(options: argparse.Namespace) -> int:
    """Do it.

    Raises:
        Failure: it cannot be done.
    """
    try:
        method = _method(options)
        sources = [source_of(file) for file in options.files]
        with _folder(options.out, force=options.force):
            begun = perf_counter()
            size = sum(source.size() for source in sources)  # asked once: of a URL it is a request
            table = _count(sources, size, method, options)
            counted = perf_counter()
            learner = _learn(table, method, quiet=options.quiet)
            taken = Seconds(counted - begun, learner.picking, learner.applying, perf_counter() - begun)
            written, left_out = _write(learner, options.out)
    except RecipeError as error:
        raise Failure(f"{ARGUMENTS.get(error.field or '', 'train')}: {error.message}") from error
    except TokenizerError as error:
        raise Failure(error.message) from error
    except BrokenExecutor as error:
        raise Failure(
            "A process that counted ended unexpectedly, perhaps for want of memory. Take fewer --workers."
        ) from error
    except MemoryError as error:
        raise Failure("There is not enough memory for this corpus. Take fewer --workers, or a smaller one.") from error
    except OSError as error:
        raise failure_of(error) from error
    if not options.quiet:
        _report(len(sources), size, table, learner, taken, written)
    for reason in left_out:
        print(f"merge-next: {reason}", file=sys.stderr)
    return 0


@contextmanager
def _folder(folder: Path, *, force: bool) -> Iterator[None]:
    """Make the folder and see that it can be written before anything is learned; without it again after an error."""
    if (folder / NAME).exists() and not force:
        raise Failure(f"{folder} holds a vocabulary already; --force writes over it, --out names another folder.")
    new = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _try_to_write(folder)
        yield
    except BaseException:
        for each in new:
            with suppress(OSError):  # it was not made, or something was written
                each.rmdir()
        raise


def _try_to_write(folder: Path) -> None:
    try:
        TemporaryFile(dir=folder).close()
    except OSError as error:
        error.filename = str(folder)
        raise


def _method(options: argparse.Namespace) -> Method:
    if (options.pattern == "custom") != (options.custom is not None):
        raise Failure("--pattern custom and --custom REGEX go together.")
    if len(options.special) > MOST_SPECIAL_TOKENS or sum(map(len, options.special)) > MOST_SPECIAL_CHARACTERS:
        raise Failure(
            f"--special: at most {MOST_SPECIAL_TOKENS:,} special tokens of {MOST_SPECIAL_CHARACTERS:,} characters "
            "together are taken."
        )
    method = Method(
        pattern=custom(options.custom) if options.custom is not None else NAMED[options.pattern],
        tie_rule=options.tie_rule,
        special_tokens=tuple(options.special),
        vocab_size=options.vocab_size,
        min_count=options.min_count,
    )
    method.validate()
    return method


def _count(sources: Sequence[Source], size: int, method: Method, options: argparse.Namespace) -> Table:
    if options.workers is not None and options.workers < 1:
        raise Failure(f"--workers {options.workers}: at least one is needed.")
    with progress("Counting", size, unit="B", quiet=options.quiet) as reached:
        return count_files(
            sources,
            method.pattern,
            method.special_tokens,
            processes=options.workers,
            time_limit=options.pattern_seconds,
            on_progress=lambda done, _: reached(done),
        )


def _learn(table: Table, method: Method, *, quiet: bool) -> Learner:
    learner = Learner(table, method)
    with progress("Merging", method.merges_wanted or 0, unit=" merges", quiet=quiet) as reached:
        while learner.advance(MERGES_AT_ONCE):
            reached(len(learner.pairs))
    return learner


def _write(learner: Learner, folder: Path) -> tuple[list[Path], list[str]]:
    """Write the vocabulary; what was written, and why something was not.

    The file that our own commands read comes last: it stays as it was if there is no room for the others.
    """
    vocabulary = learner.vocabulary()
    others: Sequence[Path] = ()
    left_out = []
    try:
        others = save_for_gpt2(vocabulary, folder)
    except VocabularyError as error:
        left_out = [error.message]
    return [save(vocabulary, folder), *others], left_out


def _report(files: int, size: int, table: Table, learner: Learner, taken: Seconds, written: Sequence[Path]) -> None:
    """Say what was read and learned, and what it took."""
    read = "1 file" if files == 1 else f"{files:,} files"
    merges = len(learner.pairs)
    lines = {
        "Read": f"{read}, {size:,} bytes, {table.characters:,} characters",
        "Pre-tokens": f"{table.occurrences:,}, {len(table):,} of them distinct; {table.specials:,} special tokens",
        "Learned": f"{merges:,} merges: {learner.vocabulary().entries:,} entries{_ENDS[learner.ended]}",
        "Time": f"counting {taken.counting:.2f} s, picking {taken.picking:.2f} s, applying {taken.applying:.2f} s, "
        f"in all {taken.total:.2f} s",
        "Peak memory": _peak_memory(),
        "Wrote": ", ".join(map(str, written)),
    }
    for head, text in lines.items():
        print(f"{head:<12} {text}")


_ENDS = {
    None: "",
    "vocabulary_size": "",
    "no_pairs": "; nothing is left to merge",
    "minimum_count": "; no other pair occurs as often as --min-count asks",
}


def _peak_memory() -> str:
    """The most memory that this process has had, and the largest of its workers."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return "not told by this system"
    unit = 1 if sys.platform == "darwin" else 1024
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    workers = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    return f"{own / 1e6:,.0f} MB" + (f", and {workers / 1e6:,.0f} MB at most in a worker" if workers else "")
