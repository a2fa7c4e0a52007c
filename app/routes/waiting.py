"""While a step is being made: its progress as a page, a part, JSON, or a stream of events."""

from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.faults import Fault, answer, is_api
from app.present.progress import progress_view
from app.render import Context, Shape
from app.runs.live import LiveRun
from app.services import Services, Waiting, services_of
from app.views.page import PageView

PROGRESS = Shape("lab/progress.html", "lab/_progress.html")
NOW = "lab/_progress_now.html"
STOPPED = "This run was stopped on its page. Go on there, or make it again with the same recipe."
RETRY_AFTER = 1
EVENT_SECONDS = 0.25  # between two events of a stream
SIGN_OF_LIFE_SECONDS = 15  # without one, neither a proxy nor we would know that the other end is gone


def install(app: FastAPI) -> None:
    """Let an app answer `Waiting`."""
    app.add_exception_handler(Waiting, show)


async def show(request: Request, error: Exception) -> Response:
    """202: JSON under `/api`, else the lab with progress in the place of the step.

    Where somebody stopped it nothing is on its way: 409 for programs, and the page says how to go on.
    """
    assert isinstance(error, Waiting)  # noqa: S101 - it is registered for nothing else
    parts = services_of(request)
    if error.live.cancelled:
        return await _show_stop(request, error, parts)
    if is_api(request):
        progress = error.live.progress()
        left = error.live.seconds_left(error.step)
        detail = {
            "done": progress.done,
            "total": progress.total if progress.phase == "counting" else error.step,
            "phase": progress.phase,
            "seconds_left": None if left is None else round(left, 1),
        }
        response: Response = JSONResponse({"progress": detail, "retry_after": RETRY_AFTER}, 202)
    else:
        response = await parts.renderer.show(
            request, PROGRESS, lambda: progress_context(error.live, error.step), status=202
        )
    response.headers["Retry-After"] = str(RETRY_AFTER)
    response.headers["Cache-Control"] = "no-store"
    return response


async def _show_stop(request: Request, error: Waiting, parts: Services) -> Response:
    if is_api(request):
        return answer(request, Fault(409, "stopped", STOPPED, "run"))
    return await parts.renderer.show(request, PROGRESS, lambda: progress_context(error.live, error.step))


def progress_context(live: LiveRun, step: int) -> Context:
    """What the templates of progress read."""
    view = progress_view(live, step)
    return {"page": PageView(f"Step {step:,} · {view.run.name} · Merge Next", "lab"), "view": view}


async def stream(parts: Services, live: LiveRun, step: int) -> AsyncIterator[str]:
    """Server-sent events: the progress as HTML while it changes, and `ready` when there is nothing to wait for."""
    async for _ in live.watch(pause=EVENT_SECONDS, at_least=SIGN_OF_LIFE_SECONDS):
        if live.ready(step) or not live.training:
            break
        html = parts.renderer.text(NOW, progress_context(live, step))
        yield "".join(f"data: {line}\n" for line in html.splitlines()) + "\n"
    yield "event: ready\ndata: done\n\n"
