"""What a run is called for people."""

from app.kept import READ_FOR_OPENING
from app.samples import sample_of
from app.text_boxes import for_heading

LONGEST = 48  # characters


def corpus_name(digest: str, opening: str, characters: int) -> str:
    """The sample's name, else how the corpus begins.

    Args:
        digest: of the corpus.
        opening: its first characters.
        characters: how many it has in all.
    """
    if (sample := sample_of(digest)) is not None:
        return sample.name
    opening = for_heading(opening)
    if not opening:
        return "white space" if characters else "empty corpus"
    whole = len(opening) <= LONGEST and characters <= READ_FOR_OPENING
    return opening if whole else opening[: LONGEST - 1].rstrip() + "…"
