"""Corpora come in and go out as they are: new lines of every kind, NUL, files, encodings, large ones with progress."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import edit, expect_step, lists, make_run, press_next, run_of

pytestmark = pytest.mark.browser

SEND = "Make the run"
# Its parts are cut in pieces of two characters, which takes seconds.
LARGE = "<s>".join(["abcdefghij klmnopqrst uvwxyz\n" * 9_000] * 7).encode()
SLOWLY = {"custom": "[a-z]{2}|(?s:.)", "special_tokens": "<s>", "vocab_size": "260"}


def test_a_leading_newline_survives_two_submits(lab, server):
    edit(lab)
    lab.locator("#field-corpus").fill("\nA")
    lab.get_by_label("Vocabulary size").fill("")
    make_run(lab)
    first = run_of(lab)
    assert server.corpus(first) == "\nA"
    edit(lab)
    expect(lab.locator("#field-corpus")).to_have_value("\nA")
    lab.get_by_label("Tie rule").select_option("lower_ids")
    make_run(lab)
    assert run_of(lab) != first
    assert server.corpus(run_of(lab)) == "\nA"


def test_typed_lines_end_with_a_line_feed(lab, server):
    edit(lab)
    box = lab.locator("#field-corpus")
    box.fill("")
    box.press_sequentially("x")
    box.press("Enter")
    box.press_sequentially("y")
    make_run(lab)
    assert server.corpus(run_of(lab)) == "x\ny"


@pytest.mark.parametrize(
    "corpus",
    ["x\r\ny\r\n", "a\rb\r\rc", "a\0b\0", "\n\n x", "\ufeffx", "", "\N{GRINNING FACE}\u0301 \u202eabc"],
    ids=["crlf", "cr", "nul", "newlines", "mark", "empty", "emoji"],
)
def test_what_a_text_box_cannot_hold_stays_when_another_field_changes(page, server, corpus):
    run = server.make_run(corpus)
    page.goto(f"/runs/{run}/steps/0")
    edit(page)
    page.get_by_label("Tie rule").select_option("first_seen")
    make_run(page)
    assert run_of(page) != run
    assert server.corpus(run_of(page)) == corpus


def test_an_empty_corpus_says_that_there_is_nothing_to_merge(page, server):
    page.goto(f"/runs/{server.make_run('')}/steps/0")
    expect(page.locator("#merge .sentence")).to_contain_text("The corpus is empty")
    expect(page.locator("#next")).to_have_attribute("aria-disabled", "true")
    expect(page.locator("#step")).to_contain_text("No pairs")


def choose(page: Page, name: str, data: bytes) -> None:
    edit(page)
    page.locator("#field-file").set_input_files({"name": name, "mimeType": "text/plain", "buffer": data})


def test_a_file_is_the_corpus_as_soon_as_it_is_chosen(lab, server):
    choose(lab, "notes.txt", "naïve\r\ncafé\r\n".encode())
    expect(lab.get_by_role("radio", name="A text file")).to_be_checked()
    make_run(lab)
    assert server.corpus(run_of(lab)) == "naïve\r\ncafé\r\n"


@pytest.mark.parametrize(("way", "read"), [("with replacement (�)", "caf\ufffd ol\ufffd"), ("as Latin-1", "café olé")])
def test_a_file_that_is_not_utf8_says_where_and_can_be_read_another_way(lab, server, expected, way, read):
    choose(lab, "old.txt", "café olé".encode("latin-1"))
    lab.get_by_label("Tie rule").select_option("lower_ids")
    with expected(lab, 422):
        lab.get_by_role("button", name=SEND).click()
        expect(lab.locator("#error-file")).to_contain_text("“old.txt”: The file is not UTF-8: byte 3")
    expect(lab.locator("#error-file")).to_contain_text("0xE9")
    expect(lab.locator("#field-tie_rule")).to_have_value("lower_ids")
    lab.get_by_role("button", name=way).click()
    expect_step(lab, 0)
    assert server.corpus(run_of(lab)) == read
    assert server.recipe(run_of(lab))["tie_rule"] == "lower_ids"


def test_another_file_can_be_chosen_after_one_that_was_not_utf8(lab, server, expected):
    choose(lab, "old.txt", b"ab\xff")
    with expected(lab, 422):
        lab.get_by_role("button", name=SEND).click()
        expect(lab.locator("#error-file")).to_be_visible()
    lab.locator("#field-file").set_input_files({"name": "new.txt", "mimeType": "text/plain", "buffer": b"good"})
    lab.get_by_role("button", name=SEND).click()
    expect_step(lab, 0)
    assert server.corpus(run_of(lab)) == "good"


def test_a_large_file_is_counted_and_kept_when_the_recipe_changes(lab, server):
    text = "".join(f"line {number} of a large file\n" for number in range(40_000))
    choose(lab, "large.txt", text.encode())
    make_run(lab)
    first = run_of(lab)
    expect(lab.locator(".facts")).to_contain_text(f"{len(text) / 1e6:.1f} MB")
    expect(lab.locator(".facts").get_by_title(f"{len(text):,} bytes")).to_be_visible()
    edit(lab)
    expect(lab.get_by_role("radio", name="Keep it")).to_be_checked()
    expect(lab.locator("#recipe")).to_contain_text(f"It has {len(text) / 1e6:.1f} MB, too much to edit here")
    lab.get_by_label("Vocabulary size").fill("260")
    lab.locator("#field-special_tokens").fill("")
    make_run(lab)
    assert run_of(lab) != first
    assert server.corpus(run_of(lab)) == text
    press_next(lab, 4)
    expect(lab.locator(".ended")).to_contain_text("260 entries")


def test_tokens_that_are_no_whole_characters_are_shown_in_hex(page, server):
    run = server.make_run("€ € é", steps=1)
    page.goto(f"/runs/{run}/steps/0")
    row = next(row for row in lists(page)["rows"] if len(row["after"]) == 4)
    assert row["after"] == ["␣", "E2", "82", "AC"]
    press_next(page)
    expect(page.locator(".merge-pair bdi.x").first).to_be_visible()


# Large files


def fill(page: Page, fields: dict[str, str]) -> None:
    for name, value in fields.items():
        page.locator(f"#field-{name}").fill(value)


def send_large(page: Page, begin: bytes) -> None:
    """Send a file that takes a while to count, no table of which is kept; wait until its progress is shown."""
    data = begin + LARGE
    page.locator("#field-file").set_input_files({"name": "large.txt", "mimeType": "text/plain", "buffer": data})
    page.get_by_label("Split pattern").select_option("custom")
    fill(page, SLOWLY)
    page.get_by_role("button", name=SEND).click()
    expect(page.locator("#progress")).to_contain_text("Counting pre-tokens")


def done(page: Page) -> float:
    """Megabytes that are counted, as the page says."""
    return float(page.locator("#progress b.num").inner_text().removesuffix(" MB"))


def test_a_large_file_is_counted_with_progress_and_an_estimate_while_others_step(slow_server, new_context):
    large, other = (new_context(slow_server.address).new_page() for _ in range(2))
    large.goto("/")
    edit(large)
    send_large(large, b"One. ")
    expect(large.locator("#progress-now")).to_contain_text(f"of {len(LARGE) / 1e6:.1f} MB")
    first = done(large)
    expect(large.locator(".time-left")).to_have_text(re.compile(r"^about \d+ s left$"))
    other.goto("/")
    press_next(other, 8)
    large.wait_for_function(
        "first => { const now = document.querySelector('#progress b.num');"
        " return !now || parseFloat(now.textContent) > first; }",
        arg=first,
    )
    expect_step(large, 0)
    expect(large.locator(".facts")).to_contain_text(f"{len(LARGE) / 1e6:.1f} MB")
    press_next(large, 3)
    expect(large.locator(".ended")).to_contain_text("260 entries")


def send_other(page: Page, begin: bytes, min_count: str = "2") -> None:
    """Send a file that takes a while, in the manner of another run than the other tests'."""
    page.goto("/")
    edit(page)
    page.get_by_label("Tie rule").select_option("lower_ids")
    page.locator("#field-min_count").fill(min_count)
    send_large(page, begin)


def expect_stopped(page: Page, run: str) -> None:
    """Wait until the page says that counting was stopped, at the address of a step."""
    expect(page.locator("#progress-title")).to_have_text("Counting was stopped")
    expect(page.locator("#progress")).to_contain_text(re.compile(r"\d+\.\d MB of \d+\.\d MB had been counted"))
    expect(page).to_have_url(re.compile(f"/runs/{run}/steps/0$"))


def test_counting_is_cancelled_and_gone_on_with(slow_server, new_context):
    page = new_context(slow_server.address).new_page()
    send_other(page, b"Another. ")
    run = run_of(page)
    page.get_by_role("button", name="Cancel").click()
    expect_stopped(page, run)
    page.reload()
    expect_stopped(page, run)
    page.go_back()
    expect_step(page, 0)
    assert run_of(page) != run
    page.go_forward()
    expect_stopped(page, run)
    page.get_by_role("link", name="Runs").click()
    expect(page.locator(".recent li")).to_contain_text("stopped while counting")
    page.get_by_role("link", name=re.compile("^Open")).click()
    expect_stopped(page, run)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#progress-title")).to_have_text("Counting the corpus")
    expect_step(page, 0)
    assert run_of(page) == run


def test_the_way_from_a_corpus_that_is_counted_leads_to_another_page_wholly(slow_server, new_context):
    page = new_context(slow_server.address).new_page()
    send_other(page, b"A third. ", "3")
    run = run_of(page)
    page.get_by_role("link", name="To the small corpus").click()
    expect_step(page, 0)
    assert run_of(page) != run
    expect(page.locator(".run-name")).to_have_text("low, lower, widest, newest")
    page.request.post(f"/runs/{run}/cancel")  # the next test has the worker for itself


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(lab):
    form = edit(lab)
    largest = lab.locator("#field-file")
    expect(largest).to_have_attribute("data-largest", "64000000")
    largest.evaluate("(field) => { field.dataset.largest = 1000; }")
    largest.set_input_files({"name": "big.txt", "mimeType": "text/plain", "buffer": b"x" * 1_001})
    assert "MB; at most" in largest.evaluate("(field) => field.validationMessage")
    lab.get_by_role("button", name=SEND).click()
    expect(form).to_be_visible()
    largest.set_input_files({"name": "small.txt", "mimeType": "text/plain", "buffer": b"low low"})
    make_run(lab)


def test_a_large_file_without_javascript(slow_server, new_context):
    page = new_context(slow_server.address, java_script_enabled=False).new_page()
    page.goto("/")
    page.get_by_role("link", name="Edit corpus and recipe").click()
    page.get_by_role("radio", name="A text file").check()
    send_large(page, b"Plain. ")
    expect(page.locator("#progress-now")).to_contain_text(re.compile(r"Counting pre-tokens: \d+\.\d MB of \d+\.\d MB"))
    page.get_by_role("button", name="Cancel").click()
    expect_stopped(page, run_of(page))
    page.reload()
    expect_stopped(page, run_of(page))
    page.get_by_role("button", name="Go on").click()
    expect(page.locator("#progress-now")).to_contain_text("Counting pre-tokens")
    expect(page.locator("#step")).to_have_attribute("data-step", "0")  # the page looks again by itself
