"""The app, put together: `create_app` is the factory that a server calls."""

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.metadata import PackageNotFoundError, version

from anyio import CapacityLimiter
from fastapi import FastAPI

from app import faults, security
from app.kept import DiskFull
from app.render import Renderer
from app.routes import api, lab, pages, trace, waiting
from app.runs.book import RunBook
from app.services import Services
from app.sessions import Sessions
from app.settings import Settings
from app.sqlite_store import SQLiteStore
from tokenizer.errors import TokenizerError

log = logging.getLogger(__name__)

START_SECONDS = 10.0
ABOUT = """Byte-level BPE, merge by merge: open a run on a corpus, then read any of its steps.

Step 0 is the corpus before any merge; step k made rank k-1 and id 255+k. As of step k the special tokens have the ids
256+k and on, in the recipe's order. Tokens are `{"id", "hex", "text"}`; `text` is null where the bytes are not whole
UTF-8.
What is not there yet is answered with 202: `progress` tells how many bytes are counted or steps made, and about how
many seconds are left.
Every error is `{"error": {"code", "message", "field"?, "position"?}}`; `exhausted` also has the `reason` and the `last`
step.

To begin, `curl -H 'Content-Type: application/json' -d '{"corpus": "low lower lowest"}' http://127.0.0.1:8000/api/runs`
opens a run and gives its id; `curl http://127.0.0.1:8000/api/runs/ID/steps/1` is its first merge."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """The app.

    Args:
        settings: the environment's when left out.
    """
    chosen = settings or Settings()
    renderer = Renderer(chosen)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store = SQLiteStore(chosen)
        book = RunBook(chosen, store)
        sessions = Sessions(store, chosen)
        parts = Services(
            chosen,
            store,
            book,
            sessions,
            renderer,
            texts=CapacityLimiter(chosen.text_threads),
            uploads=CapacityLimiter(chosen.uploads_at_once),
        )
        app.state.services = parts
        await book.start()
        await _warm(parts)
        writing = asyncio.create_task(sessions.keep_writing())
        try:
            yield
        finally:
            writing.cancel()
            with suppress(asyncio.CancelledError):
                await writing
            await book.stop()
            await sessions.flush()
            await store.close()

    app = FastAPI(
        title="Merge Next",
        version=_version(),
        summary="Byte-pair encoding, merge by merge",
        description=ABOUT,
        lifespan=lifespan,
        # FastAPI's own pages load scripts from elsewhere; routes/pages.py has one that does not.
        docs_url=None,
        redoc_url=None,
    )
    faults.install(app)
    waiting.install(app)
    security.install(app, chosen)
    for family in (lab, trace, pages, api):
        app.include_router(family.router)
    return app


async def _warm(parts: Services) -> None:
    """Have the toy corpus at hand, for the first page is asked for at once. A server without it is still of use."""
    try:
        await parts.book.at(await parts.toy(), 0, wait=START_SECONDS)
    except (TokenizerError, DiskFull, OSError, sqlite3.Error):
        log.exception("The toy corpus could not be opened")


def _version() -> str:
    try:
        return version("merge-next")
    except PackageNotFoundError:
        return "0"
