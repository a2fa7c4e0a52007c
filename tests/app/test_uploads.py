"""Uploads: what is taken and what is refused, and that nothing is left of what was not kept."""

import asyncio
import errno
import json
import os
import re
import shutil
from urllib.parse import unquote

import pytest

from app.kept import DiskFull
from app.main import create_app
from app.runs.training_loop import Training
from tests.app.pages import page_of
from tests.app.test_lab import corpus_of, errors, made, sent

BOUNDARY = "----upload"
HEADERS = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}


def upload(client, data, name="a.txt", **fields):
    return sent(client, files={"file": (name, data)}, source="file", **fields)


def run_of(answer):
    assert answer.status_code == 303, answer.text[:3_000]
    return answer.headers["location"].split("/")[2]


@pytest.fixture
def kept(settings):
    """What is in the store's folder, by kind, but for the toy corpus."""
    root = settings.store_path.with_name("store.sqlite3-files")

    def look() -> dict[str, list[int]]:
        found = {kind: sorted(path.stat().st_size for path in (root / kind).iterdir()) for kind in KINDS}
        found["corpora"].remove(95)
        return {kind: sizes for kind, sizes in found.items() if sizes}

    return look


KINDS = ("corpora", "uploads", "arriving")
LARGE = ("".join(f"line {number} é\r\n" for number in range(150_000))).encode()  # more than is spooled in memory


# What is taken


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


# What is refused


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
        yield f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'.encode()
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


@pytest.mark.parametrize("where", ["app.files.tempfile.mkstemp", "starlette.datastructures.UploadFile.write"])
def test_a_full_disk_is_told_and_leaves_nothing(make_client, kept, monkeypatch, where):
    def full(*_arguments: object, **_options: object):
        raise OSError(errno.ENOSPC, "No space left on device")

    client = make_client()
    monkeypatch.setattr(where, full)
    page = page_of(upload(client, LARGE), 507)
    assert "no room left on this server" in page.text
    monkeypatch.undo()
    assert kept() == {}
    assert run_of(upload(client, LARGE))  # its place is free again


def test_a_full_disk_is_told_in_json(make_client, monkeypatch):
    def full(*_arguments: object, **_options: object):
        raise OSError(errno.ENOSPC, "No space left on device")

    client = make_client()
    monkeypatch.setattr("app.files.tempfile.mkstemp", full)
    answer = client.post("/api/runs", json={"corpus": "low"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (507, "disk_full")


# Those who come together, leave, or take their time


@pytest.fixture
async def app(settings):
    """The app itself, to send it a body piece by piece."""
    app = create_app(settings.model_copy(update={"uploads_at_once": 1, "upload_seconds": 5.0}))
    async with app.router.lifespan_context(app):
        yield app


class Sender:
    """A form with a large file that arrives when it is told to."""

    HEAD = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'.encode()
    TAIL = f"\r\n--{BOUNDARY}--\r\n".encode()

    def __init__(self, app):
        self.messages = asyncio.Queue()
        self.answer = {}
        length = str(len(self.HEAD) + len(LARGE) + len(self.TAIL)).encode()
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/runs",
            "raw_path": b"/runs",
            "query_string": b"",
            "scheme": "http",
            "server": ("testserver", 80),
            "http_version": "1.1",
            "headers": [
                (b"host", b"testserver"),
                (b"content-length", length),
                (b"content-type", HEADERS["Content-Type"].encode()),
            ],
        }
        self.task = asyncio.create_task(app(scope, self.messages.get, self.told))
        self.send(self.HEAD + LARGE[:-100_000])

    def send(self, data, *, more=True):
        self.messages.put_nowait({"type": "http.request", "body": data, "more_body": more})

    def finish(self):
        self.send(LARGE[-100_000:] + self.TAIL, more=False)

    async def told(self, message):
        if message["type"] == "http.response.start":
            self.answer = {"status": message["status"], "headers": dict(message["headers"])}


@pytest.mark.anyio
async def test_beyond_so_many_uploads_others_are_told_to_come_again(app, kept):
    first, second = Sender(app), Sender(app)
    await asyncio.sleep(0.1)
    second.finish()
    await second.task
    assert second.answer["status"] == 503
    assert int(second.answer["headers"][b"retry-after"]) > 0
    first.finish()
    await first.task
    assert first.answer["status"] == 303
    third = Sender(app)
    third.finish()
    await third.task
    assert third.answer["status"] == 303
    assert kept() == {"corpora": [len(LARGE)]}


@pytest.mark.anyio
async def test_who_leaves_in_the_middle_leaves_nothing(app, kept):
    sender = Sender(app)
    await asyncio.sleep(0.05)
    sender.messages.put_nowait({"type": "http.disconnect"})
    await sender.task
    assert sender.answer == {}
    assert kept() == {}
    after = Sender(app)
    after.finish()
    await after.task
    assert after.answer["status"] == 303


@pytest.mark.anyio
async def test_who_takes_too_long_is_told(settings, kept):
    app = create_app(settings.model_copy(update={"upload_seconds": 0.1}))
    async with app.router.lifespan_context(app):
        sender = Sender(app)
        await sender.task
        assert sender.answer["status"] == 408
        assert kept() == {}


# While it is counted


@pytest.fixture
def slow(monkeypatch):
    """Counting stops after its first block until `go` is set."""
    go = {"on": False}
    real = Training._count

    def count_some(self, counting):
        if self.job.corpus.stat().st_size > 1_000_000 and not go["on"] and counting.done:
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


# A corpus that is gone


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


# A full disk


@pytest.fixture
def full_disk(monkeypatch):
    """Fills the disk when it is called."""

    def fill() -> None:
        def no_room(*_arguments: object, **_options: object):
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr("app.files.tempfile.mkstemp", no_room)

    return fill


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


# Folders


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
