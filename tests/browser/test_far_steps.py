"""A step that has to be made first: progress, arriving by itself, cancelling, going on."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import expect_address, expect_step, press_next, step_of

pytestmark = pytest.mark.browser

FAR = 1_500


@pytest.fixture
def slow(slow_server, new_context) -> Page:
    """A page of a server that shows progress at once."""
    return new_context(slow_server.address).new_page()


def go(page: Page, step: int) -> None:
    page.get_by_label("run to step").fill(str(step))
    page.get_by_role("button", name="Go").click()


def test_progress_is_shown_and_the_step_arrives_by_itself(slow, far_run):
    run = far_run("arrive")
    slow.goto(f"/runs/{run}/steps/1")
    go(slow, FAR)
    progress = slow.locator("#progress")
    expect(progress).to_contain_text(f"Step {FAR:,} is being made")
    expect(progress.get_by_role("progressbar", name="Training")).to_have_attribute("value", re.compile(r"^\d+$"))
    first = int(progress.locator("b.num").inner_text().replace(",", ""))
    slow.wait_for_function(
        "first => { const now = document.querySelector('#progress b.num');"
        " return !now || Number(now.textContent.replace(',', '')) > first; }",
        arg=first,
    )
    expect_step(slow, FAR)
    expect_address(slow, run, FAR)
    expect(slow.locator("#merge h2")).to_contain_text(f"Merge {FAR:,}")
    press_next(slow)
    slow.go_back()
    expect_step(slow, FAR)


def test_counts_are_told_as_soon_as_they_are_known(slow, slow_server):
    words = " ".join(f"w{number % 1_000}" for number in range(1_000_000))
    slowly = {"custom": r" ?[^\W]+|\W"}  # only the named patterns are counted by their chunks
    run = slow_server.make_run(words, steps=-1, vocab_size=300, pattern=slowly)  # does not wait for anything
    slow.goto(f"/runs/{run}/steps/1")
    expect(slow.locator("#progress")).to_contain_text("Counting pre-tokens")
    expect(slow.locator(".facts")).to_contain_text("4.9 MB")
    expect(slow.get_by_text("distinct", exact=True)).to_be_hidden()
    expect_step(slow, 1)
    expect(slow.locator("[data-fact=distinct]")).to_have_text("1,001 distinct")
    expect(slow.locator("[data-fact=occurrences]")).to_have_text("1,000,000 pre-tokens")


def test_nothing_is_fetched_ahead_while_a_run_is_in_work(slow, far_run):
    ahead: list[str] = []
    slow.on("request", lambda request: ahead.append(request.url) if request.headers.get("purpose") else None)
    run = far_run("nothing ahead")
    slow.goto(f"/runs/{run}/steps/1")
    in_work = slow.locator("#controls[data-hx-get]")
    expect(in_work).to_have_count(1)
    slow.wait_for_timeout(400)
    expect(in_work).to_have_count(1)
    assert ahead == [], "it would tell of the run as it was"
    with slow.expect_request(f"**/runs/{run}/steps/2"):  # once all steps are made
        expect(in_work).to_have_count(0)
    assert ahead


def test_cancelling_leads_to_the_last_step_that_was_made_and_one_can_go_on(slow, slow_server, far_run):
    run = far_run("cancel", vocab_size=None)
    slow.goto(f"/runs/{run}/steps/1")
    go(slow, 15_000)
    slow.get_by_role("button", name="Cancel").click()
    stop = slow.locator(".stopped")
    expect(stop).to_contain_text("Training was stopped at step")
    step = step_of(slow)
    assert 1 <= step < 15_000
    assert step <= slow_server.steps_known(run) < 15_000  # a busy machine's worker may not have heard of it yet
    expect_address(slow, run, step)
    expect(slow.locator(".training")).to_have_count(0)
    slow.go_back()
    expect_step(slow, 1)  # not to the step that was not made, which would be asked for once more
    expect(stop).to_contain_text("Training was stopped at step")
    slow.go_forward()
    expect_step(slow, step)
    slow.reload()
    expect_step(slow, step)
    stop.get_by_role("button", name="Go on").click()
    expect(stop).to_have_count(0)
    expect(slow.locator(".training")).to_be_visible()
    expect_address(slow, run, step)
    press_next(slow)
    expect(stop).to_have_count(0)
    go(slow, step + 3)
    expect_step(slow, step + 3)


def test_the_address_of_a_far_step_shows_progress_on_a_page_of_its_own(slow, far_run):
    run = far_run("address")
    slow.goto(f"/runs/{run}/steps/{FAR}")
    expect(slow.locator("#progress")).to_be_visible()
    slow.locator(".ways").get_by_role("link", name="To step").click()
    expect(slow.locator("#step")).to_be_visible()
    assert step_of(slow) < FAR
    slow.go_back()
    expect_step(slow, FAR)


def test_one_can_leave_the_presentation_while_a_step_is_being_made(slow, far_run):
    run = far_run("leave", vocab_size=None)
    slow.goto(f"/runs/{run}/steps/15000")
    leave = slow.get_by_role("button", name="Leave the presentation")
    expect(leave).to_be_hidden()
    slow.keyboard.press("f")
    leave.click()
    expect(leave).to_be_hidden()
    expect(slow.locator("html[data-present]")).to_have_count(0)
    slow.request.post(f"/runs/{run}/cancel")  # the next test has the worker for itself


def test_while_steps_are_made_ahead_the_lab_says_how_many(slow, far_run):
    run = far_run("ahead")
    slow.goto(f"/runs/{run}/steps/1")
    expect(slow.locator(".training")).to_have_text(re.compile(r"^[\d,]+ made so far$"))
    expect(slow.get_by_role("link", name=re.compile("Last step made so far: step"))).to_be_visible()


def test_play_waits_for_a_step_that_is_being_made(slow, slow_server, far_run):
    run = far_run("play")
    known = slow_server.steps_known(run)
    slow.goto(f"/runs/{run}/steps/{known}")
    slow.locator("#speed").select_option("250")
    slow.locator("#play").click()
    # It goes on while this looks, so a certain step may have passed already.
    slow.wait_for_function("least => Number(document.getElementById('step')?.dataset.step) >= least", arg=known + 3)
    slow.locator("#play").click()
    expect(slow.locator("#play")).to_have_attribute("aria-pressed", "false")


def test_a_run_that_ends_before_the_step_leads_to_its_last_one(slow, slow_server, far_run):
    run = far_run("beyond", vocab_size=None, min_count=30)
    slow.goto(f"/runs/{run}/steps/1")
    go(slow, 5_000)
    expect(slow.locator("#progress")).to_be_visible()
    expect(slow.locator(".ended")).to_contain_text("There is no step 5,000; this is the last one.")
    expect(slow.locator(".ended")).to_contain_text("No pair occurs 30 times or more")
    last = step_of(slow)
    expect_address(slow, run, last)
    assert last == slow_server.steps_known(run) == 1_695


def test_what_is_said_of_a_run_in_work_is_said_anew(slow, far_run):
    slow.goto(f"/runs/{far_run('anew')}/steps/1")
    expect(slow.locator(".training")).to_be_visible()
    expect(slow.locator(".training")).to_have_count(0)
    expect(slow.locator("#last")).to_have_attribute("href", re.compile("/steps/1510$"))
    expect(slow.locator(".at")).to_have_text("step 1 of 1,510")
    expect_step(slow, 1)
    press_next(slow)
