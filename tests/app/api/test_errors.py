"""What the JSON interface refuses, what it is too busy for, and how it says so: always in one shape."""

import pytest

from app import api_models as models
from tests.app.api.conftest import error, opened


def test_runs_that_are_not_there(client):
    for path in ("", "/steps/1", "/table", "/pairs", "/merges"):
        error(client.get(f"/api/runs/{'a' * 26}{path}"), 404, "run_not_found", "run")
    for path in ("trace", "encode", "decode"):
        body = {"tokenizer": {"run": "x"}, **({"ids": []} if path == "decode" else {"text": ""})}
        error(client.post(f"/api/{path}", json=body), 404, "run_not_found", "run")


@pytest.mark.parametrize(
    ("query", "field", "words"),
    [
        ("limit=0", "limit", "at least 1; it is '0'"),
        ("limit=1001", "limit", "1,001; at most 1,000"),
        ("limit=x", "limit", "whole number"),
        ("offset=-1", "offset", "at least 0"),
        ("step=-1", "step", "at least 0"),
        ("step=" + "9" * 5_000, "step", ""),
    ],
)
def test_queries_out_of_their_range(client, toy, query, field, words):
    message = error(client.get(f"/api/runs/{toy}/pairs?{query}"), 422, field=field)
    assert words in message


@pytest.mark.parametrize("step", ["0", "-1", "x", "1.5", "9" * 30])
def test_steps_that_are_none(client, toy, step):
    error(client.get(f"/api/runs/{toy}/steps/{step}"), 422)


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({}, "corpus", "missing"),
        ({"corpus": 1}, "corpus", "must be a text"),
        ({"corpus": "a", "pattern": "x"}, "pattern", "'none', or {\"custom\": \"…\"} for one of your own; it is 'x'"),
        ({"corpus": "a", "pattern": {"custom": "("}}, "pattern", "does not compile"),
        ({"corpus": "a", "pattern": {"custom": "x" * 1_001}}, "pattern", "1,001 characters; at most 1,000"),
        ({"corpus": "a", "tie_rule": "x"}, "tie_rule", "greater_bytes"),
        ({"corpus": "a", "algorithm": "unigram"}, "algorithm", "unigram"),
        ({"corpus": "a", "special_tokens": ["<s>", 1]}, "special_tokens", "must be a text"),
        ({"corpus": "a", "special_tokens": [""]}, "special_tokens", "empty"),
        ({"corpus": "a", "special_tokens": ["a", "a"]}, "special_tokens", "twice"),
        ({"corpus": "a", "vocab_size": 256, "special_tokens": ["s"]}, "vocab_size", "at least 257"),
        ({"corpus": "a", "vocab_size": "300"}, "vocab_size", "whole number"),
        ({"corpus": "a", "min_count": 0}, "min_count", "at least 1"),
        ({"corpus": "a", "min_count": 10**30}, "min_count", "at most"),
        ({"corpus": "a", "steps": 1}, "steps", "no such field"),
        ([], None, ""),
        ("corpus", None, ""),
    ],
)
def test_recipes_that_cannot_be(client, body, field, words):
    message = error(client.post("/api/runs", json=body), 422, field=field)
    assert words in message


def test_a_position_is_told(client):
    answer = client.post("/api/runs", json={"corpus": "a", "special_tokens": ["a", "b", 3]})
    assert answer.json()["error"]["position"] == 2
    run = opened(client, corpus="a")
    answer = client.post("/api/decode", json={"tokenizer": {"run": run}, "ids": [1, 2, 999]})
    assert error(answer, 422, "unknown_id", "ids")
    assert answer.json()["error"]["position"] == 2


def test_limits_of_sizes(make_client):
    client = make_client(
        max_corpus_bytes=10, max_corpus_bytes_none=5, max_text_bytes=8, max_ids=2, max_special_tokens=1
    )
    assert "11 bytes; at most 10" in error(client.post("/api/runs", json={"corpus": "x" * 11}), 422, field="corpus")
    body = {"corpus": "x" * 6, "pattern": "none"}
    assert "6 bytes; at most 5" in error(client.post("/api/runs", json=body), 422, field="corpus")
    body = {"corpus": "x", "special_tokens": ["a", "b"]}
    assert "2 special tokens; at most 1" in error(client.post("/api/runs", json=body), 422, field="special_tokens")
    run = opened(client, corpus="low")
    for path in ("trace", "encode"):
        answer = client.post(f"/api/{path}", json={"tokenizer": {"run": run}, "text": "x" * 9})
        assert "9 bytes; at most 8" in error(answer, 422, "too_long", "text")
    assert "9 bytes; at most 8" in error(client.post("/api/pretokens", json={"text": "x" * 9}), 422, field="text")
    answer = client.post("/api/decode", json={"tokenizer": {"run": run}, "ids": [1, 2, 3]})
    assert "3 ids; at most 2" in error(answer, 422, field="ids")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nothing",
        b"\xff",
        b'{"corpus": "\xff"}',
        b"[" * 100_000,
        b'{"corpus": NaN}',
        b"1" * 5_000,
        b"\xef\xbb",
    ],
)
def test_json_that_is_broken(client, body):
    answer = client.post("/api/runs", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (400, 422)
    error(answer, answer.status_code)
    if body[:1] != b"1":
        error(answer, 400, "malformed_json")


def test_other_kinds_of_body(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = client.post("/api/runs", content=b'{"corpus": "low"}', headers={"Content-Type": kind})
        error(answer, 415, "unsupported_media_type")
    kind = "application/vnd.api+json; charset=utf-8"
    answer = client.post("/api/runs", content=b'{"corpus": "low"}', headers={"Content-Type": kind})
    assert answer.status_code in (200, 201)


def test_other_methods_and_addresses(client, toy):
    answer = client.put("/api/runs", json={})
    error(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "POST"
    error(client.delete(f"/api/runs/{toy}"), 405)
    error(client.get("/api/"), 404, "not_found")
    error(client.get("/api/runs/a/b/c"), 404, "not_found")


def test_a_slow_pattern_is_stopped(make_client):
    client = make_client(pattern_seconds=0.4)
    slow = {"custom": "(?:a|a)+b"}
    answer = client.post("/api/pretokens", json={"text": "a" * 40, "pattern": slow})
    assert "longer than 0.1 s" in error(answer, 422, "pattern", "pattern")
    run = opened(client, corpus="a" * 40, pattern=slow)
    for _ in range(50):
        answer = client.get(f"/api/runs/{run}/steps/1")
        if answer.status_code != 202:
            break
    error(answer, 422, "pattern", "pattern")


def test_work_that_takes_long_says_so(make_client):
    client = make_client(step_wait_seconds=0.000_001)
    run = opened(client, corpus="".join(map(str, range(20_000))), pattern="none")
    answer = client.get(f"/api/runs/{run}/steps/200")
    assert answer.status_code == 202
    body = models.ProgressOut.model_validate(answer.json())
    assert body.progress.phase in ("counting", "training")
    assert answer.headers["retry-after"] == str(body.retry_after)
    for _ in range(500):
        answer = client.get(f"/api/runs/{run}/steps/200")
        if answer.status_code != 202:
            break
    assert answer.status_code == 200


def test_a_full_queue_says_when_to_come_again(make_client):
    client = make_client(max_queue=1)
    opened(client, corpus="".join(map(str, range(150_000))), pattern="none")
    answer = client.post("/api/runs", json={"corpus": "another"})
    error(answer, 503, "busy")
    assert int(answer.headers["retry-after"]) >= 1
