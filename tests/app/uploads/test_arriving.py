"""Those who send together, leave in the middle, or take their time."""

import asyncio

import pytest

from app.main import create_app
from tests.app.asgi import post_to
from tests.app.uploads.conftest import HEAD, HEADERS, LARGE, TAIL


@pytest.fixture
async def app(settings):
    """The app itself, to send it a body piece by piece."""
    app = create_app(settings.model_copy(update={"uploads_at_once": 1, "upload_seconds": 5.0}))
    async with app.router.lifespan_context(app):
        yield app


class Sender:
    """A form with a large file that arrives when it is told to."""

    def __init__(self, app):
        self.messages = asyncio.Queue()
        self.answer = {}
        length = len(HEAD) + len(LARGE) + len(TAIL)
        scope = post_to("/runs", {**HEADERS, "Content-Length": str(length)})
        self.task = asyncio.create_task(app(scope, self.messages.get, self.told))
        self.send(HEAD + LARGE[:-100_000])

    def send(self, data, *, more=True):
        self.messages.put_nowait({"type": "http.request", "body": data, "more_body": more})

    def finish(self):
        self.send(LARGE[-100_000:] + TAIL, more=False)

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
