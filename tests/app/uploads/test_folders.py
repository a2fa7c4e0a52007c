"""The files that are kept: nobody else may read them, and what is removed or damaged is mended or told."""

import json
import os
import shutil

import pytest

from tests.app.editor import corpus_of, made, run_of, upload
from tests.app.pages import page_of


def test_a_run_whose_corpus_is_gone_still_steps_and_says_what_it_cannot_show(make_client, settings):
    client = make_client()
    run = made(client, corpus="low lower lowest " * 3)
    before = page_of(client.get(f"/runs/{run}/steps/0"))
    assert before.of("a", id="cut-next") == []
    folder = settings.store_path.with_name("store.sqlite3-files") / "corpora"
    for path in folder.iterdir():
        path.unlink()
    assert "not kept here any more" in page_of(client.get(f"/runs/{run}/steps/0")).inside("cut")
    page_of(client.get(f"/runs/{run}/steps/2"))
    assert "not kept here any more" in page_of(client.get(f"/runs/{run}/corpus"), 410).text
    edit = page_of(client.get(f"/runs/{run}/edit"))
    assert edit.inside("field-corpus") == ""
    second = make_client()  # after a restart, from the table
    assert json.loads(second.get(f"/api/runs/{run}/steps/1").text)["count"] == 9
    assert made(second, corpus="low lower lowest " * 3) == run
    assert page_of(second.get(f"/runs/{run}/steps/0")).inside("cut").count("low") >= 9


def test_a_damaged_toy_corpus_keeps_no_server_from_starting(make_client, settings):
    make_client()
    root = settings.store_path.with_name("store.sqlite3-files")
    for table in (root / "tables").iterdir():
        table.unlink()
    (corpus,) = (root / "corpora").iterdir()
    whole = corpus.read_bytes()
    corpus.write_bytes(b"?" + whole[1:])
    assert make_client().get("/").status_code == 200
    assert corpus.read_bytes() == whole


@pytest.mark.parametrize("gone", ["arriving", "corpora", "tables", "uploads", "."])
def test_a_folder_that_was_removed_is_made_again(make_client, settings, gone):
    client = make_client()
    root = settings.store_path.with_name("store.sqlite3-files")
    shutil.rmtree(root / gone)
    run = run_of(upload(client, b"low lower lowest"))
    assert corpus_of(client, run) == "low lower lowest"
    assert {path.stat().st_mode & 0o777 for path in (root, *root.iterdir())} == {0o700}


def test_nobody_else_may_read_what_is_kept(make_client, settings):
    old = os.umask(0o022)
    try:
        client = make_client()
        run_of(upload(client, b"low lower lowest"))
        assert client.get("/").status_code == 200
    finally:
        os.umask(old)
    kept = [path for path in settings.store_path.parent.rglob("*") if path.is_file()]
    assert {"store.sqlite3", "store.sqlite3-wal", "store.sqlite3-shm"} < {path.name for path in kept}
    assert "tables" in {path.parent.name for path in kept}
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
