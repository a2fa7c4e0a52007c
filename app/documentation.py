"""The OpenAPI description as a page shows it, so that the documentation needs nothing from another server."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]
EXAMPLE_ADDRESS = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class MemberView:
    """A parameter of a call, or a member of a body."""

    name: str
    type: str
    about: str
    required: bool
    place: str = ""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer that a call can give."""

    status: str
    about: str
    schema: str


@dataclass(frozen=True, slots=True)
class CallView:
    """A call."""

    id: str
    method: str
    path: str
    summary: str
    about: str
    parameters: tuple[MemberView, ...]
    body: str
    answers: tuple[AnswerView, ...]


@dataclass(frozen=True, slots=True)
class SchemaView:
    """The shape of a body; `sent` is one that a call takes, else calls answer with it."""

    name: str
    about: str
    members: tuple[MemberView, ...]
    sent: bool


@dataclass(frozen=True, slots=True)
class DocumentationView:
    """All of it: everything in `docs/show.html`."""

    about: tuple[str, ...]
    calls: tuple[CallView, ...]
    schemas: tuple[SchemaView, ...]


def documentation(description: Schema, address: str) -> DocumentationView:
    """The page's view of an OpenAPI description; its examples ask the server at `address`."""
    about = str(description["info"]["description"]).replace(EXAMPLE_ADDRESS, address.rstrip("/"))
    calls = tuple(
        _call(path, method, call) for path, methods in description["paths"].items() for method, call in methods.items()
    )
    sent = {call.body for call in calls}
    return DocumentationView(
        about=tuple(about.split("\n\n")),
        calls=calls,
        schemas=tuple(
            SchemaView(name, schema.get("description", ""), _members(schema), name in sent)
            for name, schema in sorted(description["components"]["schemas"].items())
        ),
    )


def _call(path: str, method: str, call: Schema) -> CallView:
    body = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return CallView(
        id=call["operationId"],
        method=method.upper(),
        path=path,
        summary=call.get("summary", ""),
        about=call.get("description", ""),
        parameters=tuple(
            MemberView(
                each["name"],
                type_name(each["schema"]),
                each.get("description") or each["schema"].get("description", ""),
                each.get("required", False),
                each["in"],
            )
            for each in call.get("parameters", ())
        ),
        body=_reference(body),
        answers=tuple(
            AnswerView(
                status,
                answer["description"],
                _reference(answer.get("content", {}).get("application/json", {}).get("schema", {})),
            )
            for status, answer in sorted(call["responses"].items())
        ),
    )


def _members(schema: Schema) -> tuple[MemberView, ...]:
    required = schema.get("required", ())
    return tuple(
        MemberView(name, type_name(member), _about(member), name in required)
        for name, member in schema.get("properties", {}).items()
    )


def _about(member: Schema) -> str:
    """What a member is, and what it is when it is left out."""
    default = member.get("default")
    left_out = f"Left out: {json.dumps(default, ensure_ascii=False)}." if "default" in member else ""
    return ". ".join(part for part in (str(member.get("description", "")).rstrip("."), left_out) if part)


def _reference(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def type_name(schema: Schema) -> str:
    """The type of a value in a few words: "integer or null", "list of Token", "“a” or “b”"."""
    kind = str(schema.get("type", "anything"))
    values = schema.get("additionalProperties")
    if "$ref" in schema:
        kind = _reference(schema)
    elif "enum" in schema or "const" in schema:
        kind = " or ".join(f"“{value}”" for value in schema.get("enum") or [schema["const"]])
    elif "anyOf" in schema:
        kind = " or ".join(type_name(each) for each in schema["anyOf"])
    elif kind == "array":
        kind = f"list of {type_name(schema.get('items', {}))}"
    elif isinstance(values, Mapping):
        kind = f"object of {type_name(values)}"
    return kind
