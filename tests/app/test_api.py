"""The JSON interface: the golden values, every limit, every kind of error, and its own description."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from app import api_models as models
from app.samples import toy_recipe

GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "golden" / "toy_byte_bpe.json").read_text())
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


# Runs


def test_the_same_recipe_is_the_same_run(make_client):
    client = make_client()
    body, recipe = {**TOY, "min_count": 2}, replace(toy_recipe(), min_count=2)
    first, second = client.post("/api/runs", json=body), client.post("/api/runs", json=body)
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.json() == second.json()
    assert first.json()["run"] == recipe.id
    assert first.headers["location"] == first.json()["links"]["self"] == f"/api/runs/{recipe.id}"
    models.RunOut.model_validate(first.json())


def test_a_run_in_figures(client, toy):
    run = client.get(f"/api/runs/{toy}").json()
    models.RunDetails.model_validate(run)
    assert run["recipe"]["corpus"]["bytes"] == run["bytes"] == len(GOLDEN["corpus"])
    assert "low" not in json.dumps(run["recipe"])
    assert run["pre_token_occurrences"] == GOLDEN["pretoken_occurrences"]
    assert run["distinct_pre_tokens"] == GOLDEN["distinct_pretokens"]
    assert run["distinct_pairs"] == GOLDEN["distinct_pairs"]
    client.get(f"/api/runs/{toy}/steps/8")
    run = client.get(f"/api/runs/{toy}").json()
    assert (run["steps_known"], run["exhausted"], run["reason"]) == (8, True, "vocabulary_size")


def test_every_golden_step(client, toy):
    for golden in GOLDEN["steps"]:
        step = client.get(f"/api/runs/{toy}/steps/{golden['number']}").json()
        models.StepOut.model_validate(step)
        assert step["token"]["id"] == golden["id"]
        assert spelled(step["token"]) == golden["token"]
        assert [spelled(token) for token in step["pair"]] == golden["pair"]
        assert step["count"] == golden["count"]
        tied = [[spelled(token) for token in pair] for pair in step["tied"]]
        assert tied[0] == golden["pair"]
        assert sorted(tied) == sorted(golden["tied_at_top"])
        assert step["tied_total"] == len(tied)
        assert step["ordered"] is False
        assert step["rows_changed_total"] == len(golden["rows_changed"])
        assert sorted(row["count"] for row in step["rows_changed"]) == sorted(
            row["count"] for row in golden["rows_changed"]
        )
        assert step["last"] is (golden["number"] == 8)
        assert str(step["count"]) in step["sentence"]


def test_the_golden_table_and_pairs(client, toy):
    table = client.get(f"/api/runs/{toy}/table", params={"step": 0}).json()
    models.TableOut.model_validate(table)
    rows = [{"row": [spelled(token) for token in row["tokens"]], "count": row["count"]} for row in table["rows"]]
    assert rows == GOLDEN["table"]
    pairs = client.get(f"/api/runs/{toy}/pairs", params={"step": 0}).json()
    models.PairsOut.model_validate(pairs)
    found = [{"pair": [spelled(token) for token in pair["pair"]], "count": pair["count"]} for pair in pairs["pairs"]]
    assert sorted(found, key=str) == sorted(GOLDEN["pair_counts"], key=str)
    assert [pair["count"] for pair in found] == sorted((pair["count"] for pair in found), reverse=True)


def test_the_golden_merges_until_exhausted(client):
    run = opened(client, corpus=GOLDEN["corpus"], special_tokens=GOLDEN["special_tokens"])
    golden = GOLDEN["all_merges_until_exhausted"]
    client.get(f"/api/runs/{run}/steps/{len(golden)}")
    merges = client.get(f"/api/runs/{run}/merges").json()
    models.MergesOut.model_validate(merges)
    assert [(spelled(merge["token"]), merge["count"]) for merge in merges["merges"]] == [
        (merge["token"], merge["count"]) for merge in golden
    ]
    assert [merge["rank"] for merge in merges["merges"]] == list(range(len(golden)))
    message = error(client.get(f"/api/runs/{run}/steps/{len(golden) + 1}"), 404, "exhausted", "step")
    assert str(len(golden)) in message


@pytest.mark.parametrize(
    ("recipe", "step", "reason"),
    [
        ({"corpus": "a b"}, 3, "no_pairs"),
        ({"corpus": "aaa", "vocab_size": 256}, 1, "vocabulary_size"),
        ({"corpus": "ab ab ab", "min_count": 3}, 5, "minimum_count"),
        ({"corpus": ""}, 1, "no_pairs"),
    ],
)
def test_what_ended_a_run(client, recipe, step, reason):
    answer = client.get(f"/api/runs/{opened(client, **recipe)}/steps/{step}")
    error(answer, 404, "exhausted")
    assert answer.json()["error"]["reason"] == reason


def test_windows_of_lists(client, toy):
    whole = client.get(f"/api/runs/{toy}/pairs?step=0").json()["pairs"]
    part = client.get(f"/api/runs/{toy}/pairs?step=0&offset=3&limit=4").json()
    assert part["pairs"] == whole[3:7]
    assert part["total"] == len(whole)
    assert client.get(f"/api/runs/{toy}/pairs?step=0&offset=1000").json()["pairs"] == []
    rows = client.get(f"/api/runs/{toy}/table?step=2").json()["rows"]
    assert client.get(f"/api/runs/{toy}/table?step=2&offset=7&limit=1").json()["rows"] == rows[7:]
    assert len(client.get(f"/api/runs/{toy}/merges?step=5&offset=1&limit=2").json()["merges"]) == 2
    step = client.get(f"/api/runs/{toy}/steps/1?limit=1").json()
    assert len(step["rows_changed"]) == len(step["tied"]) == 1
    assert (step["rows_changed_total"], step["tied_total"]) == (3, 2)


def test_without_a_step_the_last_known_one_is_meant(client, toy):
    client.get(f"/api/runs/{toy}/steps/8")
    for name in ("table", "pairs", "merges"):
        assert client.get(f"/api/runs/{toy}/{name}").json()["step"] == 8


def test_a_long_row_comes_in_windows(client):
    run = opened(client, corpus="ab" * 3_000 + "c", pattern="none")
    step = client.get(f"/api/runs/{run}/steps/1").json()
    models.StepOut.model_validate(step)
    row = step["rows_changed"][0]
    assert (row["before_total"], row["after_total"]) == (6_001, 3_001)
    assert row["windows"][0]["before"] == row["before"]
    assert len(row["before"]) < 6_001
    first = client.get(f"/api/runs/{run}/table?step=1").json()["rows"][0]
    assert (first["pre_token_bytes"], first["tokens_total"]) == (6_001, 3_001)
    assert len(first["tokens"]) < 3_001


# Texts


def trace(client, toy, text, **more):
    body = {"tokenizer": {"run": toy, "step": 8}, "text": text, **more}
    answer = client.post("/api/trace", json=body)
    assert answer.status_code == 200, answer.text
    models.TraceOut.model_validate(answer.json())
    return answer.json()


def test_the_golden_traces(client, toy):
    for text, golden in GOLDEN["encode_traces"].items():
        traced = trace(client, toy, text)["pre_tokens"][0]["iterations"]
        for iteration, expected in zip(traced, golden["iterations"], strict=True):
            assert [bytes.fromhex(token).decode() for token in iteration["tokens"]] == expected["tokens"]
            candidates = {
                tuple(bytes.fromhex(token).decode() for token in candidate["pair"]): candidate["rank"]
                for candidate in iteration["candidates"]
            }
            assert candidates == {tuple(c["pair"]): c["rank"] for c in expected["candidates"]}
            assert iteration["applied"] == expected["applied_rank"]


def test_the_golden_text(client, toy):
    golden = GOLDEN["encode_text"]
    traced = trace(client, toy, golden["text"])
    assert traced["ids"] == golden["ids"]
    assert [spelled(token) for token in traced["tokens"]] == golden["tokens"]
    assert traced["bytes"] == golden["bytes"]
    assert traced["round_trip"] is True
    assert traced["truncated"] is False
    assert "".join(piece["text"] for piece in traced["pre_tokens"]) == golden["text"]
    specials = [piece for piece in traced["pre_tokens"] if piece["special"]]
    assert [(piece["text"], piece["ids"], piece["iterations"]) for piece in specials] == [("<|endoftext|>", [264], [])]
    encoded = client.post("/api/encode", json={"tokenizer": {"run": toy, "step": 8}, "text": golden["text"]})
    models.EncodeOut.model_validate(encoded.json())
    assert encoded.json()["ids"] == golden["ids"]


def test_special_tokens_as_text(client, toy):
    as_text = trace(client, toy, "<|endoftext|>", special_tokens="as_text")
    assert 264 not in as_text["ids"]
    assert not any(piece["special"] for piece in as_text["pre_tokens"])
    assert as_text["round_trip"] is True


def test_special_ids_follow_the_step(client, toy):
    for step in (0, 3, 8):
        body = {"tokenizer": {"run": toy, "step": step}, "text": "<|endoftext|>"}
        assert client.post("/api/encode", json=body).json()["ids"] == [256 + step]


@pytest.mark.parametrize("text", ["", "x\r\ny\r", "\0", "é\u0301中😀", " \n\t ", "\ufeff", "a" * 5_000])
def test_any_text_survives(client, toy, text):
    body = {"tokenizer": {"run": toy}, "text": text}
    ids = client.post("/api/encode", json=body).json()["ids"]
    decoded = client.post("/api/decode", json={"tokenizer": {"run": toy}, "ids": ids}).json()
    models.DecodeOut.model_validate(decoded)
    assert (decoded["text"], decoded["hex"], decoded["valid_utf8"]) == (text, text.encode().hex(), True)


def test_the_golden_decoding(client, toy):
    for golden in GOLDEN["decode"]:
        decoded = client.post("/api/decode", json={"tokenizer": {"run": toy}, "ids": golden["ids"]}).json()
        assert decoded["text"] == golden["text"]
        assert decoded["valid_utf8"] is ("\ufffd" not in golden["text"])


def test_lone_surrogates_become_replacement_characters_and_it_is_said(client, toy):
    raw = b'{"tokenizer": {"run": "%s"}, "text": "a\\ud83db"}' % toy.encode()
    traced = client.post("/api/trace", content=raw, headers={"Content-Type": "application/json"}).json()
    assert "".join(piece["text"] for piece in traced["pre_tokens"]) == "a\ufffdb"
    assert "1 lone surrogate was replaced by U+FFFD" in traced["notices"][0]
    raw = b'{"text": "\\ud83d\\udc4d"}'
    cut = client.post("/api/pretokens", content=raw, headers={"Content-Type": "application/json"}).json()
    assert (cut["pre_tokens"][0]["text"], cut["notices"]) == ("👍", [])
    raw = b'{"corpus": "\\udc00\\ud800"}'
    made = client.post("/api/runs", content=raw, headers={"Content-Type": "application/json"})
    assert made.status_code == 201
    assert "2 lone surrogates were" in made.json()["notices"][0]


def test_the_golden_pre_tokens(client):
    body = {"text": GOLDEN["corpus"], "special_tokens": GOLDEN["special_tokens"]}
    cut = client.post("/api/pretokens", json=body).json()
    models.PreTokensOut.model_validate(cut)
    assert [piece["text"] for piece in cut["pre_tokens"]] == GOLDEN["pretokens_in_order"]
    assert {piece["alternative"] for piece in cut["pre_tokens"]} == {1, 4, 5}
    assert cut["alternatives"][1] == r" ?\p{L}+"
    part = client.post("/api/pretokens", json={**body, "offset": 3, "limit": 2}).json()
    assert part["pre_tokens"] == cut["pre_tokens"][3:5]
    assert (part["total"], part["truncated"], cut["truncated"]) == (19, True, False)


def test_pre_tokens_around_special_tokens_and_uncovered_text(client):
    body = {"text": "ab<s>1 ab", "pattern": {"custom": "[a-z]"}, "special_tokens": ["<s>"]}
    cut = client.post("/api/pretokens", json=body).json()["pre_tokens"]
    assert [(piece["text"], piece["start"], piece["alternative"], piece["special"]) for piece in cut] == [
        ("a", 0, 0, False),
        ("b", 1, 0, False),
        ("<s>", 2, None, True),
        ("1 ", 5, None, False),
        ("a", 7, 0, False),
        ("b", 8, 0, False),
    ]


@pytest.mark.parametrize("offset", [-1, 10**9 + 1, 2**63, 10**40])
def test_pre_tokens_from_beyond_any_text(client, offset):
    error(client.post("/api/pretokens", json={"text": "low", "offset": offset, "limit": 2}), 422, field="offset")


def test_pre_tokens_from_beyond_this_text(client):
    cut = client.post("/api/pretokens", json={"text": "low low", "offset": 10**9}).json()
    assert (cut["pre_tokens"], cut["total"], cut["truncated"]) == ([], 2, False)


def test_regex_characters_in_special_tokens(client):
    special_tokens = ["[x|y]", "(.*)", "$", "a+"]
    run = opened(client, corpus="xyz", special_tokens=special_tokens)
    body = {"tokenizer": {"run": run, "step": 0}, "text": "x[x|y](.*)aa+$z"}
    ids = client.post("/api/encode", json=body).json()["ids"]
    assert ids == [120, 256, 257, 97, 259, 258, 122]


def test_a_special_token_that_equals_a_learned_one_stays_apart(client):
    run = opened(client, corpus="go go hz hz", special_tokens=["Ġhz", "a"], vocab_size=261)
    body = {"tokenizer": {"run": run, "step": 3}, "text": " hzĠhza"}
    ids = client.post("/api/encode", json=body).json()["ids"]
    assert ids[-2:] == [259, 260]
    assert 259 not in ids[:-2]


def test_a_very_long_piece(client):
    run = opened(client, corpus="a" * 64)
    body = {"tokenizer": {"run": run}, "text": "a" * 100_000}
    answer = client.post("/api/trace", json=body).json()
    assert answer["round_trip"] is True
    assert answer["truncated"] is True
    assert len(answer["pre_tokens"][0]["iterations"]) <= 200


# Errors


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


# Its own description


def test_every_answer_is_described(client):
    description = client.get("/openapi.json").json()
    assert set(description["paths"]) == {
        "/api/runs",
        "/api/runs/{run}",
        "/api/runs/{run}/steps/{k}",
        "/api/runs/{run}/table",
        "/api/runs/{run}/pairs",
        "/api/runs/{run}/merges",
        "/api/pretokens",
        "/api/trace",
        "/api/encode",
        "/api/decode",
    }
    assert "HTTPValidationError" not in description["components"]["schemas"]
    for path, methods in description["paths"].items():
        for method, call in methods.items():
            expected = {"200", "400", "422", "503"}
            expected |= {"403", "413", "415"} if method == "post" else set()
            expected |= (
                {"202", "404"} if "{run}" in path or path in ("/api/trace", "/api/encode", "/api/decode") else set()
            )
            expected |= {"201"} if path == "/api/runs" else set()
            assert set(call["responses"]) == expected, path
            assert all(answer["content"]["application/json"]["schema"] for answer in call["responses"].values())


def test_the_documentation_page_tells_all_of_it(client):
    page = client.get("/docs").text
    assert f"{client.base_url}/api/runs" in page, "the example asks the server that tells it"
    for path in client.get("/openapi.json").json()["paths"]:
        assert path in page
    assert "cdn" not in page.lower()


def test_answers_are_compressed_for_those_who_take_it(client, toy):
    answer = client.get(f"/api/runs/{toy}/steps/1", headers={"Accept-Encoding": "gzip"})
    plain = client.get(f"/api/runs/{toy}/steps/1", headers={"Accept-Encoding": "identity"})
    assert answer.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert answer.json() == plain.json()
    assert answer.headers["content-type"] == "application/json"
