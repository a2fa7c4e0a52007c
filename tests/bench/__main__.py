"""`make bench BENCH="--only PART --text FILE"`, or the same after `python -m tests.bench`: figures, never a verdict.

Nothing here asserts seconds; the targets are printed beside the figures, and where there is a peer it runs in turns
with ours in the same run. That peers give the same result where they should is asserted.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import corpus
from tests.bench.table import machine, say

PARTS = ("training", "encoding", "server", "browser", "upload")
LARGE = 5_000_000
STORIES = 22_000_000
GIGABYTE = 1_000_000_000


def main() -> None:
    """Measure what is asked for."""
    options = _options()
    parts = options.only or PARTS
    print(f"Merge Next, figures of {machine()}")
    with TemporaryDirectory(prefix="merge-next-bench-") as folder:
        if {"training", "encoding", "upload"} & set(parts):
            _at_size(parts, Path(folder), options)
    if "server" in parts or "browser" in parts:
        _of_the_lab(parts, options)


def _at_size(parts: list[str], folder: Path, options: argparse.Namespace) -> None:
    """The parts that want corpora as files, of real size."""
    quick = options.quick
    corpora = [
        corpus.english(options.text, folder),
        corpus.made_up(STORIES // 10 if quick else STORIES, folder),
    ]
    if "training" in parts:
        from tests.bench import training

        training.measure(corpora, rounds=1 if quick else 5)
        if options.gigabyte:
            say("writing 1 GB of stories")
            training.measure_gigabyte(corpus.made_up(GIGABYTE, folder), rounds=1 if quick else 3)
    if "encoding" in parts:
        from tests.bench import encoding

        encoding.measure(corpora, rounds=1 if quick else 5)
    if "upload" in parts:
        from tests.bench import upload

        upload.measure(corpora, uploads=1 if quick else 3, clicks=20 if quick else 80)


def _of_the_lab(parts: list[str], options: argparse.Namespace) -> None:
    """The parts that compare a page of text with 5 MB."""
    quick = options.quick
    page, (large, what) = corpus.page(), corpus.large(options.text, LARGE)
    if "server" in parts:
        from tests.bench import server

        server.measure(page, large, what, steps=60 if quick else 300, uploads=1 if quick else 3)
    if "browser" in parts:
        from tests.bench import browser

        browser.measure(page, large, what, clicks=20 if quick else 80)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.partition("\n")[2].strip())
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, steps and clicks: does it work at all")
    parser.add_argument(
        "--text",
        action="append",
        default=[],
        type=Path,
        metavar="FILE",
        help="an English text, plain or .gz, in place of the samples; several are joined with <|endoftext|>",
    )
    parser.add_argument(
        "--gigabyte", action="store_true", help="train on 1 GB of stories too, in the folder for temporary files"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
