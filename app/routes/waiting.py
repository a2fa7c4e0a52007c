"""While a step is being made: its progress as a page, a part, JSON, or a stream of events."""

import asyncio
from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app import present
from app.faults import is_api
from app.render import Context, Shape
from app.runs import LiveRun
from app.services import Services, Waiting, services
from app.views import PageView

PROGRESS = Shape("lab/progress.html", "lab/_progress.html")
NOW = "lab/_progress_now.html"
RETRY_AFTER = 1
EVENT_SECONDS = 0.25  # between two events of a stream
SIGN_OF_LIFE_SECONDS = 15  # without one, neither a proxy nor we would know that the other end is gone


def install(app: FastAPI) -> None:
    """Let an app answer `Waiting`."""
    app.add_exception_handler(Waiting, show)


async def show(request: Request, error: Exception) -> Response:
    """202: JSON under `/api`, else the lab with progress in the place of the step."""
    assert isinstance(error, Waiting)  # noqa: S101 - it is registered for nothing else
    parts = services(request)
    if is_api(request):
        progress = parts.book.progress(error.live)
        detail = {"done": progress.done, "total": progress.total, "phase": progress.phase}
        response: Response = JSONResponse({"progress": detail, "retry_after": RETRY_AFTER}, 202)
    else:
        response = await parts.renderer.show(
            request, PROGRESS, lambda: progress_context(parts, error.live, error.step), status=202
        )
    response.headers["Retry-After"] = str(RETRY_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


def progress_context(parts: Services, live: LiveRun, step: int) -> Context:
    """What the templates of progress read."""
    view = present.progress_view(live, step, parts.book.progress(live), seen=live.known)
    return {"page": PageView(f"Step {step} · {view.run.name} · Merge Next", "lab"), "view": view}


async def stream(parts: Services, live: LiveRun, step: int) -> AsyncIterator[str]:
    """Server-sent events: the progress as HTML while it changes, and `ready` when there is nothing to wait for."""
    while True:
        changed = live.changed
        if live.ready(step) or not live.training:
            yield "event: ready\ndata: done\n\n"
            return
        html = parts.renderer.text(NOW, progress_context(parts, live, step))
        yield "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
        await asyncio.sleep(EVENT_SECONDS)
        while not changed.is_set() and not live.ready(step):
            try:
                async with asyncio.timeout(SIGN_OF_LIFE_SECONDS):
                    await changed.wait()
            except TimeoutError:
                yield ": still at it\n\n"
