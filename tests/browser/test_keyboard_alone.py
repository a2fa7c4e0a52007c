"""Whole flows with the keyboard alone: where the focus goes, that it is seen, and that every control is reached."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import expect_chosen, expect_step, lists, page_size, press_next

pytestmark = pytest.mark.browser

FOCUSED = """
() => {
  const one = document.activeElement, style = getComputedStyle(one), box = one.getBoundingClientRect();
  return { id: one.id, name: one.name ?? "", text: (one.innerText ?? "").trim(),
           outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
           within: box.width > 0 && box.bottom > 0 && box.top < innerHeight };
}
"""


def focused(page: Page) -> dict[str, object]:
    """What has the focus; it must be seen to have it."""
    found: dict[str, object] = page.evaluate(FOCUSED)
    assert found["outlined"], found
    assert found["within"], found
    return found


def tab_to(page: Page, selector: str, *, back: bool = False, most: int = 60) -> None:
    """Press Tab until an element has the focus; everything on the way is seen to have it."""
    for _ in range(most):
        page.keyboard.press("Shift+Tab" if back else "Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            focused(page)
            return
    raise AssertionError(f"{selector} was not reached by {most} tabs; {page.evaluate(FOCUSED)} was")


def test_the_first_tab_offers_to_skip_to_the_content(lab):
    lab.keyboard.press("Tab")
    assert focused(lab)["text"] == "Skip to the content"
    lab.keyboard.press("Enter")
    expect(lab.locator("#main")).to_be_focused()
    lab.keyboard.press("Tab")
    expect(lab.locator("#edit")).to_be_focused()


def test_a_whole_flow(lab):
    tab_to(lab, "#next")
    lab.keyboard.press("Enter")
    expect_step(lab, 1)
    expect(lab.locator("#next")).to_be_focused()
    lab.keyboard.press("Enter")
    expect_step(lab, 2)
    tab_to(lab, "#back", back=True)
    lab.keyboard.press("Enter")
    expect_step(lab, 1)
    tab_to(lab, "#order")
    lab.keyboard.press("Enter")
    expect_chosen(lab, "order", "in table order")
    expect(lab.locator("#order")).to_be_focused()
    tab_to(lab, "#edit", back=True)
    lab.keyboard.press("Enter")
    expect(lab.locator("#field-corpus")).to_be_focused()
    lab.keyboard.press("Control+a")
    lab.keyboard.type("hug hugs pug")
    tab_to(lab, "#field-tie_rule")
    lab.keyboard.press("ArrowDown")
    expect(lab.locator("#field-tie_rule")).to_have_value("first_seen")
    tab_to(lab, "#field-special_tokens")
    lab.keyboard.press("Control+a")
    lab.keyboard.press("Delete")
    tab_to(lab, "#field-vocab_size")
    lab.keyboard.press("Control+a")
    lab.keyboard.type("300")
    tab_to(lab, ".send button")
    lab.keyboard.press("Space")
    expect(lab.locator(".run-name")).to_have_text("hug hugs pug")
    expect_step(lab, 0)
    lab.keyboard.press("Space")
    expect_step(lab, 1)
    assert lists(lab)["merges"][0]["pair"] == ["u", "g"]
    tab_to(lab, "#nav-trace")
    lab.keyboard.press("Enter")
    expect(lab.get_by_role("heading", name="Trace", exact=True)).to_be_visible()
    tab_to(lab, "#trace-text")
    lab.keyboard.type("hug")
    expect(lab.locator("#ids")).to_have_text("104, 256")
    tab_to(lab, "[data-copy]")
    tab_to(lab, "#decode-ids")
    lab.keyboard.type("256")
    expect(lab.locator("#decoded pre")).to_have_text("ug")


def test_every_control_of_the_lab_is_reached_and_seen(lab):
    lab.keyboard.press("ArrowRight")
    expect_step(lab, 1)
    wanted = lab.evaluate(
        """() => [...document.querySelectorAll("a, button, input, select, [tabindex='0']")]
            .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled).length"""
    )
    seen = 0
    for _ in range(wanted + 5):
        lab.keyboard.press("Tab")
        if lab.evaluate("document.activeElement === document.body"):
            break
        focused(lab)
        seen += 1
    assert seen == wanted


def test_the_help_keeps_the_focus(lab):
    tab_to(lab, "[data-do=help]")
    lab.keyboard.press("Enter")
    dialog = lab.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    for _ in range(6):
        lab.keyboard.press("Tab")
        assert lab.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#help')")
    lab.keyboard.press("Escape")
    expect(lab.locator("[data-do=help]")).to_be_focused()


def test_play_and_speed_by_keyboard(lab):
    tab_to(lab, "#play")
    lab.keyboard.press("Tab")
    expect(lab.locator("#speed")).to_be_focused()
    lab.keyboard.press("ArrowDown")
    lab.keyboard.press("ArrowDown")
    expect(lab.locator("#speed")).to_have_value("250")
    lab.keyboard.press("Shift+Tab")
    lab.keyboard.press("Space")
    expect_step(lab, 8)


def test_pages_and_searches_by_keyboard(page, server):
    run = server.make_run(" ".join(a + b for a in "abcdefghijkl" for b in "mnopqrstuvwxyz"), steps=3)
    page.goto(f"/runs/{run}/steps/2")
    size = page_size(page, "rows")
    tab_to(page, "#rows-q")
    page.keyboard.type("am")
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    expect(page.locator("#rows-q")).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(page.locator("#rows tbody tr")).to_have_count(size)
    tab_to(page, "#rows-next", most=90)
    page.keyboard.press("Enter")
    expect(page.locator("#rows .pager .num")).to_have_text(f"{size + 1}–{2 * size} of 168")
    expect(page.locator("#rows-next")).to_be_focused()


def test_the_focus_stays_on_a_merge_that_leads_to_its_step(lab):
    press_next(lab, 6)
    link = lab.locator("#m2 a")  # rank 2: its line is drawn anew, as the current one
    link.focus()
    lab.keyboard.press("Enter")
    expect_step(lab, 3)
    expect(lab.locator("#m2")).to_have_class("current")
    expect(link).to_be_focused()
    assert lists(lab)["merges"][0]["pair"] == ["o", "w"]
