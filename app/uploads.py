"""A form with a file is received: not too many at a time, not for ever, and with a clear word when the disk is full."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
from starlette.datastructures import FormData
from starlette.requests import Request

from app.bodies import read_form
from app.faults import Fault
from app.files import disk
from app.services import Services

LARGE = 1_000_000  # bytes; what is larger is received in a file and takes a place among `Settings.uploads_at_once`
AGAIN = 10  # seconds


@asynccontextmanager
async def received(request: Request, parts: Services) -> AsyncIterator[FormData]:
    """The form that a request sends, url-encoded or multipart, its file on disk if it is large.

    Raises:
        Fault: too many files are being received (503), or it takes too long (408); others as of `read_form`.
        DiskFull: there is no room for the file.
    """
    if _is_large(request):
        try:
            parts.uploads.acquire_on_behalf_of_nowait(request)
        except anyio.WouldBlock:
            async for _ in request.stream():  # a browser that cannot finish sending would not show the answer
                pass
            raise _too_many() from None
    try:
        form = await _read(request, parts)
        try:
            yield form
        finally:
            await form.close()
    finally:
        if _is_large(request):
            parts.uploads.release_on_behalf_of(request)


async def _read(request: Request, parts: Services) -> FormData:
    limit = parts.settings.upload_seconds
    try:
        with disk():
            async with asyncio.timeout(limit):
                return await read_form(request, parts.settings.max_body_bytes)
    except TimeoutError as error:
        message = f"The form did not arrive within {limit:g} s. Send it again, or take a smaller file."
        raise Fault(408, "too_slow", message) from error


def _is_large(request: Request) -> bool:
    length = request.headers.get("content-length", "")
    return not length.isdecimal() or int(length[:18]) > LARGE


def _too_many() -> Fault:
    message = f"Other files are being received at the moment. Send yours again in {AGAIN} seconds."
    return Fault(503, "busy", message, more={"retry_after": AGAIN}, headers={"Retry-After": str(AGAIN)})
