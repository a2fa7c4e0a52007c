"""Drawings: trees whose boxes never overlap and whose edges meet them, and curves that stay in their box."""

import time
from collections import defaultdict
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.present.drawing import CURVE_HEIGHT, CURVE_WIDTH, LEVEL, MOST_NODES, NODE_HEIGHT, curve_view, tree_view
from app.present.glyphs import chip
from app.samples import toy_recipe
from app.views.tokens import TreeView
from tokenizer import Recipe, Run, Tree, train
from tokenizer.patterns import NAMED

NEAR = pytest.approx


def drawn(run: Run, *tokens: int, newest: bool = False, most: int = MOST_NODES) -> TreeView:
    trees = [run.tree(token, most=most) for token in tokens]
    return tree_view(trees, lambda token, role: chip(token, run.token(token), role=role), run.token, newest=newest)


def check_geometry(view: TreeView) -> None:
    levels = defaultdict(list)
    for node in view.nodes:
        assert node.x >= 0
        assert node.x + node.box.width <= view.width + 1e-6
        assert node.y + NODE_HEIGHT <= view.height
        levels[node.y].append(node)
    assert set(levels) <= {place * LEVEL for place in range(len(view.nodes))}
    for nodes in levels.values():
        nodes.sort(key=lambda node: node.x)
        for left, right in pairwise(nodes):
            assert left.x + left.box.width < right.x
    middles = defaultdict(list)
    for node in view.nodes:
        middles[node.y].append(node.x + node.box.width / 2)
    for edge in view.edges:
        assert edge.x1 in map(pytest.approx, middles[edge.y1 - NODE_HEIGHT])
        assert edge.x2 in map(pytest.approx, middles[edge.y2])
        assert edge.y2 - edge.y1 == LEVEL - NODE_HEIGHT


def label(node: TreeView.Node) -> str:
    return "".join(glyph.text for glyph in node.box.chip.glyphs)


@pytest.fixture(scope="module")
def toy() -> Run:
    return train(toy_recipe())


def test_the_tree_of_west(toy):
    view = drawn(toy, 260, newest=True)
    assert view.text == "west = w + est; est = e + st; st = s + t"
    at = {(label(node), node.y / LEVEL): node for node in view.nodes}
    assert set(at) == {("west", 0), ("w", 1), ("est", 1), ("e", 2), ("st", 2), ("s", 3), ("t", 3)}
    assert view.height == 3 * LEVEL + NODE_HEIGHT
    assert len(view.edges) == 6
    roles = {label(node): node.box.chip.role for node in view.nodes if node.box.chip.role}
    assert roles == {"west": "new", "w": "left", "est": "right"}
    assert at["w", 1].x < at["est", 1].x
    middle = at["west", 0].x + at["west", 0].box.width / 2
    assert [(edge.x1, edge.y1) for edge in view.edges if edge.y1 == NODE_HEIGHT] == [(middle, NODE_HEIGHT)] * 2
    check_geometry(view)


def test_the_words_are_the_merges_of_the_tree(toy):
    for merge in toy.merges(8):
        first = drawn(toy, merge.token).text.split("; ")[0]
        left, right = (toy.token(part).decode().replace(" ", "␣") for part in merge.pair)
        assert first == f"{toy.token(merge.token).decode().replace(' ', '␣')} = {left} + {right}"


def test_a_byte_is_a_box_alone(toy):
    view = drawn(toy, 119)
    assert (len(view.nodes), view.edges, view.text) == (1, (), "single bytes, nothing merged")
    assert (view.width, view.height) == (view.nodes[0].box.width, NODE_HEIGHT)
    check_geometry(view)


def test_no_tree_is_an_empty_drawing(toy):
    view = drawn(toy)
    assert (view.nodes, view.edges, view.width, view.height) == ((), (), 0.0, NODE_HEIGHT)


def test_trees_side_by_side_do_not_touch(toy):
    view = drawn(toy, 259, 257, 119, 262)
    check_geometry(view)
    roots = [node for node in view.nodes if node.y == 0]
    assert [label(node) for node in sorted(roots, key=lambda node: node.x)] == ["low", "est", "w", "newest"]
    assert not any(node.box.chip.role for node in view.nodes)
    assert view.text.count("st = s + t") == 1  # said once, though it stands in two of the trees


def test_wide_and_invisible_tokens_have_room():
    run = train(Recipe("日本日本 \u200b\u200b aéa", pattern=NAMED["none"]))
    view = drawn(run, 255 + run.known)
    check_geometry(view)
    narrow = next(node for node in view.nodes if label(node) == "a")
    wide = [node for node in view.nodes if "日本" in label(node)]
    assert all(node.box.width > narrow.box.width for node in wide)


def test_a_wide_parent_above_narrow_parts_keeps_clear_of_its_neighbour():
    # The label of a mixed token is wider than those of its two parts with their gap.
    spelled = {0: b"a", 1: b" ", 2: b"\x80", 3: b" \x80", 4: b"a \x80"}
    tree = Tree(4, (Tree(0), Tree(3, (Tree(1), Tree(2)))))
    trees = [tree, tree]
    view = tree_view(trees, lambda token, role: chip(token, spelled[token], role=role), spelled.__getitem__)
    check_geometry(view)


@given(st.lists(st.sampled_from(["a", "b", " ", "é", "日", "\u200b", "\0", "x" * 9, "e\u0301", "😀"]), max_size=30))
def test_no_drawing_overlaps(parts):
    run = train(Recipe("".join(parts) * 2, pattern=NAMED["none"]), steps=40)
    tokens = [255 + run.known, *range(256, min(256 + run.known, 262)), 97]
    check_geometry(drawn(run, *tokens))
    for token in tokens:
        view = drawn(run, token, newest=True)
        check_geometry(view)
        assert len(view.edges) == len(view.nodes) - 1


def test_a_large_tree_is_cut_and_says_so():
    run = train(Recipe("abcdefghijklmnopqrstuvwxyz" * 4, pattern=NAMED["none"]))
    view = drawn(run, 255 + run.known)
    assert len(view.nodes) <= MOST_NODES
    check_geometry(view)
    small = drawn(run, 255 + run.known, most=5)
    assert len(small.nodes) == 5
    assert " is drawn without its parts" in small.text
    assert "without its parts" not in drawn(run, 256).text


def test_very_long_tokens_are_drawn_at_once():
    run = train(Recipe("a" * 100_000, pattern=NAMED["none"]), steps=16)
    token = 255 + run.known
    assert len(run.token(token)) > 50_000
    begun = time.perf_counter()
    view = drawn(run, token)
    assert time.perf_counter() - begun < 1
    assert view.text.startswith("aaaaaaaaaaaaaa…aaaaaaaa = aaaaaaaaaaaaaa…aaaaaaaa + ")
    assert view.width < 20_000


# The curve


def test_the_curve_of_the_toy_corpus(toy):
    view = curve_view(toy.curve(5), toy.table.corpus_bytes)
    tokens = [toy.totals(step).tokens for step in range(6)]
    assert (tokens[0], tokens[5]) == (95, 57)
    assert (view.first, view.now, view.ratio) == ("95", "57 tokens in the corpus", "1.67 bytes per token")
    assert view.text == "Tokens in the corpus: 95 before any merge, 57 after step 5; 1.67 bytes per token."
    points = [tuple(map(float, point.split(","))) for point in view.points.split()]
    assert points[0] == (0, 0)
    assert points[-1] == (view.x, view.y) == (100, NEAR(30 * (1 - 57 / 95), abs=0.01))
    assert [x for x, _ in points] == NEAR([20.0 * step for step in range(6)])
    assert [y for _, y in points] == NEAR([30 * (1 - now / 95) for now in tokens], abs=0.01)


def test_the_curve_before_any_merge(toy):
    view = curve_view(toy.curve(0), 95)
    assert (view.points, view.x, view.y) == ("0.00,0.00", 0, 0)
    assert view.text == "Tokens in the corpus: 95 before any merge; 1.00 bytes per token."


def test_the_curve_of_nothing():
    view = curve_view([(0, 0)], 0)
    assert view.now == "0 tokens in the corpus"
    assert (view.ratio, view.text) == ("", "Tokens in the corpus: 0 before any merge.")
    assert 0 <= view.y <= CURVE_HEIGHT


def test_one_token_is_one_token():
    assert curve_view([(0, 2), (1, 1)], 2).now == "1 token in the corpus"
    assert curve_view([(0, 2_000_000), (1, 1_234_567)], 2_000_000).now == "1,234,567 tokens in the corpus"


@given(st.integers(1, 10**7), st.lists(st.integers(0, 10**6), max_size=30))
def test_the_curve_stays_in_its_box_and_goes_down(size, savings):
    tokens, points = size, [(0, size)]
    for step, saving in enumerate(savings, start=1):
        tokens = max(1, tokens - saving)
        points.append((step * 7, tokens))
    view = curve_view(points, size)
    placed = [tuple(map(float, point.split(","))) for point in view.points.split()]
    assert len(placed) == len(points)
    assert all(0 <= x <= CURVE_WIDTH and 0 <= y <= CURVE_HEIGHT for x, y in placed)
    assert placed == sorted(placed)
    assert (view.x, view.y) == placed[-1]
