"""A request as a server hands it to the app, for tests that send its body in pieces or break off."""

from collections.abc import Mapping
from typing import Any


def post_to(path: str, headers: Mapping[str, str]) -> dict[str, Any]:
    """The scope of a POST; `headers` in addition to the host."""
    named = {"host": "testserver", **headers}
    return {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "server": ("testserver", 80),
        "client": ("testclient", 1),
        "http_version": "1.1",
        "headers": [(name.lower().encode(), value.encode()) for name, value in named.items()],
    }
