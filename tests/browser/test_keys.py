"""The keys of the lab, and where they must not work."""

import re
from contextlib import nullcontext

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import edit, expect_step, press_next, step_of

pytestmark = pytest.mark.browser


def expect_still(page: Page, step: int) -> None:
    """The step has not changed, nor will it: none is on its way."""
    expect(page.locator("#lab[data-busy]")).to_have_count(0)
    assert step_of(page) == step


def test_arrows_space_home_and_end(lab):
    for key, step in [
        ("ArrowRight", 1),
        ("Space", 2),
        ("ArrowRight", 3),
        ("ArrowLeft", 2),
        ("End", 8),
        ("ArrowRight", 8),
        ("ArrowLeft", 7),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("Home", 0),
        ("Space", 1),
    ]:
        lab.keyboard.press(key)
        expect_step(lab, step)
    assert lab.evaluate("scrollY") == 0, "Space scrolled"


def test_quick_presses_are_all_done(lab):
    for _ in range(6):
        lab.keyboard.press("ArrowRight")
    expect_step(lab, 6)
    for _ in range(4):
        lab.keyboard.press("ArrowLeft")
    expect_step(lab, 2)
    expect(lab).to_have_url(re.compile("/steps/2$"))


def test_p_plays_and_pauses(lab):
    lab.locator("#speed").select_option("2000")
    lab.locator("#next").focus()
    lab.keyboard.press("p")
    expect(lab.locator("#play")).to_have_attribute("aria-pressed", "true")
    expect_step(lab, 1)
    lab.keyboard.press("Shift+P")
    expect(lab.locator("#play")).to_have_attribute("aria-pressed", "true")
    lab.keyboard.press("P")  # as with Caps Lock
    expect(lab.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_d_changes_the_look_and_it_stays(lab):
    background = "getComputedStyle(document.body).backgroundColor"
    light = lab.evaluate(background)
    lab.keyboard.press("d")
    dark = lab.evaluate(background)
    assert dark != light
    expect(lab.get_by_role("button", name="Dark or light")).to_have_text("light")
    lab.reload()
    assert lab.evaluate(background) == dark
    lab.keyboard.press("d")
    assert lab.evaluate(background) == light


def test_f_presents_in_large_type(lab):
    size = "parseFloat(getComputedStyle(document.querySelector('.sentence')).fontSize)"
    press_next(lab)
    before = lab.evaluate(size)
    lab.keyboard.press("f")
    expect(lab.locator("header.top")).to_be_hidden()
    expect(lab.locator("#merge .sentence")).to_be_visible()
    assert lab.evaluate(size) > 1.3 * before
    lab.keyboard.press("ArrowRight")
    expect_step(lab, 2)
    lab.keyboard.press("f")
    expect(lab.locator("header.top")).to_be_visible()
    assert lab.evaluate(size) == before


def test_the_help_opens_and_closes_and_the_focus_returns(lab):
    press_next(lab)
    dialog = lab.get_by_role("dialog", name="Keys")
    lab.keyboard.press("?")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("the last step made so far")
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("d")
    expect_still(lab, 1)
    assert lab.evaluate("document.documentElement.dataset.theme") is None
    lab.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(lab.locator("#next")).to_be_focused()
    opener = lab.get_by_role("button", name="Keys and help")
    opener.click()
    expect(dialog).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    lab.keyboard.press("?")
    lab.keyboard.press("?")
    expect(dialog).to_be_hidden()


KEYS = ("ArrowRight", "ArrowLeft", "Space", "Home", "End", "p", "d", "f", "?")


def press_all(page: Page) -> None:
    for key in KEYS:
        page.keyboard.press(key)


def expect_nothing_happened(page: Page, step: int) -> None:
    expect_still(page, step)
    assert page.evaluate("JSON.stringify(document.documentElement.dataset)") == "{}"
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_keys_do_nothing_while_typing_in_a_text(lab):
    press_next(lab, 2)
    edit(lab)
    for name in ("corpus", "custom", "special_tokens", "vocab_size"):
        field = lab.locator(f"#field-{name}")
        field.fill("ab")
        field.press("End")
        press_all(lab)
        expect_nothing_happened(lab, 2)
        expect(field).to_have_value(re.compile("^ ?ab? ?b?"))
        assert "pdf?" in field.input_value()


def test_keys_do_nothing_in_a_number_a_search_and_a_list_of_choices(lab):
    press_next(lab, 2)
    for field in ("#go-step", "#pairs-q", "#speed"):
        lab.locator(field).focus()
        press_all(lab)
        expect_nothing_happened(lab, 2)


def test_space_on_a_button_presses_that_button_alone(lab):
    press_next(lab)
    theme = lab.get_by_role("button", name="Dark or light")
    theme.focus()
    lab.keyboard.press("Space")
    expect(theme).to_have_text("light")
    expect_still(lab, 1)
    lab.locator("#back").focus()
    lab.keyboard.press("Enter")
    expect_step(lab, 0)
    lab.keyboard.press("Space")  # a link does nothing with it, so it is Merge next
    expect_step(lab, 1)


def test_with_modifiers_keys_belong_to_the_browser(lab):
    press_next(lab, 3)
    for modifier in ("Control", "Alt", "Meta", "Shift"):
        for key in ("ArrowRight", "Home", "End", "Space"):
            if modifier != "Alt":  # with Alt arrows are the browser's history
                lab.keyboard.press(f"{modifier}+{key}")
    lab.keyboard.press("Control+d")
    expect_nothing_happened(lab, 3)


def test_home_and_end_scroll_a_list_that_has_the_focus(page, server):
    run = server.make_run(" ".join(f"word{number}" for number in range(80)), steps=3)
    page.set_viewport_size({"width": 1280, "height": 600})  # low, so that the list has to scroll
    page.goto(f"/runs/{run}/steps/2")
    region = page.get_by_role("region", name="Pre-token table")
    region.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('#rows .scroll').scrollTop > 50")
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('#rows .scroll').scrollTop === 0")
    expect_still(page, 2)
    page.keyboard.press("ArrowRight")
    expect_step(page, 3)


@pytest.mark.parametrize("path", ["/docs", "/runs", f"/runs/{toy_recipe().id}/trace", "/nowhere"])
def test_the_keys_of_looks_and_help_work_on_every_page(page, expected, path):
    with expected(page, 404) if path == "/nowhere" else nullcontext():
        page.goto(path)
    page.emulate_media(color_scheme="light")
    page.keyboard.press("d")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("f")
    expect(page.locator("html")).to_have_attribute("data-present", "")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("html")).to_have_attribute("data-present", "")
    page.keyboard.press("Escape")
    expect(page.locator("html")).not_to_have_attribute("data-present", "")
    for key in ("ArrowRight", "p", "End"):
        page.keyboard.press(key)
    expect(page).to_have_url(re.compile(re.escape(path) + "$"))
