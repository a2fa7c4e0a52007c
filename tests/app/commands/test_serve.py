"""`merge-next serve`: what it says when it cannot do what was asked."""

import http.client
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from app import cli
from app.commands import serve


def test_a_port_in_use_is_said_without_a_traceback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "app", "--port", str(port)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert finished.returncode == 1
    said = f"port {port} on 127.0.0.1 is in use; choose another with --port (make run PORT=...)"
    assert finished.stderr == f"merge-next: {said}\n"


def test_answers_are_not_held_back_until_the_headers_are_acknowledged() -> None:
    with serve._listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("host", ["nowhere.invalid", "203.0.113.7"])
def test_an_address_that_is_not_ours_is_named(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--host", host, "--port", "0"]) == 1
    assert host in capsys.readouterr().err


def test_a_wrong_setting_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MERGE_NEXT_LIVE_RUNS", "many")
    assert cli.main([]) == 1
    assert "MERGE_NEXT_LIVE_RUNS" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "trusted"),
    [
        ("127.0.0.1", "127.0.0.1,localhost"),
        ("192.0.2.1", "127.0.0.1,localhost,192.0.2.1"),
        ("2001:db8::1", "127.0.0.1,localhost,[2001:db8::1]"),
        ("0.0.0.0", "127.0.0.1,localhost"),  # noqa: S104 - not listened on
        ("::", "127.0.0.1,localhost,[::1]"),
    ],
)
def test_the_address_that_was_asked_for_is_answered(host: str, trusted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MERGE_NEXT_TRUSTED_HOSTS", "127.0.0.1,localhost")
    serve._trust(host)
    assert os.environ["MERGE_NEXT_TRUSTED_HOSTS"] == trusted


def test_the_address_that_is_printed_answers_whatever_names_are_set(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app", "--host", "0.0.0.0", "--port", "0"]  # noqa: S104 - for a moment
    environment = os.environ | {"MERGE_NEXT_TRUSTED_HOSTS": "class.example.org", "XDG_DATA_HOME": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        names, greeting = server.stdout.readline(), server.stdout.readline()
        (address,) = re.findall(r"http://\S+", greeting)
        place = urlsplit(address).netloc
        try:
            answered = {host: status_of(place, host) for host in (place, "class.example.org", "evil.example.org")}
        finally:
            server.terminate()
    assert "class.example.org, 127.0.0.1, localhost" in names
    assert [status for host, status in answered.items() if host != "evil.example.org"] == [200, 200]
    assert answered["evil.example.org"] == 400


def status_of(place: str, host: str) -> int:
    connection = http.client.HTTPConnection(place, timeout=30)
    try:
        connection.request("GET", "/runs", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()
