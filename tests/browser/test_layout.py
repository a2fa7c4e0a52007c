"""What fits on a screen: the toy corpus on one, a phone without pushing, and nothing that pushes a page apart."""

import pytest
from playwright.sync_api import Page, expect

from app.samples import toy_recipe
from tests.browser.lab import edit, expect_step, press_next

pytestmark = pytest.mark.browser

PHONE = {"width": 390, "height": 844}
OVERFLOW = (
    "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
)


def overflow(page: Page) -> tuple[int, int]:
    """By how many pixels the page is wider and higher than the window; 0 where it is not."""
    across, down = page.evaluate(OVERFLOW)
    return max(across, 0), max(down, 0)


@pytest.fixture
def phone(take_page) -> Page:
    """The lab on a phone."""
    page = take_page(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    page.goto("/")
    return page


def test_the_toy_corpus_needs_no_scrolling(lab):
    for step in range(9):
        expect_step(lab, step)
        assert overflow(lab) == (0, 0), step
        lists = ["#rows .scroll", "#pairs .scroll"] if step else ["#rows .scroll"]
        for name in lists:
            assert lab.locator(name).evaluate("(one) => one.scrollWidth <= one.clientWidth"), (step, name)
        expect(lab.locator("#next")).to_be_in_viewport(ratio=1)
        expect(lab.locator("#merge .sentence")).to_be_in_viewport(ratio=1)
        if step < 8:
            press_next(lab)
    expect(lab.locator(".ended")).to_be_in_viewport(ratio=1)


def test_the_controls_do_not_move_while_stepping(lab):
    press_next(lab)
    box = lab.locator("#next").bounding_box()
    for _ in range(6):
        press_next(lab)
        assert lab.locator("#next").bounding_box() == box


def test_the_curve_has_its_place_while_the_lists_are_still_on_their_way(lab):
    """They are the most of a page; what is painted before the last of them has come must not move afterwards."""
    press_next(lab)
    lab.evaluate("() => document.querySelectorAll('.columns > * ~ *').forEach((list) => list.remove())")
    lists, curve = (lab.locator(name).bounding_box() for name in (".columns", ".curve"))
    assert lists["y"] + lists["height"] <= curve["y"]
    html = lab.request.get(lab.url).text()
    assert html.index('class="curve"') < html.index('class="columns')


def test_presentation_fits_a_projector(lab):
    press_next(lab, 5)
    lab.keyboard.press("f")
    for width, height in ((1280, 720), (1920, 1080), (1024, 768)):
        lab.set_viewport_size({"width": width, "height": height})
        assert overflow(lab) == (0, 0), (width, height)
        for seen in ("#next", "#merge .sentence", "#tree svg", "#rows", "#pairs"):
            expect(lab.locator(seen)).to_be_in_viewport()


def test_a_phone_has_merge_next_under_the_thumb_and_scrolls_down_only(phone):
    for step in range(9):
        expect_step(phone, step)
        assert overflow(phone)[0] == 0, step
        expect(phone.locator("#next")).to_be_in_viewport(ratio=1)
        expect(phone.locator("#merge h2")).to_be_in_viewport(ratio=1)
        if step < 8:
            phone.locator("#next").tap()
    box = phone.locator("#next").bounding_box()
    assert box is not None
    assert box["height"] >= 40
    assert box["y"] > PHONE["height"] / 2


def test_a_phone_shows_one_list_at_a_time(phone):
    phone.locator("#next").tap()
    expect_step(phone, 1)
    for name in ("Pairs", "Merges", "Pre-tokens"):
        phone.get_by_role("button", name=name, exact=True).tap()
        expect(phone.get_by_role("button", name=name, exact=True)).to_have_attribute("aria-pressed", "true")
        part = {"Pairs": "#pairs", "Merges": "#merges", "Pre-tokens": "#rows"}[name]
        for other in ("#pairs", "#merges", "#rows"):
            if other == part:
                expect(phone.locator(other)).to_be_visible()
            else:
                expect(phone.locator(other)).to_be_hidden()
        phone.locator("#next").tap()
        expect(phone.locator(part)).to_be_visible()


@pytest.mark.parametrize("path", ["/runs", "/docs", "/runs/{run}/edit", "/runs/{run}/trace", "/runs/{run}/steps/3"])
def test_no_page_is_wider_than_a_phone(phone, server, path):
    run = server.make_run("wide " * 40 + "w" * 3_000, special_tokens=["<|" + "x" * 200 + "|>"], steps=4)
    phone.goto(path.format(run=run))
    assert overflow(phone)[0] == 0


def test_the_editor_and_a_filled_trace_fit_a_phone(phone):
    edit(phone)
    assert overflow(phone)[0] == 0
    phone.get_by_role("link", name="Trace").click()
    phone.get_by_label("Text to trace").fill("lowest " + "x" * 500 + " newest" * 30)
    expect(phone.locator(".result-chips")).to_be_visible()
    assert overflow(phone)[0] == 0


def test_long_names_and_tokens_do_not_push_the_page_apart(page, server):
    run = server.make_run(
        "n" * 10_000 + " " + "m" * 10_000,
        special_tokens=["s" * 256, "t" * 256, "u" * 256, "v" * 256],
        steps=20,
    )
    for path in (f"/runs/{run}/steps/0", f"/runs/{run}/steps/13", f"/runs/{run}/edit", "/runs"):
        page.goto(path)
        assert overflow(page)[0] == 0, path
    page.goto(f"/runs/{run}/trace?step=20")
    page.get_by_label("Text to trace").fill("n" * 10_000)
    expect(page.locator(".result-chips")).to_be_visible()
    assert overflow(page)[0] == 0


def test_the_editor_on_its_own_page_is_there_in_presentation(page):
    page.goto(f"/runs/{toy_recipe().id}/edit")
    page.keyboard.press("f")
    expect(page.locator("html")).to_have_attribute("data-present", "")
    expect(page.get_by_label("The corpus as text")).to_be_visible()
    expect(page.get_by_role("button", name="Make the run")).to_be_visible()
