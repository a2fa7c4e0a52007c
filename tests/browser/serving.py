"""A real server in a process of its own, and a plain client that makes runs for tests to look at."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.request import ProxyHandler, Request, build_opener

ROOT = Path(__file__).parents[2]
ADDRESS = re.compile(r"http://\S+")
DIRECT = build_opener(ProxyHandler({}))  # whatever proxy this machine uses for other addresses
PATIENCE = 120  # seconds; a busy machine is slow, a broken server is not waited for much longer than that


class Server:
    """The app as a user starts it, on a store in a folder.

    Args:
        folder: where its store and its log are; a server that is started again on the same folder knows all runs.
        port: 0 for any free one.
        settings: by their names in lower case.
    """

    def __init__(self, folder: Path, *, port: int = 0, **settings: object):
        chosen = {"store_path": folder / "store.sqlite3", **settings}
        environment = os.environ | {f"MERGE_NEXT_{name.upper()}": str(value) for name, value in chosen.items()}
        command = [sys.executable, "-m", "app", "serve", "--port", str(port)]
        self._log = folder / "log"
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
            )
        assert self._process.stdout is not None
        greeting = ADDRESS.search(self._process.stdout.readline())
        assert greeting is not None, f"The server did not start. {self._log.read_text()}"
        self.address = greeting[0].rstrip("/")

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])

    def stop(self) -> None:
        """End it. A server that met an error that nobody foresaw fails the test that stops it."""
        self._process.terminate()
        self._process.communicate(timeout=PATIENCE)
        log = self._log.read_text()
        assert "Traceback" not in log, log

    def make_run(self, corpus: str, *, steps: int = 0, **recipe: object) -> str:
        """The id of a new run, once so many steps of it are made."""
        run: str = self._ask("/api/runs", {"corpus": corpus, **recipe})["run"]
        deadline = time.monotonic() + PATIENCE
        while self.steps_known(run) < steps:
            assert time.monotonic() < deadline, f"step {steps} of {run} was not made in {PATIENCE} s"
            time.sleep(0.02)
        return run

    def cancel(self, run: str) -> None:
        """Stop training a run where it is."""
        request = Request(f"{self.address}/runs/{run}/cancel", b"")  # noqa: S310 - always our own server
        DIRECT.open(request, timeout=PATIENCE).close()

    def steps_known(self, run: str) -> int:
        """How many steps of a run are made; -1 before its corpus is counted."""
        return int(self._ask(f"/api/runs/{run}").get("steps_known", -1))

    def recipe(self, run: str) -> dict[str, Any]:
        """The recipe of a run but for its corpus."""
        recipe: dict[str, Any] = self._ask(f"/api/runs/{run}")["recipe"]
        return recipe

    def corpus(self, run: str) -> str:
        """The corpus of a run, byte for byte."""
        with DIRECT.open(f"{self.address}/runs/{run}/corpus", timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def _ask(self, path: str, body: object = None) -> dict[str, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        request = Request(self.address + path, data, headers)  # noqa: S310 - always our own server
        with DIRECT.open(request, timeout=PATIENCE) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found
