"""The lab as a test sees it: what stands on the page, and the ways to press and to wait."""

import re
import time
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.serving import PATIENCE

STAND_INS = str.maketrans({" ": "␣", "\n": "⏎", "\t": "⇥"})

# Rows, pairs and merges as data: the labels of their chips, numbers without commas.
READ = """
() => {
  const chips = (place) => place ? [...place.querySelectorAll("bdi.c")].map((chip) => chip.textContent) : [];
  const number = (place) => Number(place.textContent.replace(/[×,]/g, ""));
  const rows = [...document.querySelectorAll("#rows tbody tr")].map((row) => {
    const cells = [...row.cells];
    return { count: number(cells[0]), changed: row.classList.contains("changed"),
             before: cells.length > 2 ? chips(cells[1]) : [], after: chips(cells.at(-1)) };
  });
  const pairs = [...document.querySelectorAll("#pairs tbody tr:not(.head)")].map((row) => ({
    pair: chips(row.cells[0]), count: number(row.cells[1]), words: row.cells[2].textContent,
    marks: [...row.classList] }));
  const merges = [...document.querySelectorAll("#merges tbody tr")].map((row) => ({
    rank: number(row.cells[0]), pair: chips(row.cells[1]), token: chips(row.cells[2])[0],
    count: number(row.cells[3]) }));
  return { rows, pairs, merges };
}
"""


def shown(token: str) -> str:
    """A token of plain text as its chip shows it."""
    return token.translate(STAND_INS)


def lists(page: Page) -> dict[str, list[dict[str, Any]]]:
    """`rows`, `pairs` and `merges` as the page shows them now."""
    found: dict[str, list[dict[str, Any]]] = page.evaluate(READ)
    return found


def expect_step(page: Page, step: int) -> None:
    """Wait until a step is shown, with its address and title."""
    expect(page.locator("#step")).to_have_attribute("data-step", str(step))
    expect(page).to_have_title(re.compile(rf"Step {step:,} · .+ · Merge Next"))


def expect_address(page: Page, run: str, step: int) -> None:
    """Wait until the address is that of a step of a run, without a query."""
    expect(page).to_have_url(re.compile(rf"/runs/{run}/steps/{step}$"))


def expect_chosen(page: Page, toggle: str, choice: str) -> None:
    """Wait until a toggle, "order" or "counts", says that this is chosen; for listeners it names the other one too."""
    expect(page.locator(f"#{toggle}")).to_have_text(re.compile(f"^{choice}"))


def press_next(page: Page, times: int = 1) -> None:
    """Press "Merge next", each time when the step before is there."""
    for _ in range(times):
        step = step_of(page)
        page.locator("#next").click()
        expect_step(page, step + 1)


def step_of(page: Page) -> int:
    """The step that is shown now."""
    return int(page.locator("#step").get_attribute("data-step") or "")


def run_of(page: Page) -> str:
    """The run that is shown now."""
    return (page.locator("#lab").get_attribute("data-start") or "").split("/")[2]


def edit(page: Page) -> Locator:
    """Open the recipe editor; its form."""
    page.locator("#edit").click()
    form = page.locator("#recipe form")
    expect(form).to_be_visible()
    return form


def make_run(page: Page) -> None:
    """Send the editor and wait for the run that it makes."""
    page.get_by_role("button", name="Make the run").click()
    expect_step(page, 0)
    expect(page.locator("#recipe form")).to_have_count(0)


def await_visit(page: Page, run: str, step: int) -> None:
    """Wait until the session knows that it was at a step; steps that were fetched before are told behind the scenes."""
    deadline = time.monotonic() + PATIENCE
    while f'"/runs/{run}/steps/{step}"' not in page.context.request.get("/runs").text():
        assert time.monotonic() < deadline, f"the visit of step {step} was not told in {PATIENCE} s"
        page.wait_for_timeout(50)


def page_size(page: Page, part: str) -> int:
    """How many entries a page of a list holds, as its first page says."""
    found = re.match(r"1–([\d,]+) of", page.locator(f"#{part} .pager .num").inner_text())
    assert found, "this is not the first page of several"
    return int(found[1].replace(",", ""))
