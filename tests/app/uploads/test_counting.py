"""While a large file is counted: how far it is, and stopping it."""

import re
import time

import pytest

from app.runs.training_loop import Training
from tests.app.editor import run_of, upload
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


def test_counting_is_stopped_at_once_and_says_where_and_how_to_go_on(make_client, slow):
    client = make_client(step_wait_seconds=0.3)
    run = run_of(upload(client, LARGE, vocab_size="260"))
    assert client.get(f"/api/runs/{run}/steps/1").status_code == 202
    page = page_of(client.post(f"/runs/{run}/cancel"))
    assert re.search(r"Counting was stopped at \d\.\d MB of \d\.\d MB", page.inside("progress-now"))
    assert page.of("a", href=f"/runs/{run}/steps/0")
    assert "Go on" in page.text
    slow["on"] = True
    while (answer := client.get(f"/runs/{run}/steps/0")).status_code == 202:
        pass
    assert page_of(answer).of("section", id="step")
