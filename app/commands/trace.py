"""`merge-next trace`: how a text is encoded, every merge with its rank and the candidates that it won over."""

import argparse
import sys
from collections.abc import Iterator

from app.commands import vocabularies
from app.commands.arguments import at_least_one
from app.commands.failures import Failure
from app.present.glyphs import glyphs_of_text, name_of
from tokenizer import Iteration, TokenizerError, TracedPiece, Vocabulary, iterations, trace

LONGEST_TEXT = 1_000_000  # bytes
CANDIDATES = 6  # of an iteration that are named
TOKENS = 200  # of a pre-token that are shown in a line
PATTERN_SECONDS = 20.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("text", metavar="TEXT", help="the text; - reads it from standard input")
    vocabularies.add_arguments(parser)
    parser.add_argument(
        "--limit", type=at_least_one, default=50, metavar="N", help="distinct pre-tokens that are shown (%(default)s)"
    )
    parser.add_argument(
        "--rounds",
        type=at_least_one,
        default=100,
        metavar="N",
        help="merges of a pre-token that are shown (%(default)s)",
    )


def run(options: argparse.Namespace) -> int:
    """Do it.

    Raises:
        Failure: it cannot be done.
    """
    vocabulary = vocabularies.vocabulary_of(options)
    text = _read() if options.text == "-" else options.text
    if (size := len(text.encode("utf-8", "surrogatepass"))) > LONGEST_TEXT:
        raise Failure(
            f"The text has {size:,} bytes; at most {LONGEST_TEXT:,} are traced. `merge-next encode` takes more."
        )
    try:
        found = trace(text, vocabulary, specials=vocabularies.specials_of(options), time_limit=PATTERN_SECONDS)
    except TokenizerError as error:
        raise Failure(error.message) from error
    for piece in found.pieces[: options.limit]:
        print("\n".join(_lines(piece, vocabulary, options.rounds)))
    if (left := len(found.pieces) - options.limit) > 0:
        print(f"… {left:,} more distinct pre-tokens; --limit shows more")
    print(f"ids {' '.join(map(str, found.ids))}")
    return 0


def _read() -> str:
    if sys.stdin is None:  # as `<&-` makes it
        raise Failure("Standard input is closed. Give the text itself.")
    data = sys.stdin.buffer.read(LONGEST_TEXT + 1)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if len(data) > LONGEST_TEXT:
            return data.decode(errors="replace")  # it is refused for its length
        raise Failure(f"Standard input is not UTF-8: byte {error.start:,}, counted from 0.") from error


def _lines(piece: TracedPiece, vocabulary: Vocabulary, rounds: int) -> Iterator[str]:
    """A pre-token: its ids, then a line for each merge."""
    label = "".join(glyph.text for glyph in glyphs_of_text(piece.text))
    times = f", {piece.occurrences:,} times" if piece.occurrences > 1 else ""
    kind = "  a special token" if piece.special else ""
    yield f"{label}{times}  →  {' '.join(map(str, piece.ids))}{kind}"
    if piece.special:
        return
    shown = iterations(piece.text.encode(), vocabulary, limit=rounds, longest=TOKENS)
    rows = [(_tokens(each, vocabulary), _why(each, vocabulary)) for each in shown]
    width = min(max(len(tokens) for tokens, _ in rows), 60)
    yield from (f"  {tokens:<{width}}  {why}".rstrip() for tokens, why in rows)
    if (left := piece.iterations - rounds) > 0:
        yield f"  … {left:,} more merges; --rounds shows more"


def _tokens(iteration: Iteration, vocabulary: Vocabulary) -> str:
    names = " ".join(name_of(vocabulary.token(token)) for token in iteration.tokens)
    left = iteration.total - len(iteration.tokens)
    return f"{names} … {left:,} more" if left else names


def _why(iteration: Iteration, vocabulary: Vocabulary) -> str:
    """The candidates by rank; the first of them is taken."""
    names = [
        f"{name_of(vocabulary.token(each.pair[0]))} + {name_of(vocabulary.token(each.pair[1]))} (rank {each.rank:,})"
        for each in iteration.candidates[:CANDIDATES]
    ]
    if not names:
        return ""
    others = len(iteration.candidates) - len(names)
    rest = f"  before {', '.join(names[1:])}" if names[1:] else ""
    return f"{names[0]}{rest}" + (f" and {others:,} more" if others else "")
