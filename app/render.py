"""Views to answers: the one place that knows htmx, templates and caching.

A `Shape` is a pair of templates: the whole page, and the part that htmx swaps. Which of them is sent is up to the
request, so every answer says `Vary: HX-Request`. A page of a step is the same as long as the app, the run's known steps
and the query are: they make its entity tag, a browser that has it gets 304, and its compressed bytes are kept.
Rendering and compressing run in threads.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import anyio.to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app import paths
from app.assets import Assets
from app.faults import Fault
from app.packing import PackedPages, is_known, pack, packed_answer
from app.settings import Settings
from app.views.page import PageView

CHIPS = 20_000  # drawings of tokens kept in memory
LINES = 4_000  # drawings of lines of each list, a few hundred bytes each
HTML = "text/html; charset=utf-8"
VARY = "HX-Request, HX-History-Restore-Request, HX-Target"
PACKAGES = (Path(__file__).parent, Path(__file__).parent.parent / "tokenizer")

Context = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Shape:
    """The templates of a page: `whole`, and `part` for htmx."""

    whole: str
    part: str


FAULT = Shape("fault/show.html", "fault/_fault.html")


def wants_part(request: Request) -> bool:
    """Whether htmx asks for a part; when it restores history or swaps the whole body it needs the whole page."""
    headers = request.headers
    return (
        headers.get("hx-request") == "true"
        and headers.get("hx-history-restore-request") != "true"
        and headers.get("hx-target", "").partition("#")[0].lower() != "body"
    )


def _drawing_filters(environment: Environment) -> dict[str, Callable[..., Markup]]:
    """The filters that draw what a page holds many of, by a macro of one argument each: `one|chip`, `many|row_lines`.

    Each drawing is remembered by the view that it shows. A page holds hundreds of them, most of which stood on the page
    before it too, and a macro takes ten times as long as a look-up: a step's page takes a third of the time.
    """

    def remembered(template: str, macro: str, most: int) -> Callable[[object], Markup]:
        @lru_cache(maxsize=most)
        def draw(view: object) -> Markup:
            return Markup(getattr(module(template), macro)(view))  # noqa: S704 - what a macro gave is escaped

        return draw

    def each(draw: Callable[[object], Markup]) -> Callable[[Iterable[object]], Markup]:
        return lambda views: Markup("".join(map(draw, views)))  # noqa: S704 - the same

    @cache
    def module(template: str) -> Any:
        return environment.get_template(template).module

    tokens, lines = "shared/_token.html", "lab/_lines.html"
    return {
        "chip": remembered(tokens, "chip", CHIPS),
        "chips": each(remembered(tokens, "listed", CHIPS)),
        "tree_box": remembered("shared/_tree.html", "box", CHIPS),
        "pair_lines": each(remembered(lines, "pair", LINES)),
        "row_lines": each(remembered(lines, "row", LINES)),
        "merge_lines": each(remembered(lines, "merge", LINES)),
    }


class Renderer:
    """Templates, static files and the memory of pages."""

    def __init__(self, settings: Settings, *, templates: Path = paths.TEMPLATES, static: Path = paths.STATIC):
        self.assets = Assets(static)
        self.build = _build_digest(templates, self.assets.digest)
        self._pages = PackedPages(settings.page_cache_bytes)
        self._environment = Environment(
            loader=FileSystemLoader(templates),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._environment.globals["static_url"] = self.assets.url
        self._environment.filters |= {"number": "{:,}".format, **_drawing_filters(self._environment)}

    def text(self, template: str, context: Context) -> str:
        """A template with its context."""
        return self._environment.get_template(template).render(context)

    async def show(
        self, request: Request, shape: Shape, make: Callable[[], Context], *, status: int = 200, cache: str = "no-store"
    ) -> Response:
        """A page that may be another the next time.

        Args:
            request: what asks for it.
            shape: its templates.
            make: gives the context (`page`, `view` and so on); it runs in a thread.
            status: the HTTP status.
            cache: the `Cache-Control` header.
        """
        template = shape.part if wants_part(request) else shape.whole
        packed = await anyio.to_thread.run_sync(self._packed, template, make)
        return _with_headers(packed_answer(request, packed, media_type=HTML, status=status), cache)

    async def show_unchanging(
        self, request: Request, shape: Shape, key: tuple[object, ...], make: Callable[[], Context]
    ) -> Response:
        """A page that is the same whenever `key` is; else as `show`."""
        template = shape.part if wants_part(request) else shape.whole
        tag = self.tag(template, *key)
        if is_known(request, tag):
            return _with_headers(Response(status_code=304), "private, no-cache", tag)
        packed = self._pages.get(tag)
        if packed is None:
            packed = await anyio.to_thread.run_sync(self._packed, template, make)
            self._pages.put(tag, packed)
        return _with_headers(packed_answer(request, packed, media_type=HTML), "private, no-cache", tag)

    def tag(self, *key: object) -> str:
        """The entity tag of what this build makes of a key."""
        return f'W/"{hashlib.sha256(repr((self.build, key)).encode()).hexdigest()[:32]}"'

    def fault(self, request: Request, fault: Fault) -> Response:
        """A fault as a page or a part."""
        page = PageView(title=f"{fault.title} · Merge Next", nav="")
        template = FAULT.part if wants_part(request) else FAULT.whole
        return HTMLResponse(self.text(template, {"page": page, "view": fault}), fault.status, {"Vary": VARY})

    def _packed(self, template: str, make: Callable[[], Context]) -> bytes:
        return pack(self.text(template, make()).encode())


def _with_headers(response: Response, cache: str, tag: str | None = None) -> Response:
    response.headers["Cache-Control"] = cache
    response.headers.add_vary_header(VARY)
    if tag is not None:
        response.headers["ETag"] = tag
    return response


def _build_digest(templates: Path, static: str) -> str:
    """A digest of all that makes a page: code, templates, static files."""
    digest = hashlib.sha256(static.encode())
    files = [*templates.rglob("*.html"), *(path for package in PACKAGES for path in package.rglob("*.py"))]
    for path in sorted(files):
        digest.update(path.read_bytes())
    return digest.hexdigest()
