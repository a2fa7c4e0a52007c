"""The lab: steps of runs, their parts, the recipe editor, and what goes on while a step is being made."""

import dataclasses
from contextlib import AsyncExitStack
from typing import Annotated, Literal

import anyio.to_thread
from fastapi import APIRouter, Depends, Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from app.bodies import text_of
from app.corpora import Chosen, chosen_corpus, keep_file, shown_text
from app.faults import Fault
from app.forms import MOST_OFFSET, MOST_STEP, LabQuery
from app.kept import KeptRecipe
from app.present import lab as present
from app.recipe_form import RecipeFields, recipe_form
from app.render import Context, Shape
from app.routes.waiting import stream
from app.runs.live import LiveRun, StepLimit
from app.services import Parts, Services
from app.sessions import session_of, set_cookie
from app.uploads import received
from app.views.page import PageView, RecentRun
from app.views.recipe import FieldError
from tokenizer.errors import Exhausted, TokenizerError

LAB = Shape("lab/show.html", "lab/_step.html")
STOP_SECONDS = 2.0  # at most, until a training that is stopped has said that no further step comes
ROW = Shape("lab/row.html", "lab/_row.html")
EDIT = Shape("lab/edit.html", "lab/_recipe.html")
PARTS = {name: Shape("lab/show.html", f"lab/_{name}.html") for name in ("rows", "pairs", "merges")}
EDIT_TITLE = "Corpus and recipe · Merge Next"

StepPath = Annotated[int, Path(ge=0, le=MOST_STEP)]

router = APIRouter(include_in_schema=False)


async def lab_query(request: Request) -> LabQuery:
    """What the query of a request chooses. FastAPI's own way to a model takes several times as long."""
    try:
        return LabQuery.model_validate(dict(request.query_params))
    except ValidationError as error:
        found = [{**each, "loc": ("query", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(found) from error


Query_ = Annotated[LabQuery, Depends(lab_query)]


def lab_context(live: LiveRun, step: int, query: LabQuery, asked: int | None, resume: RecentRun | None) -> Context:
    """What the lab's templates read, at a step. `asked` is the step beyond the end that was asked for."""
    view = present.lab(live, step, query)
    if asked is not None and asked > step and view.controls.next_link is None:
        ended = f"There is no step {asked:,}; this is the last one. {view.controls.ended}"
        view = dataclasses.replace(view, controls=dataclasses.replace(view.controls, ended=ended))
    title = f"Step {step:,} · {view.run.name} · Merge Next"
    page = PageView(title, "lab", trace_link=_trace_link(live.id, step), resume=resume)
    return {"page": page, "view": view}


def _trace_link(run: str, step: int) -> str:
    return f"/runs/{run}/trace?step={step}"


@router.get("/")
async def home(request: Request, parts: Parts, query: Query_) -> Response:
    """The toy corpus before any merge, and the way back to where this browser was."""
    live = await parts.at(await parts.toy(), 0)
    recent = await parts.recent(request)
    resume = recent[0] if recent else None
    response = await parts.renderer.show(request, LAB, lambda: lab_context(live, 0, query, None, resume))
    # A first visit begins here and goes on in parts, which start no session; looking at this page is no visit yet.
    set_cookie(request, response, session_of(request), parts.settings)
    return response


@router.get("/runs/{run}")
async def show_run(run: str) -> Response:
    """A run begins at step 0."""
    return RedirectResponse(f"/runs/{run}/steps/0", 303)


@router.get("/runs/{run}/steps/{step}")
async def show_step(
    request: Request, run: str, step: StepPath, parts: Parts, query: Query_, asked: int | None = None
) -> Response:
    """The lab at a step: the whole page, or the step alone for htmx."""
    return await _step(request, parts, run, step, query, LAB, asked)


@router.get("/runs/{run}/steps/{step}/{part}")
async def show_part(
    request: Request,
    run: str,
    step: StepPath,
    part: Literal["rows", "pairs", "merges"],
    parts: Parts,
    query: Query_,
) -> Response:
    """One list of a step, for htmx; the whole page for others."""
    return await _step(request, parts, run, step, query, PARTS[part], None)


async def _step(
    request: Request, parts: Services, run: str, step: int, query: LabQuery, shape: Shape, asked: int | None
) -> Response:
    try:
        live = await parts.at(run, step)
    except (Exhausted, StepLimit) as error:
        raise _beyond_the_end(run, error) from error
    key: tuple[object, ...] = (run, step, query.key, asked, live.known, live.training, live.cancelled)
    key += (live.run.ended if live.run else None, bool(step) or live.corpus.is_there)  # at step 0 the text is shown
    response = await parts.renderer.show_unchanging(
        request, shape, key, lambda: lab_context(live, step, query, asked, None)
    )
    if asked is not None:
        response.headers["HX-Replace-Url"] = f"/runs/{run}/steps/{step}"
    parts.sessions.record(request, response, run, step)
    return response


def _beyond_the_end(run: str, error: Exhausted | StepLimit) -> Fault:
    last = error.position or 0
    status = 404 if isinstance(error, Exhausted) else 422
    link = f"/runs/{run}/steps/{last}"
    return Fault(status, error.code, error.message, "step", last, back=link, back_text=f"To step {last:,}")


@router.get("/runs/{run}/rows/{row}")
async def show_row(
    request: Request,
    run: str,
    row: Annotated[int, Path(ge=0, le=MOST_OFFSET)],
    step: Annotated[int, Query(ge=0, le=MOST_STEP)],
    parts: Parts,
    offset: Annotated[int, Query(ge=0, le=MOST_OFFSET)] = 0,
) -> Response:
    """One row, however long, a window at a time."""
    live = await parts.at(run, step)

    def make() -> Context:
        view = present.whole_row(live, step, row, offset)
        page = PageView(f"Row {row} · {view.run.name} · Merge Next", "lab", trace_link=_trace_link(run, step))
        return {"page": page, "view": view}

    return await parts.renderer.show_unchanging(request, ROW, (run, step, row, offset), make)


@router.get("/runs/{run}/go")
async def go(run: str, step: Annotated[int, Query()], parts: Parts, waited: bool = False) -> Response:
    """To a step by its number: the nearest one that there is.

    Whoever `waited` for it does not start anew what was cancelled meanwhile.
    """
    wanted = min(max(step, 0), MOST_STEP)
    if waited:
        live = await parts.book.peek(run)
        if live.cancelled and not live.ready(wanted):
            return _where_it_stopped(live)
    asked = ""
    try:
        await parts.book.at(run, wanted, wait=0)
    except (Exhausted, StepLimit) as error:
        wanted, asked = error.position or 0, f"?asked={wanted}"
    return RedirectResponse(f"/runs/{run}/steps/{wanted}{asked}", 303)


@router.get("/runs/{run}/progress")
async def show_progress(run: str, step: Annotated[int, Query(ge=0, le=MOST_STEP)], parts: Parts) -> Response:
    """How far a step is, as server-sent events, until it is there or will not come."""
    live = await parts.book.peek(run)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(stream(parts, live, step), media_type="text/event-stream", headers=headers)


@router.post("/runs/{run}/cancel")
async def cancel(run: str, parts: Parts) -> Response:
    """Stop a run; on to the last step that was made, or to what is said of it while there is none."""
    await parts.book.peek(run)
    parts.book.cancel(run)
    return _where_it_stopped(await parts.book.rested(run, wait=STOP_SECONDS))


@router.post("/runs/{run}/go-on")
async def go_on(run: str, step: Annotated[int, Query(ge=0, le=MOST_STEP)], parts: Parts) -> Response:
    """Go on with a run that was stopped; on to the step where somebody is or wants to be."""
    try:
        await parts.book.go_on(run, step)
    except (Exhausted, StepLimit) as error:
        raise _beyond_the_end(run, error) from error
    return RedirectResponse(f"/runs/{run}/steps/{step}", 303)


def _where_it_stopped(live: LiveRun) -> Response:
    """To an address that can be loaded again, gone back to and sent to others, as that of a POST cannot."""
    step = live.known if live.run is not None else live.wanted
    return RedirectResponse(f"/runs/{live.id}/steps/{step}", 303)


@router.get("/runs/{run}/edit")
async def edit(request: Request, run: str, parts: Parts) -> Response:
    """The recipe of a run, to change into another."""
    live = await parts.book.peek(run)
    base = KeptRecipe(run, live.method, live.corpus)
    text = await shown_text(base, parts)

    def make() -> Context:
        form = recipe_form(RecipeFields.of_method(live.method), parts.settings, base=base, base_text=text)
        return {"page": PageView(EDIT_TITLE, "lab", trace_link=f"/runs/{run}/trace"), "view": form}

    return await parts.renderer.show(request, EDIT, make)


@router.post("/runs")
async def make_run(request: Request, parts: Parts) -> Response:
    """A new run from the recipe editor; the editor again, with what is wrong, where it cannot be made."""
    async with received(request, parts) as form, AsyncExitStack() as stack:
        chosen = await chosen_corpus(request, form, parts, stack)
        run = await _made(chosen, RecipeFields.of_form(form), parts)
        if run is None:
            await keep_file(request, chosen, parts)
            return await _edit_again(request, form, chosen, parts)
    if chosen.kept_upload:
        await parts.store.drop_upload(session_of(request).key, chosen.kept_upload)
    response = RedirectResponse(f"/runs/{run}/steps/0", 303)
    parts.sessions.record(request, response, run, 0)  # it is listed while it is counted, not only once it is read
    return response


async def _made(chosen: Chosen, fields: RecipeFields, parts: Services) -> str | None:
    """The id of the run of a corpus and the fields; None where something is wrong, which `chosen.errors` then holds."""
    base = chosen.base.method if chosen.base else None
    size = chosen.corpus.bytes if chosen.corpus else 0
    method, errors = await anyio.to_thread.run_sync(
        lambda: fields.to_method(base, parts.settings, corpus_bytes=size, typed=chosen.typed)
    )
    chosen.add(errors)
    if method is None or chosen.corpus is None or chosen.errors:
        return None
    try:
        run, _ = await parts.book.open(method, chosen.corpus)
    except TokenizerError as error:
        chosen.add([FieldError(error.field or "corpus", error.message)])
        return None
    return run


async def _edit_again(request: Request, form: FormData, chosen: Chosen, parts: Services) -> Response:
    """The editor as it was sent, with what is wrong."""

    def make() -> Context:
        view = recipe_form(
            RecipeFields.of_form(form),
            parts.settings,
            base=chosen.base,
            base_text=chosen.base_text,
            text=text_of(form, "corpus"),
            errors=chosen.errors,
            kept_upload=chosen.kept_upload,
            kept_name=chosen.kept_name,
            values=chosen.values,
        )
        return {"page": PageView(EDIT_TITLE, "lab"), "view": view}

    response = await parts.renderer.show(request, EDIT, make, status=422)
    if chosen.kept_upload:
        set_cookie(request, response, session_of(request), parts.settings)
    return response
