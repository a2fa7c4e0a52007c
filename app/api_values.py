"""Values of the engine as JSON: plain dicts in the shapes of `api_models.py`, built fast, cut at stated limits."""

from collections.abc import Iterable, Sequence
from typing import Any

from app.kept import KeptCorpus
from tokenizer.encoding import Iteration, Trace, TracedPiece, decode, iterations
from tokenizer.patterns import NAMED, SplitPattern
from tokenizer.pretokens import Piece
from tokenizer.recipe import Method
from tokenizer.run import Run
from tokenizer.steps import Pair, Row, RowChange, Step
from tokenizer.vocabulary import Vocabulary

JSON = dict[str, Any]

MOST_TOKENS = 10_000  # token objects of a trace
MOST_ITERATIONS = 200  # of one pre-token
MOST_ITERATION_TOKENS = 200
MOST_CELLS = 200_000  # tokens in all iterations of a trace
LONGEST_TOLD = 20_000  # bytes of a pre-token; of a longer one only the ids are told
ROW_BYTES = 1_000
SURROGATES_NOTICE = "{} lone surrogate{} replaced by U+FFFD, the replacement character, as UTF-8 cannot hold one."


def text_of(data: bytes) -> str | None:
    """The text of bytes that are whole UTF-8, else None."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def token(number: int, data: bytes, *, special: bool = False) -> JSON:
    """A token."""
    value: JSON = {"id": number, "hex": data.hex(), "text": text_of(data)}
    return {**value, "special": True} if special else value


def surrogate_notices(count: int) -> list[str]:
    """What to say of replaced lone surrogates."""
    return [SURROGATES_NOTICE.format(count, " was" if count == 1 else "s were")] if count else []


def links(run: str) -> dict[str, str]:
    """Where a run's parts are."""
    api = f"/api/runs/{run}"
    return {
        "self": api,
        "step": f"{api}/steps/{{k}}",
        "table": f"{api}/table",
        "pairs": f"{api}/pairs",
        "merges": f"{api}/merges",
        "page": f"/runs/{run}/steps/0",
    }


def pattern(value: SplitPattern) -> str | JSON:
    """A split pattern: its name, or the source of a custom one."""
    return value.name if value.name in NAMED else {"custom": value.source}


def recipe(method: Method, corpus: KeptCorpus) -> JSON:
    """A recipe, its corpus by length and digest."""
    return {
        "corpus": {"bytes": corpus.bytes, "characters": corpus.characters, "sha256": corpus.digest},
        "algorithm": method.algorithm,
        "pattern": pattern(method.pattern),
        "tie_rule": method.tie_rule,
        "special_tokens": list(method.special_tokens),
        "vocab_size": method.vocab_size,
        "min_count": method.min_count,
    }


def run_details(run_id: str, method: Method, corpus: KeptCorpus, run: Run) -> JSON:
    """A run: recipe and figures."""
    described = recipe(method, corpus)
    return {
        "run": run_id,
        "recipe": described,
        "bytes": described["corpus"]["bytes"],
        "characters": described["corpus"]["characters"],
        "pre_token_occurrences": run.table.occurrences,
        "distinct_pre_tokens": len(run.table),
        "distinct_pairs": run.totals(0).distinct_pairs,
        "uncovered": run.table.uncovered,
        "steps_known": run.known,
        "exhausted": run.ended is not None,
        "reason": run.ended,
        "links": links(run_id),
    }


class Spelled:
    """Ids of a run as token objects; each is made once, since the same few ids come again and again."""

    def __init__(self, run: Run):
        self._run = run
        self._made: dict[int, JSON] = {}

    def token(self, number: int) -> JSON:
        """A token by id."""
        made = self._made.get(number)
        if made is None:
            made = self._made[number] = token(number, self._run.token(number))
        return made

    def pair(self, pair: Pair) -> list[JSON]:
        """A pair of ids."""
        return [self.token(pair[0]), self.token(pair[1])]

    def tokens(self, numbers: Iterable[int]) -> list[JSON]:
        """A row of ids."""
        return [self.token(number) for number in numbers]


def step(run: Run, value: Step, sentence: str) -> JSON:
    """A step."""
    spelled = Spelled(run)
    return {
        "number": value.number,
        "kind": value.kind,
        "token": spelled.token(value.token),
        "pair": spelled.pair(value.pair),
        "count": value.count,
        "replaced": value.replaced,
        "ordered": value.ordered,
        "tied": [spelled.pair(pair) for pair in value.tied],
        "tied_total": value.tied_total,
        "rows_changed": [row_change(change) for change in value.rows_changed],
        "rows_changed_total": value.rows_changed_total,
        "pairs_new": [{"pair": spelled.pair(new.pair), "count": new.count} for new in value.pairs_new],
        "pairs_new_total": value.pairs_new_total,
        "pairs_gone": [spelled.pair(gone.pair) for gone in value.pairs_gone],
        "pairs_gone_total": value.pairs_gone_total,
        "pairs_changed": [
            {"pair": spelled.pair(change.pair), "before": change.before, "after": change.after}
            for change in value.pairs_changed
        ],
        "pairs_changed_total": value.pairs_changed_total,
        "sentence": sentence,
        "last": value.last,
    }


def row_change(change: RowChange) -> JSON:
    """A changed row: whole, or the windows around what changed in a long one."""
    first = change.windows[0]
    value: JSON = {
        "row": change.number,
        "count": change.count,
        "before": list(first.before),
        "after": list(first.after),
    }
    if len(first.before) == change.before_total and len(first.after) == change.after_total:
        return value
    windows = [
        {"offset": window.offset, "before": list(window.before), "after": list(window.after)}
        for window in change.windows
    ]
    return {
        **value,
        "windows": windows,
        "windows_total": change.windows_total,
        "before_total": change.before_total,
        "after_total": change.after_total,
    }


def table(run: Run, at: int, offset: int, limit: int) -> JSON:
    """A window of the pre-token table."""
    rows, total = run.rows(at, offset=offset, limit=limit, longest=ROW_BYTES)
    spelled = Spelled(run)
    return {"step": at, "rows": [_row(row, spelled) for row in rows], "total": total}


def _row(row: Row, spelled: Spelled) -> JSON:
    value: JSON = {
        "row": row.number,
        "pre_token": row.pre_token[:ROW_BYTES].decode(errors="ignore"),  # a character that the cut splits goes
        "count": row.count,
        "tokens": spelled.tokens(row.tokens),
    }
    if len(row.pre_token) > ROW_BYTES:
        value["pre_token_bytes"] = len(row.pre_token)
    if len(row.tokens) < row.total:
        value["tokens_total"] = row.total
    return value


def pairs(run: Run, at: int, offset: int, limit: int) -> JSON:
    """A window of the pair counts."""
    found, total = run.pairs(at, offset=offset, limit=limit)
    spelled = Spelled(run)
    return {
        "step": at,
        "pairs": [{"pair": spelled.pair(pair.pair), "count": pair.count} for pair in found],
        "total": total,
    }


def merges(run: Run, at: int, offset: int, limit: int | None) -> JSON:
    """The merges up to a step."""
    spelled = Spelled(run)
    made = [
        {
            "rank": merge.rank,
            "pair": spelled.pair(merge.pair),
            "token": spelled.token(merge.token),
            "count": merge.count,
        }
        for merge in run.merges(at, offset=offset, limit=limit)
    ]
    return {"step": at, "merges": made, "total": at}


def pre_tokens(shown: Sequence[Piece], total: int, split: SplitPattern, offset: int) -> JSON:
    """Pieces of a text, from the `offset`-th on; it has `total`."""
    return {
        "pre_tokens": [
            {
                "text": piece.text,
                "start": piece.start,
                "end": piece.end,
                "alternative": piece.alternative,
                "special": piece.special,
            }
            for piece in shown
        ],
        "total": total,
        "truncated": len(shown) < total - offset,
        "alternatives": list(split.alternatives),
    }


def trace(traced: Trace, vocabulary: Vocabulary, limit: int) -> JSON:
    """The trace of a text; `limit` pre-tokens at most."""
    size = len(traced.text.encode())
    told, cut = _traced_pieces(traced, vocabulary, limit)
    specials = set(vocabulary.special_tokens.values())
    return {
        "ids": list(traced.ids),
        "tokens": [
            token(number, vocabulary.token(number), special=number in specials) for number in traced.ids[:MOST_TOKENS]
        ],
        "bytes": size,
        "code_points": len(traced.text),
        "bytes_per_token": round(size / len(traced.ids), 4) if traced.ids else None,
        "round_trip": decode(traced.ids, vocabulary) == traced.text.encode(),
        "pre_tokens": told,
        "pre_tokens_total": len(traced.order),
        "truncated": cut or len(traced.order) > limit or len(traced.ids) > MOST_TOKENS,
        "notices": surrogate_notices(traced.replaced),
    }


def _traced_pieces(traced: Trace, vocabulary: Vocabulary, limit: int) -> tuple[list[JSON], bool]:
    """Pre-tokens in order with their iterations, as many of those as `MOST_CELLS` allows; and whether any are cut.

    A pre-token that comes again has its iterations again, traced once; what they add to the answer counts each time.
    """
    rounds: dict[int, list[JSON]] = {}
    told, room, whole = [], MOST_CELLS, True
    for place in traced.order[:limit]:
        piece = traced.pieces[place]
        if place not in rounds:
            rounds[place] = _iterations(piece, vocabulary) if room > 0 else []
        shown = rounds[place] if room > 0 else []
        room -= sum(len(each["tokens"]) for each in shown)
        total = piece.iterations
        whole = whole and len(shown) == total and not any("tokens_total" in each for each in shown)
        told.append(
            {
                "text": piece.text,
                "ids": list(piece.ids),
                "special": piece.special,
                "whole_piece": len(piece.ids) == 1 and not piece.special,
                "iterations": shown,
                "iterations_total": total,
            }
        )
    return told, not whole


def _iterations(piece: TracedPiece, vocabulary: Vocabulary) -> list[JSON]:
    data = piece.text.encode()
    if piece.special or len(data) > LONGEST_TOLD:
        return []
    found = iterations(data, vocabulary, limit=MOST_ITERATIONS, longest=MOST_ITERATION_TOKENS)
    # What is left when no pair has a merge is the result, told by `ids`.
    return [_iteration(each, vocabulary) for each in found if each.applied is not None]


def _iteration(value: Iteration, vocabulary: Vocabulary) -> JSON:
    told: JSON = {
        "tokens": [vocabulary.tokens[number].hex() for number in value.tokens],
        "candidates": [
            {
                "pair": [vocabulary.tokens[number].hex() for number in candidate.pair],
                "rank": candidate.rank,
                "positions": list(candidate.positions),
            }
            for candidate in value.candidates
        ],
        "applied": value.applied,
    }
    if len(value.tokens) < value.total:
        told["tokens_total"] = value.total
    return told


def decoded(data: bytes) -> JSON:
    """Decoded bytes."""
    text = text_of(data)
    return {
        "text": data.decode(errors="replace") if text is None else text,
        "hex": data.hex(),
        "valid_utf8": text is not None,
    }
