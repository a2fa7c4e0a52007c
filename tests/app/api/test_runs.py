"""Runs in JSON: the golden values step by step, and windows of their lists."""

import json
from dataclasses import replace

import pytest

from app import api_models as models
from app.samples import toy_recipe
from tests.app.api.conftest import GOLDEN, TOY, error, opened, spelled


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
    detail = models.ErrorOut.model_validate(answer.json()).error  # which holds no more than is described
    assert (detail.reason, detail.last) == (reason, detail.position)


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
