"""Everything can be read and stepped through, and recipes and texts sent, by a browser without JavaScript."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import expect_address, expect_chosen, page_size
from tests.browser.serving import Server

pytestmark = pytest.mark.browser

TOY = toy_recipe().id


@pytest.fixture
def plain(take_page) -> Page:
    """The lab without JavaScript."""
    page = take_page(java_script_enabled=False)
    page.goto("/")
    return page


def expect_step(page: Page, step: int) -> None:
    expect(page.locator("#step")).to_have_attribute("data-step", str(step))


def test_stepping_by_links(plain):
    for step in (1, 2, 3):
        plain.get_by_role("link", name="Merge next", exact=True).click()
        expect_step(plain, step)
        expect_address(plain, TOY, step)
    expect(plain.locator("#merge .sentence")).to_contain_text("o + w is taken")
    expect(plain).to_have_title("Step 3 · low, lower, widest, newest · Merge Next")
    plain.get_by_role("link", name="Back one step").click()
    expect_step(plain, 2)
    plain.go_back()
    expect_step(plain, 3)
    plain.get_by_role("link", name="First: step 0").click()
    expect_step(plain, 0)
    plain.get_by_role("link", name=re.compile("^Last step made so far")).click()
    expect_step(plain, 8)
    expect(plain.locator(".ended")).to_contain_text("265 entries")
    plain.get_by_role("link", name="rank 4, to step 5").click()
    expect_step(plain, 5)


def test_what_needs_javascript_is_not_there(plain):
    for hidden in ("#play", "#speed", "[data-do=help]", "[data-do=theme]"):
        expect(plain.locator(hidden).first).to_be_hidden()
    plain.goto(f"/runs/{TOY}/trace")
    expect(plain.locator("[data-copy]")).to_have_count(0)


def test_going_to_a_step(plain):
    plain.get_by_label("run to step").fill("6")
    plain.get_by_role("button", name="Go").click()
    expect_step(plain, 6)
    plain.get_by_label("run to step").fill("60")
    plain.get_by_label("run to step").press("Enter")
    expect_step(plain, 8)
    expect(plain.locator(".ended")).to_contain_text("There is no step 60")


def test_searching_paging_and_turning_lists(plain, server):
    words = [first + second for first in "abcdefghijkl" for second in "mnopqrstuvwxyz"]
    run = server.make_run(" ".join(words), steps=4)
    plain.goto(f"/runs/{run}/steps/3")
    size = page_size(plain, "rows")
    plain.locator("#rows-next").click()
    expect(plain.locator("#rows .pager .num")).to_have_text(f"{size + 1}–{2 * size} of {len(words)}")
    box = plain.get_by_role("searchbox", name="Find pre-tokens")
    box.fill("am")
    plain.locator("#rows-search").get_by_role("button", name="Find").click()
    expect(plain.locator("#rows tbody tr")).to_have_count(1)
    expect(box).to_have_value("am")
    plain.locator("#order").click()
    expect_chosen(plain, "order", "in table order")
    expect(plain.locator("#rows tbody tr")).to_have_count(1)
    plain.locator("#next").click()
    expect_step(plain, 4)
    expect_chosen(plain, "order", "in table order")


def test_the_editor_and_its_errors(plain, server, expected):
    plain.get_by_role("link", name="Edit corpus and recipe").click()
    expect(plain).to_have_url(re.compile(f"/runs/{TOY}/edit$"))
    plain.locator("#field-corpus").fill("\nhug pug")
    plain.get_by_label("Vocabulary size").fill("10")
    with expected(plain, 422):
        plain.get_by_role("button", name="Make the run").click()
        expect(plain.locator("#error-vocab_size")).to_contain_text("257")
    expect(plain.locator("#field-corpus")).to_have_value("\nhug pug")
    plain.get_by_label("Vocabulary size").fill("")
    plain.get_by_role("button", name="Make the run").click()
    expect_step(plain, 0)
    run = plain.url.split("/")[4]
    assert server.corpus(run) == "\nhug pug"


def test_a_file_that_is_not_utf8(plain, server, expected):
    plain.get_by_role("link", name="Edit corpus and recipe").click()
    plain.get_by_role("radio", name="A text file").check()
    plain.locator("#field-file").set_input_files({"name": "a.txt", "mimeType": "text/plain", "buffer": b"ab\xe9"})
    with expected(plain, 422):
        plain.get_by_role("button", name="Make the run").click()
        expect(plain.locator("#error-file")).to_contain_text("byte 2")
    plain.get_by_role("button", name="as Latin-1").click()
    expect_step(plain, 0)
    assert server.corpus(plain.url.split("/")[4]) == "abé"


def test_tracing_and_decoding(plain, server, expected):
    server.make_run(toy_recipe().corpus, special_tokens=["<|endoftext|>"], vocab_size=265, steps=8)
    plain.goto(f"/runs/{TOY}/trace?step=8")
    plain.get_by_label("Text to trace").fill("\nlowest " + "low" * 40)
    plain.get_by_role("button", name="Trace").click()
    expect(plain.locator("#ids")).to_have_text(f"10, 259, 257, 32, {', '.join(['259'] * 40)}")
    expect(plain.get_by_label("Text to trace")).to_have_value("\nlowest " + "low" * 40)
    expect(plain.locator("#piece-2 .iterations")).to_have_count(0)
    plain.locator("#piece-2").get_by_role("button").click()
    expect(plain.locator("#piece-2 .iterations li")).to_have_count(3)
    plain.get_by_label("as of step").fill("2")
    plain.get_by_role("button", name="Go").click()
    expect(plain.locator(".trace-head")).to_contain_text("under the first 2 merges")
    expect(plain.locator("#piece-1 .c").first).to_have_text("lowest")
    plain.get_by_role("button", name="last, 8").click()
    plain.get_by_label("Ids back to text").fill("259, 257")
    plain.get_by_role("button", name="Decode").click()
    expect(plain.locator("#decoded pre")).to_have_text("lowest")
    plain.get_by_label("Ids back to text").fill("9999")
    with expected(plain, 422):
        plain.get_by_role("button", name="Decode").click()
        expect(plain.locator("#decoded .wrong")).to_contain_text("9999")
    expect(plain.get_by_label("Ids back to text")).to_have_value("9999")


def test_the_list_of_runs(plain):
    plain.locator("#next").click()
    expect_step(plain, 1)
    plain.get_by_role("link", name="Runs").click()
    plain.get_by_role("button", name="Remove low, lower, widest, newest from the list").click()
    expect(plain.get_by_text("No run yet.")).to_be_visible()


def test_progress_is_looked_at_again_until_the_step_is_there(slow_server: Server, new_context, far_run):
    run = far_run("plain")
    page = new_context(slow_server.address, java_script_enabled=False).new_page()
    page.goto(f"/runs/{run}/steps/1000")
    expect(page.locator("#progress")).to_contain_text("Step 1,000 is being made")
    expect_step(page, 1_000)
    expect(page.locator("#merge h2")).to_contain_text("Merge 1,000")
