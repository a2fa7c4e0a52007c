"""The first visit: the toy corpus, step by step to its end, with every value of the golden steps."""

import pytest
from playwright.sync_api import expect

from tests.browser.lab import expect_address, expect_step, lists, press_next, run_of, shown

pytestmark = pytest.mark.browser


def labels(tokens: list[str]) -> list[str]:
    return [shown(token) for token in tokens]


def test_the_corpus_is_there_at_once_and_shows_how_it_is_cut(lab, golden):
    expect_step(lab, 0)
    expect(lab.locator(".facts")).to_contain_text("95 bytes")
    expect(lab.locator(".facts")).to_contain_text("19 pre-tokens")
    expect(lab.locator(".facts")).to_contain_text("8 distinct")
    expect(lab.locator("#cut .piece bdi")).to_have_text(labels(golden["pretokens_in_order"]))
    assert [(row["after"], row["count"]) for row in lists(lab)["rows"]] == [
        (labels(row["row"]), row["count"]) for row in golden["table"]
    ]
    counts = {tuple(labels(pair["pair"])): pair["count"] for pair in golden["pair_counts"]}
    pairs = lists(lab)["pairs"]
    assert {tuple(pair["pair"]): pair["count"] for pair in pairs} == counts
    assert [pair["pair"] for pair in pairs[:2]] == [["s", "t"], ["e", "s"]]


def test_merge_next_merges_s_and_t_and_says_why(lab):
    run = run_of(lab)
    lab.get_by_role("link", name="Merge next", exact=True).click()
    expect_step(lab, 1)
    expect_address(lab, run, 1)
    expect(lab.locator(".merge-pair bdi")).to_have_text(["s", "t", "st"])
    expect(lab.locator(".merge-line")).to_contain_text("id 256")
    expect(lab.locator(".merge-line")).to_contain_text("count 9")
    expect(lab.locator("#merge .sentence")).to_have_text(
        "Two pairs are tied at 9. s + t is taken: its first token s (0x73) is greater than e (0x65)."
    )
    pairs = lists(lab)["pairs"]
    assert (pairs[0]["pair"], pairs[0]["words"]) == (["s", "t"], "chosen")
    assert (pairs[1]["pair"], pairs[1]["words"]) == (["e", "s"], "tied, gone")
    assert {"chosen"} <= set(pairs[0]["marks"])
    assert {"tied", "gone"} <= set(pairs[1]["marks"])
    new = [pair for pair in pairs if "new" in pair["marks"]]
    assert [(pair["pair"], pair["count"], pair["words"]) for pair in new] == [(["e", "st"], 9, "new")]


def test_every_step_has_its_golden_values(lab, golden):
    for step in golden["steps"]:
        press_next(lab)
        seen = lists(lab)
        expect(lab.locator(".merge-pair bdi")).to_have_text([*labels(step["pair"]), shown(step["token"])])
        assert seen["merges"][0] == {
            "rank": step["number"] - 1,
            "pair": labels(step["pair"]),
            "token": shown(step["token"]),
            "count": step["count"],
        }
        changed = [row for row in seen["rows"] if row["changed"]]
        assert sorted((row["before"], row["after"], row["count"]) for row in changed) == sorted(
            (labels(row["before"]), labels(row["after"]), row["count"]) for row in step["rows_changed"]
        )
        assert seen["rows"][: len(changed)] == changed, "changed rows come first"
        tied = [pair["pair"] for pair in seen["pairs"] if {"chosen", "tied"} & set(pair["marks"])]
        assert sorted(tied) == sorted(map(labels, step["tied_at_top"]))
        gone = [pair["pair"] for pair in seen["pairs"] if {"chosen", "gone"} & set(pair["marks"])]
        assert sorted(gone) == sorted(map(labels, step["pairs_gone"]))
        new = [(pair["pair"], pair["count"]) for pair in seen["pairs"] if "new" in pair["marks"]]
        assert sorted(new) == sorted((labels(pair["pair"]), pair["count"]) for pair in step["pairs_new"])
    expect(lab.locator(".ended")).to_contain_text("The vocabulary has its 265 entries")


def test_the_end_says_how_to_go_on_and_merge_next_rests(lab):
    run = run_of(lab)
    press_next(lab, 8)
    expect(lab.locator(".ended")).to_have_text(
        "The end The vocabulary has its 265 entries: 256 bytes, 8 merges, 1 special token. Edit its size to go on."
    )
    expect(lab.locator(".at")).to_have_text("step 8 of 8")
    following = lab.locator("#next")
    expect(following).to_have_attribute("aria-disabled", "true")
    expect(following).to_be_focused()
    following.click(force=True)  # Playwright would wait for it to be enabled
    lab.keyboard.press("Enter")
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("End")
    lab.locator("#back").click()
    expect_step(lab, 7)
    expect_address(lab, run, 7)


def test_the_tree_tells_how_the_newest_token_was_built(lab):
    press_next(lab, 7)
    tree = lab.locator("#tree svg")
    expect(tree).to_have_attribute(
        "aria-label",
        "newest = ne + west; ne = n + e; west = w + est; est = e + st; st = s + t",
    )
    expect(lab.locator(".curve figcaption")).to_contain_text("95 → 45 tokens in the corpus 2.11 bytes per token")


def test_a_step_is_announced_politely(lab):
    press_next(lab, 2)
    expect(lab.get_by_role("status")).to_have_text("Step 2: e and st become est, count 9.")
    expect(lab.locator("#live")).to_have_attribute("aria-live", "polite")
