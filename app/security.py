"""What stands before the app: security headers, the names it answers to, cross-site posts, the body limit.

Plain ASGI middlewares, outermost first: `Headers` (also answers errors that nobody foresaw, so that those have the
headers too), `Hosts`, `SameSite`, `BodyLimit`, `Head`.
"""

import logging
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from fastapi import FastAPI
from starlette.datastructures import Headers as HeaderMap
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.faults import UNFORESEEN, Fault, answer
from app.settings import Settings

log = logging.getLogger(__name__)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer": with it browsers send `Origin: null` even to us, and our own posts could not be told apart.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
}
_LINES = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]  # as they are sent
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::\d{1,5})?", re.IGNORECASE)


def install(app: FastAPI, settings: Settings) -> None:
    """Put the middlewares before an app."""
    # Starlette calls the one that was added last first.
    app.add_middleware(Head)
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes, file=settings.max_corpus_bytes)
    app.add_middleware(SameSite)
    app.add_middleware(Hosts, trusted=settings.trusted_hosts)
    app.add_middleware(Headers)


class Headers:
    """Security headers on every answer, and an answer to every error."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                message["headers"] = [*message.get("headers", ()), *_LINES]
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except ClientDisconnect:  # whoever left in the middle of sending needs no answer
            log.debug("The client left before its body was read: %s", scope["path"])
        except Exception:
            if not started:
                await answer(Request(scope), UNFORESEEN)(scope, receive, send_with_headers)
            raise  # for the server's log


class Hosts:
    """Only names that the settings trust: what a page links to must not be up to whoever asks for it."""

    def __init__(self, app: ASGIApp, trusted: Sequence[str]):
        self.app = app
        self.trusted = trusted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] == "http" and (fault := self._fault(HeaderMap(scope=scope).get("host", ""))):
            await answer(Request(_without_host(scope)), fault)(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _fault(self, header: str) -> Fault | None:
        match = HOST.fullmatch(header)
        name = match[1].lower() if match else ""
        if match and any(_is_trusted(name, trusted) for trusted in self.trusted):
            return None
        return Fault(
            400,
            "untrusted_host",
            f"This server does not answer to the name “{header[:100]}”, but to {', '.join(self.trusted)}. "
            "Whoever runs it can add names with the setting MERGE_NEXT_TRUSTED_HOSTS.",
        )


def _is_trusted(name: str, trusted: str) -> bool:
    return trusted in ("*", name) or (trusted.startswith("*.") and name.endswith(trusted[1:]))


def _without_host(scope: Scope) -> Scope:
    """The same request by the server's own address, so that nothing in the answer repeats the name that was sent."""
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name != b"host"]}


class SameSite:
    """Whatever changes something must come from our own pages, or from a program that is no browser.

    Browsers say where a request comes from in `Sec-Fetch-Site`, and in `Origin` where they do not know that header or
    the connection is not secure. Programs send neither.
    """

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS and not _is_our_own(HeaderMap(scope=scope)):
            message = "This was sent from a page of another site, so it was not done. Open this site itself and retry."
            await answer(Request(scope), Fault(403, "cross_site", message))(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _is_our_own(headers: HeaderMap) -> bool:
    if site := headers.get("sec-fetch-site"):
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    except ValueError:
        return False


class Head:
    """HEAD is answered as GET is; the server leaves the body out. FastAPI's routes know GET alone."""

    def __init__(self, app: ASGIApp):
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)


def _brings_file(scope: Scope, headers: HeaderMap) -> bool:
    """Whether a request may bring a corpus in a file: the recipe editor's form as browsers send it."""
    return scope["path"] == "/runs" and headers.get("content-type", "").lower().startswith("multipart/form-data")


class BodyLimit:
    """An upper bound for request bodies, held while they arrive.

    What is announced too large is refused without reading it into memory. It is still taken off the line up to a bound,
    since a browser shows a broken connection, not our answer, when it cannot finish sending.

    Args:
        app: what stands behind it.
        limit: bytes of a body.
        file: bytes more of a form that may bring a file, which is received on disk.
    """

    DRAINED = 4  # times the limit

    def __init__(self, app: ASGIApp, limit: int, file: int):
        self.app = app
        self.limit = limit
        self.file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the class."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = HeaderMap(scope=scope)
        length, brings_file = headers.get("content-length", ""), _brings_file(scope, headers)
        limit = self.limit + self.file if brings_file else self.limit
        if length.isdecimal() and int(length[:18]) > limit:
            await self._drain(receive, limit)
            await answer(Request(scope), self._fault(int(length[:18]), limit, brings_file))(scope, receive, send)
            return
        arrived = 0

        async def counted() -> Message:
            nonlocal arrived
            message = await receive()
            arrived += len(message.get("body", b""))
            if arrived > limit:
                # Of this kind, because FastAPI turns any other exception of reading a body into "400".
                raise HTTPException(413, f"More than {limit:,} bytes were sent; no more than that are taken.")
            return message

        await self.app(scope, counted, send)

    def _fault(self, length: int, limit: int, brings_file: bool) -> Fault:
        message = f"The request has {length:,} bytes; at most {limit:,} are taken."
        if brings_file:
            message = f"A form of {length:,} bytes was sent; a file may have at most {self.file:,}. "
            message += "Go back in the browser: what you filled in is still there. Take a smaller file."
        return Fault(413, "too_large", message)

    async def _drain(self, receive: Receive, limit: int) -> None:
        arrived = 0
        while arrived <= self.DRAINED * limit:
            message = await receive()
            arrived += len(message.get("body", b""))
            if not message.get("more_body", False):
                return
