"""The trace of a run: how a text is encoded under its merges, and ids back to text.

A text is sent with each question, since the server keeps none: for more pre-tokens (`shown`), or for the steps of one
that is too long to show them unasked (`opened`: its number and the step to begin with, as in `3:60`).
"""

from collections.abc import Callable
from typing import Annotated, TypeVar

import anyio.to_thread
from fastapi import APIRouter, Query
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from app.bodies import read_form, text_of
from app.faults import Fault, fault_of
from app.forms import MOST_OFFSET, MOST_STEP
from app.limits import check_text, ids_of
from app.present.trace import PIECES, TraceQuery, decoded_view, empty_trace, trace_view
from app.render import Context, Shape
from app.runs.live import LiveRun
from app.services import Parts, Services
from app.text_boxes import from_text_box
from app.views.page import PageView
from app.views.trace import DecodedView, TraceView
from tokenizer import Specials
from tokenizer.errors import TokenizerError

TRACE = Shape("trace/show.html", "trace/_trace.html")
DECODED = Shape("trace/show.html", "trace/_decoded.html")
View = TypeVar("View")

MOST_SHOWN = 10_000  # pre-tokens

Step = Annotated[int | None, Query(ge=0, le=MOST_STEP)]

router = APIRouter(include_in_schema=False)


@router.get("/trace")
async def where_to_trace(request: Request, parts: Parts) -> Response:
    """The trace of the run where this browser was last, at the step where it was; else that of the toy corpus."""
    readable = [run for run in await parts.recent(request) if run.state == "open"]
    if readable:
        return RedirectResponse(f"/runs/{readable[0].id}/trace?step={readable[0].step}", 303)
    run = await parts.toy()
    return RedirectResponse(f"/runs/{run}/trace", 303)


@router.get("/runs/{run}/trace")
async def show_trace(request: Request, run: str, parts: Parts, step: Step = None) -> Response:
    """An empty page to trace a text on; without a step, as of the last known one."""
    live = await parts.at(run, step or 0)
    at = live.known if step is None else step
    response = await parts.renderer.show(
        request, TRACE, lambda: _context(live, at, empty_trace(live, at)), cache="private, no-cache"
    )
    parts.sessions.record(request, response, run, at)
    return response


@router.post("/runs/{run}/trace")
async def trace_text(request: Request, run: str, parts: Parts, step: Step = None) -> Response:
    """The trace of a text, or, where the form has ids and no text, the text of those."""
    live = await parts.at(run, step or 0)
    at = live.known if step is None else step
    form = await read_form(request, parts.settings.max_body_bytes)
    if "go" in form:  # to another step with the same text
        at = min(_number("as of step", text_of(form, "go") or text_of(form, "as_of"), at), live.known)
    if "ids" in form and "text" not in form:
        return await _decode(request, parts, live, at, text_of(form, "ids"))
    query = _query(form)

    def traced() -> TraceView:
        check_text(query.text, parts.settings)
        return trace_view(live, at, query, time_limit=parts.settings.pattern_seconds / 4)

    view, fault = await _tried(parts, traced)
    if view is None:
        text = query.text if len(query.text) <= parts.settings.max_text_bytes else ""
        view = empty_trace(live, at, text=text, specials=query.specials, error=fault.message if fault else "")
    shown = view
    return await parts.renderer.show(
        request, TRACE, lambda: _context(live, at, shown), status=fault.status if fault else 200
    )


async def _decode(request: Request, parts: Services, live: LiveRun, step: int, written: str) -> Response:
    view, fault = await _tried(parts, lambda: decoded_view(live, step, ids_of(written, parts.settings), written))
    if view is None:
        view = DecodedView(written[:MOST_SHOWN], "", (), valid_utf8=True, error=fault.message if fault else "")
    shown = view
    return await parts.renderer.show(
        request,
        DECODED,
        lambda: {**_context(live, step, empty_trace(live, step)), "decoded": shown},
        status=fault.status if fault else 200,
    )


def _query(form: FormData) -> TraceQuery:
    specials: Specials = "as_text" if text_of(form, "specials") == "as_text" else "as_special"
    opened, _, start = text_of(form, "opened").partition(":")
    return TraceQuery(
        text=from_text_box(text_of(form, "text")),
        specials=specials,
        shown=min(_number("shown", text_of(form, "shown"), PIECES), MOST_SHOWN),
        opened=_number("opened", opened, 0) if opened else None,
        start=_number("opened", start, 0),
    )


def _number(name: str, written: str, default: int) -> int:
    """A number that our own pages put into a form."""
    if not written:
        return default
    if not (written.isascii() and written.isdigit() and len(written) < 12):
        raise Fault(422, "invalid", f"{name}: it must be a whole number; it is “{written[:40]}”.", name)
    return min(int(written), MOST_OFFSET)


async def _tried(parts: Services, make: Callable[[], View]) -> tuple[View | None, Fault | None]:
    """A view made in a thread for texts, or what is wrong with the input."""
    try:
        return await anyio.to_thread.run_sync(make, limiter=parts.texts), None
    except (Fault, TokenizerError) as error:
        return None, fault_of(error)


def _context(live: LiveRun, step: int, view: TraceView) -> Context:
    page = PageView(f"Trace · {view.run.name} · Merge Next", "trace", trace_link=f"/runs/{live.id}/trace?step={step}")
    return {"page": page, "view": view, "decoded": None}
