"""Text that looks like markup is text, wherever it comes from and wherever it is shown."""

import re

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import edit, expect_step, lists, make_run, press_next, run_of

pytestmark = pytest.mark.browser

MARKUP = "\"><img src=x onerror=alert(1)>'"
SEND = "Make the run"
# Neither elements nor attributes of what was sent: no image, no handler. A dialog fails every test by itself.
HARMED = """
() => [...document.querySelectorAll("*")].filter((one) => one.matches("img, script:not([src]), iframe, object, style")
  || [...one.attributes].some((each) => each.name.startsWith("on"))).map((one) => one.outerHTML)
"""


def expect_text_alone(page: Page) -> None:
    """The page shows what was sent, as text, and nothing came of it."""
    assert page.evaluate(HARMED) == []


def test_in_corpus_special_token_and_pattern(lab):
    edit(lab)
    lab.locator("#field-corpus").fill(f"{MARKUP} {MARKUP} <im img <img")
    lab.locator("#field-special_tokens").fill(f"{MARKUP[:12]}\n<script>alert(2)</script>")
    lab.locator("#field-custom").fill("<img src=x onerror=alert\\(1\\)>|[^ ]+")
    lab.locator("#field-vocab_size").fill("")
    make_run(lab)
    expect_text_alone(lab)
    expect(lab.locator(".run-name")).to_contain_text("<img src=x onerror=alert(1)>")
    expect(lab.locator(".facts .s").first).to_have_text(MARKUP[:12])
    expect(lab.locator(".facts .s").nth(1)).to_have_text("<script>alert(2)</script>")
    expect(lab.locator("#cut .alternatives code").first).to_contain_text("<img␣src=x")
    expect(lab.locator("#cut .piece bdi.s").first).to_contain_text('"><img')
    press_next(lab, 6)  # across tokens: "<" and "img" meet
    expect_text_alone(lab)
    lab.keyboard.press("End")
    expect(lab.locator(".ended")).to_be_visible()
    expect_text_alone(lab)
    edit(lab)
    expect(lab.locator("#field-corpus")).to_have_value(f"{MARKUP} {MARKUP} <im img <img")
    expect_text_alone(lab)


@pytest.mark.parametrize("pattern", ["gpt2", "none"])
def test_in_every_step_of_a_run(page, server, pattern):
    run = server.make_run(MARKUP, pattern=pattern)
    page.goto(f"/runs/{run}/steps/0")
    expect_text_alone(page)
    for _ in range(8):
        press_next(page)
        expect_text_alone(page)
    page.keyboard.press("End")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    expect_text_alone(page)
    assert "img" in "".join(token for row in lists(page)["rows"] for token in row["after"])


def test_in_everything_that_is_refused(lab, expected):
    edit(lab)
    for name in ("custom", "special_tokens", "vocab_size", "min_count"):
        lab.locator(f"#field-{name}").fill(MARKUP)
    for _ in range(2):
        with expected(lab, 422):
            lab.get_by_role("button", name=SEND).click()
            expect(lab.locator("#recipe .summary")).to_contain_text("<img src=x onerror")
        expect_text_alone(lab)
        for name in ("custom", "special_tokens", "vocab_size", "min_count"):
            expect(lab.locator(f"#field-{name}")).to_have_value(MARKUP)
        lab.locator("#field-pattern").select_option("gpt2")
    lab.locator("#field-file").set_input_files(
        {"name": MARKUP.replace("/", ""), "mimeType": "text/plain", "buffer": b"\xff"}
    )
    with expected(lab, 422):
        lab.get_by_role("button", name=SEND).click()
        expect(lab.locator("#error-file")).to_contain_text("<img src=x onerror=alert(1)>")
    expect_text_alone(lab)


def test_in_addresses(lab, expected):
    run = run_of(lab)
    for path in (f"/{MARKUP}", f"/runs/{MARKUP}/steps/0", f"/runs/{run}/steps/{MARKUP}"):
        with expected(lab, 422 if path.endswith(MARKUP) and "steps" in path else 404):
            lab.goto(path)
            expect(lab.locator("#fault")).to_be_visible()
        expect_text_alone(lab)


def test_in_searches(page, server):
    run = server.make_run(" ".join(f"{first}{second}{MARKUP}" for first in "abcd" for second in "efgh"), steps=9)
    page.goto(f"/runs/{run}/steps/9")
    for list_ in ("pre-tokens", "pairs"):
        box = page.get_by_role("searchbox", name=f"Find {list_}")
        box.fill(f"{MARKUP}?")
        expect(page.locator(".none").last).to_contain_text(f"holds “{MARKUP}?”")
        expect_text_alone(page)
        box.fill("<")
        expect(page.locator(f"#{'rows' if list_ == 'pre-tokens' else 'pairs'} tbody tr").first).to_be_visible()
        expect_text_alone(page)
    page.reload()
    expect_text_alone(page)


def test_in_traced_texts_and_ids(page, server, expected):
    run = server.make_run(toy_recipe().corpus + MARKUP, special_tokens=[MARKUP], steps=12)
    page.goto(f"/runs/{run}/trace?step=12")
    page.get_by_label("Text to trace").fill(f"{MARKUP} x{MARKUP}")
    expect(page.locator(".result-chips bdi.s").first).to_have_attribute(
        "title", re.compile(re.escape(MARKUP.replace(" ", "␣")))
    )
    expect_text_alone(page)
    page.get_by_label("are plain text").check()
    expect(page.locator(".result-chips bdi.s")).to_have_count(0)
    expect(page.locator(".piece-trace").first).to_be_visible()
    expect_text_alone(page)
    with expected(page, 422):
        page.get_by_label("Ids back to text").fill(MARKUP)
        expect(page.locator("#decoded .wrong")).to_contain_text("<img")
    expect_text_alone(page)
    page.get_by_label("Ids back to text").fill(", ".join(map(str, MARKUP.encode())))
    expect(page.locator("#decoded pre")).to_have_text(MARKUP)
    expect_text_alone(page)


def test_in_the_list_of_runs_and_on_a_row_s_page(page, server):
    run = server.make_run(MARKUP * 200, pattern="none", steps=2)
    page.goto(f"/runs/{run}/rows/0?step=2")
    expect(page.locator("#row")).to_contain_text("onerror=al")
    expect_text_alone(page)
    page.goto(f"/runs/{run}/steps/2")
    expect_step(page, 2)
    page.goto("/runs")
    expect(page.locator(".recent-name").first).to_contain_text("<img src=x onerror")
    expect_text_alone(page)
    page.goto("/")
    expect(page.locator(".resume")).to_contain_text("<img src=x onerror")
    expect_text_alone(page)
