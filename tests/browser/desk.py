"""Pages that tests use in turn: a context of its own would cost most of them more than the test itself."""

from contextlib import suppress
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Error, ViewportSize

from tests.browser.watching import Watch

SCREEN: ViewportSize = {"width": 1280, "height": 720}
# Without motion: the frames of what moves take as long as all else that a step does.
USUAL: dict[str, Any] = {"viewport": SCREEN, "reduced_motion": "reduce"}
PATIENCE_MS = 30_000  # the machine may be busy; nothing here measures


def watched(context: BrowserContext, origin: str) -> Watch:
    """Be patient with a context, and listen to it."""
    context.set_default_timeout(PATIENCE_MS)
    return Watch(context, origin)


class Desk:
    """A page that is as good as new for every test, in a context that is kept.

    Args:
        browser: where.
        origin: of the one server that it asks.
        options: of the context, as Playwright takes them.
    """

    def __init__(self, browser: Browser, origin: str, options: dict[str, Any]):
        self._origin = origin
        self._screen: ViewportSize = options.get("viewport", SCREEN)
        self._context = browser.new_context(**{**USUAL, "base_url": origin, **options})
        self.watch = watched(self._context, origin)
        self.page = self._context.new_page()
        self._devtools = self._context.new_cdp_session(self.page)

    def close(self) -> None:
        """Put it away."""
        self._context.close()

    def tidy(self) -> None:
        """Forget everything that a server can set and a test can change."""
        self.page.unroute_all(behavior="ignoreErrors")
        self.page.goto("about:blank")
        # Cookies and what is stored; what was fetched stays, as in any browser that comes again.
        self._devtools.send("Storage.clearDataForOrigin", {"origin": self._origin, "storageTypes": "all"})
        self._context.clear_cookies()
        self._context.clear_permissions()
        self.page.set_viewport_size(self._screen)
        self.page.emulate_media(color_scheme="null", reduced_motion="reduce", forced_colors="null", contrast="null")
        self.watch.complaints.clear()


class Desks:
    """A desk of each kind, made when it is first asked for.

    Args:
        browser: where.
        origin: of the one server that all of them ask.
    """

    def __init__(self, browser: Browser, origin: str):
        self._browser = browser
        self._origin = origin
        self._kept: dict[str, Desk] = {}

    def take(self, **options: Any) -> Desk:
        """A desk in a context with these options, tidied; a new one where the one that is kept cannot be."""
        kind = repr(options)
        if (desk := self._kept.pop(kind, None)) is not None:
            with suppress(Error):
                desk.tidy()
                self._kept[kind] = desk
                return desk
            desk.close()
        return self._kept.setdefault(kind, Desk(self._browser, self._origin, options))

    def close(self) -> None:
        """Put all of them away."""
        for desk in self._kept.values():
            desk.close()
