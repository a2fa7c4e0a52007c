"""Sessions: the cookie, recent runs, the offer to resume; and nothing that needs them."""

import hashlib
import re
import sqlite3
import time

import pytest

from app.samples import toy_recipe
from app.sessions import COOKIE

TOY = toy_recipe().id
HX = {"HX-Request": "true"}


@pytest.fixture
def browser(make_client):
    client = make_client()
    client.get("/")
    return client


def recent(client):
    """The links of the list of recent runs."""
    import re

    return re.findall(r'class="recent-name" href="([^"]+)"', client.get("/runs").text)


def test_the_cookie_is_random_and_only_its_hash_is_stored(browser, settings):
    browser.cookies.clear()
    answer = browser.get(f"/runs/{TOY}/steps/1")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "Secure" not in cookie
    assert "Max-Age=15552000" in cookie
    secret = browser.cookies[COOKIE]
    assert len(secret) == 43
    recent(browser)
    with sqlite3.connect(settings.store_path) as store:
        keys = [key for (key,) in store.execute("SELECT key FROM sessions")]
    store.close()
    assert keys == [hashlib.sha256(secret.encode()).hexdigest()]


def test_over_https_the_cookie_is_secure(browser):
    browser.base_url = "https://testserver"
    assert "Secure" in browser.get(f"/runs/{TOY}/steps/1").headers["set-cookie"]


def test_the_first_page_offers_to_resume(browser):
    assert "Resume" not in browser.get("/").text
    browser.get(f"/runs/{TOY}/steps/5")
    page = browser.get("/").text
    assert f'href="/runs/{TOY}/steps/5">Resume' in page
    assert "step 5" in page


def test_a_step_beyond_a_thousand_is_written_everywhere_alike(browser):
    corpus = "".join(chr(0x4E00 + number) for number in range(600))
    run = browser.post("/api/runs", json={"corpus": corpus}).json()["run"]
    while browser.get(f"/api/runs/{run}/steps/1001").status_code == 202:
        time.sleep(0.1)
    page = browser.get(f"/runs/{run}/steps/1001").text
    assert "<title>Step 1,001 ·" in page
    assert "1001" not in re.sub(r'"[^"]*"', "", page), "but for addresses"
    assert "You were at step 1,001 of" in browser.get("/").text


def test_every_real_visit_counts_and_no_prefetch(browser):
    browser.get(f"/runs/{TOY}/steps/1")
    browser.get(f"/runs/{TOY}/steps/2", headers=HX)
    assert recent(browser) == [f"/runs/{TOY}/steps/2"]
    tag = browser.get(f"/runs/{TOY}/steps/3", headers=HX).headers["etag"]
    browser.get(f"/runs/{TOY}/steps/4", headers=HX)
    assert browser.get(f"/runs/{TOY}/steps/3", headers={**HX, "If-None-Match": tag}).status_code == 304
    assert recent(browser) == [f"/runs/{TOY}/steps/3"]
    for headers in ({"Purpose": "prefetch"}, {"Sec-Purpose": "prefetch;prerender"}):
        browser.get(f"/runs/{TOY}/steps/6", headers={**HX, **headers})
    browser.get(f"/runs/{TOY}/steps/9")
    assert recent(browser) == [f"/runs/{TOY}/steps/3"]


def test_runs_are_listed_latest_first_and_can_be_removed(browser):
    other = browser.post("/api/runs", json={"corpus": "low lower"}).json()["run"]
    browser.get(f"/runs/{TOY}/steps/1")
    browser.get(f"/runs/{other}/steps/0")
    assert recent(browser) == [f"/runs/{other}/steps/0", f"/runs/{TOY}/steps/1"]
    page = browser.get("/runs").text
    assert "low lower" in page
    assert "low, lower, widest, newest" in page
    answer = browser.post(f"/runs/{other}/forget", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert recent(browser) == [f"/runs/{TOY}/steps/1"]
    assert browser.get(f"/runs/{other}/steps/0").status_code == 200


def test_the_list_is_bounded(make_client):
    browser = make_client(recent_runs=2)
    browser.get("/")
    for text in ("a", "b", "c"):
        run = browser.post("/api/runs", json={"corpus": text}).json()["run"]
        browser.get(f"/runs/{run}/steps/0")
    assert len(recent(browser)) == 2


def test_a_session_outlives_a_restart(make_client):
    first = make_client()
    first.get("/")
    first.get(f"/runs/{TOY}/steps/4")
    second = make_client()
    assert recent(first) == [f"/runs/{TOY}/steps/4"]
    second.cookies.set(COOKIE, first.cookies[COOKIE])
    assert recent(second) == [f"/runs/{TOY}/steps/4"]


def test_sessions_are_apart(make_client):
    first, second = make_client(), make_client()
    for client in (first, second):
        client.get("/")
    first.get(f"/runs/{TOY}/steps/4")
    second.get(f"/runs/{TOY}/steps/1")
    assert recent(first) == [f"/runs/{TOY}/steps/4"]
    second.post(f"/runs/{TOY}/forget")
    assert recent(first) == [f"/runs/{TOY}/steps/4"]


@pytest.mark.parametrize("cookie", ["", "short", "x" * 44, "é" * 43, "../" * 14 + "x"])
def test_a_cookie_of_another_make_is_replaced(browser, cookie):
    headers = {"Cookie": f"{COOKIE}={cookie}".encode()}
    answer = browser.get(f"/runs/{TOY}/steps/1", headers=headers)
    assert answer.status_code == 200
    assert answer.headers["set-cookie"].startswith(f"{COOKIE}=")
    assert recent(browser)


def test_the_first_page_starts_a_session_that_a_part_goes_on_with(browser):
    assert COOKIE in browser.cookies
    assert recent(browser) == []
    answer = browser.get(f"/runs/{TOY}/steps/1", headers=HX)
    assert "set-cookie" not in answer.headers
    assert recent(browser) == [f"/runs/{TOY}/steps/1"]


def test_a_client_without_cookies_starts_no_session_with_a_part(browser):
    browser.cookies.clear()
    answer = browser.get(f"/runs/{TOY}/steps/1", headers=HX)
    assert "set-cookie" not in answer.headers
    assert recent(browser) == []


def test_a_store_that_fails_costs_visits_and_no_page(browser, monkeypatch):
    async def broken(*_: object):
        raise sqlite3.OperationalError("disk I/O error")

    browser.get(f"/runs/{TOY}/steps/1")
    monkeypatch.setattr(browser.app.state.services.store, "record", broken)
    assert browser.get(f"/runs/{TOY}/steps/2").status_code == 200
    answer = browser.get("/runs")
    assert answer.status_code == 503
    assert "disk" not in answer.text
    monkeypatch.undo()
