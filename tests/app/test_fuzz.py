"""Whatever is sent to the JSON interface, the answer is one that it declares: never a 5xx, always one shape."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app import api_models as models
from app.samples import toy_recipe

TOY = toy_recipe().id
MODELS = {model.__name__: model for model in vars(models).values() if isinstance(model, type)}

texts = st.text(max_size=40) | st.sampled_from(
    ["\ud83d", "\0", "<|endoftext|>", "a" * 300, "\r\n", "\ufeff", "٣", "\udc00x"]
)
numbers = st.integers(-2, 300) | st.sampled_from([10**9, -(10**9), 2**63, 10**40])
anything = st.recursive(
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
patterns = st.sampled_from(["gpt2", "cl100k_base", "o200k_base", "whitespace", "none"]) | st.fixed_dictionaries(
    {"custom": texts | st.text("ab(|)*+?[]^$.{}1,\\dpL&-~ ", max_size=12)}
)
runs = st.sampled_from([TOY, TOY, TOY, TOY, TOY, TOY, TOY, TOY, "a" * 26, "", "%2e%2e", "x" * 200])
tokenizers = st.fixed_dictionaries({"run": runs}, optional={"step": st.none() | numbers})
bodies = {
    "/api/runs": st.fixed_dictionaries(
        {"corpus": texts},
        optional={
            "algorithm": st.sampled_from(["byte_bpe", "unigram", ""]),
            "pattern": patterns,
            "tie_rule": st.sampled_from(["greater_bytes", "first_seen", "lower_ids", ""]),
            "special_tokens": st.lists(texts, max_size=3),
            "vocab_size": st.none() | numbers,
            "min_count": numbers,
        },
    ),
    "/api/pretokens": st.fixed_dictionaries(
        {"text": texts},
        optional={
            "pattern": patterns,
            "special_tokens": st.lists(texts, max_size=3),
            "offset": numbers,
            "limit": st.none() | numbers,
        },
    ),
    "/api/trace": st.fixed_dictionaries(
        {"tokenizer": tokenizers, "text": texts},
        optional={"special_tokens": st.sampled_from(["as_special", "as_text", "x"])},
    ),
    "/api/encode": st.fixed_dictionaries({"tokenizer": tokenizers, "text": texts}),
    "/api/decode": st.fixed_dictionaries({"tokenizer": tokenizers, "ids": st.lists(numbers, max_size=5)}),
}


@pytest.fixture(scope="module")
def described(shared_client):
    shared_client.get("/")
    shared_client.get(f"/runs/{TOY}/steps/8")
    return shared_client.get("/openapi.json").json()


def check(described, path, method, answer):
    """The answer is declared, and its body is what was declared."""
    declared = described["paths"][path][method]["responses"]
    assert str(answer.status_code) in declared, (answer.status_code, answer.text[:500])
    schema = declared[str(answer.status_code)]["content"]["application/json"]["schema"]
    MODELS[schema["$ref"].rpartition("/")[2]].model_validate(answer.json())
    answer.content.decode("utf-8")


@st.composite
def changed(draw, whole):
    """A body with one of its members replaced by anything, or taken out."""
    body = dict(draw(whole))
    name = draw(st.sampled_from(sorted(body)))
    if draw(st.booleans()):
        del body[name]
    else:
        body[name] = draw(anything)
    return body


def sent(path):
    """Bodies for a path: good ones, some with one member changed, and anything."""
    return bodies[path] | changed(bodies[path]) | anything


# One argument, drawn whole: drawn piece by piece inside the test, a failure was reported as an inconsistent strategy.
cases = st.sampled_from(sorted(bodies)).flatmap(lambda path: st.tuples(st.just(path), sent(path)))


@given(case=cases)
def test_posts(shared_client, described, case):
    path, body = case
    answer = shared_client.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    check(described, path, "post", answer)


@pytest.mark.parametrize("path", bodies)
@given(body=st.binary(max_size=30) | st.text('{}[]",:01tfn\\ud8 ', max_size=20).map(str.encode))
def test_bytes(shared_client, described, path, body):
    answer = shared_client.post(path, content=body, headers={"Content-Type": "application/json"})
    check(described, path, "post", answer)


GETS = [
    "/api/runs/{run}",
    "/api/runs/{run}/steps/{k}",
    "/api/runs/{run}/table",
    "/api/runs/{run}/pairs",
    "/api/runs/{run}/merges",
]
words = numbers.map(str) | st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


@pytest.mark.parametrize("path", GETS)
@given(
    query=st.dictionaries(st.sampled_from(["step", "offset", "limit", "other"]), words, max_size=4),
    k=numbers,
)
def test_gets(shared_client, described, path, query, k):
    answer = shared_client.get(path.format(run=TOY, k=k), params=query)
    check(described, path, "get", answer)


PAGES = ["steps/{k}", "go", "trace", "rows/{k}", "progress"]
page_queries = st.dictionaries(
    st.sampled_from(
        ["step", "offset", "rows", "rows_q", "pairs", "pairs_q", "order", "merges", "cut", "counts", "asked"]
    ),
    words,
    max_size=4,
)


@pytest.mark.usefixtures("described")
@pytest.mark.parametrize("path", PAGES)
@given(query=page_queries, k=numbers, part=st.booleans())
def test_pages(shared_client, path, query, k, part):
    headers = {"HX-Request": "true"} if part else {}
    answer = shared_client.get(f"/runs/{TOY}/{path.format(k=k)}", params=query, headers=headers)
    assert answer.status_code in (200, 202, 404, 422)


form_fields = st.dictionaries(
    st.sampled_from(
        [
            "source",
            "corpus",
            "base",
            "sample",
            "pattern",
            "custom",
            "tie_rule",
            "special_tokens",
            "vocab_size",
            "min_count",
            "kept_upload",
            "decode",
            "text",
            "ids",
            "specials",
            "opened",
            "shown",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.sampled_from(["text", "file", "keep", "sample", "custom", TOY, "replace", "latin-1", "300", "(", "toy"]),
    max_size=6,
)


@pytest.mark.usefixtures("described")
@given(fields=form_fields, trace=st.booleans())
def test_forms(shared_client, fields, trace):
    path = f"/runs/{TOY}/trace" if trace else "/runs"
    answer = shared_client.post(path, data={"x": "", **fields}, follow_redirects=False)
    assert answer.status_code in (200, 303, 422)
