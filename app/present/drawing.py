"""Geometry of the small drawings: the tree of a token, the curve of the compression. Numbers only, no markup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.present.glyphs import name_of
from app.views.lab import CurveView
from app.views.tokens import Chip, Role, TreeView
from tokenizer import Tree

NODE_HEIGHT = 24.0
LEVEL = 44.0
CHARACTER = 8.4
PADDING = 14.0
GAP = 8.0
CUT_MARK = 14.0  # room below a node for the sign that its parts are left out
MOST_NODES = 63  # of a tree that is drawn; of a larger one the upper levels are
CURVE_WIDTH, CURVE_HEIGHT = 100.0, 30.0


@dataclass(slots=True)
class _Canvas:
    chip: Callable[[int, Role], Chip]
    newest: bool
    nodes: list[TreeView.Node] = field(default_factory=list)
    edges: list[TreeView.Edge] = field(default_factory=list)
    right: float = 0.0
    depth: int = 0

    def place(self, tree: Tree, level: int, role: Role) -> float:
        """Draw a node above its parts, in columns that nothing else has; the middle of it."""
        self.depth = max(self.depth, level)
        begin = self.right
        chip = self.chip(tree.token, role)
        width = PADDING + CHARACTER * sum(map(_width, (glyph.text for glyph in chip.glyphs)))
        if tree.parts is None:
            middle = begin + width / 2
        else:
            marked = self.newest and level == 0
            left = self.place(tree.parts[0], level + 1, "left" if marked else "")
            right = self.place(tree.parts[1], level + 1, "right" if marked else "")
            middle = max((left + right) / 2, begin + width / 2)
            for part in (left, right):
                self.edges.append(TreeView.Edge(middle, level * LEVEL + NODE_HEIGHT, part, (level + 1) * LEVEL))
        self.right = max(self.right, middle + width / 2 + GAP)
        self.nodes.append(TreeView.Node(middle - width / 2, level * LEVEL, TreeView.Box(width, chip, tree.cut)))
        return middle


def tree_view(
    trees: Sequence[Tree],
    chip: Callable[[int, Role], Chip],
    spelled: Callable[[int], bytes],
    *,
    newest: bool = False,
) -> TreeView:
    """Place the trees of tokens side by side, roots on top.

    Args:
        trees: how the tokens were built.
        chip: a token as a chip with a role.
        spelled: a token's bytes.
        newest: mark the roots as new, with their left and right part.
    """
    canvas = _Canvas(chip, newest)
    for tree in trees:
        canvas.place(tree, 0, "new" if newest else "")
        canvas.right += 2 * GAP
    lines = [line for tree in trees for line in _words(tree, spelled)]
    return TreeView(
        nodes=tuple(canvas.nodes),
        edges=tuple(canvas.edges),
        width=max(canvas.right - 3 * GAP, 0.0),
        height=canvas.depth * LEVEL + NODE_HEIGHT + (CUT_MARK if any(node.box.cut for node in canvas.nodes) else 0.0),
        text="; ".join(dict.fromkeys(lines)) or "single bytes, nothing merged",
    )


def _words(tree: Tree, spelled: Callable[[int], bytes]) -> list[str]:
    """The tree in words, a merge a line, the newest first."""
    if tree.parts is None:
        return [f"{name_of(spelled(tree.token))} is drawn without its parts"] if tree.cut else []
    names = [name_of(spelled(part.token)) for part in (tree, *tree.parts)]
    return [f"{names[0]} = {names[1]} + {names[2]}", *(line for part in tree.parts for line in _words(part, spelled))]


def _width(text: str) -> float:
    """Columns of a text, wide characters counted twice."""
    return sum(2 if ord(character) >= 0x1100 else 1 for character in text)


def curve_view(points: list[tuple[int, int]], size: int, *, end: int = 0) -> CurveView:
    """Draw tokens over steps.

    Args:
        points: (step, tokens in the corpus), ascending; the last is the step that is shown.
        size: bytes of the corpus, which are its tokens before any merge.
        end: the run's last step, where it is known; the drawing leaves room for the steps to come.
    """
    last_step, now = points[-1]
    across, down = CURVE_WIDTH / max(last_step, end, 1), CURVE_HEIGHT / max(size, 1)
    ratio = size / now if now else 0.0
    return CurveView(
        points=" ".join([f"{across * step:.2f},{CURVE_HEIGHT - down * tokens:.2f}" for step, tokens in points]),
        x=round(across * last_step, 2),
        y=round(CURVE_HEIGHT - down * now, 2),
        first=f"{size:,}",
        now=f"{now:,} token{'s' * (now != 1)} in the corpus",
        ratio=f"{ratio:.2f} bytes per token" if now else "",
        text=f"Tokens in the corpus: {size:,} before any merge"
        + (f", {now:,} after step {last_step:,}" if last_step else "")
        + (f"; {ratio:.2f} bytes per token." if now else "."),
    )
