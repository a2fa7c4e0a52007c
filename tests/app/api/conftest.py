"""What the tests of the JSON interface share: the golden run, and answers read by the models that describe them."""

import pytest

from app import api_models as models
from tests.app.live import TOY as GOLDEN

TOY = {"corpus": GOLDEN["corpus"], "special_tokens": GOLDEN["special_tokens"], "vocab_size": GOLDEN["vocab_size"]}


def spelled(token):
    """A token of the interface as the golden file writes it: Latin-1, a character for each byte."""
    return bytes.fromhex(token["hex"]).decode("latin-1")


@pytest.fixture
def toy(client):
    return client.post("/api/runs", json=TOY).json()["run"]


def opened(client, **recipe):
    answer = client.post("/api/runs", json=recipe)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()["run"]


def error(answer, status, code=None, field=None):
    assert answer.status_code == status, answer.text
    found = models.ErrorOut.model_validate(answer.json()).error
    assert code is None or found.code == code
    assert field is None or found.field == field
    return found.message
