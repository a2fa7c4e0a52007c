"""`merge-next serve`: the lab, on an address of this machine."""

import argparse
import errno
import os
import socket
from contextlib import suppress

import uvicorn
from pydantic import ValidationError

from app.commands.failures import Failure
from app.settings import Settings

FACTORY = "app.main:create_app"
LOG_LEVELS = ("critical", "error", "warning", "info", "debug")
# What listens on every address, and where this machine finds it then.
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared with, never bound by itself


class _Server(uvicorn.Server):
    """A server that says where it is once it answers."""

    def __init__(self, config: uvicorn.Config, greeting: str):
        super().__init__(config)
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            print(self._greeting, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    parser.add_argument("--port", default=8000, type=_port, help="port to listen on, 0 for a free one (%(default)s)")
    parser.add_argument("--log-level", default="warning", choices=LOG_LEVELS, help="(%(default)s)")


def run(options: argparse.Namespace) -> int:
    """Do it."""
    return serve(options.host, options.port, options.log_level)


def serve(host: str, port: int, log_level: str = "warning") -> int:
    """Serve the app until it is stopped (Ctrl+C or SIGTERM); prints its address once it answers.

    Args:
        host: the address or name to listen on.
        port: the port; 0 takes a free one.
        log_level: what is worth a line on standard error; from "info" on each request is.

    Returns:
        0 when it was stopped, 1 when the app did not start.

    Raises:
        Failure: the address cannot be had, or a setting is wrong.
    """
    _trust(host)
    with _listen(host, port) as listener:
        config = uvicorn.Config(
            FACTORY,
            factory=True,
            lifespan="on",
            ws="none",
            log_level=log_level,
            server_header=False,
            timeout_graceful_shutdown=2,  # an open stream of progress does not hold the server up
        )
        server = _Server(config, f"Merge Next is at {_url(host, listener)} (Ctrl+C stops it)")
        with suppress(KeyboardInterrupt):  # uvicorn has shut down by then and hands the signal on
            server.run(sockets=[listener])
    return 0 if server.started else 1


def _trust(host: str) -> None:
    """Answer requests for the very address that was asked for, beside those of the settings.

    Of a server on every address that is this machine's own one. It is safe beside other names: no page of another site
    can have it for its name, whatever its name resolves to.
    """
    try:
        settings = Settings()
    except ValidationError as error:
        wrong = "; ".join(
            f"{Settings.model_config['env_prefix']}{'.'.join(map(str, each['loc'])).upper()}: {each['msg']}"
            for each in error.errors()
        )
        raise Failure(f"a setting is wrong: {wrong}") from error
    own = (LOOPBACK[host], "localhost") if host in LOOPBACK else (_bracketed(host),)
    names = dict.fromkeys((*settings.trusted_hosts, *own))
    os.environ["MERGE_NEXT_TRUSTED_HOSTS"] = ",".join(names)
    if host in LOOPBACK:
        print(f"Requests are answered under these names only: {', '.join(names)} (MERGE_NEXT_TRUSTED_HOSTS adds more).")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise Failure(_reason(error, host, port)) from error
    # Else a body would wait until its headers are acknowledged, 40 ms: asyncio sees to this only for sockets it made.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


def _reason(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} on {host} is in use; choose another with --port (make run PORT=...)"
    if error.errno == errno.EACCES:
        return f"port {port} on {host} is not allowed to this user; choose one above 1023"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def _url(host: str, listener: socket.socket) -> str:
    return f"http://{LOOPBACK.get(host) or _bracketed(host)}:{listener.getsockname()[1]}/"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _port(word: str) -> int:
    if word.isascii() and word.isdigit() and int(word) <= 65535:
        return int(word)
    raise argparse.ArgumentTypeError(f"{word!r} is no port; ports are numbers from 0 (any free one) to 65535")
