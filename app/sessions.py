"""The session: a cookie with a random secret, and the places where its bearer was.

The cookie holds 256 random bits and nothing else; the store knows only their SHA-256, so that whoever reads the store
cannot take a session over. It is set on the first page of a run and nothing depends on it: without cookies there is no
list of recent runs, and that is all.

Visits are gathered in memory and written in one transaction a little later: a class that steps at full speed costs the
disk two writes a second. What is read is written first, so nobody sees a list that lacks their last step.
"""

import asyncio
import hashlib
import logging
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from app.names import corpus_name
from app.settings import Settings
from app.sizes import size_in_words
from app.store import Store, Summary, Visit
from app.views.page import RecentRun

COOKIE = "merge_next_session"
SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
FLUSH_SECONDS = 0.5

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """A session: `key` is what the store calls it, `secret` what its cookie holds, `fresh` if it has no cookie yet."""

    key: str
    secret: str
    fresh: bool


def session_of(request: Request) -> Session:
    """The session of a request's cookie, or a new one; the same one however often it is asked for."""
    known: Session | None = getattr(request.state, "session", None)
    if known is not None:
        return known
    secret = request.cookies.get(COOKIE, "")
    fresh = SECRET.fullmatch(secret) is None
    if fresh:
        secret = secrets.token_urlsafe(32)
    session = Session(hashlib.sha256(secret.encode()).hexdigest(), secret, fresh)
    request.state.session = session
    return session


def set_cookie(request: Request, response: Response, session: Session, settings: Settings) -> None:
    """Give the session to the browser, or give it longer."""
    response.set_cookie(
        COOKIE,
        session.secret,
        max_age=settings.session_days * 86_400,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )


def is_prefetch(request: Request) -> bool:
    """Whether a page is fetched before anyone asked for it (`Purpose` or `Sec-Purpose: prefetch`)."""
    return any("prefetch" in request.headers.get(name, "").lower() for name in ("purpose", "sec-purpose"))


class Sessions:
    """The visits of all sessions, over a store.

    Args:
        clock: seconds since 1970; tests set it.
    """

    def __init__(self, store: Store, settings: Settings, *, clock: Callable[[], float] = time.time):
        self._store = store
        self._settings = settings
        self._clock = clock
        self._waiting: dict[tuple[str, str], Visit] = {}
        self._writing = asyncio.Lock()

    def record(self, request: Request, response: Response, run: str, step: int) -> None:
        """Remember that this request looks at a step, unless it is a prefetch.

        A browser without the cookie gets one with a whole page; a fragment alone starts no session, so that a client
        that keeps no cookies does not start one with every step.
        """
        if is_prefetch(request):
            return
        session = session_of(request)
        fragment = "hx-request" in request.headers
        if session.fresh and fragment:
            return
        if not fragment and response.status_code != 304:
            set_cookie(request, response, session, self._settings)
        self._waiting[session.key, run] = Visit(run, step, self._clock())

    async def recent(self, request: Request) -> list[RecentRun]:
        """The runs where this request's session was, the latest first."""
        session = session_of(request)
        if session.fresh:
            return []
        await self.flush()
        visits = await self._store.visits(session.key)
        known = await self._store.summaries([visit.run for visit in visits])
        return [_recent_run(visit, known[visit.run]) for visit in visits if visit.run in known]

    async def forget(self, request: Request, run: str) -> None:
        """Take a run off the session's list."""
        await self.flush()
        await self._store.forget(session_of(request).key, run)

    async def flush(self) -> None:
        """Write the visits that wait."""
        async with self._writing:
            waiting, self._waiting = self._waiting, {}
            await self._store.record([(session, visit) for (session, _), visit in waiting.items()])

    async def keep_writing(self) -> None:
        """Write again and again, until cancelled; a store that fails loses visits, never a page."""
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
            except Exception:
                log.exception("The visits of the last moment could not be kept")


def _recent_run(visit: Visit, summary: Summary) -> RecentRun:
    return RecentRun(
        id=visit.run,
        name=corpus_name(summary.digest, summary.opening, summary.characters),
        step=visit.step,
        link=f"/runs/{visit.run}/steps/{visit.step}",
        about=f"{size_in_words(summary.corpus_bytes)} · {summary.pattern} · {summary.tie_rule.replace('_', ' ')}",
        when=datetime.fromtimestamp(visit.at, UTC).isoformat(timespec="seconds"),
        state="stopped" if summary.stopped else "open",
    )
