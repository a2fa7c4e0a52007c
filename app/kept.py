"""What is kept of a run: its corpus in a file, and the recipe that names it."""

from dataclasses import dataclass
from pathlib import Path

from tokenizer.recipe import Method

OPENING_CHARS = 80
READ_FOR_OPENING = 4 * OPENING_CHARS  # characters from a corpus's beginning; white space in them is drawn together


class DiskFull(RuntimeError):
    """There is no room to keep something."""


@dataclass(frozen=True, slots=True)
class KeptCorpus:
    """A corpus in a file of UTF-8; `digest` is the SHA-256 of its bytes in hex, `opening` how it begins.

    The file may go while the value lives: to make room, or by somebody's hand.
    """

    digest: str
    bytes: int
    characters: int
    opening: str
    path: Path

    @property
    def is_there(self) -> bool:
        """Whether its file still is."""
        return self.path.is_file()


@dataclass(frozen=True, slots=True)
class KeptRecipe:
    """A run's recipe as it is kept. Its id is not always that of its content: older versions made ids differently.

    `stopped_at` is how many bytes were counted when somebody stopped it; None where nobody did, or it goes on since.
    """

    id: str
    method: Method
    corpus: KeptCorpus
    stopped_at: int | None = None
