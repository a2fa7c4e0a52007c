"""Generated texts for the fast paths: white space of every kind, special tokens that look like text, lines alone."""

from hypothesis import strategies as st

from tests.tokenizer.strategies import FRAGMENTS, SPECIALS

TIGHT = [
    *(" ", " ", " ", "  ", "\t", "\n", " \n", "\n ", "\r\n", "\v", "\f", "\x1c", " \x1d ", "\x1e", "\x1f ", "\x85"),
    *(" \x85 ", "\u00a0", "\u00a0 ", " \u00a0", "\u1680 ", " \u2000", "\u200a ", " \u200b ", "\u2028 ", " \u2029"),
    *("\u202f ", " \u205f", "\u3000 ", " \u3000", "\u180e ", "\u2060", "\ufeff", "\u00e0 ", "\u0420 ", "\u0445 "),
    *("'", "'s", "'d", "'m", "'t", "'ll", "'ve", "'re", "'S", "'l", "'v", "'r", " 's", "''", "'s't", "x'll", "'\u017f"),
    *("a", "b", "ab", "s", "d", "ll", "e", "1", "12", "9", "!", "...", "\0", "\x7f", "\u00e9", "e\u0301", "\u0661"),
    *("\u00b2", "\u65e5\u672c", "\U0001f600", "\U0001f469\u200d\U0001f467", "<s>", "<s> ", " <s>", "<|endoftext|>"),
    *("\n", "\n", "\u65e5\n", "\n\u00e9", "a\n", "\n'", "'\n", "\n/", "/", "!\n", "\n\u3000", "\u0e44\n\u0e44"),
    *("supercalifragilistic", "12345678", "123456789", "abcdefghijklmnop", "abcdefghijklmnopq", "\u201ca\u201d"),
]
# With spaces and other white space inside, letters that an apostrophe would take, one the start of another.
TIGHT_SPECIALS = [
    "a b",
    "b a",
    " ",
    "  ",
    "\n",
    " <s>",
    "<s> ",
    "s",
    "'",
    "'s",
    "ll",
    "re",
    "<s>",
    "<s><s>",
    "\u00a0",
    "\u00e9",
]


@st.composite
def texts(draw: st.DrawFn, max_size: int = 30) -> tuple[str, list[str]]:
    """A text of few different parts and the special tokens that it may hold."""
    parts = draw(st.lists(st.sampled_from(TIGHT) | st.sampled_from(FRAGMENTS), min_size=1, max_size=8))
    specials = st.sampled_from(TIGHT_SPECIALS) | st.sampled_from(SPECIALS)
    chosen = draw(st.lists(specials, max_size=3, unique=True))
    joined = st.lists(st.sampled_from([*parts, *chosen, " "]), max_size=max_size).map("".join)
    return draw(joined), chosen


# Lines that can be cut after their line feeds only, and what the patterns take differently at the ends of lines.
_LINE_PARTS = [
    "\n",
    "\n",
    "\n",
    "\r\n",
    "'s",
    "'ll",
    "'",
    "s",
    "\u65e5\u672c",
    "\u0e44\u0e17\u0e22",
    "\u00e9",
    "a",
    "1",
    "!",
    "/",
]
_LINE_SPECIALS = ["\n", "\n\n", "\u65e5", "s\n", "\n'", "/"]


def lines(max_size: int = 60) -> st.SearchStrategy[tuple[str, list[str]]]:
    """Lines without spaces and the special tokens that they may hold."""
    parts = st.lists(st.sampled_from([*_LINE_PARTS, "\u3000", "\x1c"]), max_size=max_size).map("".join)
    return st.tuples(parts, st.lists(st.sampled_from(_LINE_SPECIALS), max_size=2, unique=True))
