"""A server, a browser, and a page as good as new for each test, watched until the test ends."""

import json
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect, sync_playwright

from tests.browser.chromium import launch_options
from tests.browser.desk import PATIENCE_MS, SCREEN, Desk, Desks, watched
from tests.browser.serving import Server
from tests.browser.watching import Watch

DATA = Path(__file__).parents[1] / "data"

NewContext = Callable[..., BrowserContext]
TakePage = Callable[..., Page]


@pytest.fixture(scope="session")
def golden() -> dict[str, Any]:
    """The toy corpus with all its steps."""
    values: dict[str, Any] = json.loads((DATA / "golden" / "toy_byte_bpe.json").read_text())
    return values


@pytest.fixture(scope="session")
def server(tmp_path_factory) -> Iterator[Server]:
    """The server that the tests of this process share."""
    server = Server(tmp_path_factory.mktemp("server"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def slow_server(tmp_path_factory) -> Iterator[Server]:
    """A server with one worker, which says at once that a step is not there yet, and is patient with patterns."""
    server = Server(tmp_path_factory.mktemp("slow"), workers=1, step_wait_seconds=0.001, pattern_seconds=600)
    yield server
    server.stop()


@pytest.fixture
def far_run(slow_server) -> Iterator[Callable[..., str]]:
    """Make a run there of one long row, whose first steps are known; all others, up to 1,510, take seconds."""
    made: list[str] = []

    def make(name: str, *, digits: int = 900_000, **recipe: Any) -> str:
        row = "".join(random.Random(name).choices("0123456789", k=digits))
        made.append(slow_server.make_run(row, pattern="none", steps=2, **{"vocab_size": 256 + 1_510, **recipe}))
        return made[-1]

    yield make
    for run in made:
        slow_server.cancel(run)  # the next test has the worker for itself


# Of the package, not of the session: while Playwright runs, nothing else in this thread can have an event loop.
@pytest.fixture(scope="package")
def playwright() -> Iterator[Playwright]:
    """What drives browsers."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as play:
        yield play


@pytest.fixture(scope="package")
def browser(playwright) -> Iterator[Browser]:
    """One browser for the tests of this folder."""
    browser = playwright.chromium.launch(**launch_options())
    yield browser
    browser.close()


@pytest.fixture
def watches() -> Iterator[list[Watch]]:
    """Who listens to the contexts of this test; what they heard fails it."""
    watches: list[Watch] = []
    yield watches
    complaints = [complaint for watch in watches for complaint in watch.complaints]
    assert not complaints, complaints


@pytest.fixture
def new_context(browser, server, watches) -> Iterator[NewContext]:
    """Make a context, that is a browser of somebody else; by keyword, what Playwright takes."""
    opened = []

    def make(origin: str = server.address, **options: Any) -> BrowserContext:
        context = browser.new_context(**{"viewport": SCREEN, "base_url": origin, **options})
        watches.append(watched(context, origin))
        opened.append(context)
        return context

    yield make
    for context in opened:
        context.close()


@pytest.fixture
def refusing(playwright, server, watches, tmp_path) -> Iterator[Page]:
    """The lab in a browser of its own that refuses all cookies, and with them storage."""
    profile = tmp_path / "Default"
    profile.mkdir()
    refused = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (profile / "Preferences").write_text(json.dumps(refused))
    context = playwright.chromium.launch_persistent_context(
        tmp_path, **launch_options(whole=True), viewport=SCREEN, base_url=server.address
    )
    watches.append(watched(context, server.address))
    page = context.new_page()
    page.goto("/")
    yield page
    context.close()


@pytest.fixture(scope="package")
def desks(browser, server) -> Iterator[Desks]:
    """The pages that the tests of this process use in turn."""
    desks = Desks(browser, server.address)
    yield desks
    desks.close()


@pytest.fixture
def take_page(desks, watches) -> TakePage:
    """A page that is still empty, of a browser that knows nothing; by keyword, what Playwright takes for a context."""

    def take(**options: Any) -> Page:
        desk: Desk = desks.take(**options)
        watches.append(desk.watch)
        return desk.page

    return take


@pytest.fixture
def page(take_page) -> Page:
    """A page that is still empty, of a browser that knows nothing."""
    empty: Page = take_page()
    return empty


@pytest.fixture
def lab(page) -> Page:
    """The lab as a first visit shows it."""
    page.goto("/")
    return page


@pytest.fixture
def expected(watches) -> Callable[..., AbstractContextManager[None]]:
    """Let a block be answered with faults, each of them at least once: call it with the page and their statuses."""

    def expect_statuses(page: Page, *statuses: int) -> AbstractContextManager[None]:
        (watch,) = (watch for watch in watches if watch.context == page.context)
        return watch.expected(page, *statuses)

    return expect_statuses
