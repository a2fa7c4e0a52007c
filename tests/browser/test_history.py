"""Every state has an address: back and forward are steps, links are copied, servers start again."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.samples import SAMPLES
from tests.browser.lab import await_visit, expect_address, expect_chosen, expect_step, lists, press_next, run_of
from tests.browser.serving import Server

pytestmark = pytest.mark.browser


def state(page: Page) -> dict[str, object]:
    """All that a step shows."""
    words = page.locator("#step").inner_text()
    return {**lists(page), "title": page.title(), "words": words, "path": page.evaluate("location.pathname")}


def test_back_and_forward_are_steps(lab):
    run = run_of(lab)
    seen = {}
    for step in range(1, 5):
        press_next(lab)
        seen[step] = state(lab)
    for step in (3, 2, 1):
        lab.go_back()
        expect_step(lab, step)
        expect_address(lab, run, step)
        assert state(lab) == seen[step]
    lab.go_back()
    expect_step(lab, 0)
    assert lab.evaluate("location.pathname") == "/"
    expect(lab.locator("#cut .piece")).to_have_count(19)
    for step in (1, 2, 3, 4):
        lab.go_forward()
        expect_step(lab, step)
        assert state(lab) == seen[step]


def test_back_leads_from_another_page_to_the_step(lab):
    run = run_of(lab)
    press_next(lab, 3)
    lab.get_by_role("link", name="Trace").click()
    expect(lab.get_by_role("heading", name="Trace", exact=True)).to_be_visible()
    lab.go_back()
    expect_step(lab, 3)
    expect_address(lab, run, 3)
    lab.go_back()
    expect_step(lab, 2)
    press_next(lab)
    expect_address(lab, run, 3)


def test_a_step_can_be_reloaded(lab):
    press_next(lab, 5)
    seen = state(lab)
    lab.reload()
    expect_step(lab, 5)
    assert state(lab) == seen


def test_a_copied_link_shows_the_same_to_somebody_else(lab, new_context):
    press_next(lab, 5)
    lab.locator("#order").click()
    expect_chosen(lab, "order", "in table order")
    seen = state(lab)
    other = new_context().new_page()
    other.goto(lab.url)
    expect_step(other, 5)
    assert state(other) == seen


def test_the_focus_and_the_scroll_positions_stay(page, server):
    run = server.make_run(SAMPLES["languages"].text, steps=40)
    page.set_viewport_size({"width": 1280, "height": 600})  # low, so that lists have to scroll
    page.goto(f"/runs/{run}/steps/20")
    positions = "() => ['#rows .scroll', '#pairs .scroll'].map((name) => document.querySelector(name).scrollTop)"
    page.evaluate("document.querySelector('#rows .scroll').scrollTop = 120")
    page.evaluate("document.querySelector('#pairs .scroll').scrollTop = 90")
    press_next(page)
    expect(page.locator("#next")).to_be_focused()
    assert page.evaluate(positions) == [120, 90]
    page.keyboard.press("ArrowRight")
    expect_step(page, 22)
    expect(page.locator("#next")).to_be_focused()
    page.go_back()
    expect_step(page, 21)
    expect(page.locator("#next")).to_be_focused()
    assert page.evaluate(positions) == [120, 90]


def test_a_merge_of_the_list_leads_to_its_step(lab):
    run = run_of(lab)
    press_next(lab, 6)
    lab.get_by_role("link", name="rank 2, to step 3").click()
    expect_step(lab, 3)
    expect_address(lab, run, 3)
    lab.go_back()
    expect_step(lab, 6)


def test_links_and_open_pages_survive_a_restart_of_the_server(tmp_path, new_context):
    first = Server(tmp_path)
    page = new_context(first.address).new_page()
    page.goto("/")
    press_next(page, 3)
    run, seen = run_of(page), state(page)
    await_visit(page, run, 3)
    first.stop()
    second = Server(tmp_path, port=first.port)
    try:
        other = new_context(second.address).new_page()
        other.goto(f"/runs/{run}/steps/3")
        expect_step(other, 3)
        assert state(other) == seen
        press_next(page)
        expect_address(page, run, 4)
        await_visit(page, run, 4)
        page.goto("/")
        page.get_by_role("link", name="Resume").click()
        expect(page.locator("#step")).to_have_attribute("data-step", "4")
    finally:
        second.stop()


def test_back_to_the_first_page_with_a_search_in_its_address(lab):
    lab.get_by_role("searchbox", name="Find pairs").fill("e")
    expect(lab).to_have_url(re.compile(r"/\?.*pairs_q=e"))
    press_next(lab)
    lab.go_back()
    expect_step(lab, 0)
    press_next(lab)
    expect_step(lab, 1)
