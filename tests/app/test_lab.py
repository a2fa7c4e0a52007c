"""The lab's pages: steps whole and in part, the editor, progress, and what a browser may keep."""

import re

import pytest

from app.present.lists import ROWS
from app.samples import SAMPLES, toy_recipe
from app.text_boxes import in_text_box
from tests.app.editor import corpus_of, errors, made, run_of, sent
from tests.app.pages import HX, Elements, page_of

TOY = toy_recipe().id
INJECTION = "\"><img src=x onerror=alert(1)>'"

# Steps


def test_the_toy_corpus_is_there_at_once(client):
    page = page_of(client.get("/"))
    assert page.of("section", id="step")[0]["data-step"] == "0"
    assert page.of("a", id="next")[0]["href"] == f"/runs/{TOY}/steps/1"


def test_stepping_by_links_alone_ends_after_eight_merges(client):
    address, seen = "/", []
    while address:
        page = page_of(client.get(address))
        seen.append(int(page.of("section", id="step")[0]["data-step"]))
        address = page.of("a", id="next")[0].get("href")
    assert seen == list(range(9))
    assert "265 entries" in page.text


def test_special_tokens_among_the_pieces_are_counted_apart(client):
    for corpus, words in (
        ("a b<s>c", "4 1 of them a special token"),
        ("<s>a<s>", "3 2 of them special tokens"),
        ("a", "1"),
    ):
        run = made(client, corpus=corpus, special_tokens="<s>")
        heading = page_of(client.get(f"/runs/{run}/steps/0")).inside("cut").partition("\n")[0]
        assert heading == f"How the corpus is cut {words}"


def test_htmx_gets_the_part_and_everyone_is_told_so(client):
    whole, part = client.get(f"/runs/{TOY}/steps/1"), client.get(f"/runs/{TOY}/steps/1", headers=HX)
    assert "<html" in whole.text
    assert "<html" not in part.text
    assert page_of(part).of("section", id="step")
    for answer in (whole, part):
        assert "hx-request" in answer.headers["vary"].lower()
    for headers in ({**HX, "HX-History-Restore-Request": "true"}, {**HX, "HX-Target": "body"}):
        assert "<html" in client.get(f"/runs/{TOY}/steps/1", headers=headers).text


@pytest.mark.parametrize("part", ["rows", "pairs", "merges"])
def test_parts_alone(client, part):
    answer = client.get(f"/runs/{TOY}/steps/2/{part}", headers=HX)
    page = page_of(answer)
    assert page.of("section", id=part)
    assert not page.of("section", id="step")
    assert "<html" in client.get(f"/runs/{TOY}/steps/2/{part}").text


def test_a_step_is_revalidated_not_sent_again(client):
    first = client.get(f"/runs/{TOY}/steps/3", headers=HX)
    assert first.headers["cache-control"] == "private, no-cache"
    again = client.get(f"/runs/{TOY}/steps/3", headers={**HX, "If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    for other in ("/steps/3", "/steps/4", "/steps/3?rows_q=e", "/steps/3?order=table"):
        headers = {} if other == "/steps/3" else HX
        assert client.get(f"/runs/{TOY}{other}", headers=headers).headers["etag"] != first.headers["etag"]


def test_compressed_and_plain_are_the_same_page(client):
    packed = client.get(f"/runs/{TOY}/steps/3", headers={**HX, "Accept-Encoding": "gzip"})
    plain = client.get(f"/runs/{TOY}/steps/3", headers={**HX, "Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text


def test_lists_can_be_searched_and_paged(client):
    page = page_of(client.get(f"/runs/{TOY}/steps/2?rows_q=new&order=table", headers=HX))
    rows = [attrs for attrs in page.of("tr") if re.fullmatch(r"r\d+", attrs.get("id", ""))]
    assert len(rows) == 2
    run = made(client, corpus=" ".join(f"word{number}" for number in range(120)), pattern="whitespace")
    page = page_of(client.get(f"/runs/{run}/steps/1"))
    following = page.of("a", id="rows-next")[0]["href"]
    assert f"rows={ROWS}" in following
    assert page_of(client.get(following)).of("a", id="rows-previous")[0]["href"]


@pytest.mark.parametrize("query", ["rows=-1", "rows=x", "order=other", "rows_q=" + "x" * 201, "pairs=99999999999999"])
def test_queries_out_of_range(client, query):
    page_of(client.get(f"/runs/{TOY}/steps/1?{query}"), 422)


def test_offsets_beyond_the_end_show_nothing(client):
    page_of(client.get(f"/runs/{TOY}/steps/1?rows=5000&pairs=5000&merges=5000"))
    page_of(client.get(f"/runs/{TOY}/steps/0?cut=5000"))


def test_beyond_the_end(client):
    page = page_of(client.get(f"/runs/{TOY}/steps/9"), 404)
    assert page.of("a", href=f"/runs/{TOY}/steps/8")
    assert "ends with step 8" in page.text
    part = client.get(f"/runs/{TOY}/steps/9", headers=HX)
    assert part.status_code == 404
    assert "<html" not in part.text


@pytest.mark.parametrize(("asked", "step"), [("3", 3), ("-5", 0), ("8", 8), ("9", 8), ("999999999999", 8)])
def test_going_to_a_step(client, asked, step):
    answer = client.get(f"/runs/{TOY}/go?step={asked}")
    page = page_of(answer)
    assert page.of("section", id="step")[0]["data-step"] == str(step)
    if int(asked) > 8:
        assert "this is the last one" in page.text
        assert answer.headers["hx-replace-url"] == f"/runs/{TOY}/steps/8"


@pytest.mark.parametrize("asked", ["", "x", "1.5"])
def test_going_nowhere(client, asked):
    page_of(client.get(f"/runs/{TOY}/go?step={asked}"), 422)


def test_runs_that_are_not_there(client):
    for path in ("steps/0", "go?step=1", "progress?step=1", "edit", "corpus", "trace", "rows/0?step=0"):
        page_of(client.get(f"/runs/{'a' * 26}/{path}"), 404)
    page_of(client.post(f"/runs/{'a' * 26}/cancel"), 404)
    assert client.get(f"/runs/{TOY}", follow_redirects=False).headers["location"] == f"/runs/{TOY}/steps/0"


def test_a_long_row_in_windows(client):
    run = made(client, corpus="abcdefgh" * 2_000 + "!", pattern="none")
    page = page_of(client.get(f"/runs/{run}/steps/1"))
    link = next(attrs["href"] for attrs in page.of("a") if "/rows/" in attrs.get("href", ""))
    row = page_of(client.get(link))
    assert row.of("a", id="row-next")[0]["href"]
    page_of(client.get(f"/runs/{run}/rows/1?step=1"), 422)
    assert "<html" not in client.get(link, headers=HX).text


# The editor


def test_a_form_makes_a_run(client):
    answer = sent(
        client, corpus="low low\r\nlower", tie_rule="lower_ids", special_tokens="<a>\r\n<b>", vocab_size="300"
    )
    assert answer.status_code == 303
    run = client.get(answer.headers["location"].replace("/steps/0", "").replace("/runs/", "/api/runs/")).json()
    assert run["recipe"]["tie_rule"] == "lower_ids"
    assert run["recipe"]["special_tokens"] == ["<a>", "<b>"]
    assert run["recipe"]["vocab_size"] == 300


@pytest.mark.parametrize("body", ["corpus=x%0Ay", "corpus=x%0D%0Ay"])
def test_text_box_newlines_are_line_feeds(client, body):
    answer = client.post(
        "/runs",
        content=body,
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        follow_redirects=False,
    )
    assert corpus_of(client, run_of(answer)) == "x\ny"


@pytest.mark.parametrize("corpus", ["\nA", "x\r\ny", "\r", "a\0b", "\n\n", " ", "<b>&amp;</b>", "\ufeffa", ""])
def test_an_editor_sent_back_unchanged_is_the_same_run(client, corpus):
    run = client.post("/api/runs", json={"corpus": corpus}).json()["run"]
    page = client.get(f"/runs/{run}/edit").text
    box = re.search(r'<textarea id="field-corpus"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1]
    shown = Elements(f"<pre>{box}</pre>").text
    assert shown == in_text_box(corpus)
    assert made(client, base=run, corpus=shown.replace("\n", "\r\n")) == run
    assert corpus_of(client, run) == corpus


def test_a_sample_is_chosen(client):
    run = made(client, source="sample", sample="hugs", corpus="ignored")
    assert corpus_of(client, run) == SAMPLES["hugs"].text
    assert errors(page_of(sent(client, source="sample", sample="none"), 422)) == {"sample"}


def test_a_file_is_read_as_it_is(client):
    run = made(client, files={"file": ("a.txt", b"x\r\ny\r", "text/plain")}, source="file")
    assert corpus_of(client, run) == "x\r\ny\r"
    run = made(client, files={"file": ("a.txt", b"\xef\xbb\xbflow", "text/plain")}, source="text", corpus="typed")
    assert corpus_of(client, run) == "\ufefflow"
    assert errors(page_of(sent(client, source="file"), 422)) == {"file"}


def test_a_long_corpus_is_kept_by_its_run(make_client):
    client = make_client(textarea_bytes=10)
    run = client.post("/api/runs", json={"corpus": "x\r\n" * 10}).json()["run"]
    page = client.get(f"/runs/{run}/edit")
    assert "x\nx" not in page.text
    assert "30 bytes" in page.text
    other = made(client, source="keep", base=run, min_count="2")
    assert corpus_of(client, other) == "x\r\n" * 10
    assert errors(page_of(sent(client, source="keep", base="gone"), 422)) == {"corpus"}


def test_faults_of_a_form_keep_the_input(client):
    answer = sent(client, corpus="my text", pattern="custom", custom="(", vocab_size="many", special_tokens="<s>")
    page = page_of(answer, 422)
    assert errors(page) == {"custom", "vocab_size"}
    assert "my text" in page.text
    assert page.of("input", name="custom")[0]["value"] == "("
    assert page.of("input", name="vocab_size")[0]["value"] == "many"
    assert "<html" not in client.post("/runs", data={"vocab_size": "x"}, headers=HX).text


def test_limits_of_a_form(make_client):
    client = make_client(max_corpus_bytes=10, max_corpus_bytes_none=5)
    page = page_of(sent(client, corpus="x" * 11), 422)
    assert "11 bytes; at most 10" in page.text
    page = page_of(sent(client, files={"file": ("a.txt", b"x" * 11)}, source="file"), 422)
    assert "11 bytes; at most 10" in page.text
    assert "6 bytes; at most 5" in page_of(sent(client, corpus="x" * 6, pattern="none"), 422).text


def test_other_bodies_are_no_forms(client):
    page_of(client.post("/runs", json={"corpus": "low"}), 415)
    page_of(client.post("/runs", content=b"x", headers={"Content-Type": "multipart/form-data"}), 400)
    broken = {"Content-Type": "multipart/form-data; boundary=x"}
    page_of(client.post("/runs", content=b"nothing of the kind", headers=broken), 400)
    page_of(client.post("/runs", data={f"f{number}": "" for number in range(101)}), 400)


# Text that looks like markup


def harmless(answer, status=200):
    page = page_of(answer, status)
    assert not page.of("img")
    assert not [attrs for _, attrs in page.found if any(name.startswith("on") for name in attrs)]
    return page


def test_markup_appears_as_text_everywhere(client):
    recipe = {"corpus": f"{INJECTION} {INJECTION} <im <img", "special_tokens": [INJECTION, "<img src=y onerror=z>"]}
    for pattern in ("gpt2", "none", {"custom": "<img src=x onerror=alert\\(1\\)>|."}):
        run = client.post("/api/runs", json={**recipe, "pattern": pattern}).json()["run"]
        page = harmless(client.get(f"/runs/{run}/steps/0"))
        assert "<img" in page.text
        client.get(f"/api/runs/{run}/steps/1")
        for path in ("steps/1", "steps/2", "edit", "rows/0?step=1", f"steps/1?rows_q={INJECTION}&pairs_q={INJECTION}"):
            answer = client.get(f"/runs/{run}/{path}")
            harmless(answer, answer.status_code)
            assert answer.status_code in (200, 404)
        harmless(client.post(f"/runs/{run}/trace?step=0", data={"text": INJECTION}))
        harmless(client.post(f"/runs/{run}/trace?step=0", data={"ids": INJECTION}), 422)
    harmless(client.get("/runs"))


def test_markup_in_what_is_refused_appears_as_text(client):
    fields = dict.fromkeys(("corpus", "custom", "vocab_size", "min_count", "tie_rule", "special_tokens"), INJECTION)
    harmless(sent(client, **fields, pattern="custom"), 422)
    harmless(sent(client, source=INJECTION, pattern=INJECTION, sample=INJECTION, base=INJECTION), 422)
    harmless(sent(client, files={"file": (INJECTION, b"\xff")}, source="file"), 422)
    harmless(client.get(f"/{INJECTION}"), 404)
    harmless(client.get(f"/runs/{INJECTION}/steps/0"), 404)
    harmless(client.get(f"/runs/{TOY}/steps/{INJECTION}"), 422)
    harmless(client.get("/runs", headers={"Host": "<img src=x onerror=alert(1)>"}), 400)


# While a step is being made


@pytest.fixture
def slow(make_client):
    """A client, and a run whose steps take a while."""
    client = make_client(step_wait_seconds=0.000_001)
    body = {"corpus": "".join(map(str, range(60_000))), "pattern": "none"}
    return client, client.post("/api/runs", json=body).json()["run"]


def test_progress_in_the_place_of_the_step(slow):
    client, run = slow
    answer = client.get(f"/runs/{run}/steps/15000")
    page = page_of(answer, 202)
    assert page.of("section", id="progress")
    assert answer.headers["cache-control"] == "no-store"
    part = client.get(f"/runs/{run}/steps/15000", headers=HX)
    assert part.status_code == 202
    assert "<html" not in part.text


def test_cancelling_leads_to_the_last_step_that_was_made_and_says_so(slow):
    client, run = slow
    while page_of(client.get(f"/runs/{run}/steps/15000"), 202).text.count("Counting the corpus"):
        pass
    answer = client.post(f"/runs/{run}/cancel", follow_redirects=False)
    assert answer.status_code == 303
    page = page_of(client.get(answer.headers["location"]))
    step = page.of("section", id="step")[0]["data-step"]
    assert f"Training was stopped at step {int(step):,}." in page.text
    assert client.get(f"/api/runs/{run}").json()["steps_known"] == int(step)
    answer = client.post(f"/runs/{run}/go-on?step={step}", follow_redirects=False)
    assert answer.headers["location"] == f"/runs/{run}/steps/{step}"
    assert "Training was stopped" not in page_of(client.get(answer.headers["location"])).text
    client.post(f"/runs/{run}/cancel")


def test_going_on_to_a_step_beyond_the_end_says_what_the_last_one_is(client):
    page = page_of(client.post(f"/runs/{TOY}/go-on?step=9"), 404)
    assert page.of("a", href=f"/runs/{TOY}/steps/8")
    page_of(client.post(f"/runs/{'a' * 26}/go-on?step=0"), 404)


def test_whoever_waited_does_not_start_again_what_was_cancelled(slow):
    client, run = slow
    while "Counting the corpus" in (page := page_of(client.get(f"/runs/{run}/steps/15000"), 202)).text:
        pass
    waited = page.of("a", id="progress-ready")[0]["href"]
    client.post(f"/runs/{run}/cancel", follow_redirects=False)
    step = int(page_of(client.get(waited)).of("section", id="step")[0]["data-step"])
    assert step == client.get(f"/api/runs/{run}").json()["steps_known"] < 15_000
    # Whoever asks for the step itself does.
    assert page_of(client.get(f"/runs/{run}/go?step=15000"), 202).of("section", id="progress")
    client.post(f"/runs/{run}/cancel", follow_redirects=False)


def test_progress_as_events(slow):
    client, run = slow
    step = 400
    with client.stream("GET", f"/runs/{run}/progress?step={step}") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["cache-control"] == "no-store"
        events = "".join(answer.iter_text()).strip().split("\n\n")
    assert events[-1] == "event: ready\ndata: done"
    for event in events[:-1]:
        assert all(line.startswith(("data: ", ": ")) for line in event.split("\n"))
    assert client.get(f"/api/runs/{run}").json()["steps_known"] >= step


def test_events_of_a_known_step_are_ready_at_once(client):
    client.get(f"/runs/{TOY}/steps/8")
    for step in (3, 9):
        assert client.get(f"/runs/{TOY}/progress?step={step}").text == "event: ready\ndata: done\n\n"


def test_a_pattern_that_is_too_slow_is_told_on_the_page(make_client):
    client = make_client(pattern_seconds=0.2)
    run = made(client, corpus="a" * 40, pattern="custom", custom="(?:a|a)+b")
    for _ in range(50):
        answer = client.get(f"/runs/{run}/steps/0")
        if answer.status_code != 202:
            break
    assert "longer than 0.2 s" in page_of(answer, 422).text


# After a restart


def test_a_link_restores_the_step_in_another_browser_after_a_restart(make_client):
    first = make_client()
    run = made(first, corpus="low lower lowest", special_tokens="<s>")
    before = first.get(f"/runs/{run}/steps/3")
    second = make_client()
    after = second.get(f"/runs/{run}/steps/3")
    assert (
        page_of(after).of("section", id="step")[0]["data-say"]
        == page_of(before).of("section", id="step")[0]["data-say"]
    )
