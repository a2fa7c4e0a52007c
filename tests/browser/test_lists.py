"""Searching, paging and turning the lists of the lab, on corpora with more than a page holds."""

import re
from itertools import product

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.lab import expect_chosen, expect_step, lists, page_size, press_next

pytestmark = pytest.mark.browser

WORDS = ["".join(letters) for letters in product("abcdefghijklmnopqrst", "abcdefghijkl", "abcdefghij")]  # 2,400


@pytest.fixture(scope="module")
def large(server):
    """A run with thousands of rows and hundreds of pairs."""
    return server.make_run(" ".join(WORDS), steps=30)


@pytest.fixture
def at(page, large):
    """The lab at a step of it."""
    page.goto(f"/runs/{large}/steps/12")
    return page


def rows_of(page: Page) -> list[str]:
    return ["".join(row["after"]) for row in lists(page)["rows"]]


def heading(page: Page, part: str) -> int:
    return int(page.locator(f"#{part}-title .num").inner_text().replace(",", ""))


def next_page(page: Page, part: str) -> bool:
    """Turn a list to its next page; False on the last one."""
    if not page.locator(f"#{part}-next[href]").count():
        return False
    before = page.locator(f"#{part} .pager .num").inner_text()
    page.locator(f"#{part}-next").click()
    expect(page.locator(f"#{part} .pager .num")).not_to_have_text(before)
    return True


def test_totals_are_told_and_every_page_of_rows_can_be_reached(at):
    total, size = heading(at, "rows"), page_size(at, "rows")
    assert total == len(WORDS)
    expect(at.locator("#rows .pager .num")).to_have_text(f"1–{size} of {total:,}")
    expect(at.locator("#rows-previous")).to_have_attribute("aria-disabled", "true")
    seen = rows_of(at)
    for _ in range(3):
        assert next_page(at, "rows")
        seen += rows_of(at)
    assert len(set(seen)) == 4 * size, "each row once"
    at.locator("#rows-previous").click()
    expect(at.locator("#rows .pager .num")).to_have_text(f"{2 * size + 1}–{3 * size} of {total:,}")
    assert rows_of(at) == seen[2 * size : 3 * size]
    last = (total - 1) // size * size
    at.goto(f"{at.url.partition('?')[0]}?rows={last}")
    expect(at.locator("#rows .pager .num")).to_have_text(f"{last + 1:,}–{total:,} of {total:,}")
    assert len(rows_of(at)) == total - last
    assert not next_page(at, "rows")


def test_every_page_of_pairs_can_be_reached(at):
    total = heading(at, "pairs")
    assert total > 3 * page_size(at, "pairs")
    counts: list[int] = []
    more = True
    while more:
        counts += [pair["count"] for pair in lists(at)["pairs"] if "new" not in pair["marks"]]
        more = next_page(at, "pairs")
    assert len(counts) == total
    assert counts == sorted(counts, reverse=True)


def test_a_list_is_itself_though_its_address_is_that_of_a_step_that_was_fetched_ahead(page, large):
    with page.expect_response(f"**/runs/{large}/steps/14"):  # kept: the browser looks two steps ahead
        page.goto(f"/runs/{large}/steps/12")
    page.get_by_label("run to step").fill("14")
    page.keyboard.press("Enter")
    expect_step(page, 14)
    size = page_size(page, "pairs")
    first = lists(page)["pairs"][:size]
    assert next_page(page, "pairs")
    page.locator("#pairs-previous").click()  # to an address without windows
    expect(page.locator("#pairs .pager .num")).to_contain_text(f"1–{size} of")
    assert lists(page)["pairs"][:size] == first
    expect(page.locator("#pairs #controls")).to_have_count(0)
    expect(page.locator("#step")).to_have_count(1)


def test_every_piece_of_the_corpus_can_be_reached(page, large):
    page.goto(f"/runs/{large}/steps/0")
    size = page_size(page, "cut")
    expect(page.locator("#cut .pager .num")).to_have_text(f"1–{size} of 2,400")
    expect(page.locator("#cut .piece bdi").first).to_have_text("aaa")
    expect(page.locator("#cut .piece")).to_have_count(size)
    page.locator("#cut-next").click()
    expect(page.locator("#cut .pager .num")).to_have_text(f"{size + 1}–{2 * size} of 2,400")
    expect(page.locator("#cut .piece bdi").first).to_have_text(f"␣{WORDS[size]}")


def test_the_page_of_a_list_is_the_address_of_the_page(at):
    rows, pairs = page_size(at, "rows"), page_size(at, "pairs")
    at.locator("#rows-next").click()
    expect(at).to_have_url(re.compile(rf"/steps/12\?rows={rows}$"))
    seen = rows_of(at)
    at.reload()
    assert rows_of(at) == seen
    expect(at.locator("#pairs .pager .num")).to_have_text(re.compile(f"^1–{pairs} of"))


def test_rows_are_searched_while_typing(at):
    size = page_size(at, "rows")
    box = at.get_by_role("searchbox", name="Find pre-tokens")
    box.press_sequentially("bb")
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of 2,?400$"))
    expect(at.locator("#rows tbody tr")).to_have_count(min(29, size))
    expected = {f"␣{word}" for word in WORDS if "bb" in word}
    assert set(rows_of(at)) <= expected
    expect(box).to_be_focused()
    expect(box).to_have_value("bb")
    assert next_page(at, "rows") is (size < 29)
    box.fill("nothing of the kind")
    expect(at.locator("#rows .none")).to_have_text("None of 2,400 pre-tokens holds “nothing of the kind”.")
    box.fill("")
    expect(at.locator("#rows tbody tr")).to_have_count(size)
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
    expect_chosen(lab, "order", "changed first")
    first = lists(lab)["rows"]
    assert [row["changed"] for row in first] == [True, True] + [False] * 6
    expect(lab.locator("#rows .delta")).to_have_text("2 changed")
    lab.locator("#order").click()
    expect_chosen(lab, "order", "in table order")
    table = lists(lab)["rows"]
    assert [row["changed"] for row in table] == [True, False, False, False, False, False, False, True]
    assert sorted(map(str, table)) == sorted(map(str, first))
    press_next(lab)
    expect_chosen(lab, "order", "in table order")
    assert [row["count"] for row in lists(lab)["rows"]] == [5, 4, 3, 3, 1, 1, 1, 1]
    lab.keyboard.press("ArrowLeft")
    expect_step(lab, 5)
    assert lists(lab)["rows"] == table
    lab.locator("#order").click()
    expect_chosen(lab, "order", "changed first")
    assert lists(lab)["rows"] == first


def test_pair_counts_before_or_after_the_merge(lab):
    press_next(lab, 5)
    expect_chosen(lab, "counts", "before it")
    before = lists(lab)["pairs"]
    assert (before[0]["pair"], before[0]["count"], before[0]["words"]) == (["w", "est"], 6, "chosen")
    lab.locator("#counts").click()
    expect_chosen(lab, "counts", "after it")
    after = lists(lab)["pairs"]
    assert (after[0]["pair"], after[0]["count"]) == (["n", "e"], 6)
    new = [pair for pair in after if "new" in pair["marks"]]
    assert [(pair["pair"], pair["count"]) for pair in new] == [(["e", "west"], 6)]
    gone = [pair["pair"] for pair in after if "gone" in pair["marks"]]
    assert sorted(gone) == [["e", "w"], ["w", "est"]]
    press_next(lab)
    expect_chosen(lab, "counts", "after it")
    assert lists(lab)["pairs"][0]["pair"] == ["ne", "west"]
    lab.locator("#counts").click()
    expect_chosen(lab, "counts", "before it")
    assert lists(lab)["pairs"][0]["pair"] == ["n", "e"]


def test_both_toggles_together(lab):
    press_next(lab, 2)
    lab.locator("#order").click()
    expect_chosen(lab, "order", "in table order")
    lab.locator("#counts").click()
    expect_chosen(lab, "counts", "after it")
    press_next(lab)
    expect_chosen(lab, "order", "in table order")
    expect_chosen(lab, "counts", "after it")


def test_a_search_from_a_later_page_shows_its_first_hits(at):
    at.locator("#rows-next").click()
    expect(at).to_have_url(re.compile("rows="))
    at.get_by_role("searchbox", name="Find pre-tokens").fill("bb")
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of"))
    assert rows_of(at)
    expect(at.locator("#rows .pager .num")).to_have_text(f"1–{page_size(at, 'rows')} of 29")


def test_what_one_list_shows_stays_when_another_is_turned(at):
    at.get_by_role("searchbox", name="Find pairs").fill("a")
    expect(at.locator("#pairs-title .num")).to_contain_text(" of ")
    at.locator("#rows-next").click()
    expect(at).to_have_url(re.compile(r"(?=.*pairs_q=a)(?=.*rows=\d)"))
    seen = rows_of(at), at.locator("#pairs-title .num").inner_text()
    at.reload()
    assert (rows_of(at), at.locator("#pairs-title .num").inner_text()) == seen
    at.get_by_role("searchbox", name="Find pairs").fill("ab")
    expect(at).to_have_url(re.compile(r"(?=.*pairs_q=ab)(?=.*rows=\d)"))
    at.locator("#order").click()
    expect_chosen(at, "order", "in table order")
    expect(at.get_by_role("searchbox", name="Find pairs")).to_have_value("ab")
    expect(at.locator("#pairs-title .num")).to_contain_text(" of ")


def test_a_search_goes_along_while_its_box_has_the_focus(at):
    at.get_by_role("searchbox", name="Find pre-tokens").fill("bb")
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of"))
    at.evaluate("document.getElementById('next').click()")
    expect_step(at, 13)
    expect(at).to_have_url(re.compile(r"/steps/13\?.*rows_q=bb"))
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of"))


def test_the_same_search_can_be_made_again_in_another_step(at):
    box = at.get_by_role("searchbox", name="Find pairs")
    for _ in range(2):
        box.fill("a")
        expect(at.locator("#pairs-title .num")).to_contain_text(" of ")
        press_next(at)
        expect(box).to_have_value("")
        expect(at.locator("#pairs-title .num")).not_to_contain_text(" of ")


def test_a_list_that_comes_after_its_step_is_gone_is_not_shown(at):
    held: list[Route] = []
    at.route(re.compile(r"/steps/12\?rows="), lambda route: held.append(route))  # noqa: PLW0108 - Playwright marks it
    at.wait_for_timeout(600)  # the next step is fetched ahead
    at.locator("#rows-next").click()
    press_next(at)
    seen = rows_of(at)
    assert len(held) == 1
    held[0].continue_()
    at.wait_for_timeout(500)
    assert rows_of(at) == seen
    expect(at).to_have_url(re.compile(r"/steps/13$"))


def test_a_search_that_comes_after_a_toggle_is_made_anew(at):
    held: list[Route] = []
    search = re.compile(r"/steps/12\?.*rows_q=bb")

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    at.route(search, hold_the_first)
    with at.expect_request(search):
        at.get_by_role("searchbox", name="Find pre-tokens").fill("bb")
    at.locator("#order").click()
    expect_chosen(at, "order", "in table order")
    held[0].continue_()
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of"))
    expect_chosen(at, "order", "in table order")
    expect(at).to_have_url(re.compile("order=table"))
    expect(at.locator("#next")).to_have_attribute("href", re.compile("order=table"))


def test_the_end_of_a_list_keeps_the_focus(at):
    at.get_by_role("searchbox", name="Find pre-tokens").fill("bb")
    expect(at.locator("#rows-title .num")).to_have_text(re.compile("^29 of"))
    size = page_size(at, "rows")
    for first in range(size + 1, 30, size):
        at.locator("#rows-next").press("Enter")
        expect(at.locator("#rows .pager .num")).to_have_text(re.compile(f"^{first}–"))
    expect(at.locator("#rows-next")).to_have_attribute("aria-disabled", "true")
    expect(at.locator("#rows-next")).to_be_focused()
