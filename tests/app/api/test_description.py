"""The JSON interface describes itself; its answers are compressed for those who take it."""


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
                {"202", "404", "409"}
                if "{run}" in path or path in ("/api/trace", "/api/encode", "/api/decode")
                else set()
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
