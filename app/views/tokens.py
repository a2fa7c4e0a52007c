"""Tokens as pages show them: labels, chips, trees."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["", "left", "right", "new"]
Kind = Literal["text", "bytes", "special"]


@dataclass(frozen=True, slots=True)
class Glyph:
    """A stretch of a token's label; `dim` where it stands for something invisible (␣ ⏎ ⇥ ␀) or is left out (…)."""

    text: str
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as a chip.

    `kind` "bytes" is a token that is no whole characters (label in hex, another shape); "special" a special token.
    `role` marks the chosen pair's left and right token and the token that they became. `hue` 0-11 colours tokens
    stably by id where a page wants coloured chips (trace), None else. `title` is the whole token in words.
    """

    id: int
    glyphs: tuple[Glyph, ...]
    title: str
    kind: Kind = "text"
    role: Role = ""
    hue: int | None = None
    shortened: bool = False

    def __hash__(self) -> int:
        # A page looks up hundreds of drawings by their chips; hashing all fields takes ten times as long.
        return self.id


@dataclass(frozen=True, slots=True)
class TreeView:
    """How a token was built, as placed boxes for an SVG.

    A node's `x` and `y` are the left upper corner of its box, which is 24 high; an edge leads from the middle of a
    box's lower side to the middle of the upper side of its part's.
    """

    @dataclass(frozen=True, slots=True)
    class Box:
        width: float
        chip: Chip
        cut: bool  # it has parts, which are left out

    @dataclass(frozen=True, slots=True)
    class Node:
        x: float
        y: float
        box: "TreeView.Box"

    @dataclass(frozen=True, slots=True)
    class Edge:
        x1: float
        y1: float
        x2: float
        y2: float

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    width: float  # in SVG user units (px at 100 %)
    height: float
    text: str  # the same in words for screen readers: "west = w + est; est = e + st; st = s + t"
