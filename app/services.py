"""What every handler may need, in one place: a request's app carries it."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

from anyio import CapacityLimiter
from fastapi import Depends
from starlette.requests import Request

from app.files import blocks_of_text
from app.kept import DiskFull
from app.render import Renderer
from app.runs.book import RunBook
from app.runs.live import LiveRun, RunNotFound
from app.samples import toy_recipe
from app.sessions import Sessions
from app.settings import Settings
from app.store import Store
from app.views.page import RecentRun
from tokenizer.recipe import Recipe


class Waiting(Exception):
    """A step that is not known yet: the answer is its progress, by `routes.waiting`."""

    def __init__(self, live: LiveRun, step: int):
        super().__init__(live.id, step)
        self.live = live
        self.step = step


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of a running app."""

    settings: Settings
    store: Store
    book: RunBook
    sessions: Sessions
    renderer: Renderer
    texts: CapacityLimiter  # threads that trace and cut what people send; those that draw pages are others
    uploads: CapacityLimiter  # files that are being received

    async def open_text(self, recipe: Recipe) -> tuple[str, bool]:
        """Open a recipe whose corpus is at hand as text; see `RunBook.open`.

        Raises:
            DiskFull: there is no room for it.
        """
        async with self.store.arriving(blocks_of_text(recipe.corpus)) as corpus:
            return await self.book.open(recipe.method, corpus)

    async def toy(self) -> str:
        """The id of the toy corpus's run, which is opened unless it is there: the first page does not need the disk.

        Raises:
            DiskFull: there is no room for it.
        """
        recipe = toy_recipe()
        kept = False
        with suppress(RunNotFound):
            live = await self.book.peek(recipe.id)
            kept = True
            if live.run is not None:
                return recipe.id
        try:
            await self.open_text(recipe)
        except DiskFull:
            if not kept:
                raise
        return recipe.id

    async def recent(self, request: Request) -> list[RecentRun]:
        """The runs where this request's session was, the latest first, and which of them cannot be read yet."""
        runs = await self.sessions.recent(request)
        return [replace(run, state=self.book.state(run.id) or run.state) for run in runs]

    async def at(self, run: str, step: int) -> LiveRun:
        """A run whose step `step` is known.

        Raises:
            Waiting: it is not, after `Settings.step_wait_seconds`.
            RunNotFound, Exhausted, TokenizerError: see `RunBook.at`.
        """
        live = await self.book.at(run, step, wait=self.settings.step_wait_seconds)
        if not live.ready(step):
            raise Waiting(live, step)
        return live


def services_of(request: Request) -> Services:
    """The parts of the app that a request came to."""
    found: Services = request.app.state.services
    return found


async def services(request: Request) -> Services:
    """The same for handlers; `async`, because FastAPI calls anything else in another thread, which takes longer."""
    return services_of(request)


Parts = Annotated[Services, Depends(services)]  # how a handler asks for them
