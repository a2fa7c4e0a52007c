"""A fresh app on a store of its own, and what talks to it."""

import pytest


@pytest.fixture
def anyio_backend():
    return "asyncio"
