"""A real server in a process of its own, on a free port with a store of its own, and a plain client."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://\S+")
LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)
BOUNDARY = "----bench-6f1d2c"
# What htmx sends with a click on "Merge next".
HTMX = {
    "HX-Request": "true",
    "HX-Request-Type": "partial",
    "HX-Target": "div#lab",
    "Accept": "text/html, text/event-stream",
    "Accept-Encoding": "gzip, deflate, br, zstd",
}
# The recipe editor's other fields as a browser sends them.
FIELDS = {
    "base": "",
    "source": "file",
    "corpus": "",
    "sample": "toy",
    "pattern": "gpt2",
    "custom": "",
    "tie_rule": "greater_bytes",
    "special_tokens": "<|endoftext|>",
    "vocab_size": "",
    "min_count": "1",
    "decode": "strict",
}


@contextmanager
def server(**settings: str) -> Iterator[str]:
    """Serve the app as a user would start it; its address.

    Args:
        settings: in addition to a temporary store, by their names in lower case.

    Raises:
        RuntimeError: it did not start; holds what it said.
    """
    with tempfile.TemporaryDirectory(prefix="merge-next-bench-") as folder:
        chosen = {"store_path": str(Path(folder) / "store.sqlite3"), **settings}
        environment = os.environ | {f"MERGE_NEXT_{name.upper()}": value for name, value in chosen.items()}
        command = [sys.executable, "-m", "app", "serve", "--port", "0"]
        with (
            (Path(folder) / "log").open("w+") as log,
            subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            ) as process,
        ):
            try:
                assert process.stdout is not None
                greeting = ADDRESS.search(process.stdout.readline())
                if greeting is None:
                    log.seek(0)
                    raise RuntimeError(f"The server did not start. {log.read()}")
                yield greeting[0].rstrip("/")
            finally:
                process.terminate()


class Answer(NamedTuple):
    """What came back; `body` as it travelled."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """One connection that stays open, as a browser's does."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._connection = HTTPConnection(urlsplit(address).netloc, timeout=120)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self._connection.close()

    def get(self, path: str, headers: Mapping[str, str] = HTMX) -> Answer:
        """Ask for a path."""
        return self._send("GET", path, None, headers)

    def timed(self, path: str) -> tuple[float, Answer]:
        """Ask for a path as htmx does; the milliseconds until the last byte is here, and the answer.

        What `http.client` takes to write and read headers, a tenth of a step's answer, is this client's time and not
        the server's. So the bytes are made before and read after the clock.
        """
        lines = [f"GET {path} HTTP/1.1", f"Host: {self._connection.host}:{self._connection.port}"]
        request = "\r\n".join([*lines, *map(": ".join, HTMX.items()), "", ""]).encode()
        if self._connection.sock is None:
            self._connection.connect()
        received = b""
        begun = time.perf_counter()
        self._connection.sock.sendall(request)
        while not _is_whole(received):
            received += self._connection.sock.recv(1 << 16) or _lost()
        milliseconds = 1000 * (time.perf_counter() - begun)
        head, _, body = received.partition(b"\r\n\r\n")
        status, *headers = head.decode("latin-1").split("\r\n")
        named = (line.split(": ", 1) for line in headers)
        return milliseconds, Answer(int(status.split()[1]), {name.lower(): value for name, value in named}, body)

    def make_run(self, corpus: str) -> str:
        """Send the recipe editor's form with a corpus as a file; the id of the run."""
        return self.send_form(form(corpus.encode()))

    def send_form(self, body: bytes) -> str:
        """Send a form that is made already; the id of the run.

        Raises:
            RuntimeError: it was not taken.
        """
        headers = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Origin": self.address}
        answer = self._send("POST", "/runs", body, headers)
        if answer.status != 303:
            raise RuntimeError(f"POST /runs was answered with {answer.status}: {answer.body[:2000]!r}")
        return answer.headers["location"].split("/")[2]

    def await_step(self, run: str, step: int) -> Answer:
        """Ask for a step until it is there. Each answer comes when it is, or after a while with progress."""
        while True:
            answer = self.get(f"/runs/{run}/steps/{step}")
            if answer.status == 200:
                return answer
            if answer.status != 202:
                raise RuntimeError(f"Step {step} was answered with {answer.status}")

    def await_end(self, run: str) -> int:
        """Wait until nothing more is made of a run, so that the server has nothing else to do; its last step."""
        known, before = 0, -1
        while known != before or not known:  # right after counting there is no step yet
            before = known
            time.sleep(1)
            answer = self.get(f"/api/runs/{run}", {})
            known = json.loads(answer.body)["steps_known"] if answer.status == 200 else before - 1
        return known

    def cancel(self, run: str) -> None:
        """Stop training a run where it is."""
        self._send("POST", f"/runs/{run}/cancel", b"", {"Origin": self.address})

    def _send(self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> Answer:
        self._connection.request(method, path, body, dict(headers))
        response = self._connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())


def _is_whole(received: bytes) -> bool:
    head, blank, body = received.partition(b"\r\n\r\n")
    length = LENGTH.search(head)
    return bool(blank) and length is not None and len(body) >= int(length[1])


def _lost() -> bytes:
    raise RuntimeError("The server closed the connection in the middle of an answer.")


def form(corpus: bytes, **chosen: str) -> bytes:
    """The recipe editor's form with a corpus as a file; `chosen` are fields in place of the usual ones."""
    fields = FIELDS | chosen
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{fields[name]}\r\n' for name in fields
    ]
    file = 'Content-Disposition: form-data; name="file"; filename="corpus.txt"\r\nContent-Type: text/plain'
    head = f"{''.join(parts)}--{BOUNDARY}\r\n{file}\r\n\r\n"
    return b"".join((head.encode(), corpus, f"\r\n--{BOUNDARY}--\r\n".encode()))


def toy_run(client: Client) -> str:
    """The id of the run that a first visit shows."""
    page = client.get("/", {}).body.decode()
    found = re.search(r'data-start="/runs/([a-z2-7]+)/steps/0"', page)
    assert found, "the first page names no run"
    return found[1]
