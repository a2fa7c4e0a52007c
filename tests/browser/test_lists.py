"""Searching, paging and turning the lists of the lab, on corpora with more than a page holds."""

import re
from itertools import product

import pytest
from playwright.sync_api import Page, expect

from tests.browser.lab import expect_step, lists, press_next

pytestmark = pytest.mark.browser

WORDS = ["".join(letters) for letters in product("abcdefghijklmnopqrst", "abcdefghijkl", "abcdefghij")]  # 2,400


@pytest.fixture(scope="module")
def large(server):
    """A run with thousands of rows and hundreds of pairs."""
    return server.make_run(" ".join(WORDS), steps=30)


@pytest.fixture
def at(lab, large):
    """The lab at a step of it."""
    lab.goto(f"/runs/{large}/steps/12")
    return lab


def rows_of(page: Page) -> list[str]:
    return ["".join(row["after"]) for row in lists(page)["rows"]]


def heading(page: Page, part: str) -> int:
    return int(page.locator(f"#{part}-title .num").inner_text().replace(",", ""))


def test_totals_are_told_and_every_page_of_rows_can_be_reached(at):
    total = heading(at, "rows")
    assert total == len(WORDS)
    expect(at.locator("#rows .pager .num")).to_have_text(f"1–50 of {total:,}")
    expect(at.locator("#rows-previous")).to_have_attribute("aria-disabled", "true")
    seen = rows_of(at)
    for first in (51, 101, 151):
        at.locator("#rows-next").click()
        expect(at.locator("#rows .pager .num")).to_have_text(f"{first}–{first + 49} of {total:,}")
        seen += rows_of(at)
    assert len(set(seen)) == 200, "each row once"
    at.locator("#rows-previous").click()
    expect(at.locator("#rows .pager .num")).to_have_text(f"101–150 of {total:,}")
    assert rows_of(at) == seen[100:150]
    last = (total - 1) // 50 * 50
    at.goto(f"{at.url.partition('?')[0]}?rows={last}")
    expect(at.locator("#rows .pager .num")).to_have_text(f"{last + 1:,}–{total:,} of {total:,}")
    assert len(rows_of(at)) == total - last
    expect(at.locator("#rows-next")).to_have_attribute("aria-disabled", "true")


def test_every_page_of_pairs_can_be_reached(at):
    total = heading(at, "pairs")
    assert total > 100
    counts: list[int] = []
    for _ in range(total // 50 + 1):
        counts += [pair["count"] for pair in lists(at)["pairs"] if "new" not in pair["marks"]]
        if at.locator("#pairs-next[href]").count():
            before = at.locator("#pairs .pager .num").inner_text()
            at.locator("#pairs-next").click()
            expect(at.locator("#pairs .pager .num")).not_to_have_text(before)
    assert len(counts) == total
    assert counts == sorted(counts, reverse=True)


def test_every_piece_of_the_corpus_can_be_reached(lab, large):
    lab.goto(f"/runs/{large}/steps/0")
    expect(lab.locator("#cut .pager .num")).to_have_text("1–300 of 2,400")
    expect(lab.locator("#cut .piece")).to_have_count(300)
    lab.locator("#cut-next").click()
    expect(lab.locator("#cut .pager .num")).to_have_text("301–600 of 2,400")


def test_the_page_of_a_list_is_the_address_of_the_page(at):
    at.locator("#rows-next").click()
    expect(at).to_have_url(re.compile(r"/steps/12\?rows=50$"))
    seen = rows_of(at)
    at.reload()
    assert rows_of(at) == seen
    expect(at.locator("#pairs .pager .num")).to_have_text(re.compile("^1–50"))


def test_rows_are_searched_while_typing(at):
    box = at.get_by_role("searchbox", name="Find pre-tokens")
    box.press_sequentially("bb")
    expect(at.locator("#rows tbody tr")).to_have_count(29)
    expected = {f"␣{word}" for word in WORDS if "bb" in word}
    assert set(rows_of(at)) == expected
    assert heading(at, "rows") == len(WORDS)
    expect(box).to_be_focused()
    expect(box).to_have_value("bb")
    box.fill("nothing of the kind")
    expect(at.locator("#rows .none")).to_have_text("None of 2,400 pre-tokens holds “nothing of the kind”.")
    box.fill("")
    expect(at.locator("#rows tbody tr")).to_have_count(50)
    expect_step(at, 12)


def test_invisible_characters_can_be_searched_as_they_are_shown(lab):
    text = " ".join(f"{letter}x" for letter in "abcdefghijklmn") + "\nax\n\tbx"
    lab.goto("/")
    lab.locator("#edit").click()
    lab.locator("#field-corpus").fill(text)
    lab.locator("#field-vocab_size").fill("")
    lab.get_by_role("button", name="Make the run").click()
    box = lab.get_by_role("searchbox", name="Find pre-tokens")
    for typed, found in [("␣a", set()), ("␣b", {"␣bx"}), (" b", {"␣bx"}), ("⏎", {"⏎"}), ("⇥", {"⏎⇥", "⇥"})]:
        box.fill(typed)
        if found:
            expect(lab.locator("#rows tbody tr").first).to_be_visible()
            lab.wait_for_function(
                "one => [...document.querySelectorAll('#rows tbody tr')].every((row) => row.textContent.includes(one))",
                arg=typed.replace(" ", "␣"),
            )
            assert set(rows_of(lab)) <= found
        else:
            expect(lab.locator("#rows .none")).to_be_visible()


def test_pairs_are_searched(at):
    box = at.get_by_role("searchbox", name="Find pairs")
    box.fill("␣b")
    at.wait_for_function(
        "() => [...document.querySelectorAll('#pairs tbody:first-of-type tr')].every("
        "(row) => row.cells[0].textContent.startsWith('␣b'))"
    )
    pairs = [pair for pair in lists(at)["pairs"] if "new" not in pair["marks"]]
    assert pairs
    assert all("".join(pair["pair"]).startswith("␣b") for pair in pairs)


def test_rows_changed_first_or_in_the_order_of_the_table(lab):
    press_next(lab, 5)
    toggle = lab.locator("#order")
    expect(toggle).to_contain_text("changed first")
    first = lists(lab)["rows"]
    assert [row["changed"] for row in first] == [True, True] + [False] * 6
    expect(lab.locator("#rows .delta")).to_have_text("2 changed")
    toggle.click()
    expect(toggle).to_contain_text("in table order")
    table = lists(lab)["rows"]
    assert [row["changed"] for row in table] == [True, False, False, False, False, False, False, True]
    assert sorted(map(str, table)) == sorted(map(str, first))
    press_next(lab)
    expect(lab.locator("#order")).to_contain_text("in table order")
    assert [row["count"] for row in lists(lab)["rows"]] == [5, 4, 3, 3, 1, 1, 1, 1]
    lab.keyboard.press("ArrowLeft")
    expect_step(lab, 5)
    assert lists(lab)["rows"] == table
    lab.locator("#order").click()
    expect(lab.locator("#order")).to_contain_text("changed first")
    assert lists(lab)["rows"] == first


def test_pair_counts_before_or_after_the_merge(lab):
    press_next(lab, 5)
    counts = lab.locator("#counts")
    expect(counts).to_contain_text("before it")
    before = lists(lab)["pairs"]
    assert (before[0]["pair"], before[0]["count"], before[0]["words"]) == (["w", "est"], 6, "chosen")
    counts.click()
    expect(counts).to_contain_text("after it")
    after = lists(lab)["pairs"]
    assert (after[0]["pair"], after[0]["count"]) == (["n", "e"], 6)
    new = [pair for pair in after if "new" in pair["marks"]]
    assert [(pair["pair"], pair["count"]) for pair in new] == [(["e", "west"], 6)]
    gone = [pair["pair"] for pair in after if "gone" in pair["marks"]]
    assert sorted(gone) == [["e", "w"], ["w", "est"]]
    press_next(lab)
    expect(lab.locator("#counts")).to_contain_text("after it")
    assert lists(lab)["pairs"][0]["pair"] == ["ne", "west"]
    lab.locator("#counts").click()
    expect(lab.locator("#counts")).to_contain_text("before it")
    assert lists(lab)["pairs"][0]["pair"] == ["n", "e"]


def test_both_toggles_together(lab):
    press_next(lab, 2)
    lab.locator("#order").click()
    expect(lab.locator("#order")).to_contain_text("in table order")
    lab.locator("#counts").click()
    expect(lab.locator("#counts")).to_contain_text("after it")
    press_next(lab)
    expect(lab.locator("#order")).to_contain_text("in table order")
    expect(lab.locator("#counts")).to_contain_text("after it")
