"""The page of the JSON interface: what a call takes is told apart from what it answers with."""

import pytest
from fastapi.testclient import TestClient

from app.documentation import DocumentationView, documentation, type_name


@pytest.fixture
def view(client: TestClient) -> DocumentationView:
    return documentation(client.get("/openapi.json").json(), "http://lab.example/")


def test_bodies_that_are_sent_are_told_apart(view):
    sent = {schema.name for schema in view.schemas if schema.sent}
    assert sent == {call.body for call in view.calls if call.body}
    assert sent
    assert not any(name in sent for name in ("Fault", "Token"))
    assert {schema.name for schema in view.schemas} > sent


def test_every_body_that_a_call_names_is_described(view):
    named = {call.body for call in view.calls} | {answer.schema for call in view.calls for answer in call.answers}
    assert named - {""} <= {schema.name for schema in view.schemas}


def test_examples_ask_the_server_that_shows_them(view):
    assert any("http://lab.example/api/runs" in paragraph for paragraph in view.about)
    assert not any("127.0.0.1" in paragraph for paragraph in view.about)


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer"}, "integer"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Token"}}, "list of Token"),
        ({"enum": ["a", "b"]}, "“a” or “b”"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "object of string"),
        ({}, "anything"),
    ],
)
def test_types_are_told_in_words(schema, words):
    assert type_name(schema) == words
