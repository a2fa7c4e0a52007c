"""Generated inputs: texts in which everything that tokenizers get wrong turns up often."""

from hypothesis import settings
from hypothesis import strategies as st

TIE_RULES = ("greater_bytes", "first_seen", "lower_ids")
PATTERNS = ("gpt2", "cl100k_base", "o200k_base", "whitespace", "none")
PUBLISHED = PATTERNS[:3]

SPACES = [
    *(" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", "\r", " \n", "\n ", "\v", "\f", "\x85", " \x85 "),
    *("\x1c", "\x1d ", "\x1f", "\u00a0", " \u00a0", "\u00a0 ", "\u1680", "\u180e", "\u2003 ", "\u2028", "\u2029"),
    *("\u200b", "\u202f", "\u205f", "\u2060", "\u3000", "\ufeff"),
]
WORDS = [
    *(
        "the",
        "a",
        "don't",
        "'s",
        "'S",
        "'ll",
        " 've",
        "'RE",
        "'\u017f",
        "I'm",
        "we'd",
        "HELLO",
        "camelCase",
        "_",
        "__x__",
    ),
    *(
        "aaaa",
        "aaaaaaa",
        " aaa aa a",
        "abab",
        "ababab",
        "xyxyxyx",
        "\0",
        "a\0b",
        "'",
        "''s",
        "x's's",
        "!!",
        "...",
        "//",
    ),
    *("1234567", "3.14", " 42", "²½Ⅷ", "١٢٣", "۱۲۳۴", "é", "e\u0301", "\u0301", "naïve ", "Ω", "ǅ", "ʰ", "ß", "İ", "ı"),
    *("Привет мир", "日本語", "中文 字", "हिन्दी", "ไทย", "한국어", "עברית", "العربية", "ተናገር", "བོད", "𞤀𞤣", "ꆈꌠ"),
    *("😀", "👩‍👩‍👧", "🏳️‍🌈", "\U0001f1ee\U0001f1f3", "\U0010ffff", "\ufffd", "\ufffe", "\ud7ff", "\ue000", "\u212a"),
]
FRAGMENTS = SPACES + WORDS
# Special tokens that overlap one another, hold what a regular expression would take for its own, or equal plain text.
SPECIALS = [
    *("<|endoftext|>", "<|endo", "<|", "<s>", "</s>", "a", "aa", "aaa", "é", "Ġhz", " ", "\n"),
    *("a+", "[x|y]", "(.*)", "$", ".", "\\"),
]

fragments = st.sampled_from(FRAGMENTS)
specials = st.lists(st.sampled_from(SPECIALS), max_size=4, unique=True)


def texts(max_size: int = 20) -> st.SearchStrategy[str]:
    """Texts of up to so many parts, fragments and arbitrary characters mixed."""
    return st.lists(fragments | fragments | st.text(max_size=4), max_size=max_size).map("".join)


@st.composite
def corpora(draw: st.DrawFn, max_size: int = 40) -> str:
    """Texts of few different parts, often repeated, so that counts are high and ties frequent."""
    parts = draw(st.lists(st.sampled_from(["a", "b", "aa", "ab", " ", " a", "ba"]) | fragments, min_size=1, max_size=6))
    return "".join(draw(st.lists(st.sampled_from(parts), max_size=max_size)))


@st.composite
def texts_with_specials(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text with the special tokens that it may hold."""
    chosen = draw(specials)
    parts = fragments | st.text(max_size=3) | st.sampled_from(SPECIALS)
    return "".join(draw(st.lists(parts, max_size=20))), chosen


# Which steps are ordered and which of the pairs that occur then, by its number among them (see `compare.with_orders`).
choices = st.dictionaries(st.integers(1, 12), st.integers(0, 1_000), min_size=1, max_size=6)


def scaled(factor: float) -> settings:
    """The current profile's number of examples times a factor, for tests whose examples cost more or less than most."""
    return settings(max_examples=max(5, round(settings.default.max_examples * factor)))
