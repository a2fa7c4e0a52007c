"""The trace page: a text as tokens, why, and back."""

import re
import string

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import press_next, shown

pytestmark = pytest.mark.browser

TOY = toy_recipe().id

# Each line: the tokens, and under which gap stands which rank, which of them filled.
READ = """
(index) => [...document.querySelectorAll(`#piece-${index} .iterations li`)].map((line) => {
  const tokens = [], ranks = [];
  let applied = null;
  for (const part of line.querySelector(".tk").children) {
    if (part.matches("bdi")) tokens.push(part.textContent);
    else {
      ranks.push([tokens.length - 1, Number(part.textContent)]);
      if (part.matches(".on")) applied = Number(part.textContent);
    }
  }
  return { tokens, ranks, applied, words: line.querySelector(".words").textContent.trim() };
})
"""


@pytest.fixture
def trace(page, server) -> Page:
    """The trace page of the toy run after its last merge."""
    server.make_run(toy_recipe().corpus, special_tokens=["<|endoftext|>"], vocab_size=265, steps=8)
    page.goto(f"/runs/{TOY}/trace?step=8")
    return page


def type_text(page: Page, text: str) -> None:
    page.get_by_label("Text to trace").fill(text)


def ids_of(page: Page) -> list[int]:
    return [int(each) for each in page.locator(".result-chips .with-id small").all_inner_texts()]


def expect_ids(page: Page, ids: list[int]) -> None:
    expect(page.locator("#trace .result-chips .with-id small")).to_have_text([str(each) for each in ids])
    assert page.locator("#ids").text_content() == ", ".join(map(str, ids))


def test_the_lab_leads_to_the_trace_as_of_its_step(lab):
    press_next(lab, 3)
    lab.get_by_role("link", name="Trace").click()
    expect(lab).to_have_url(re.compile(r"/trace\?step=3$"))
    expect(lab.locator(".trace-head")).to_contain_text("under the first 3 merges")
    expect(lab.locator("#trace")).to_contain_text("Type a text above")
    type_text(lab, "lowest")
    expect_ids(lab, [108, 258, 257])
    lab.get_by_role("link", name="Lab", exact=True).click()
    expect(lab.locator("#step")).to_have_attribute("data-step", "3")


def test_another_step_takes_the_text_along(lab):
    press_next(lab, 8)
    lab.get_by_role("link", name="Trace").click()
    type_text(lab, "lowest")
    expect_ids(lab, [259, 257])
    lab.get_by_label("as of step").fill("3")
    lab.keyboard.press("Enter")
    expect(lab).to_have_url(re.compile(r"/trace\?step=3$"))
    expect(lab.get_by_label("Text to trace")).to_have_value("lowest")
    expect_ids(lab, [108, 258, 257])
    type_text(lab, "low")  # still at step 3
    expect_ids(lab, [108, 258])
    lab.get_by_role("button", name="last, 8").click()
    expect(lab).to_have_url(re.compile(r"/trace\?step=8$"))
    expect_ids(lab, [259])


@pytest.mark.parametrize("word", ["lowest", " newest"])
def test_a_word_is_traced_as_typed_with_its_ranks(trace, golden, word):
    values = golden["encode_traces"][word]
    trace.get_by_label("Text to trace").press_sequentially(word)
    expect_ids(trace, values["ids"])
    lines = trace.evaluate(READ, 0)
    assert len(lines) == len(values["iterations"]) + 1
    for line, iteration in zip(lines, values["iterations"], strict=False):
        assert line["tokens"] == [shown(token) for token in iteration["tokens"]]
        ranks = {candidate["rank"] for candidate in iteration["candidates"]}
        assert {rank for _, rank in line["ranks"]} == ranks
        assert line["applied"] == iteration["applied_rank"]
        assert line["words"].startswith(f"rank {iteration['applied_rank']}")
        for at, rank in line["ranks"]:
            pair = next(each["pair"] for each in iteration["candidates"] if each["rank"] == rank)
            assert line["tokens"][at : at + 2] == [shown(token) for token in pair]
    assert lines[-1]["tokens"] == [shown(token) for token in values["result"]]
    assert lines[-1]["applied"] is None
    assert trace.locator("#piece-0 svg.tree").count() == 1


def test_a_whole_text_with_its_figures(trace, golden):
    values = golden["encode_text"]
    type_text(trace, values["text"])
    expect_ids(trace, values["ids"])
    expect(trace.locator(".result-chips bdi")).to_have_text([shown(token) for token in values["tokens"]])
    expect(trace.locator(".figures")).to_contain_text("21 tokens 46 bytes 46 code points 2.19 bytes per token")


def test_identical_pre_tokens_are_traced_once(trace):
    type_text(trace, "low low low newest")
    expect(trace.locator(".piece-trace")).to_have_count(3)
    expect(trace.locator("#piece-1 header")).to_contain_text("×2")
    expect_ids(trace, [259, 32, 259, 32, 259, 263])


def test_special_tokens_are_special_or_plain_text(trace):
    type_text(trace, "low<|endoftext|>low")
    expect_ids(trace, [259, 264, 259])
    expect(trace.locator(".result-chips bdi.s")).to_have_text("<|endoftext|>")
    expect(trace.locator(".piece-trace")).to_contain_text(["low", "a special token: it is not cut and not merged"])
    trace.get_by_label("are plain text").check()
    expect(trace.locator(".result-chips bdi.s")).to_have_count(0)
    assert ids_of(trace) == [259, *b"<|endoftext|>", 259]
    trace.get_by_label("are special").check()
    expect_ids(trace, [259, 264, 259])


def test_the_ids_are_copied(trace):
    trace.context.grant_permissions(["clipboard-read", "clipboard-write"])
    type_text(trace, "lowest low")
    expect_ids(trace, [259, 257, 32, 259])
    trace.get_by_role("button", name="Copy ids").click()
    expect(trace.locator("#live")).to_have_text("The ids are copied.")
    expect(trace.locator("[data-copy]")).to_have_text("Copied")
    assert trace.evaluate("navigator.clipboard.readText()") == "259, 257, 32, 259"
    expect(trace.locator("[data-copy]")).to_have_text("Copy ids")


def test_where_there_is_no_clipboard_the_ids_are_selected(trace):
    type_text(trace, "lowest")
    expect_ids(trace, [259, 257])
    trace.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    trace.get_by_role("button", name="Copy ids").click()
    expect(trace.locator("#ids")).to_be_visible()
    assert trace.evaluate("String(getSelection())") == "259, 257"


@pytest.mark.parametrize(
    ("ids", "text"),
    [("259, 257", "lowest"), ("264 263", "<|endoftext|> newest"), ("240,159,153,131", "🙃"), ("240 159", "\ufffd")],
)
def test_ids_are_decoded(trace, ids, text):
    trace.get_by_label("Ids back to text").fill(ids)
    expect(trace.locator("#decoded pre")).to_have_text(text)
    assert trace.locator("#decoded pre").text_content() == text
    expect(trace.locator("#decoded")).to_contain_text(
        re.compile("not valid UTF-8" if "\ufffd" in text else "^(?!.*not valid)")
    )


@pytest.mark.parametrize(("ids", "words"), [("259, 999", "999"), ("low", "low"), ("-1", "-1"), ("9" * 30, "9")])
def test_ids_that_are_none_are_told_and_kept(trace, expected, ids, words):
    with expected(trace, 422):
        trace.get_by_label("Ids back to text").fill(ids)
        expect(trace.locator("#decoded .wrong")).to_contain_text(words)
    expect(trace.get_by_label("Ids back to text")).to_have_value(ids)
    trace.get_by_label("Ids back to text").fill("259")
    expect(trace.locator("#decoded pre")).to_have_text("low")


def test_the_steps_of_a_very_long_pre_token_are_opened_on_demand(trace):
    type_text(trace, "lowest " + "low" * 33_334)
    expect(trace.locator(".figures")).to_contain_text("100,009 bytes")
    piece = trace.locator("#piece-1")
    expect(piece.locator(".iterations")).to_have_count(0)
    expect(trace.locator("#trace")).to_contain_text(
        "The first 2,000 of 33,337 tokens are drawn; the ids are all there."
    )
    assert (trace.locator("#ids").text_content() or "").count(",") == 33_336
    piece.get_by_role("button", name=re.compile("^Show its [34] iterations$")).click()
    expect(piece.locator(".iterations li")).not_to_have_count(0)
    lines = trace.evaluate(READ, 1)
    assert lines[0]["words"].startswith("rank 2: o + w, 33,334 times")
    assert len(lines[0]["tokens"]) == 200
    expect(trace.locator("#piece-0 .iterations li")).to_have_count(5)


def test_more_pre_tokens_come_on_demand(trace):
    type_text(trace, " ".join(f"low{number}" for number in range(60)))
    shown_pieces = trace.locator(".piece-trace")
    expect(shown_pieces).to_have_count(40)
    trace.get_by_role("button", name="More pre-tokens: 40 of 62 are shown").click()
    expect(shown_pieces).to_have_count(62)


def test_a_long_step_list_is_read_on(page, server):
    word = string.ascii_letters + "абвгдежзийклмнопрстуфхцчшщыэюя"
    size = len(word.encode())
    run = server.make_run(word, steps=size - 1)
    page.goto(f"/runs/{run}/trace")
    type_text(page, word)
    page.get_by_role("button", name=f"Show its {size} iterations").click()
    numbers = page.locator("#piece-0 .iterations + p")
    expect(numbers).to_contain_text(f"Iterations 1–60 of {size}.")
    assert len(page.evaluate(READ, 0)) == 60
    page.get_by_role("button", name="The next ones").click()
    expect(numbers).to_contain_text(f"Iterations 61–{size} of {size}.")
    lines = page.evaluate(READ, 0)
    assert len(lines[-1]["tokens"]) == 1
    assert lines[-1]["words"] == "one token"
    page.get_by_role("button", name="From the first").click()
    expect(numbers).to_contain_text(f"Iterations 1–60 of {size}.")


@pytest.mark.parametrize("text", ["🙃 مرحبا עולם e\u0301", "\u202eabc\u202c", "\nlow\n", "a\tb\u200bc", "👩‍👩‍👧"])
def test_any_text_survives(trace, text):
    type_text(trace, text)
    expect(trace.locator(".figures")).to_contain_text(f"{len(text.encode())} bytes {len(text)} code points")
    trace.get_by_label("Ids back to text").fill(trace.locator("#ids").text_content() or "")
    expect(trace.locator("#decoded pre")).to_be_visible()
    assert trace.locator("#decoded pre").evaluate("(pre) => pre.textContent") == text


def test_lone_surrogates_are_replaced_and_it_is_told(trace):
    trace.get_by_label("Text to trace").evaluate(
        "(box) => { box.value = 'a\\ud83d'; box.dispatchEvent(new Event('input', { bubbles: true })); }"
    )
    expect(trace.locator(".figures")).to_contain_text("4 bytes 2 code points")


def test_a_text_that_is_too_long_is_told_and_kept(trace, expected):
    text = "x" * 1_000_001
    with expected(trace, 422):
        type_text(trace, text)
        expect(trace.locator("#trace .wrong")).to_contain_text("1,000,001")
    assert trace.get_by_label("Text to trace").evaluate("(box) => box.value.length") == len(text)
    type_text(trace, "low")
    expect_ids(trace, [259])


def test_typing_is_answered_for_the_latest_text_alone(trace):
    asked: list[str] = []
    hear = lambda request: asked.append(request.method)  # noqa: E731 - it is taken away by itself
    trace.on("request", hear)
    box = trace.get_by_label("Text to trace")
    box.press_sequentially("lowest newest", delay=5)
    expect_ids(trace, [259, 257, 263])
    trace.remove_listener("request", hear)
    assert 0 < asked.count("POST") < 13, "a request for each key"
    expect(box).to_be_focused()
