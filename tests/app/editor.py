"""The recipe editor as a browser uses it: forms that are sent, with files or without, and what comes of them."""


def sent(client, files=None, **fields):
    """What a browser sends of the recipe editor."""
    form = {"source": "text", "pattern": "gpt2", "tie_rule": "greater_bytes", "min_count": "1", "decode": "strict"}
    parts = {name: (None, str(value)) for name, value in {**form, **fields}.items()}
    return client.post("/runs", files={**parts, **(files or {})}, follow_redirects=False)


def upload(client, data, name="a.txt", **fields):
    """The same with a file."""
    return sent(client, files={"file": (name, data)}, source="file", **fields)


def run_of(answer):
    """The run that a form was answered with."""
    assert answer.status_code == 303, answer.text[:3_000]
    return answer.headers["location"].split("/")[2]


def made(client, **fields):
    """The run of a form that is taken."""
    return run_of(sent(client, **fields))


def corpus_of(client, run):
    """The corpus of a run as it is downloaded."""
    answer = client.get(f"/runs/{run}/corpus")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert "attachment" in answer.headers["content-disposition"]
    return answer.content.decode()


def errors(page):
    """The fields beside which a page says that something is wrong."""
    return {attrs["id"].removeprefix("error-") for attrs in page.of("p") if attrs.get("id", "").startswith("error-")}
