"""One plain sentence or two that say why a merge happened, with its numbers."""

from collections.abc import Callable, Sequence

import regex

from app.present.glyphs import name_of
from tokenizer import Pair, Run, Step, TieRule

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
MOST_RIVALS = 3  # tied pairs that are named
# Tokens that would read as the sentence's own punctuation get quotation marks; those written from right to left are
# isolated, so that a pair of them keeps its order in a line that runs from left to right.
_PUNCTUATION = regex.compile(r"^(?!⟨)[\p{P}+]|[\p{P}+](?<!⟩)$")
_RIGHT_TO_LEFT = regex.compile(r"[\p{bc=R}\p{bc=AL}\p{bc=AN}]")


def sentence(run: Run, step: Step) -> str:
    """Why this step took its pair.

    Args:
        run: the run, for the bytes of tokens and the counts below the top.
        step: the step; a cut one will do as long as it has a few of the tied pairs.
    """
    return " ".join(part for part in (_choice(run, step), _replacements(run, step)) if part)


def opening(run: Run) -> str:
    """What there is before any merge, and which pairs are the most frequent."""
    table = run.table
    if not table.occurrences:
        return "The corpus is empty: there is nothing to merge."
    pieces = "1 pre-token" if table.occurrences == 1 else f"{table.occurrences:,} pre-tokens"
    begin = f"The corpus is cut into {pieces}, {len(table):,} of them distinct. Every byte is a token."
    top, _ = run.pairs(0, limit=len(NUMBERS) + 1)
    if not top or (run.ended is not None and not run.known):
        return begin
    tied = sum(pair.count == top[0].count for pair in top)
    times = _times(top[0].count)
    if tied == 1:
        return f"{begin} {_pair(run, top[0].pair)} occurs most often, {times}, and merges next."
    how_many = _number(tied) if tied < len(NUMBERS) else f"More than {NUMBERS[-1].lower()}"
    following = f"the tie rule takes {_pair(run, top[0].pair)} next"
    return f"{begin} {how_many} pairs are tied at the top, {times} each; {following}."


def _choice(run: Run, step: Step) -> str:
    if step.ordered:
        return f"{_pair(run, step.pair)} is merged because it was ordered, not chosen; it occurs {_times(step.count)}."
    if step.tied_total == 1:
        return _alone(run, step)
    rivals = step.tied[1 : MOST_RIVALS + 1]
    begin = f"{_number(step.tied_total)} pairs are tied at {step.count:,}. {_pair(run, step.pair)} is taken"
    return begin + _WHY[run.method.tie_rule](run, step.pair, rivals, step.tied_total - 1) + "."


def _alone(run: Run, step: Step) -> str:
    first_two, _ = run.pairs(step.number - 1, limit=2)
    occurs = f"{_pair(run, step.pair)} occurs {_times(step.count)}"
    if len(first_two) == 1:
        return f"{occurs}; it is the only pair."
    return f"{occurs}, more often than any other pair; the next occurs {_times(first_two[1].count)}."


def _greater_bytes(run: Run, chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    first = run.token(chosen[0])
    lesser = dict.fromkeys(run.token(rival[0]) for rival in rivals)
    if len(rivals) == others and all(token[0] != first[0] for token in lesser):
        listed = _and([f"{_token(token)} ({_byte(token[0])})" for token in lesser])
        return f": its first token {_token(first)} ({_byte(first[0])}) is greater than {listed}"
    closest = rivals[0]
    which, the = (":", "its") if others == 1 else (f". The closest rival is {_pair(run, closest)}:", "the")
    if chosen[0] != closest[0]:
        return f"{which} {the} first token {_compared(first, run.token(closest[0]))}"
    second = _compared(run.token(chosen[1]), run.token(closest[1]))
    return f"{which} both begin with {_token(first)}, and {the} second token {second}"


def _compared(greater: bytes, lesser: bytes) -> str:
    """How two tokens compare, at the first byte where they differ."""
    claim = f"{_token(greater)} is greater than {_token(lesser)}"
    at = next((at for at, (one, other) in enumerate(zip(greater, lesser, strict=False)) if one != other), None)
    if at is None:
        return f"{claim}, because it begins with that and goes on with {_byte(greater[len(lesser)])}"
    where = f" at byte {at + 1:,}" if at else ""
    return f"{claim}{where} ({_byte(greater[at])} against {_byte(lesser[at])})"


def _first_seen(run: Run, _chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    named = [_pair(run, rival) for rival in rivals]
    if others > len(named):
        named.append(f"{others - len(named):,} more")
    return f": it comes first in the corpus as tokenized now, before {_and(named)}"


def _lower_ids(run: Run, chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    next_ = f"{rivals[0]}, those of {_pair(run, rivals[0])}"
    if others > 1:
        return f": its ids {chosen} are the lowest; the next are {next_}"
    return f": its ids {chosen} are lower than {next_}"


_WHY: dict[TieRule, Callable[[Run, Pair, Sequence[Pair], int], str]] = {
    "greater_bytes": _greater_bytes,
    "first_seen": _first_seen,
    "lower_ids": _lower_ids,
}


def _replacements(run: Run, step: Step) -> str:
    """Why fewer pairs were replaced than counted; only two equal tokens can overlap with themselves."""
    if step.replaced == step.count:
        return ""
    are = "is" if step.replaced == 1 else "are"
    return (
        f"Only {step.replaced:,} of the {step.count:,} {are} replaced: in a run of {_token(run.token(step.pair[0]))} "
        "they overlap, and each replacement, from the left, uses up a token that the next one needs."
    )


def _number(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _byte(byte: int) -> str:
    return f"0x{byte:02X}"


def _token(spelled: bytes) -> str:
    name = name_of(spelled)
    quoted = _PUNCTUATION.search(name) is not None
    if _RIGHT_TO_LEFT.search(name):
        name = f"\u2068{name}\u2069"
    return f"“{name}”" if quoted else name


def _pair(run: Run, pair: Pair) -> str:
    return f"{_token(run.token(pair[0]))} + {_token(run.token(pair[1]))}"
