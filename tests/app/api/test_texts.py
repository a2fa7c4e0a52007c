"""Texts in JSON: cut, encoded, traced and decoded, the golden ones and those that are hard."""

import pytest

from app import api_models as models
from tests.app.api.conftest import GOLDEN, error, opened, spelled


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
