"""Everything that can go wrong for a caller, in one shape, and the answers to it.

Under `/api` a fault is `{"error": {"code", "message", "field"?, "position"?}}`; for a browser it is a page, for htmx a
fragment with the same words. Handlers raise what they like (the engine's errors, the runs', `Fault`); `fault_of` makes
one `Fault` of it. An error that nobody foresaw is logged whole and answered with a page that says no more than that.
"""

import dataclasses
import logging
import sqlite3
from collections.abc import Callable, Mapping
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from app.kept import DiskFull
from app.runs.live import Busy, RunNotFound
from tokenizer.errors import Exhausted, NotYet, TokenizerError

log = logging.getLogger(__name__)

TITLES = {
    400: "This request cannot be read",
    403: "This request came from another site",
    404: "There is no such page",
    405: "That cannot be done here",
    408: "That took too long",
    410: "This is not kept any more",
    413: "That is too large",
    415: "This kind of content is not taken",
    422: "Something in the input is not right",
    429: "Too much at once",
    500: "Something went wrong here",
    503: "Too much at once",
    507: "There is no room left",
}
CODES = {
    400: "bad_request",
    403: "cross_site",
    404: "not_found",
    405: "method_not_allowed",
    413: "too_large",
    415: "unsupported_media_type",
    500: "internal",
}


@dataclasses.dataclass
class Fault(Exception):
    """An answer that is not what was asked for.

    Args:
        status: the HTTP status.
        code: a word for programs.
        message: a sentence or two for people: what is wrong, where, what to do.
        field: the part of the input that it is about.
        position: an index or offset in that part.
        more: further members of the JSON error, `reason` of an exhausted run for instance.
        headers: further headers of the answer.
        back: where a page leads on to, in the words of `back_text`.
    """

    status: int
    code: str
    message: str
    field: str | None = None
    position: int | None = None
    more: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    headers: Mapping[str, str] = dataclasses.field(default_factory=dict)
    back: str = "/"
    back_text: str = "To the lab"

    @property
    def title(self) -> str:
        """What kind of fault it is, as a heading."""
        return TITLES.get(self.status, "This did not work")

    def to_json(self) -> dict[str, dict[str, Any]]:
        """The body of a JSON answer."""
        error = {"code": self.code, "message": self.message, "field": self.field, "position": self.position}
        return {"error": {name: value for name, value in {**error, **self.more}.items() if value is not None}}


def fault_of(error: Exception) -> Fault | None:
    """The fault that a known error means; None for one that nobody foresaw."""
    for kind, convert in CONVERSIONS.items():
        if isinstance(error, kind):
            return convert(error)
    return None


def _same(error: Any) -> Fault:
    fault: Fault = error
    return fault


def _exhausted(error: Any) -> Fault:
    more = {"reason": error.reason, "last": error.last}
    return Fault(404, error.code, error.message, error.field, error.position, more)


def _not_yet(error: Any) -> Fault:
    return Fault(503, error.code, error.message, error.field, error.position, headers={"Retry-After": "1"})


def _invalid(error: Any) -> Fault:
    if error.code in {"corpus_gone", "corpus_damaged"}:
        return Fault(410, error.code, error.message, error.field)
    if error.code in {
        "worker_lost",
        "put_away",
        "memory",
        "corpus_unread",
    }:  # not the fault of whoever asks; it may go well next time
        return Fault(503, error.code, error.message, headers={"Retry-After": "1"})
    return Fault(422, error.code, error.message, error.field, error.position)


def _run_not_found(_error: Any) -> Fault:
    message = "There is no such run here. Its address may be cut short, or the run was made on another server."
    return Fault(404, "run_not_found", message, "run")


def _busy(error: Any) -> Fault:
    seconds = max(1, round(getattr(error, "retry_after", 5)))
    message = f"Many runs wait for training already. Try again in {seconds} seconds."
    return Fault(503, "busy", message, more={"retry_after": seconds}, headers={"Retry-After": str(seconds)})


def _store_failed(error: Any) -> Fault:
    log.error("The store failed", exc_info=error)
    return Fault(503, "store", "What is kept cannot be read or written just now.", headers={"Retry-After": "5"})


def _disk_full(error: Any) -> Fault:
    log.error("The disk is full", exc_info=error)
    return Fault(507, "disk_full", str(error))


def _http(error: Any) -> Fault:
    message = str(error.detail)
    if error.status_code == 404 and message == "Not Found":
        message = "There is nothing at this address."
    elif error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        message = f"This address does not answer to that method, but to {allowed}."
    code = CODES.get(error.status_code, "error")
    return Fault(error.status_code, code, message, headers=error.headers or {})


def _validation(error: Any) -> Fault:
    """The first of FastAPI's complaints, in a sentence."""
    errors = error.errors()
    if not errors:
        return Fault(422, "invalid", "Something in the input is not right.")
    first = errors[0]
    place = [part for part in first["loc"][1:] if isinstance(part, str)]
    position = next((part for part in first["loc"][1:] if isinstance(part, int)), None)
    name = place[0] if place else None
    sentence = SENTENCES.get(first["type"], _pydantic_message)(first)
    return Fault(422, "invalid", sentence if name is None else f"{name}: {sentence}", name, position)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _pydantic_message(error: Mapping[str, Any]) -> str:
    message = str(error["msg"]).removeprefix("Value error, ")
    return message if message.endswith(".") else f"{message}."


def _bound(words: str, name: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda error: f"it must be {words} {error['ctx'][name]:,}; it is {_shown(error['input'])}."


def _or_custom(error: Mapping[str, Any]) -> str:
    """A pattern is a name or an object; pydantic tells of the two forms one by one, names first."""
    return ', or {"custom": "…"} for one of your own' if "pattern" in error["loc"] else ""


SENTENCES: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "missing": lambda error: "it is missing.",
    "extra_forbidden": lambda error: "there is no such field.",
    "int_type": lambda error: f"it must be a whole number; it is {_shown(error['input'])}.",
    "int_from_float": lambda error: f"it must be a whole number; it is {_shown(error['input'])}.",
    "int_parsing": lambda error: f"it must be a whole number; it is {_shown(error['input'])}.",
    "int_parsing_size": lambda error: "the number is too large.",
    "string_type": lambda error: "it must be a text.",
    "list_type": lambda error: "it must be a list.",
    "literal_error": lambda error: (
        f"it must be {error['ctx']['expected']}{_or_custom(error)}; it is {_shown(error['input'])}."
    ),
    "greater_than_equal": _bound("at least", "ge"),
    "less_than_equal": _bound("at most", "le"),
    "string_too_long": lambda error: (
        f"it has {len(error['input']):,} characters; at most {error['ctx']['max_length']:,} are taken."
    ),
    "too_long": lambda error: (
        f"it has {error['ctx']['actual_length']} entries; at most {error['ctx']['max_length']:,} are taken."
    ),
}
# The first kind that fits counts, so the narrower ones stand first.
CONVERSIONS: Mapping[type[Exception], Callable[[Any], Fault]] = {
    Fault: _same,
    Busy: _busy,
    RunNotFound: _run_not_found,
    DiskFull: _disk_full,
    Exhausted: _exhausted,
    NotYet: _not_yet,
    TokenizerError: _invalid,
    RequestValidationError: _validation,
    HTTPException: _http,
    sqlite3.Error: _store_failed,
}
UNFORESEEN = Fault(500, "internal", "An error happened that is not your doing. It has been noted.")


def is_api(request: Request) -> bool:
    """Whether a request is answered in JSON."""
    return request.url.path.startswith("/api/")


def answer(request: Request, fault: Fault) -> Response:
    """The answer that says what went wrong: JSON under `/api`, a page or a fragment elsewhere."""
    if is_api(request):
        response: Response = JSONResponse(fault.to_json(), fault.status)
    else:
        response = request.app.state.services.renderer.fault(request, fault)
    response.headers.update({"Cache-Control": "no-store", **fault.headers})
    return response


async def handle(request: Request, error: Exception) -> Response:
    """The exception handler for every kind in `CONVERSIONS`."""
    fault = fault_of(error)
    if fault is None:  # pragma: no cover (only the kinds that convert are registered)
        raise error
    return answer(request, fault)


def install(app: FastAPI) -> None:
    """Let an app answer every known error in the one shape."""
    for kind in CONVERSIONS:
        app.add_exception_handler(kind, handle)
