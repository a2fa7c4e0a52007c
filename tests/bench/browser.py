"""From a click on "Merge next" to the painted step, in a real browser, measured inside the page."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, sync_playwright

from tests.bench.serving import Client, server, toy_run
from tests.bench.table import limit, median, number, p95, say, show
from tests.browser.chromium import launch_options

P50_MS = 60
P95_MS = 120
THINKING_MS = 250  # between two clicks of somebody in a hurry who reads the headline
PHASES = ("ask", "answer", "swap", "paint")

# The click's own time stamp is when the browser got it. A step is painted when the frame after its swap has begun
# twice: the first callback runs before that frame is drawn, the second one after it.
WATCH = """
(() => {
  const now = () => performance.now();
  globalThis.clicks = [];
  let one = null;
  document.addEventListener("click", (event) => {
    if (event.target.closest("#next[href]")) one = { click: event.timeStamp };
  }, true);
  const mark = (name, phase) =>
    document.addEventListener(name, () => { if (one && !(phase in one)) one[phase] = now(); });
  mark("htmx:before:request", "asked");
  mark("htmx:before:swap", "answered");
  document.addEventListener("htmx:after:swap", () => {
    const it = one;
    if (!it) return;
    one = null;
    it.swapped = now();
    requestAnimationFrame(() => requestAnimationFrame(() => { it.painted = now(); clicks.push(it); }));
  });
  // The least that anything takes here: a click that changes one word.
  globalThis.words = [];
  document.addEventListener("click", (event) => {
    const word = event.target.closest(".brand");
    if (!word) return;
    event.preventDefault();
    word.lastChild.data = `Merge Next ${words.length}`;
    requestAnimationFrame(() => requestAnimationFrame(() => { words.push(now() - event.timeStamp); }));
  });
})();
"""


@dataclass(frozen=True)
class Clicks:
    """What the page measured, in milliseconds: each click in all and its phases, and clicks that change one word."""

    name: str
    total: list[float]
    phases: dict[str, list[float]]
    floor: list[float]


def measure(page: str, large: str, what: str, *, clicks: int) -> None:
    """Print how long clicks take on three corpora, at once after each other and with time to look.

    Args:
        page: a corpus of 4,000 characters.
        large: a corpus of 5 MB.
        what: what that corpus is.
        clicks: of each kind.
    """
    found: list[Clicks] = []
    with server() as address, Client(address) as client, chromium() as browser:
        runs = {
            "toy": toy_run(client),
            "4,000 characters": client.make_run(page),
            "5 MB": client.make_run(large),
        }
        say("building the runs")
        for run in runs.values():
            client.await_end(run)
        for name, run in runs.items():
            for pause, pace in ((0, "at once"), (THINKING_MS, f"{THINKING_MS} ms apart")):
                say(f"clicking: {name}, {pace}")
                start = f"{address}/runs/{run}/steps/0"
                found.append(click_through(browser, f"{name}, {pace}", start, clicks, pause))
        version = browser.version
    show_clicks(f"Browser: click to painted, Chromium {version}; 5 MB: {what}", found)


def show_clicks(title: str, found: Sequence[Clicks]) -> None:
    """Print how long clicks took, and where that time went."""
    rows = [_row(each) for each in found]
    heads = ("", "clicks", "p50 ms", "target", "of target", "p95 ms", "target", "of target")
    show(title, heads, rows)
    explain = (
        "ask: click to request; answer: to its text; swap: parse and morph; paint: style, layout, to the frame after",
        "one word: a click on the same page that changes one word, all of it, as what this machine takes in any case",
        "with 250 ms between clicks the next step was fetched before; at once it mostly was not",
    )
    parts = [
        (each.name, *(number(median(each.phases[phase])) for phase in PHASES), number(median(each.floor)))
        for each in found
    ]
    show("Browser: where the median goes, ms", ("", *PHASES, "one word"), parts, explain)


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser as users have it, not the headless shell."""
    with sync_playwright() as play:
        browser = play.chromium.launch(**launch_options(whole=True))
        try:
            yield browser
        finally:
            browser.close()


def click_through(browser: Browser, name: str, start: str, wanted: int, pause: int) -> Clicks:
    """Click through a run from its step 0, from the beginning again where it ends."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(WATCH)
    page.goto(start, wait_until="networkidle")
    made: list[dict[str, float]] = []
    for _ in range(wanted + 2):
        if page.locator("#next[href]").count() == 0:
            made += page.evaluate("clicks")
            page.goto(start, wait_until="networkidle")
        seen = page.evaluate("clicks.length")
        _press(page)
        page.wait_for_function("seen => clicks.length > seen", arg=seen, polling=4)
        if pause:
            page.wait_for_timeout(pause)
    made += page.evaluate("clicks")
    floor = _floor(page, wanted // 2)
    context.close()
    made = made[2:]  # the first two warm up what is compiled when it first runs
    return Clicks(name, [each["painted"] - each["click"] for each in made], _phases(made), floor)


def _press(page: Page) -> None:
    """Click as a mouse does: a locator's click first looks, within the page's own time, whether it would hit."""
    place = page.locator("#next").bounding_box()
    assert place is not None
    page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)


def _floor(page: Page, wanted: int) -> list[float]:
    for place in range(wanted):
        page.locator(".brand").click()
        page.wait_for_function("seen => words.length > seen", arg=place, polling=4)
    return page.evaluate("words")


def _phases(made: Sequence[dict[str, float]]) -> dict[str, list[float]]:
    marks = ("click", "asked", "answered", "swapped", "painted")
    spans = zip(PHASES, marks, marks[1:], strict=False)
    return {phase: [each[end] - each[begin] for each in made] for phase, begin, end in spans}


def _row(each: Clicks) -> tuple[str, ...]:
    return (
        each.name,
        str(len(each.total)),
        *limit(median(each.total), P50_MS),
        *limit(p95(each.total), P95_MS),
    )
