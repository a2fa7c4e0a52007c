"""The recipe editor: every field makes another run, and every error stands beside its field with the input kept."""

import pytest
from playwright.sync_api import Page, expect

from app.samples import SAMPLES, toy_recipe
from tests.browser.lab import edit, expect_step, lists, make_run, press_next, run_of

pytestmark = pytest.mark.browser

TOY = toy_recipe()
SEND = "Make the run"


def after_rows(page: Page) -> list[str]:
    """The rows as their text, in the order of the table."""
    return ["".join(row["after"]) for row in lists(page)["rows"]]


def test_it_opens_in_the_lab_holds_the_recipe_and_closes_again(lab):
    edit(lab)
    expect(lab.locator("#field-corpus")).to_be_focused()
    expect(lab.locator("#field-corpus")).to_have_value(TOY.corpus)
    expect(lab.locator("#field-special_tokens")).to_have_value("<|endoftext|>")
    expect(lab.locator("#field-vocab_size")).to_have_value("265")
    expect(lab.locator("#field-pattern")).to_have_value("gpt2")
    lab.get_by_role("link", name="Close").click()
    expect(lab.locator("#recipe form")).to_have_count(0)
    expect(lab.locator("#edit")).to_be_focused()
    press_next(lab)


def test_it_stays_open_while_stepping(lab):
    edit(lab)
    lab.locator("#field-corpus").fill("half written")
    press_next(lab, 2)
    expect(lab.locator("#field-corpus")).to_have_value("half written")


def test_a_pasted_corpus_makes_a_run(lab, server):
    edit(lab)
    lab.locator("#field-corpus").fill("hug pug hugs\n")
    lab.locator("#field-special_tokens").fill("")
    lab.locator("#field-vocab_size").fill("")
    make_run(lab)
    run = run_of(lab)
    assert run != TOY.id
    assert server.corpus(run) == "hug pug hugs\n"
    assert after_rows(lab) == ["hug", "␣pug", "␣hugs", "⏎"]
    expect(lab.locator(".run-name")).to_have_text("hug pug hugs")
    press_next(lab)
    expect(lab.locator(".merge-pair bdi")).to_have_text(["u", "g", "ug"])
    lab.go_back()
    lab.go_back()
    expect(lab.locator("#edit")).to_be_visible()
    lab.wait_for_function("toy => document.querySelector('#lab').dataset.start.includes(toy)", arg=TOY.id)


def test_the_same_recipe_is_the_same_run(lab):
    edit(lab)
    make_run(lab)
    assert run_of(lab) == TOY.id


def test_a_sample_is_taken_as_soon_as_it_is_chosen(lab, server):
    edit(lab)
    lab.get_by_label("Sample corpus").select_option("letters")
    expect(lab.get_by_role("radio", name="A sample")).to_be_checked()
    make_run(lab)
    assert server.corpus(run_of(lab)) == SAMPLES["letters"].text
    expect(lab.locator(".run-name")).to_have_text("aaaa and banana")


@pytest.mark.parametrize(
    ("pattern", "corpus", "rows"),
    [
        ("gpt2", "Don't stop 123456", ["Don", "'t", "␣stop", "␣123456"]),
        ("cl100k_base", "Don't stop 123456", ["Don", "'t", "␣stop", "␣", "123", "456"]),
        ("o200k_base", "Don't stop 123456", ["Don't", "␣stop", "␣", "123", "456"]),
        ("whitespace", "Don't stop 123456", ["␣", "Don't", "stop", "123456"]),
        ("none", "Don't stop 123456", ["Don't␣stop␣123456"]),
    ],
)
def test_each_pattern_cuts_in_its_way(lab, server, pattern, corpus, rows):
    edit(lab)
    lab.locator("#field-corpus").fill(corpus)
    lab.get_by_label("Split pattern").select_option(pattern)
    make_run(lab)
    assert server.recipe(run_of(lab))["pattern"] == pattern
    assert after_rows(lab) == rows
    expect(lab.locator(".facts")).to_contain_text(f"pattern {pattern}")


def test_a_pattern_of_ones_own_is_chosen_by_writing_it(lab):
    edit(lab)
    lab.locator("#field-corpus").fill("ab12 cd")
    lab.locator("#field-custom").fill(r"\d+|[a-z]+")
    expect(lab.locator("#field-pattern")).to_have_value("custom")
    make_run(lab)
    assert after_rows(lab) == ["ab", "12", "␣", "cd"]
    expect(lab.locator("#cut .alternatives code")).to_have_text([r"\d+", "[a-z]+"])
    expect(lab.locator("#cut .piece sub")).to_have_text(["2", "1", "none", "2"])
    expect(lab.locator("#cut .notice")).to_contain_text("matched by no part of the pattern")
    edit(lab)
    expect(lab.locator("#field-custom")).to_have_value(r"\d+|[a-z]+")


@pytest.mark.parametrize(
    ("rule", "merged"),
    [("greater_bytes", ["y", "z", "yz"]), ("first_seen", ["y", "x", "yx"]), ("lower_ids", ["a", "b", "ab"])],
)
def test_each_tie_rule_takes_its_pair(lab, server, rule, merged):
    edit(lab)
    lab.locator("#field-corpus").fill("yx\nyz\nab")
    lab.get_by_label("Tie rule").select_option(rule)
    make_run(lab)
    assert server.recipe(run_of(lab))["tie_rule"] == rule
    press_next(lab)
    expect(lab.locator(".merge-pair bdi")).to_have_text(merged)
    expect(lab.locator(".facts")).to_contain_text(f"ties {rule.replace('_', ' ')}")


def test_special_tokens_are_boundaries(lab, server):
    edit(lab)
    lab.locator("#field-corpus").fill("ab<s>ab</s>ab")
    lab.locator("#field-special_tokens").fill("<s>\n</s>")
    lab.locator("#field-vocab_size").fill("300")
    make_run(lab)
    assert server.recipe(run_of(lab))["special_tokens"] == ["<s>", "</s>"]
    expect(lab.locator("#cut .piece bdi")).to_have_text(["ab", "<s>", "ab", "</s>", "ab"])
    expect(lab.locator("#cut .piece sub")).to_have_text(["2", "special", "2", "special", "2"])
    assert after_rows(lab) == ["ab"]
    press_next(lab)
    expect(lab.locator(".ended")).to_contain_text("No pair is left: every pre-token is one token, after 1 merge.")


def test_the_least_count_ends_a_run(lab):
    edit(lab)
    lab.get_by_label("Least count of a pair").fill("9")
    lab.get_by_label("Vocabulary size").fill("")
    make_run(lab)
    press_next(lab, 2)
    expect(lab.locator(".ended")).to_contain_text("No pair occurs 9 times or more, after 2 merges.")
    expect(lab.locator(".facts")).to_contain_text("least count 9")


def test_going_on_with_a_larger_vocabulary(lab, golden):
    press_next(lab, 8)
    edit(lab)
    lab.get_by_label("Vocabulary size").fill("")
    make_run(lab)
    last = len(golden["all_merges_until_exhausted"])
    lab.get_by_label("run to step").fill(str(last))  # End would lead to the last one made by now
    lab.keyboard.press("Enter")
    expect_step(lab, last)
    expect(lab.locator(".ended")).to_contain_text(f"every pre-token is one token, after {last} merges")


def test_what_is_said_of_the_vocabulary_size_keeps_up_with_it(lab):
    edit(lab)
    size, said = lab.get_by_label("Vocabulary size"), lab.locator("#vocab-hint")
    expect(said).to_contain_text("merges, 8 here;")
    size.fill("1300")
    expect(said).to_contain_text("merges, 1,043 here;")
    lab.get_by_label("Special tokens").fill("<a>\n\n<b>\n")
    expect(said).to_contain_text("merges, 1,042 here;")
    size.fill("twelve")
    expect(said).to_contain_text("merges; empty:")


def send_with_errors(page: Page, expected) -> None:
    with expected(page, 422):
        page.get_by_role("button", name=SEND).click()
        expect(page.locator("#recipe .summary")).to_be_visible()


def expect_error(page: Page, field: str, words: str) -> None:
    """The error of a field is beside it, tied to it, and the summary leads there."""
    expect(page.locator(f"#error-{field}")).to_contain_text(words)
    expect(page.locator(f"#field-{field}")).to_have_attribute("aria-invalid", "true")
    assert f"error-{field}" in (page.locator(f"#field-{field}").get_attribute("aria-describedby") or "").split()
    expect(page.locator(f"#recipe .summary a[href='#field-{field}']")).to_contain_text(words)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [("(ab", "does not compile: missing )"), ("a*", "empty"), ("x" * 1_001, "1,001"), ("", "empty")],
)
def test_a_pattern_that_cannot_be_used(lab, expected, pattern, words):
    edit(lab)
    lab.locator("#field-corpus").fill("my own text")
    lab.locator("#field-pattern").select_option("custom")
    lab.locator("#field-custom").fill(pattern)
    send_with_errors(lab, expected)
    expect_error(lab, "custom", words)
    expect(lab.locator("#field-custom")).to_have_value(pattern)
    expect(lab.locator("#field-corpus")).to_have_value("my own text")
    lab.locator("#field-custom").fill(r"\w+|.")
    lab.get_by_role("button", name=SEND).click()
    expect_step(lab, 0)
    assert after_rows(lab) == ["␣", "my", "own", "text"]


def test_several_errors_at_once(lab, expected):
    edit(lab)
    lab.locator("#field-vocab_size").fill("256")
    lab.locator("#field-min_count").fill("two")
    lab.locator("#field-special_tokens").fill("<a>\n<b>")
    send_with_errors(lab, expected)
    expect(lab.locator("#recipe .summary h3")).to_have_text("2 things have to be mended")
    expect_error(lab, "min_count", "must be a whole number such as 300; it is “two”")
    expect_error(lab, "vocab_size", "258")
    expect(lab.locator("#field-min_count")).to_have_value("two")
    expect(lab.locator("#field-vocab_size")).to_have_value("256")
    expect(lab.locator("#field-special_tokens")).to_have_value("<a>\n<b>")
    lab.locator("#field-min_count").fill("1")
    lab.locator("#field-vocab_size").fill("258")
    lab.get_by_role("button", name=SEND).click()
    expect_step(lab, 0)
    expect(lab.locator(".ended")).to_contain_text("256 bytes, 0 merges, 2 special tokens")
