"""What axe can find of barriers: nothing, on every page, in every look."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from app.samples import SAMPLES, toy_recipe
from tests.browser.lab import edit, expect_step, press_next

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parents[1] / "vendor" / "axe.min.js").read_text()
TOY = toy_recipe().id
FIND = """
async () => (await axe.run(document, { resultTypes: ["violations"], preload: false })).violations.map((one) => ({
  rule: one.id, help: one.help, nodes: one.nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary}`) }))
"""
PRESENT = "on => document.documentElement.toggleAttribute('data-present', on)"
SCREEN, PHONE = (1280, 720), (390, 844)
LOOKS = {
    "light": ("light", False, SCREEN),
    "dark": ("dark", False, SCREEN),
    "presentation": ("light", True, SCREEN),
    "phone": ("dark", False, PHONE),
}
TWO = ("light", "phone")  # both themes and both layouts, in half the time


@pytest.fixture
def looks(full_size) -> Iterable[str]:
    """The looks in which most pages are looked at: all of them at full size."""
    return LOOKS if full_size else TWO


def barriers(page: Page, *looks: str) -> dict[str, Any]:
    """What axe finds, by look, in all looks or those named. It comes past the page's policy, which lets nothing in."""
    page.evaluate(AXE)
    found = {}
    for name in looks or LOOKS:
        scheme, present, (width, height) = LOOKS[name]
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(PRESENT, present)
        if violations := page.evaluate(FIND):
            found[name] = violations
    return found


def test_axe_is_awake_in_every_look(lab):
    lab.evaluate("document.querySelector('.sentence').innerHTML = '<button></button> faint'")
    lab.locator(".sentence").evaluate("(one) => { one.style.color = 'gray'; one.style.background = 'darkgray'; }")
    found = barriers(lab)
    assert {look: {each["rule"] for each in violations} for look, violations in found.items()} == {
        look: {"button-name", "color-contrast"} for look in LOOKS
    }


@pytest.mark.parametrize("step", [0, 5, 8])
def test_the_lab_at_a_step(lab, step):
    press_next(lab, step)
    assert barriers(lab) == {}


def test_the_lab_with_a_large_corpus(page, server, looks):
    run = server.make_run(SAMPLES["languages"].text, special_tokens=["<|a|>", "<|b|>"], steps=60)
    page.goto(f"/runs/{run}/steps/0")
    assert barriers(page, *looks) == {}
    page.goto(f"/runs/{run}/steps/60?rows_q=e&counts=now")
    assert barriers(page, *looks) == {}


def test_the_lab_where_nothing_is_found_and_nothing_is_to_merge(page, server, looks):
    page.goto(f"/runs/{TOY}/steps/3?rows_q=nothing&pairs_q=nothing")
    assert barriers(page, *looks) == {}
    page.goto(f"/runs/{server.make_run('')}/steps/0")
    assert barriers(page, *looks) == {}


def test_the_editor(lab, expected, looks):
    edit(lab)
    assert barriers(lab, *looks) == {}
    for name in ("custom", "vocab_size", "min_count"):
        lab.locator(f"#field-{name}").fill("(x")
    lab.locator("#field-file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"\xff"})
    with expected(lab, 422):
        lab.get_by_role("button", name="Make the run").click()
        expect(lab.locator("#recipe .offer")).to_be_visible()
    assert barriers(lab, *looks) == {}


def test_the_trace(page, server, expected, looks):
    server.make_run(toy_recipe().corpus, special_tokens=["<|endoftext|>"], vocab_size=265, steps=8)
    page.goto(f"/runs/{TOY}/trace?step=8")
    assert barriers(page, *looks) == {}
    page.get_by_label("Text to trace").fill("lowest newest<|endoftext|> €🙃 مرحبا " + "low" * 40)
    expect(page.locator("#trace .figures")).to_be_visible()
    with expected(page, 422):
        page.get_by_label("Ids back to text").fill("9999")
        expect(page.locator("#decoded .wrong")).to_be_visible()
    assert barriers(page, *looks) == {}
    page.get_by_label("Ids back to text").fill("264, 259, 240")
    expect(page.locator("#decoded pre")).to_be_visible()
    assert barriers(page, *looks) == {}


def test_the_list_of_runs(page, looks):
    page.goto("/runs")
    assert barriers(page, *looks) == {}
    page.goto(f"/runs/{TOY}/steps/2")
    page.goto("/runs")
    expect(page.locator(".recent li")).to_have_count(1)
    assert barriers(page, *looks) == {}
    page.goto("/")
    expect(page.locator(".resume")).to_be_visible()
    assert barriers(page, *looks) == {}


def test_a_long_row(page, server, looks):
    run = server.make_run("".join(f"{number:04}" for number in range(60)), pattern="none", steps=2)
    page.goto(f"/runs/{run}/steps/2")
    assert barriers(page, *looks) == {}
    page.goto(f"/runs/{run}/rows/0?step=2")
    assert barriers(page, *looks) == {}


def test_the_documentation(page, looks):
    page.goto("/docs")
    expect(page.get_by_role("heading", name="JSON interface")).to_be_visible()
    assert barriers(page, *looks) == {}


def test_an_error(page, expected, looks):
    with expected(page, 404):
        page.goto("/nowhere")
        expect(page.locator("#fault")).to_be_visible()
    assert barriers(page, *looks) == {}


def test_progress(new_context, slow_server, far_run, looks):
    page = new_context(slow_server.address).new_page()
    page.goto(f"/runs/{far_run('axe')}/steps/1000")
    expect(page.locator("#progress")).to_be_visible()
    # It must stay while axe looks at it, however quick the machine is.
    page.locator("#progress").evaluate("(one) => { one.replaceWith(one.cloneNode(true)); }")
    assert barriers(page, *looks) == {}


@pytest.mark.parametrize("opened", ["help", "trouble"])
def test_what_lies_over_the_page(lab, expected, opened, looks):
    press_next(lab)
    if opened == "help":
        lab.keyboard.press("?")
        expect(lab.get_by_role("dialog")).to_be_visible()
    else:
        lab.locator("#next").evaluate("(link) => link.setAttribute('href', '/nowhere')")
        with expected(lab, 404):
            lab.locator("#next").click()
            expect(lab.get_by_role("alert")).to_be_visible()
    assert barriers(lab, *looks) == {}


@pytest.mark.parametrize("media", [{"forced_colors": "active"}, {"reduced_motion": "reduce"}, {"contrast": "more"}])
def test_other_preferences(lab, media):
    lab.emulate_media(**media)
    press_next(lab, 5)
    expect(lab.locator(".merge-pair bdi")).to_have_text(["w", "est", "west"])
    lab.keyboard.press("?")
    expect(lab.get_by_role("dialog")).to_be_visible()
    lab.keyboard.press("Escape")
    expect_step(lab, 5)
    lab.evaluate(AXE)
    assert lab.evaluate(FIND) == []


def test_the_chosen_pair_is_told_without_colour(lab):
    lab.emulate_media(forced_colors="active")
    press_next(lab)
    style: Callable[[str], Any] = lambda name: lab.locator(name).first.evaluate(  # noqa: E731
        "(one) => { const style = getComputedStyle(one); return [style.borderStyle, style.borderWidth, "
        "style.textDecorationLine, style.fontWeight, style.outlineStyle]; }"
    )
    plain = style("#rows tbody tr:last-child bdi.c")
    assert style(".merge-pair bdi.l") != plain
    assert style(".merge-pair bdi.n") != plain
