"""Small pages: recent runs, a corpus to take away, the documentation of the JSON interface, static files."""

import anyio.to_thread
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response

from app.documentation import documentation as described
from app.faults import Fault
from app.render import Context, Shape
from app.services import Parts
from app.views.page import PageView

RUNS = Shape("runs/show.html", "runs/show.html")
DOCS = Shape("docs/show.html", "docs/show.html")

router = APIRouter(include_in_schema=False)


@router.get("/runs")
async def recent_runs(request: Request, parts: Parts) -> Response:
    """The runs where this browser was."""
    recent = await parts.recent(request)
    page = PageView("Your runs · Merge Next", "runs")
    return await parts.renderer.show(request, RUNS, lambda: {"page": page, "view": recent})


@router.post("/runs/{run}/forget")
async def forget_run(request: Request, run: str, parts: Parts) -> Response:
    """Take a run off the list."""
    await parts.sessions.forget(request, run)
    return RedirectResponse("/runs", 303)


@router.get("/runs/{run}/corpus")
async def download_corpus(run: str, parts: Parts) -> Response:
    """The corpus of a run, byte for byte, to save."""
    corpus = (await parts.book.peek(run)).corpus
    if not await anyio.to_thread.run_sync(lambda: corpus.is_there):
        message = "The text of this corpus is not kept here any more. What was counted in it is: its steps are there."
        raise Fault(410, "corpus_gone", message, "run", back=f"/runs/{run}", back_text="To the run")
    return FileResponse(
        corpus.path,
        media_type="text/plain; charset=utf-8",
        filename=f"corpus-{run[:8]}.txt",
        headers={"Cache-Control": "private, no-cache"},
    )


@router.get("/docs")
async def documentation(request: Request, parts: Parts) -> Response:
    """The JSON interface, from its OpenAPI description."""

    def make() -> Context:
        view = described(request.app.openapi(), str(request.base_url))
        return {"page": PageView("JSON interface · Merge Next", "docs"), "view": view}

    return await parts.renderer.show(request, DOCS, make, cache="no-cache")


@router.get("/static/{name:path}")
async def static_file(request: Request, name: str, parts: Parts) -> Response:
    """A file of the app's own."""
    found = parts.renderer.assets.answer(request, name)
    if found is None:
        raise Fault(404, "not_found", "There is no such file.")
    return found


@router.get("/favicon.ico")
async def favicon(request: Request, parts: Parts) -> Response:
    """The icon, for those who ask here whatever the page says."""
    return await static_file(request, "icons/favicon.svg", parts)
