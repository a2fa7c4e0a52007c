"""What is taken: files of any size and name, byte for byte."""

from urllib.parse import unquote

import pytest

from tests.app.editor import corpus_of, errors, made, run_of, sent, upload
from tests.app.pages import page_of
from tests.app.uploads.conftest import LARGE


def test_a_large_file_is_kept_byte_for_byte(make_client, kept):
    client = make_client()
    run = run_of(upload(client, b"\xef\xbb\xbf" + LARGE, vocab_size="260"))
    assert client.get(f"/runs/{run}/corpus").content == b"\xef\xbb\xbf" + LARGE
    assert kept() == {"corpora": [len(LARGE) + 3]}
    while (answer := client.get(f"/api/runs/{run}")).status_code == 202:
        pass
    assert answer.json()["recipe"]["corpus"]["bytes"] == len(LARGE) + 3


def test_an_empty_file_is_an_empty_corpus(make_client):
    client = make_client()
    run = run_of(upload(client, b""))
    assert corpus_of(client, run) == ""
    assert "The corpus is empty" in client.get(f"/runs/{run}/steps/0").text


def test_a_file_and_the_same_text_are_one_run(make_client, kept):
    client = make_client()
    assert run_of(upload(client, b"low lower")) == made(client, corpus="low lower")
    assert kept() == {"corpora": [9]}


@pytest.mark.parametrize("name", ["../../evil.txt", "a\0b", "<img src=x>", "\u202egpj.exe", "x" * 255, 'a;b="c'])
def test_the_name_of_a_file_is_only_a_name(make_client, kept, tmp_path, name):
    client = make_client()
    page = page_of(upload(client, b"\xff", name=name), 422)
    assert not page.of("img")
    assert kept() == {"uploads": [1]}
    assert not list(tmp_path.parent.glob("**/*evil*"))
    key = page.of("input", name="kept_upload")[0]["value"]
    assert corpus_of(client, made(client, source="file", kept_upload=key, decode="latin-1")) == "ÿ"
    assert kept() == {"corpora": [2]}  # the upload is let go


@pytest.mark.parametrize("key", ["../corpora/" + "a" * 20, "..%2f..%2fetc", "/etc/passwd", "."])
def test_no_key_leads_out_of_the_folder(make_client, key):
    client = make_client()
    page = page_of(sent(client, source="file", kept_upload=unquote(key), decode="latin-1"), 422)
    assert errors(page) == {"file"}


@pytest.mark.parametrize("run", ["..", "%2e%2e%2fstore.sqlite3", "a" * 26 + "%00"])
def test_no_address_of_a_corpus_leads_out_of_the_folder(make_client, run):
    assert make_client().get(f"/runs/{run}/corpus").status_code == 404
