"""A full disk: who sends something is told, and everybody else goes on."""

import pytest

from app.kept import DiskFull
from tests.app.editor import errors, run_of, upload
from tests.app.pages import page_of
from tests.app.uploads.conftest import LARGE


@pytest.mark.parametrize("where", ["app.files.tempfile.mkstemp", "starlette.datastructures.UploadFile.write"])
def test_a_full_disk_is_told_and_leaves_nothing(make_client, kept, full_disk, monkeypatch, where):
    client = make_client()
    full_disk(where)
    page = page_of(upload(client, LARGE), 507)
    assert "no room left on this server" in page.text
    monkeypatch.undo()
    assert kept() == {}
    assert run_of(upload(client, LARGE))  # its place is free again


def test_a_full_disk_is_told_in_json(make_client, full_disk):
    client = make_client()
    full_disk()
    answer = client.post("/api/runs", json={"corpus": "low"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "disk_full")


def test_the_first_page_needs_no_room(make_client, full_disk):
    client = make_client()
    full_disk()
    assert client.get("/").status_code == 200
    assert client.get("/trace").status_code == 200


def test_a_form_with_a_fault_comes_back_even_if_its_file_cannot_be_kept(make_client, monkeypatch):
    async def no_room(*_arguments: object):
        raise DiskFull("There is no room.")

    client = make_client()
    monkeypatch.setattr("app.sqlite_store.SQLiteStore.keep_upload", no_room)
    page = page_of(upload(client, b"caf\xe9"), 422)
    assert errors(page) == {"file"}
    assert "The file is not UTF-8" in page.text


def test_a_server_starts_without_its_first_page(make_client, full_disk, caplog):
    full_disk()
    client = make_client()
    assert client.get("/docs").status_code == 200
    assert "toy corpus could not be opened" in caplog.text
