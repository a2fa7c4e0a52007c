"""While a large file is counted: how far it is, and stopping it."""

import re
import time

import pytest

from app.runs.training_loop import Training
from tests.app.editor import made, run_of, upload
from tests.app.pages import page_of
from tests.app.uploads.conftest import LARGE


@pytest.fixture
def slow(monkeypatch):
    """Counting stops after its first block until `go` is set."""
    go = {"on": False}
    real = Training._count

    def count_some(self, counting):
        if self.job.corpus.stat().st_size > 1_000_000 and not go["on"] and counting.done:
            time.sleep(0.002)  # else it would keep the server from answering
            return ("counting", self.key, counting.done, counting.total)
        return real(self, counting)

    monkeypatch.setattr(Training, "_count", count_some)
    return go


def test_progress_of_counting_in_json_and_on_the_page(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = run_of(upload(client, LARGE, vocab_size="260"))
    answer = client.get(f"/api/runs/{run}/steps/1")
    assert answer.status_code == 202
    progress = answer.json()["progress"]
    assert (progress["total"], progress["phase"]) == (len(LARGE), "counting")
    assert 0 < progress["done"] < len(LARGE)
    assert "seconds_left" in progress
    page = page_of(client.get(f"/runs/{run}/steps/1"), 202)
    assert re.search(r"Counting pre-tokens: \d\.\d MB of \d\.\d MB \d+ %", page.inside("progress-now"))
    slow["on"] = True
    while client.get(f"/api/runs/{run}/steps/1").status_code == 202:
        pass
    assert client.get(f"/runs/{run}/steps/4").status_code == 200


def stop(client) -> str:
    """A run that is stopped while it is counted."""
    run = run_of(upload(client, LARGE, vocab_size="260"))
    while client.get(f"/api/runs/{run}/steps/1").json()["progress"]["done"] == 0:
        pass
    answer = client.post(f"/runs/{run}/cancel", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run}/steps/1")
    return run


def test_counting_is_stopped_at_once_and_says_where_and_how_to_go_on(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = stop(client)
    for step in (0, 1):
        page = page_of(client.get(f"/runs/{run}/steps/{step}"))
        assert re.search(r"\d\.\d MB of \d\.\d MB had been counted", page.inside("progress-now"))
        assert page.of("form", method="post", action=f"/runs/{run}/go-on?step={step}")
    slow["on"] = True
    answer = client.post(f"/runs/{run}/go-on?step=0", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{run}/steps/0")
    while (answer := client.get(f"/runs/{run}/steps/0")).status_code == 202:
        pass
    assert page_of(answer).of("section", id="step")


def test_looking_at_a_run_that_was_stopped_while_it_was_counted_does_not_start_it_again(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = stop(client)
    slow["on"] = True
    for address in (f"/runs/{run}", f"/runs/{run}/steps/0", f"/runs/{run}/go?step=3", f"/runs/{run}/trace"):
        assert "Counting was stopped" in page_of(client.get(address)).text
    answer = client.get(f"/api/runs/{run}/steps/1")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "stopped")
    assert "Counting was stopped" in page_of(client.get(f"/runs/{run}/steps/0")).text


def test_what_was_stopped_stays_so_when_the_server_is_started_again(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = stop(client)
    before = page_of(client.get(f"/runs/{run}/steps/0")).inside("progress-now")
    again = make_client(step_wait_seconds=0.3)
    again.cookies = client.cookies
    slow["on"] = True
    assert "stopped while counting" in again.get("/runs").text
    assert page_of(again.get(f"/runs/{run}/steps/0")).inside("progress-now") == before
    again.post(f"/runs/{run}/go-on?step=0")
    while (answer := again.get(f"/runs/{run}/steps/0")).status_code == 202:
        pass
    assert page_of(answer).of("section", id="step")
    third = make_client()
    third.cookies = client.cookies
    assert "step 0" in third.get("/runs").text


def listed(client) -> list[str]:
    """What the list of runs says of each but for its time."""
    found = re.findall(r'<p class="soft">(.*?) · <time', client.get("/runs").text)
    return [re.sub("<[^>]+>", "", about) for about in found]


def test_a_run_is_listed_from_when_it_is_made_and_says_why_it_cannot_be_read(make_client, slow):
    client, other = make_client(step_wait_seconds=0.3), make_client()
    run = run_of(upload(client, LARGE, vocab_size="260"))
    size = f"{len(LARGE) / 1e6:.1f} MB · gpt2 · greater bytes"
    assert listed(client) == [f"{size} · being counted"]
    assert re.search("line 0 é line 1 é .*… is being counted[.]", page_of(client.get("/")).text)
    assert client.get("/trace", follow_redirects=False).headers["location"] != f"/runs/{run}/trace?step=0"
    client.post(f"/runs/{run}/cancel")
    assert listed(client) == [f"{size} · stopped while counting"]
    assert "was stopped while it was counted." in page_of(client.get("/")).text
    assert page_of(client.get("/")).of("a", href=f"/runs/{run}/steps/0")
    assert listed(other) == []
    slow["on"] = True
    client.post(f"/runs/{run}/go-on?step=0")
    while client.get(f"/runs/{run}/steps/0").status_code == 202:
        pass
    assert listed(client) == [f"{size} · step 0"]


def test_a_run_that_failed_says_so_in_the_list(make_client):
    client = make_client(pattern_seconds=0.2)
    run = made(client, corpus="a" * 40, pattern="custom", custom="(?:a|a)+b")
    while client.get(f"/runs/{run}/steps/0").status_code == 202:
        pass
    assert listed(client) == ["40 bytes · custom · greater bytes · could not be made"]


def test_the_same_recipe_sent_again_goes_on_with_what_was_stopped(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = stop(client)
    slow["on"] = True
    assert run_of(upload(client, LARGE, vocab_size="260")) == run
    while (answer := client.get(f"/runs/{run}/steps/1")).status_code == 202:
        pass
    assert page_of(answer).of("section", id="step")
