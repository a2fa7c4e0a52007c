"""The command `merge-next`: `merge-next [COMMAND] [OPTION ...]`, `serve` when no command is named."""

import argparse
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from threading import current_thread, main_thread
from types import FrameType
from typing import Never

from app.commands.failures import Failure, failure_of

COMMANDS = {
    "serve": "serve the lab; what is done when no command is named",
    "train": "learn a vocabulary from files",
    "encode": "turn text into ids",
    "trace": "show how a text is encoded, merge by merge",
}
INTERRUPTED = 130  # the exit status of programs that were ended by Ctrl+C
TERMINATED = 143  # and by SIGTERM


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: the words after the command's name; those of this process when left out.

    Returns:
        The exit status: 0 when it was done, 1 when it could not be, 130 when it was interrupted. Wrong arguments
        exit with 2, SIGTERM with 143.
    """
    if sys.stderr is None:  # as `2>&-` makes it; what is said then is said to nobody
        sys.stderr = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for as long as the process lives
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or (words[0].startswith("-") and words[0] not in {"-h", "--help", "--version"}):
        words.insert(0, "serve")  # the command that is meant when none is named
    try:
        options = _parser(words[0]).parse_args(words)
        if sys.stdout is None and words[0] != "serve":
            raise Failure("Standard output is closed; there is nowhere to write to.")  # noqa: TRY301
        with _ended_once(cleanly=words[0] != "serve"):
            status: int = options.run(options)
            if sys.stdout is not None:
                sys.stdout.flush()  # now, where an error of it can still be told
    except Failure as reason:
        print(f"merge-next: {reason}", file=sys.stderr)
        _drop_output()
        return 1
    except KeyboardInterrupt:
        print("\nmerge-next: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        sys.stderr.close()  # else the interpreter would complain that it cannot write what is left
        return 1
    except OSError as error:
        print(f"merge-next: {failure_of(error)}", file=sys.stderr)
        _drop_output()
        return 1
    return status


def _drop_output() -> None:
    """Write what is left, or leave it if that is impossible: the interpreter would complain of it at its end."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _ended_once(*, cleanly: bool) -> Iterator[None]:
    """Ctrl+C and SIGTERM exit as an error would, so that nothing half done is left; the server sees to that itself.

    The same again, as `timeout` sends it, does not disturb the clearing up.
    """
    if not cleanly or current_thread() is not main_thread():
        yield
        return

    def end(number: int, _frame: FrameType | None) -> Never:
        signal.signal(number, _nothing)
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(TERMINATED)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # as of a job that a shell runs in the background
                signal.signal(number, end)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _nothing(_number: int, _frame: FrameType | None) -> None:
    """What is done of a signal that came before. With SIG_IGN one that comes in between would be complained of."""


def _parser(chosen: str) -> argparse.ArgumentParser:
    """All commands by name; the arguments of the chosen one, for each command imports what only it needs."""
    parser = argparse.ArgumentParser(
        prog="merge-next",
        usage="%(prog)s [--version] [COMMAND] [OPTION ...]",
        description="A lab for byte-pair encoding.",
        epilog="Without a command it serves: merge-next --host 127.0.0.1 --port 8000. What a command takes is told by "
        "merge-next COMMAND --help.",
    )
    parser.add_argument("--version", action="version", version=f"merge-next {_version()}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, does in COMMANDS.items():
        command = commands.add_parser(
            name, prog=f"merge-next {name}", help=does, description=does[0].upper() + does[1:] + "."
        )
        if name == chosen:
            module = import_module(f"app.commands.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    return parser


def _version() -> str:
    try:
        return version("merge-next")
    except PackageNotFoundError:
        return "(not installed)"
