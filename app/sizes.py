"""Sizes in words: of something that there is, and of a limit."""

MEGABYTE = 1_000_000


def size_in_words(size: int) -> str:
    """A number of bytes: "95 bytes", "22.3 MB"."""
    return f"{size:,} bytes" if size < MEGABYTE else f"{size / MEGABYTE:,.1f} MB"


def limit_in_words(size: int) -> str:
    """The same without a fraction that says nothing: "64 MB"."""
    return size_in_words(size).replace(".0 ", " ")
