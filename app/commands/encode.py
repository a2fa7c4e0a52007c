"""`merge-next encode`: ids of texts; files in bounded memory, standard input as a whole."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from app.commands import vocabularies
from app.commands.failures import Failure, failure_of
from app.commands.progress import progress
from tokenizer import CorpusError, Encoder, TokenizerError
from tokenizer.fast.runs import Ids
from tokenizer.replacing import replacing
from tokenizer.saved import FILES
from tokenizer.sources import Memory, Source, source_of

PATTERN_SECONDS = 60.0
LONGEST_INPUT = 1_000_000_000  # bytes of standard input, which is held as a whole; files are read in blocks


@dataclass(slots=True)
class Totals:
    """What has been encoded so far."""

    ids: int = 0
    read: int = 0  # bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.epilog = (
        f"A pattern of your own may take {PATTERN_SECONDS:g} s for a stretch of text that it cannot be cut in, which "
        "is a file or what lies between special tokens; so may finding the special tokens."
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="UTF-8 texts: paths, or URLs with the extra `remote`; standard input, held as a whole and "
        f"{LONGEST_INPUT:,} bytes at most, when there is none",
    )
    vocabularies.add_arguments(parser)
    parser.add_argument("--count", action="store_true", help="say how many ids there are, and write none")
    parser.add_argument(
        "--binary",
        type=Path,
        metavar="FILE",
        help="write the ids into a file, little-endian, 16 bits each where all ids fit, else 32",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress and no totals on standard error")


def run(options: argparse.Namespace) -> int:
    """Do it: a line of ids for each file, or one file of binary ids.

    Raises:
        Failure: it cannot be done.
    """
    vocabulary = vocabularies.vocabulary_of(options)
    width = 16 if vocabulary.last_id < 1 << 16 else 32
    if options.binary:
        _refuse_what_is_read(options)
    encoder = Encoder(vocabulary, specials=vocabularies.specials_of(options), time_limit=PATTERN_SECONDS)
    totals = Totals()
    try:
        sources = [source_of(file) for file in options.files] or [_standard_input()]
        with ExitStack() as opened:
            binary = opened.enter_context(replacing(options.binary)) if options.binary else None
            for source in sources:
                _write(_encoded(encoder, source, totals, quiet=options.quiet), binary, width, count=options.count)
            if options.count:
                print(totals.ids, flush=True)
    except TokenizerError as error:
        raise Failure(error.message) from error
    except BrokenPipeError:
        raise
    except OSError as error:
        raise failure_of(error) from error
    _say(totals, options, width)
    return 0


def _standard_input() -> Memory:
    """All of it, for a source is read from any place on."""
    if sys.stdin is None:  # as `<&-` makes it
        raise Failure("Standard input is closed. Name a file.")
    data = sys.stdin.buffer.read(LONGEST_INPUT + 1)
    if len(data) > LONGEST_INPUT:
        raise Failure(f"Standard input has more than {LONGEST_INPUT:,} bytes. Write it into a file and name that.")
    return Memory(data, "standard input")


def _refuse_what_is_read(options: argparse.Namespace) -> None:
    """Never write over an input or the vocabulary."""
    for path in (*map(Path, options.files), *(options.vocab / name for name in FILES)):
        with suppress(OSError):  # one that is not there is none, and of an input is told where it is read
            if options.binary.is_file() and options.binary.samefile(path):
                raise Failure(f"--binary {options.binary} is {path}, which is read. Name another file for the ids.")


def _encoded(encoder: Encoder, source: Source, totals: Totals, *, quiet: bool) -> Iterator[Ids]:
    size = source.size()
    with progress("Encoding", size, unit="B", quiet=quiet) as reached:
        try:
            for ids in encoder.encode_blocks(source, on_progress=reached):
                totals.ids += len(ids)
                yield ids
        except CorpusError as error:
            raise Failure(f"{source.name}: {error.message}") from error
        totals.read += size


def _write(blocks: Iterator[Ids], binary: BinaryIO | None, width: int, *, count: bool) -> None:
    """Write the ids of one text."""
    first = True
    for ids in blocks:
        if binary is not None:
            binary.write(ids.astype(f"<u{width // 8}").tobytes())
        elif not count and len(ids):
            print("" if first else " ", " ".join(map(str, ids.tolist())), sep="", end="")
            first = False
    if binary is None and not count:
        print(flush=True)  # what cannot be written is told here, before anything is said of success


def _say(totals: Totals, options: argparse.Namespace, width: int) -> None:
    if not options.quiet:
        a_token = f", {totals.read / totals.ids:.2f} bytes a token" if totals.ids else ""
        where = f"; in {options.binary}, {width} bits each" if options.binary else ""
        print(f"{totals.ids:,} ids of {totals.read:,} bytes{a_token}{where}", file=sys.stderr)
