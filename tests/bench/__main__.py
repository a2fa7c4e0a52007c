"""`make bench`, or `python -m tests.bench [--only PART] [--quick] [--text FILE]`: figures, never a verdict.

Nothing here asserts seconds; the targets are printed beside the figures, and where there is a peer it runs in turns
with ours in the same run.
"""

import argparse
from pathlib import Path

from tests.bench import corpus
from tests.bench.table import machine

PARTS = ("training", "server", "browser")
LARGE = 5_000_000


def main() -> None:
    """Measure what is asked for."""
    options = _options()
    parts = options.only or PARTS
    print(f"Merge Next, figures of {machine()}")
    if "training" in parts:
        _training(options.text, quick=options.quick)
    if "server" in parts or "browser" in parts:
        page, (large, what) = corpus.page(), corpus.large(options.text, LARGE)
        if "server" in parts:
            from tests.bench import server

            server.measure(page, large, what, steps=60 if options.quick else 300, uploads=1 if options.quick else 3)
        if "browser" in parts:
            from tests.bench import browser

            browser.measure(page, large, what, clicks=20 if options.quick else 80)


def _training(path: Path | None, *, quick: bool) -> None:
    from tests.bench import training

    if path is None:
        texts = {"samples": corpus.samples()}
    else:
        text = corpus.read(path)
        texts = {f"{path.name}, 1 MB": text[:1_000_000], path.name: text}
    named = {f"{name} ({len(text) / 1e6:.2f} M characters)": text for name, text in texts.items()}
    training.measure(named, rounds=1 if quick else 5)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.partition("\n")[2].strip())
    parser.add_argument("--only", action="append", choices=PARTS, help="one part; may be given more than once")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, steps and clicks: does it work at all")
    parser.add_argument(
        "--text", type=Path, metavar="FILE", help="an English text, plain or .gz, for the large corpora"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
