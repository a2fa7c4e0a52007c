"""Reading what comes in, before anything knows what it means: JSON bodies and form bodies."""

import json
import logging
from collections.abc import Callable, Coroutine
from typing import Any

import anyio.to_thread
from fastapi.routing import APIRoute
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from app.faults import Fault
from tokenizer.pretokens import replace_surrogates

SMALL = 65_536  # bytes; larger bodies are parsed in a thread
MOST_FIELDS = 100

# It tells of every malformed form, which is answered already.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


class JSONRequest(Request):
    """A request whose JSON is read strictly and off the event loop, and whose text can always be written as UTF-8.

    `state.surrogates` says how many lone surrogates (half a character, which JSON can spell and UTF-8 cannot) were
    replaced by U+FFFD.
    """

    async def json(self) -> Any:
        """The body's value, read once."""
        if not hasattr(self, "_json"):
            body = await self.body()
            read = read_json(body) if len(body) <= SMALL else await anyio.to_thread.run_sync(read_json, body)
            self._json, self.state.surrogates = read
        return self._json


class JSONRoute(APIRoute):
    """A route whose body, if it has one, is JSON: anything else is refused with 415, broken JSON with 400."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's handler, behind the check and the reading of the body."""
        handler = super().get_route_handler()
        takes_body = self.body_field is not None

        async def handle(request: Request) -> Response:
            request = JSONRequest(request.scope, request.receive)
            if takes_body:
                if not _is_json(request.headers.get("content-type", "")):
                    message = "Send JSON, with the header Content-Type: application/json."
                    raise Fault(415, "unsupported_media_type", message)
                await request.json()  # here, since FastAPI would turn its faults into others
            return await handler(request)

        return handle


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def read_json(body: bytes) -> tuple[Any, int]:
    """The value of a JSON text, and how many lone surrogates in it became U+FFFD.

    Raises:
        Fault: status 400, which says what is wrong and where.
    """
    found = 0
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise _broken(f"The JSON is broken at position {error.pos}, counted from 0: {error.msg}.", error.pos) from error
    except UnicodeDecodeError as error:
        raise _broken(f"The JSON is not UTF-8 at byte {error.start}.", error.start) from error
    except RecursionError as error:
        raise _broken("The JSON is nested too deeply.") from error
    except ValueError as error:  # a number of thousands of digits
        raise _broken(f"The JSON holds a number that cannot be read: {error}.") from error

    def mended(value: Any) -> Any:
        nonlocal found
        if isinstance(value, str):
            value, replaced = replace_surrogates(value)
            found += replaced
        elif isinstance(value, list) and not _all_numbers(value):
            return [mended(item) for item in value]
        elif isinstance(value, dict):
            return {mended(name): mended(item) for name, item in value.items()}
        return value

    try:
        return mended(value), found
    except RecursionError as error:
        raise _broken("The JSON is nested too deeply.") from error


def _broken(message: str, position: int | None = None) -> Fault:
    return Fault(400, "malformed_json", message, position=position)


def _all_numbers(values: list[Any]) -> bool:
    return all(type(value) is int for value in values)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


async def read_form(request: Request, largest: int) -> FormData:
    """A form, url-encoded or multipart; parts up to `largest` bytes.

    Raises:
        Fault: it is another kind of content (415).
        HTTPException: it cannot be read (400), or a part is too large (413).
    """
    kind, parameters = parse_options_header(request.headers.get("content-type", ""))
    if kind not in (b"application/x-www-form-urlencoded", b"multipart/form-data"):
        raise Fault(415, "unsupported_media_type", "Send a form: multipart/form-data, or url-encoded.")
    if parameters.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise Fault(415, "unsupported_media_type", "Send the form in UTF-8; another charset is not read.")
    return await request.form(max_files=1, max_fields=MOST_FIELDS, max_part_size=largest)


def text_of(form: FormData, name: str, default: str = "") -> str:
    """A field of a form as text; `default` where there is none or it is a file."""
    value = form.get(name, default)
    return replace_surrogates(value)[0] if isinstance(value, str) else default


def file_of(form: FormData, name: str) -> UploadFile | None:
    """A file that was chosen in a form; None where none was."""
    value = form.get(name)
    return value if isinstance(value, UploadFile) and value.filename else None
