"""What a page must never do, whatever a test is about: complain, open a dialog, or ask another server."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Error, Page
from playwright.sync_api import Request as PageRequest

# Chromium's own word on an answer of 4xx or 5xx; a test that asks for one says so with `expected`.
REFUSED = re.compile(r"the server responded with a status of (\d{3})")
# Policies that are broken come as errors on the console, so the console tells of them too.
NOISY = frozenset({"error", "warning", "assert"})


class Watch:
    """Hears everything that the pages of a context complain of.

    Args:
        context: whose pages.
        origin: the one server that they may ask.
    """

    def __init__(self, context: BrowserContext, origin: str):
        self.context = context
        self.complaints: list[str] = []
        self._origin = urlsplit(origin).netloc
        self._allowed: set[int] = set()
        self._met: set[int] = set()
        context.on("console", self._console)
        context.on("weberror", lambda error: self._complain("error", error.error))
        context.on("request", self._request)
        context.on("dialog", self._dialog)

    @contextmanager
    def expected(self, page: Page, *statuses: int) -> Iterator[None]:
        """Let a block of a test be answered with faults, each of these at least once."""
        self._allowed |= set(statuses)
        self._met.clear()
        yield
        page.evaluate("1")  # what the console said until now is heard by then
        self._allowed -= set(statuses)
        assert self._met >= set(statuses), f"answers were {self._met}, not {statuses}"

    def _console(self, message: ConsoleMessage) -> None:
        if message.type not in NOISY:
            return
        refused = REFUSED.search(message.text)
        if refused and int(refused[1]) in self._allowed:
            self._met.add(int(refused[1]))
        else:
            self._complain(message.type, f"{message.text} ({message.location})")

    def _request(self, request: PageRequest) -> None:
        url = urlsplit(request.url)
        if url.scheme not in ("data", "blob", "about") and url.netloc != self._origin:
            self._complain("request to elsewhere", request.url)

    def _dialog(self, dialog: Dialog) -> None:
        self._complain("dialog", dialog.message)
        dialog.dismiss()

    def _complain(self, kind: str, text: str | Error) -> None:
        self.complaints.append(f"{kind}: {text}")
