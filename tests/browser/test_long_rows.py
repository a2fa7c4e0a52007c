"""Rows and tokens too long for a list: windows around the changes, and a page for the whole row."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import expect_step, lists, press_next

pytestmark = pytest.mark.browser


def test_a_long_row_is_shown_in_windows_with_totals_and_a_page_of_its_own(page, server):
    text = "".join(f"{number:05}" for number in range(3_000))
    run = server.make_run(text, pattern="none", steps=2)
    page.goto(f"/runs/{run}/steps/1")
    row = page.locator("#rows tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator(".note")).to_contain_text("replacements")
    expect(row.locator(".note")).to_contain_text("changed stretches")
    expect(row.locator(".note")).to_contain_text("15,000 →")
    shown = lists(page)["rows"][0]
    assert 0 < len(shown["after"]) < 1_000
    assert "".join(shown["before"]) == "".join(shown["after"])
    assert len(shown["before"]) > len(shown["after"])
    row.get_by_role("link", name="whole row").click()
    expect(page.get_by_role("heading", name="Row 0 at step 1")).to_be_visible()
    seen = ""
    for _ in range(8):
        seen += "".join(page.locator("#row .t bdi").all_inner_texts())
        if page.locator("#row-next[href]").count():
            before = page.locator("#row .pager .num").inner_text()
            page.locator("#row-next").click()
            expect(page.locator("#row .pager .num")).not_to_have_text(before)
    assert seen == text, "all windows together are the row"
    expect(page.locator("#row .pager .num")).to_have_text("14,001–15,000 of 15,000")
    page.get_by_role("link", name="Back to step 1").click()
    expect_step(page, 1)


def test_an_unchanged_long_row_says_how_much_is_shown(page, server):
    run = server.make_run("".join(f"{number:05}" for number in range(2_000)), pattern="none")
    page.goto(f"/runs/{run}/steps/0")
    expect(page.locator("#rows .note")).to_contain_text("of 10,000 tokens")
    page.locator("#rows .note a").click()
    expect(page.locator("#row .pager .num")).to_have_text("1–2,000 of 10,000")


def test_a_token_of_ten_thousand_characters_is_shortened_and_does_not_push_the_page_apart(page, server):
    run = server.make_run("x" * 10_240 + " " + "y" * 9_000, steps=12)
    page.goto(f"/runs/{run}/steps/0")
    page.keyboard.press("End")
    page.wait_for_function("() => Number(document.querySelector('#step').dataset.step) > 12")
    for step in (11, 13, 22):
        page.goto(f"/runs/{run}/steps/{step}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), step
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), step
    chip = page.locator(".merge-pair bdi.k").last
    expect(chip).to_contain_text("…")
    chip.focus()
    expect(chip).to_be_focused()
    expect(chip).to_have_attribute("title", re.compile("2,048 bytes"))


def test_overlapping_pairs_are_counted_and_explained(page, server):
    run = server.make_run("aaaa", steps=2)
    page.goto(f"/runs/{run}/steps/0")
    assert lists(page)["pairs"][0] == {"pair": ["a", "a"], "count": 3, "words": "", "marks": []}
    press_next(page)
    expect(page.locator("#merge .sentence")).to_contain_text("Only 2 of the 3 are replaced")
    assert lists(page)["rows"][0]["after"] == ["aa", "aa"]
