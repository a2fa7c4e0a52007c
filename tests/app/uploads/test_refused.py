"""What is refused: it is said why, and nothing is left of it but what can be sent again."""

import re

from tests.app.editor import errors, made, run_of, sent, upload
from tests.app.pages import page_of
from tests.app.uploads.conftest import HEAD, HEADERS, LARGE


def test_a_file_above_the_limit_says_both_and_keeps_the_form(make_client, kept):
    client = make_client(max_corpus_bytes=2_000_000)
    page = page_of(upload(client, LARGE, name="big.txt", custom="my own", vocab_size="777"), 422)
    assert f"The file “big.txt” has {len(LARGE):,} bytes; at most 2,000,000 are taken." in page.text
    assert page.of("input", name="custom")[0]["value"] == "my own"
    assert page.of("input", name="vocab_size")[0]["value"] == "777"
    assert kept() == {}


def test_a_form_far_above_the_limit_is_refused_by_its_length(make_client, kept):
    client = make_client(max_corpus_bytes=1_000_000, max_body_bytes=100_000)
    page = page_of(upload(client, LARGE), 413)
    assert re.search(r"A form of [23],\d{3},\d{3} bytes was sent; a file may have at most 1,000,000", page.text)
    assert kept() == {}


def test_a_form_far_above_the_limit_that_does_not_tell_its_length_is_refused_on_the_way(make_client, kept):
    def body():
        yield HEAD
        for _ in range(100):
            yield b"x" * 100_000

    client = make_client(max_corpus_bytes=1_000_000, max_body_bytes=100_000)
    page = page_of(client.post("/runs", content=body(), headers=HEADERS), 413)
    assert "More than 1,100,000 bytes were sent" in page.text
    assert kept() == {}


def test_other_bodies_keep_their_own_limit(make_client):
    client = make_client(max_body_bytes=1_000)
    assert client.post("/api/runs", json={"corpus": "x" * 2_000}).status_code == 413
    assert client.post("/runs", data={"corpus": "x" * 2_000}).status_code == 413
    assert run_of(upload(client, b"x" * 2_000))
    fields = {"text": (None, "x" * 2_000)}
    assert client.post(f"/runs/{run_of(upload(client, b'x'))}/trace", files=fields).status_code == 413


def test_a_text_above_its_limit_keeps_the_form(make_client):
    client = make_client(max_typed_bytes=10)
    page = page_of(sent(client, corpus="more than ten", vocab_size="300"), 422)
    assert "The corpus has 13 bytes; at most 10 are taken as text; send it as a file." in page.text
    assert "more than ten" in page.inside("field-corpus")
    assert run_of(upload(client, b"more than ten"))
    answer = client.post("/api/runs", json={"corpus": "more than ten"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "corpus")


def test_what_is_wrong_with_other_fields_leaves_the_file_only_as_an_upload(make_client, kept):
    client = make_client()
    page = page_of(upload(client, LARGE, vocab_size="1"), 422)
    assert errors(page) == {"vocab_size"}
    assert kept() == {"uploads": [len(LARGE)]}
    key = page.of("input", name="kept_upload")[0]["value"]
    run = made(client, source="file", kept_upload=key)
    assert client.get(f"/runs/{run}/corpus").content == LARGE
    assert kept() == {"corpora": [len(LARGE)]}


def test_bytes_at_fault_far_into_a_file_are_found(make_client, kept):
    page = page_of(upload(make_client(), LARGE + b"\xff"), 422)
    assert f"byte {len(LARGE):,} (counted from 0) is 0xFF" in page.text
    assert kept() == {"uploads": [len(LARGE) + 1]}
