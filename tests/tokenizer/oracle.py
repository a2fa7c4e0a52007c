"""Byte-level BPE as one would explain it on a blackboard: slow, and as plain as can be.

The engine must equal this at every step. Nothing here is shared with the engine, nothing is incremental, nothing is
remembered between steps: each step counts all pairs anew, looks for the best, and rewrites every row.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import regex

Pair = tuple[int, int]
Tokens = tuple[int, ...]

# The split patterns as lists of alternatives, the first that matches wins.
GPT2 = (
    r"'(?:[sdmt]|ll|ve|re)",
    r" ?\p{L}+",
    r" ?\p{N}+",
    r" ?[^\s\p{L}\p{N}]+",
    r"\s+(?!\S)",
    r"\s+",
)
ALTERNATIVES: Mapping[str, tuple[str, ...]] = {
    "gpt2": GPT2,
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)",
        r"[^\r\n\p{L}\p{N}]?+\p{L}++",
        r"\p{N}{1,3}+",
        r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
        r"\s++$",
        r"\s*[\r\n]",
        r"\s+(?!\S)",
        r"\s",
    ),
    "o200k_base": (
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ),
    "whitespace": (r"\s+", r"\S+"),
    "none": (r"(?s:.+)",),
}


# --- Cutting the text -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cut:
    """A piece of a text: its place in characters, the alternative that matched it (None: special, or no match)."""

    text: str
    start: int
    end: int
    alternative: int | None
    special: bool = False


def segments(text: str, specials: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Start, end and whether it is a special token: leftmost first, and of those that start there the longest."""
    longest_first = sorted((s for s in specials if s), key=len, reverse=True)
    begin = at = 0
    while at < len(text):
        found = next((s for s in longest_first if text.startswith(s, at)), None)
        if found is None:
            at += 1
            continue
        if begin < at:
            yield begin, at, False
        yield at, at + len(found), True
        begin = at = at + len(found)
    if begin < len(text):
        yield begin, len(text), False


def cut(text: str, alternatives: Sequence[str], specials: Sequence[str] = ()) -> list[Cut]:
    """All pieces of the text in order. What no alternative matches between two matches is a piece of its own."""
    tries = [regex.compile(alternative) for alternative in alternatives]
    cuts: list[Cut] = []
    for start, end, special in segments(text, specials):
        if special:
            cuts.append(Cut(text[start:end], start, end, None, True))
            continue
        segment, at, lost = text[start:end], 0, 0
        while at < len(segment):
            matches = ((n, pattern.match(segment, at)) for n, pattern in enumerate(tries))
            number, match = next(((n, m) for n, m in matches if m), (None, None))
            if match is None:
                at += 1
                continue
            if lost < at:
                cuts.append(Cut(segment[lost:at], start + lost, start + at, None))
            cuts.append(Cut(match[0], start + at, start + match.end(), number))
            at = lost = match.end()
        if lost < at:
            cuts.append(Cut(segment[lost:at], start + lost, start + at, None))
    return cuts


def pre_tokens(text: str, alternatives: Sequence[str], specials: Sequence[str] = ()) -> list[str]:
    """The pieces that take part in training: all but the special tokens."""
    return [piece.text for piece in cut(text, alternatives, specials) if not piece.special]


# --- Training ---------------------------------------------------------------------------------------------------------


@dataclass
class Row:
    """A row of the pre-token table. `number` is its place by count descending, then first seen."""

    pre_token: bytes
    count: int
    tokens: Tokens
    number: int = -1


@dataclass(frozen=True)
class RowChange:
    """A row that a step changed."""

    number: int
    pre_token: bytes
    count: int
    before: Tokens
    after: Tokens
    replaced: int


@dataclass(frozen=True)
class Step:
    """Everything that one merge decided and changed; counts are (before, after) where both are known."""

    number: int
    token: int
    pair: Pair
    bytes: bytes
    count: int
    replaced: int
    tied: tuple[Pair, ...]
    ordered: bool
    rows_changed: tuple[RowChange, ...]
    pairs_new: dict[Pair, int]
    pairs_gone: dict[Pair, int]
    pairs_changed: dict[Pair, tuple[int, int]]


def table(words: Sequence[str]) -> list[Row]:
    """The distinct pre-tokens with their counts, in the order in which the corpus shows them first."""
    counts: dict[bytes, int] = {}
    for word in words:
        spelled = word.encode()
        counts[spelled] = counts.get(spelled, 0) + 1
    rows = [Row(spelled, count, tuple(spelled)) for spelled, count in counts.items()]
    for number, row in enumerate(sorted(rows, key=lambda row: -row.count)):
        row.number = number
    return rows


def count_pairs(rows: Sequence[Row]) -> dict[Pair, int]:
    """How often each pair of neighbours occurs, overlaps counted; the pairs stand in order of first occurrence."""
    counts: dict[Pair, int] = {}
    for row in rows:
        for pair in pairwise(row.tokens):
            counts[pair] = counts.get(pair, 0) + row.count
    return counts


def merge(tokens: Tokens, pair: Pair, token: int) -> Tokens:
    """The tokens with the pair replaced, left to right, without overlap."""
    merged: list[int] = []
    at = 0
    while at < len(tokens):
        if tokens[at : at + 2] == pair:
            merged.append(token)
            at += 2
        else:
            merged.append(tokens[at])
            at += 1
    return tuple(merged)


def order(counts: Mapping[Pair, int], tie_rule: str, spelled: Sequence[bytes]) -> list[Pair]:
    """All pairs in the order in which the tie rule would take them: count descending, then the rule.

    Python's sort keeps the order of equals, so `first_seen` needs nothing more than `count_pairs` gives.
    """
    pairs = list(counts)
    if tie_rule == "greater_bytes":
        pairs.sort(key=lambda pair: (spelled[pair[0]], spelled[pair[1]]), reverse=True)
    elif tie_rule == "lower_ids":
        pairs.sort()
    elif tie_rule != "first_seen":
        raise ValueError(tie_rule)
    return sorted(pairs, key=lambda pair: -counts[pair])


class Training:
    """A training that recounts everything at every step.

    `rows` are in the order of first occurrence, `spelled` the tokens' bytes, `pairs` the counts now.
    """

    def __init__(self, words: Sequence[str], tie_rule: str = "greater_bytes"):
        self.tie_rule = tie_rule
        self.rows = table(words)
        self.spelled = [bytes([byte]) for byte in range(256)]
        self.merges: list[Pair] = []
        self.pairs = count_pairs(self.rows)

    def ordered(self) -> list[Pair]:
        """The pairs now, best first."""
        return order(self.pairs, self.tie_rule, self.spelled)

    def in_table_order(self) -> list[Row]:
        """The rows by count descending, then first seen."""
        return sorted(self.rows, key=lambda row: row.number)

    def tokens(self) -> int:
        """Tokens in the corpus now."""
        return sum(row.count * len(row.tokens) for row in self.rows)

    def step(self, min_count: int = 1, ordered: Pair | None = None) -> Step | None:
        """Make the next merge and say everything about it; None where no pair reaches the minimum count.

        An ordered pair is merged whatever is more frequent and however rare it is; it must occur.
        """
        before = self.pairs
        if ordered is not None:
            top, tied = before[ordered], (ordered,)
        else:
            top = max(before.values(), default=0)
            tied = tuple(order({p: n for p, n in before.items() if n == top}, self.tie_rule, self.spelled))
            if top < min_count or top == 0:
                return None
        pair, token = tied[0], len(self.spelled)
        self.spelled.append(self.spelled[pair[0]] + self.spelled[pair[1]])
        self.merges.append(pair)
        rows = self._rewrite(pair, token)
        after = self.pairs = count_pairs(self.rows)
        return Step(
            number=len(self.merges),
            token=token,
            pair=pair,
            bytes=self.spelled[token],
            count=top,
            replaced=sum(row.replaced * row.count for row in rows),
            tied=tied,
            ordered=ordered is not None,
            rows_changed=tuple(sorted(rows, key=lambda row: row.number)),
            pairs_new={p: n for p, n in after.items() if p not in before},
            pairs_gone={p: n for p, n in before.items() if p not in after},
            pairs_changed={p: (n, after[p]) for p, n in before.items() if p in after and after[p] != n},
        )

    def _rewrite(self, pair: Pair, token: int) -> list[RowChange]:
        changes = []
        for row in self.rows:
            after = merge(row.tokens, pair, token) if pair[0] in row.tokens else row.tokens
            if after != row.tokens:
                replaced = len(row.tokens) - len(after)
                changes.append(RowChange(row.number, row.pre_token, row.count, row.tokens, after, replaced))
                row.tokens = after
        return changes


def train(words: Sequence[str], tie_rule: str, merges: int) -> Training:
    """So many merges, or fewer where the pairs run out."""
    training = Training(words, tie_rule)
    while len(training.merges) < merges and training.step():
        pass
    return training


# --- Encoding ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Iteration:
    """One round of encoding: the tokens, each candidate's rank with its places in them, the rank applied or None."""

    tokens: Tokens
    candidates: dict[Pair, tuple[int, tuple[int, ...]]]
    applied: int | None


def iterations(pre_token: bytes, merges: Sequence[Pair]) -> list[Iteration]:
    """Repeatedly the lowest-ranked present pair, everywhere, until none is left; the last round applies nothing."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens, rounds = tuple(pre_token), []
    while True:
        places: dict[Pair, list[int]] = {}
        for at, pair in enumerate(pairwise(tokens)):
            if pair in ranks:
                places.setdefault(pair, []).append(at)
        candidates = {pair: (ranks[pair], tuple(at)) for pair, at in places.items()}
        if not candidates:
            return [*rounds, Iteration(tokens, {}, None)]
        lowest = min(candidates, key=lambda pair: ranks[pair])
        rounds.append(Iteration(tokens, candidates, ranks[lowest]))
        tokens = merge(tokens, lowest, 256 + ranks[lowest])


def encode_pre_token(pre_token: bytes, merges: Sequence[Pair]) -> Tokens:
    """The ids of one pre-token."""
    return iterations(pre_token, merges)[-1].tokens


def encode(text: str, alternatives: Sequence[str], merges: Sequence[Pair], specials: Sequence[str] = ()) -> list[int]:
    """The ids of a text; special tokens have the ids after the last merge, in the order given."""
    ids: list[int] = []
    for piece in cut(text, alternatives, specials):
        if piece.special:
            ids.append(256 + len(merges) + list(specials).index(piece.text))
        else:
            ids.extend(encode_pre_token(piece.text.encode(), merges))
    return ids
