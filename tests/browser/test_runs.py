"""The session: what it remembers, for whom, and that nothing needs it."""

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import await_visit, edit, expect_step, make_run, press_next, run_of

pytestmark = pytest.mark.browser

TOY = toy_recipe().id


def open_list(page: Page) -> None:
    page.get_by_role("link", name="Runs").click()
    expect(page.get_by_role("heading", name="Your runs")).to_be_visible()


def test_a_first_visit_has_no_runs_and_no_offer(lab):
    expect(lab.locator(".resume")).to_have_count(0)
    open_list(lab)
    expect(lab.get_by_text("No run yet.")).to_be_visible()
    lab.get_by_role("link", name="Begin with the small corpus").click()
    expect_step(lab, 0)


def test_runs_are_listed_opened_and_removed(lab, server):
    press_next(lab, 3)
    await_visit(lab, TOY, 3)
    run = server.make_run("hug pug\n", tie_rule="first_seen", steps=2)
    lab.goto(f"/runs/{run}/steps/1")
    open_list(lab)
    entries = lab.locator(".recent li")
    expect(entries).to_have_count(2)
    expect(entries.nth(0)).to_contain_text("hug pug")
    expect(entries.nth(0)).to_contain_text("8 bytes · gpt2 · first seen · step 1")
    expect(entries.nth(1)).to_contain_text("low, lower, widest, newest")
    expect(entries.nth(1)).to_contain_text("step 3")
    lab.get_by_role("link", name="Open low, lower, widest, newest").click()
    expect_step(lab, 3)
    assert run_of(lab) == TOY
    lab.go_back()
    lab.get_by_role("button", name="Remove hug pug from the list").click()
    expect(entries).to_have_count(1)
    lab.goto(f"/runs/{run}/steps/1")  # removed from the list, not from the world
    expect_step(lab, 1)


def test_the_first_page_offers_to_resume(lab):
    press_next(lab, 4)
    await_visit(lab, TOY, 4)
    lab.goto("/")
    expect_step(lab, 0)
    expect(lab.locator(".resume")).to_contain_text("You were at step 4 of low, lower, widest, newest.")
    lab.get_by_role("link", name="Resume").click()
    expect_step(lab, 4)


def test_the_step_that_was_looked_at_last_is_the_one_to_resume(lab):
    press_next(lab, 3)
    lab.locator("#first").click()  # not fetched before, as the others may have been
    expect_step(lab, 0)
    lab.wait_for_timeout(700)  # whatever is told later has been told
    await_visit(lab, TOY, 0)


def test_another_browser_sees_nothing_of_it(lab, new_context):
    press_next(lab, 2)
    await_visit(lab, TOY, 2)
    other = new_context().new_page()
    other.goto("/")
    expect(other.locator(".resume")).to_have_count(0)
    other.goto("/runs")
    expect(other.locator(".recent")).to_have_count(0)


def test_the_cookie_is_for_the_server_alone(lab):
    (cookie,) = lab.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"
    assert lab.evaluate("document.cookie") == ""


def test_where_cookies_are_refused_everything_works_but_the_list(refusing):
    press_next(refusing, 2)
    refusing.keyboard.press("d")
    edit(refusing)
    refusing.locator("#field-corpus").fill("no cookies, no cookies")
    make_run(refusing)
    expect(refusing.locator(".run-name")).to_have_text("no cookies, no cookies")
    press_next(refusing)
    expect(refusing.locator("#merge .sentence")).to_contain_text("tied at")
    open_list(refusing)
    expect(refusing.get_by_text("No run yet.")).to_be_visible()
    assert refusing.context.cookies() == []
