"""One plain sentence or two that say why a merge happened, with its numbers."""

from collections.abc import Callable, Sequence

from app.glyphs import LONGEST, glyphs_of
from tokenizer import Pair, Run, Step, TieRule

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
MOST_RIVALS = 3  # tied pairs that are named


def sentence(run: Run, step: Step) -> str:
    """Why this step took its pair.

    Args:
        run: the run, for the bytes of tokens and the counts below the top.
        step: the step; a cut one will do as long as it has a few of the tied pairs.
    """
    return " ".join(part for part in (_choice(run, step), _replacements(step)) if part)


def _choice(run: Run, step: Step) -> str:
    if step.tied_total == 1:
        return _alone(run, step)
    rivals = step.tied[1 : MOST_RIVALS + 1]
    begin = f"{_number(step.tied_total)} pairs are tied at {step.count:,}. {_pair(run, step.pair)} is taken: "
    because = _WHY[run.recipe.tie_rule](run, step.pair, rivals, step.tied_total - 1)
    return begin + because


def _alone(run: Run, step: Step) -> str:
    first_two, _ = run.pairs(step.number - 1, limit=2)
    times = "once" if step.count == 1 else f"{step.count:,} times"
    if len(first_two) == 1:
        return f"{_pair(run, step.pair)} occurs {times}; it is the only pair."
    following = f"the next occurs {first_two[1].count:,}"
    return f"{_pair(run, step.pair)} occurs {times}, more often than any other pair; {following}."


def _greater_bytes(run: Run, chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    spelled = run.token
    first = spelled(chosen[0])
    at_first_byte = [rival for rival in rivals if spelled(rival[0])[0] != first[0]]
    if len(at_first_byte) == len(rivals) == others:
        lesser = sorted({spelled(rival[0])[:1]: spelled(rival[0]) for rival in rivals}.items(), reverse=True)
        listed = _and([f"{_token(token)} ({_byte(byte[0])})" for byte, token in lesser])
        return f"its first token {_token(first)} ({_byte(first[0])}) is greater than {listed}."
    closest = rivals[0]
    which = "" if others == 1 else f"the closest is {_pair(run, closest)}; "
    place, at = ("first", 0) if chosen[0] != closest[0] else ("second", 1)
    reason = _difference(spelled(chosen[at]), spelled(closest[at]))
    same = "" if at == 0 else f"both begin with {_token(first)}, and "
    return f"{which}{same}its {place} token {_token(spelled(chosen[at]))} is greater than {reason}."


def _difference(greater: bytes, lesser: bytes) -> str:
    """How two tokens compare, at the first byte where they differ."""
    at = next((at for at, (one, other) in enumerate(zip(greater, lesser, strict=False)) if one != other), None)
    if at is None:
        return f"{_token(lesser)}, which ends where it goes on with {_byte(greater[len(lesser)])}"
    if at == 0:
        return f"{_token(lesser)} ({_byte(greater[0])} against {_byte(lesser[0])})"
    return f"{_token(lesser)}: byte {at + 1} is {_byte(greater[at])} against {_byte(lesser[at])}"


def _first_seen(run: Run, _chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    return f"in the corpus as it is tokenized now, it is met first, before {_rivals(run, rivals, others)}."


def _lower_ids(run: Run, chosen: Pair, rivals: Sequence[Pair], others: int) -> str:
    closest = rivals[0]
    if others > 1:
        return f"its ids {chosen} are the lowest; the next are {closest} of {_pair(run, closest)}."
    return f"its ids {chosen} are lower than {closest}."


_WHY: dict[TieRule, Callable[[Run, Pair, Sequence[Pair], int], str]] = {
    "greater_bytes": _greater_bytes,
    "first_seen": _first_seen,
    "lower_ids": _lower_ids,
}


def _rivals(run: Run, rivals: Sequence[Pair], others: int) -> str:
    named = [_pair(run, rival) for rival in rivals]
    if others > len(named):
        named.append(f"{others - len(named):,} more")
    return _and(named)


def _replacements(step: Step) -> str:
    if step.replaced == step.count:
        return ""
    times = "Only 1 is" if step.replaced == 1 else f"Only {step.replaced:,} are"
    return (
        f"{times} replaced: where occurrences overlap, as in a run of the same token, "
        "replacing one from the left takes a token away from the next."
    )


def _number(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _byte(byte: int) -> str:
    return f"0x{byte:02X}"


def _token(spelled: bytes) -> str:
    shown = "".join(glyph.text for glyph in glyphs_of(spelled[: 4 * LONGEST])[0])
    return shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"


def _pair(run: Run, pair: Pair) -> str:
    return f"{_token(run.token(pair[0]))} + {_token(run.token(pair[1]))}"
