"""Playing through the steps, and going to a step by its number."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import expect_address, expect_step, press_next, run_of, step_of

pytestmark = pytest.mark.browser

FAST = "250"


def test_it_plays_to_the_end_and_stops_there(lab):
    lab.locator("#speed").select_option(FAST)
    play = lab.locator("#play")
    play.click()
    expect(play).to_have_text("❚❚ Pause")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect_step(lab, 8)
    expect(play).to_have_text("▷ Play")
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(play).to_be_disabled()
    lab.locator("#back").click()
    expect_step(lab, 7)
    expect(play).to_be_enabled()


def test_it_pauses_where_it_is(lab):
    lab.locator("#speed").select_option("2000")
    lab.locator("#play").click()
    expect_step(lab, 2)
    lab.locator("#play").click()
    expect(lab.locator("#play")).to_have_attribute("aria-pressed", "false")
    step = step_of(lab)
    lab.wait_for_timeout(2_600)  # longer than its pause, and no step more
    assert step_of(lab) == step < 8


def test_the_speed_is_kept_and_can_be_changed_while_it_plays(lab):
    speed = lab.locator("#speed")
    speed.select_option("2000")
    lab.locator("#play").click()
    expect_step(lab, 1)
    expect(speed).to_have_value("2000")
    speed.select_option(FAST)
    expect_step(lab, 8)
    expect(speed).to_have_value(FAST)


def test_slow_play_takes_its_time(lab):
    lab.locator("#speed").select_option("2000")
    lab.locator("#play").click()
    expect_step(lab, 1)
    lab.wait_for_timeout(700)
    assert step_of(lab) == 1
    expect_step(lab, 2)


@pytest.mark.parametrize("way", ["ArrowLeft", "Home", "merges", "back"])
def test_whoever_steps_in_stops_it(lab, way):
    press_next(lab, 4)
    lab.locator("#speed").select_option("2000")
    lab.locator("#play").click()
    expect_step(lab, 5)
    if way == "merges":
        lab.get_by_role("link", name="rank 1, to step 2").click()
        expect_step(lab, 2)
    elif way == "back":
        lab.go_back()
        expect_step(lab, 4)
    else:
        lab.keyboard.press(way)
        expect_step(lab, 4 if way == "ArrowLeft" else 0)
    expect(lab.locator("#play")).to_have_attribute("aria-pressed", "false")


def go(page, step):
    page.get_by_label("run to step").fill(str(step))
    page.get_by_role("button", name="Go").click()


def test_to_a_step_by_its_number(lab):
    run = run_of(lab)
    go(lab, 6)
    expect_step(lab, 6)
    expect_address(lab, run, 6)
    lab.get_by_label("run to step").fill("2")
    lab.get_by_label("run to step").press("Enter")
    expect_step(lab, 2)
    expect_address(lab, run, 2)
    lab.go_back()
    expect_step(lab, 6)


def test_a_step_beyond_the_end_is_the_last_one_and_says_so(lab):
    run = run_of(lab)
    go(lab, 5000)
    expect_step(lab, 8)
    expect_address(lab, run, 8)
    expect(lab.locator(".ended")).to_contain_text("There is no step 5,000; this is the last one.")
    lab.locator("#back").click()
    expect_step(lab, 7)
    expect(lab.locator(".ended")).to_have_count(0)


def test_an_address_beyond_the_end_leads_to_the_last_step(lab, expected):
    run = run_of(lab)
    press_next(lab)
    with expected(lab, 404):
        lab.goto(f"/runs/{run}/steps/9")
        expect(lab.locator("[data-message]")).to_contain_text(re.compile("ends with step 8"))
    lab.get_by_role("main").get_by_role("link").click()
    expect_step(lab, 8)


def test_a_refused_request_is_told_and_the_page_stays(lab, expected):
    run = run_of(lab)
    press_next(lab, 2)
    lab.locator("#next").evaluate("(link) => link.setAttribute('href', link.href.replace('/3', '/99'))")
    with expected(lab, 404):
        lab.locator("#next").click()
        expect(lab.get_by_role("alert")).to_contain_text("ends with step 8")
    expect_step(lab, 2)
    expect_address(lab, run, 2)
    lab.get_by_role("button", name="Dismiss the message").click()
    expect(lab.get_by_role("alert")).to_be_hidden()
