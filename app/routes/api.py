"""The JSON interface under `/api`: the same values as the pages."""

import json
from collections.abc import Callable
from itertools import islice
from typing import Annotated, Any

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import APIRouter, Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from app import api_values as values
from app.api_models import (
    DecodeOut,
    EncodeOut,
    ErrorOut,
    IdsIn,
    MergesOut,
    PairsOut,
    PreTokensIn,
    PreTokensOut,
    ProgressOut,
    RunDetails,
    RunOut,
    StepOut,
    TableOut,
    TextIn,
    TokenizerRef,
    TraceOut,
)
from app.bodies import JSONRoute
from app.faults import Fault
from app.forms import MOST_OFFSET, MOST_STEP, RecipeIn, pattern_of
from app.limits import check_ids, check_text, checked_special_tokens
from app.packing import WORTH_IT, accepts_gzip, pack
from app.present.sentence import sentence
from app.services import Parts, Services, Waiting
from tokenizer.encoding import decode, trace
from tokenizer.patterns import SplitPattern
from tokenizer.pretokens import Budget, pieces, segments, spans
from tokenizer.run import Run
from tokenizer.vocabulary import Vocabulary

MOST_PRE_TOKENS = 20_000  # sent at once
SENTENCE_TIES = 5  # tied pairs that a sentence needs to know of

RunPath = Annotated[str, Path(max_length=100, description="a run's id")]
StepK = Annotated[
    int, Path(ge=1, le=MOST_STEP, description="from 1; what there is at step 0 is told by rows and pairs")
]
StepQuery = Annotated[int | None, Query(ge=0, le=MOST_STEP, description="as of which step; left out: the last known")]
OffsetQuery = Annotated[int, Query(ge=0, le=MOST_OFFSET, description="entries to leave out at the start")]
LimitQuery = Annotated[int | None, Query(ge=1, description="entries at most: 200 when left out, 1,000 at most")]

ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": ErrorOut, "description": "The request or its JSON cannot be read"},
    422: {"model": ErrorOut, "description": "Something in the input is not right"},
    503: {"model": ErrorOut, "description": "Too much at once; `Retry-After` says when to ask again"},
}
OF_RUN: dict[int | str, dict[str, Any]] = {
    202: {"model": ProgressOut, "description": "In work; `Retry-After` says when to ask again"},
    404: {"model": ErrorOut, "description": "There is no such run, or (`exhausted`) it ended before that step"},
    409: {"model": ErrorOut, "description": "Somebody stopped it (`stopped`); the recipe sent again goes on with it"},
}
WITH_BODY: dict[int | str, dict[str, Any]] = {
    403: {"model": ErrorOut, "description": "Sent by a page of another site"},
    413: {"model": ErrorOut, "description": "The body is too large"},
    415: {"model": ErrorOut, "description": "The body is not JSON"},
}

router = APIRouter(prefix="/api", route_class=JSONRoute, responses=ERRORS, default_response_class=Response)


def documented(model: type, description: str) -> dict[int | str, dict[str, Any]]:
    """A 200 for OpenAPI; handlers answer with bytes that are made in a thread, which FastAPI does not look into."""
    return {200: {"model": model, "description": description}}


async def answer(
    request: Request,
    make: Callable[[], Any],
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    limiter: CapacityLimiter | None = None,
) -> Response:
    """A JSON answer of what `make` gives; made, written and compressed in a thread, one of `limiter` if it is given."""
    gzip = accepts_gzip(request)

    def written() -> tuple[bytes, bool]:
        body = json.dumps(make(), ensure_ascii=False, separators=(",", ":")).encode()
        return (pack(body), True) if gzip and len(body) >= WORTH_IT else (body, False)

    body, packed = await anyio.to_thread.run_sync(written, limiter=limiter)
    response = Response(body, status, {"Cache-Control": "no-cache", **(headers or {})}, "application/json")
    response.headers.add_vary_header("Accept-Encoding")
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    return response


async def list_limit(parts: Parts, limit: LimitQuery = None) -> int:
    """How many entries of a list are wanted; more than the settings allow is an error."""
    most = parts.settings.max_list
    if limit is not None and limit > most:
        raise Fault(422, "too_many", f"limit: it is {limit:,}; at most {most:,} are sent at once.", "limit")
    return limit if limit is not None else min(parts.settings.default_list, most)


Limit = Annotated[int, Depends(list_limit)]


async def run_as_of(parts: Services, run: str, step: int | None) -> tuple[Run, int]:
    """A run whose step is known, and the step: the one asked for, or the last one."""
    live = await parts.at(run, step or 0)
    if live.run is None:  # pragma: no cover (`at` sees to it)
        raise Waiting(live, step or 0)
    return live.run, live.run.known if step is None else step


@router.post(
    "/runs",
    tags=["runs"],
    summary="Open a run",
    responses={
        **WITH_BODY,
        **documented(RunOut, "The recipe was known: the same run"),
        201: {"model": RunOut, "description": "A new run"},
    },
)
async def open_run(request: Request, body: RecipeIn, parts: Parts) -> Response:
    """Train on a corpus. The same recipe always has the same id."""
    recipe = await anyio.to_thread.run_sync(body.to_recipe, parts.settings)
    run, created = await parts.open_text(recipe)
    notices = values.surrogate_notices(request.state.surrogates)
    value = {"run": run, "links": values.links(run), "notices": notices}
    return await answer(
        request, lambda: value, status=201 if created else 200, headers={"Location": f"/api/runs/{run}"}
    )


@router.get(
    "/runs/{run}", tags=["runs"], summary="A run", responses={**OF_RUN, **documented(RunDetails, "Recipe and figures")}
)
async def show_run(request: Request, run: RunPath, parts: Parts) -> Response:
    """The recipe, the figures of its corpus, and how far training is."""
    found, _ = await run_as_of(parts, run, 0)
    live = await parts.book.peek(run)
    return await answer(request, lambda: values.run_details(run, live.method, live.corpus, found))


@router.get(
    "/runs/{run}/steps/{k}",
    tags=["runs"],
    summary="A step",
    responses={**OF_RUN, **documented(StepOut, "What was decided, and what changed")},
)
async def show_step(
    request: Request,
    run: RunPath,
    k: StepK,
    parts: Parts,
    limit: Limit,
) -> Response:
    """Step k made rank k-1 and id 255+k."""
    found, at = await run_as_of(parts, run, k)

    def make() -> values.JSON:
        step = found.step(at, limit=limit)
        why = step if limit >= SENTENCE_TIES else found.step(at, limit=SENTENCE_TIES)
        return values.step(found, step, sentence(found, why))

    return await answer(request, make)


@router.get(
    "/runs/{run}/table",
    tags=["runs"],
    summary="The pre-token table",
    responses={**OF_RUN, **documented(TableOut, "A window of the rows")},
)
async def show_table(
    request: Request, run: RunPath, parts: Parts, limit: Limit, step: StepQuery = None, offset: OffsetQuery = 0
) -> Response:
    """Rows as of a step, by count, then first seen."""
    found, at = await run_as_of(parts, run, step)
    return await answer(request, lambda: values.table(found, at, offset, limit))


@router.get(
    "/runs/{run}/pairs",
    tags=["runs"],
    summary="The pair counts",
    responses={**OF_RUN, **documented(PairsOut, "A window of the pairs")},
)
async def show_pairs(
    request: Request, run: RunPath, parts: Parts, limit: Limit, step: StepQuery = None, offset: OffsetQuery = 0
) -> Response:
    """Pairs as of a step, in the order in which the tie rule would take them."""
    found, at = await run_as_of(parts, run, step)
    return await answer(request, lambda: values.pairs(found, at, offset, limit))


@router.get(
    "/runs/{run}/merges",
    tags=["runs"],
    summary="The merges",
    responses={**OF_RUN, **documented(MergesOut, "The merges up to a step")},
)
async def show_merges(
    request: Request,
    run: RunPath,
    parts: Parts,
    step: StepQuery = None,
    offset: OffsetQuery = 0,
    limit: Annotated[int | None, Query(ge=1, le=MOST_STEP, description="all of them when left out")] = None,
) -> Response:
    """The merges up to a step, oldest first."""
    found, at = await run_as_of(parts, run, step)
    return await answer(request, lambda: values.merges(found, at, offset, limit))


@router.post(
    "/pretokens",
    tags=["texts"],
    summary="Cut a text",
    responses={**WITH_BODY, **documented(PreTokensOut, "The pieces in order")},
)
async def cut_text(request: Request, body: PreTokensIn, parts: Parts) -> Response:
    """The pre-tokens of a text, each with the alternative of the pattern that matched it."""
    settings = parts.settings
    check_text(body.text, settings)
    if body.limit is not None and body.limit > MOST_PRE_TOKENS:
        message = f"limit: it is {body.limit:,}; at most {MOST_PRE_TOKENS:,} are sent at once."
        raise Fault(422, "too_many", message, "limit")

    def make() -> values.JSON:
        special_tokens = checked_special_tokens(body.special_tokens, settings)
        split = pattern_of(body.pattern)
        seconds = settings.pattern_seconds / 4
        until = body.offset + (body.limit or MOST_PRE_TOKENS)
        cut = pieces(body.text, split, special_tokens, skip=body.offset, time_limit=seconds)
        shown = list(islice(cut, until - body.offset))
        total = piece_count(body.text, split, special_tokens, seconds)
        notices = values.surrogate_notices(request.state.surrogates)
        return {**values.pre_tokens(shown, total, split, body.offset), "notices": notices}

    return await answer(request, make, limiter=parts.texts)


def piece_count(text: str, split: SplitPattern, special_tokens: tuple[str, ...], time_limit: float) -> int:
    """How many pieces a text is cut into."""
    budget = Budget(time_limit)
    return sum(
        1 if segment.special else sum(1 for _ in spans(text[segment.start : segment.end], split, budget))
        for segment in segments(text, special_tokens, time_limit=time_limit)
    )


async def vocabulary_of(parts: Services, tokenizer: TokenizerRef) -> tuple[Vocabulary, int]:
    """The vocabulary that a body names, and its step."""
    found, at = await run_as_of(parts, tokenizer.run, tokenizer.step)
    return found.vocabulary(at), at


@router.post(
    "/trace",
    tags=["texts"],
    summary="Trace a text",
    responses={**WITH_BODY, **OF_RUN, **documented(TraceOut, "The ids, and how each pre-token got them")},
)
async def trace_text(request: Request, body: TextIn, parts: Parts, limit: Limit) -> Response:
    """How a text is encoded, iteration by iteration; `limit` pre-tokens at most are told."""
    check_text(body.text, parts.settings)
    vocabulary, at = await vocabulary_of(parts, body.tokenizer)

    def make() -> values.JSON:
        seconds = parts.settings.pattern_seconds / 4
        traced = trace(body.text, vocabulary, specials=body.special_tokens, time_limit=seconds)
        notices = values.surrogate_notices(request.state.surrogates)
        return {"step": at, **values.trace(traced, vocabulary, limit), "notices": notices}

    return await answer(request, make, limiter=parts.texts)


@router.post(
    "/encode",
    tags=["texts"],
    summary="Encode a text",
    responses={**WITH_BODY, **OF_RUN, **documented(EncodeOut, "The ids")},
)
async def encode_text(request: Request, body: TextIn, parts: Parts) -> Response:
    """The ids of a text."""
    check_text(body.text, parts.settings)
    vocabulary, at = await vocabulary_of(parts, body.tokenizer)

    def make() -> values.JSON:
        seconds = parts.settings.pattern_seconds / 4
        ids = trace(body.text, vocabulary, specials=body.special_tokens, time_limit=seconds).ids
        return {"step": at, "ids": ids, "notices": values.surrogate_notices(request.state.surrogates)}

    return await answer(request, make, limiter=parts.texts)


@router.post(
    "/decode",
    tags=["texts"],
    summary="Decode ids",
    responses={**WITH_BODY, **OF_RUN, **documented(DecodeOut, "The text and its bytes")},
)
async def decode_ids(request: Request, body: IdsIn, parts: Parts) -> Response:
    """The text of ids: their bytes joined and decoded once, with U+FFFD where they are not whole UTF-8."""
    check_ids(body.ids, parts.settings)
    vocabulary, at = await vocabulary_of(parts, body.tokenizer)
    return await answer(
        request, lambda: {"step": at, **values.decoded(decode(body.ids, vocabulary))}, limiter=parts.texts
    )
