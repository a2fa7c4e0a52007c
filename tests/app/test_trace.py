"""The trace page: texts in, ids out, and back."""

import pytest

from app.present.trace import trace_view
from app.routes import trace as routes
from app.samples import toy_recipe
from tests.app.live import TOY as GOLDEN
from tests.app.pages import HX, page_of

TOY = toy_recipe().id


@pytest.fixture
def toy(client):
    client.get("/")
    client.get(f"/runs/{TOY}/steps/8")
    return f"/runs/{TOY}/trace?step=8"


def ids(page):
    return page.inside("ids")


def test_the_page_before_anything_is_typed(client, toy):
    page = page_of(client.get(toy))
    assert page.of("form", id="trace-form")[0]["action"] == toy
    page_of(client.get(f"/runs/{TOY}/trace"))


def test_the_golden_text(client, toy):
    golden = GOLDEN["encode_text"]
    for headers in ({}, HX):
        page = page_of(client.post(toy, data={"text": golden["text"]}, headers=headers))
        assert ids(page) == ", ".join(map(str, golden["ids"]))
    assert not page.of("html")


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ({"go": "", "as_of": "3"}, "108, 258, 257"),
        ({"go": "4", "as_of": "3"}, "259, 257"),
        ({"go": "", "as_of": "99999"}, "259, 257"),  # the last step that is known
        ({"go": "", "as_of": ""}, "259, 257"),
        ({"as_of": "3"}, "259, 257"),  # filled in but not gone to
    ],
)
def test_the_same_text_as_of_another_step(client, toy, sent, found):
    page = page_of(client.post(toy, data={"text": "lowest", **sent}))
    assert ids(page) == found


def test_special_tokens_can_be_text(client, toy):
    assert ids(page_of(client.post(toy, data={"text": "<|endoftext|>"}))) == "264"
    as_text = page_of(client.post(toy, data={"text": "<|endoftext|>", "specials": "as_text"}))
    assert ids(as_text) == ", ".join(map(str, b"<|endoftext|>"))


@pytest.mark.parametrize(("sent", "bytes_"), [("x\r\ny", b"x\ny"), ("\nA", b"\nA"), ("é\0", "é\0".encode())])
def test_what_is_typed_is_what_is_traced(client, toy, sent, bytes_):
    assert ids(page_of(client.post(toy, data={"text": sent}))) == ", ".join(map(str, bytes_))


def test_a_text_box_gives_back_what_was_typed(client, toy):
    page = client.post(toy, data={"text": "\nA"}).text
    assert ">\n\nA</textarea>" in page


def test_a_long_text_is_wholly_in_the_ids(client, toy):
    text = "newest lower " * 3_000
    page = page_of(client.post(toy, data={"text": text}))
    assert (
        ids(page).count(",")
        == len(client.post("/api/encode", json={"tokenizer": {"run": TOY, "step": 8}, "text": text}).json()["ids"]) - 1
    )


def test_the_steps_of_a_long_pre_token_on_demand(client, toy):
    text = "newest" * 40
    page = client.post(toy, data={"text": text}, headers=HX).text
    assert "Show its" in page
    assert "iterations" not in page_of(client.post(toy, data={"text": text})).classes
    opened = page_of(client.post(toy, data={"text": text, "opened": "0:0"}, headers=HX))
    assert "iterations" in opened.classes


@pytest.mark.parametrize("fields", [{"opened": "x:0"}, {"opened": "0:x"}, {"shown": "-1"}, {"opened": "9" * 13}])
def test_numbers_that_are_none(client, toy, fields):
    assert client.post(toy, data={"text": "low", **fields}).status_code == 422


@pytest.mark.parametrize("fields", [{"opened": "999:0"}, {"opened": "0:999"}, {"shown": "0"}, {"shown": "99999999"}])
def test_numbers_beyond_the_end_are_harmless(client, toy, fields):
    page_of(client.post(toy, data={"text": "low lower", **fields}))


def test_ids_back_to_text(client, toy):
    for headers in ({}, HX):
        page = page_of(client.post(toy, data={"ids": "[259, 257]"}, headers=headers))
        assert page.inside("decoded").startswith("lowest")
    page = page_of(client.post(toy, data={"ids": "240 159"}))
    assert "\ufffd" in page.inside("decoded")
    assert "not valid UTF-8" in page.inside("decoded")


@pytest.mark.parametrize("written", ["low", "-1", "265", "9" * 12])
def test_what_is_no_id(client, toy, written):
    page = page_of(client.post(toy, data={"ids": written}), 422)
    assert page.inside("decoded")
    assert page.of("input", id="decode-ids")[0]["value"] == written


def test_limits(make_client):
    client = make_client(max_text_bytes=10, max_ids=2)
    client.get("/")
    address = f"/runs/{TOY}/trace?step=0"
    page = page_of(client.post(address, data={"text": "é" * 6}), 422)
    assert "12 bytes; at most 10" in page.text
    assert "ééé" in page.text
    assert "3 ids; at most 2" in page_of(client.post(address, data={"ids": "1 2 3"}), 422).text


@pytest.mark.usefixtures("toy")
def test_beyond_the_end(client):
    assert client.get(f"/runs/{TOY}/trace?step=9").status_code == 404
    assert client.post(f"/runs/{TOY}/trace?step=9", data={"text": "a"}).status_code == 404
    assert client.get(f"/runs/{TOY}/trace?step=-1").status_code == 422


def test_other_bodies(client, toy):
    assert client.post(toy, json={"text": "low"}).status_code == 415
    assert ids(page_of(client.post(toy, files={"text": (None, "low")}))) == "259"


def test_what_a_text_box_cannot_hold_is_traced_and_told(client, toy):
    answer = client.post(toy, data={"text": "ab\0cd"})
    page = page_of(answer)
    assert ids(page) == "97, 98, 0, 99, 100"
    assert "\0" not in answer.text
    assert "cannot hold every character" in answer.text


def test_a_control_character_in_a_corpus_is_named_by_its_picture(client):
    run = client.post("/api/runs", json={"corpus": "a\0b a\0b"}).json()["run"]
    answer = client.get(f"/runs/{run}/steps/1")
    assert "\0" not in answer.text
    assert "a␀b a␀b" in answer.text
    assert "\0" not in client.get("/runs").text


def test_the_trace_without_a_run_is_that_of_where_one_was_last(client):
    toy = client.get("/trace", follow_redirects=False)
    assert (toy.status_code, toy.headers["location"]) == (303, f"/runs/{TOY}/trace")
    client.get(f"/runs/{TOY}/steps/3")
    assert client.get("/trace", follow_redirects=False).headers["location"] == f"/runs/{TOY}/trace?step=3"


@pytest.mark.parametrize("path", ["/runs", "/docs", f"/runs/{TOY}/edit", "/nowhere"])
def test_every_page_leads_to_a_trace(client, path):
    (link,) = page_of(client.get(path), 404 if path == "/nowhere" else 200).of("a", id="nav-trace")
    assert client.get(link["href"]).status_code == 200


def test_texts_are_traced_by_threads_of_their_own(make_client, monkeypatch):
    client = make_client(text_threads=3)
    texts, taken = client.app.state.services.texts, []

    def watched(live, step, query, *, time_limit):
        taken.append(texts.borrowed_tokens)
        return trace_view(live, step, query, time_limit=time_limit)

    monkeypatch.setattr(routes, "trace_view", watched)
    assert client.post(f"/runs/{TOY}/trace", data={"text": "low"}, headers=HX).status_code == 200
    assert (taken, texts.total_tokens, texts.borrowed_tokens) == ([1], 3, 0)
