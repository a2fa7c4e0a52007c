"""A fresh app on a store of its own, with training in a thread, and what talks to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from starlette.testclient import TestClient

from app.main import create_app
from app.settings import Settings

MakeClient = Callable[..., TestClient]


class Compiled(BytecodeCache):
    """Templates as this process compiled them before: a new app takes longer to do that than most of its tests."""

    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if bucket.key in self._kept:
            bucket.bytecode_from_string(self._kept[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key] = bucket.bytecode_to_string()


COMPILED = Compiled()


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(store_path=tmp_path / "store.sqlite3", workers=0, trusted_hosts=("testserver",))


@pytest.fixture
def make_client(settings) -> Iterator[MakeClient]:
    """Clients of apps on the same store; settings by keyword."""
    with ExitStack() as stack:

        def make(**changes: object) -> TestClient:
            app = create_app(settings.model_copy(update=changes))
            client = stack.enter_context(TestClient(app))
            app.state.services.renderer._environment.bytecode_cache = COMPILED
            return client

        yield make


@pytest.fixture(scope="session")
def shared_client(tmp_path_factory) -> Iterator[TestClient]:
    path = tmp_path_factory.mktemp("shared") / "store.sqlite3"
    app = create_app(Settings(store_path=path, workers=0, trusted_hosts=("testserver",)))
    with TestClient(app) as client:
        yield client


@pytest.fixture
def client(shared_client) -> TestClient:
    """A client without cookies, of an app that many tests share."""
    shared_client.cookies.clear()
    return shared_client
