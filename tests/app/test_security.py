"""What stands before the app: headers, hosts, cross-site posts, the body limit."""

import pytest

from app.main import create_app
from app.samples import toy_recipe
from app.security import SECURITY_HEADERS
from tests.app.asgi import post_to

TOY = toy_recipe().id
PAGES = ["/", "/runs", "/docs", "/nothing", "/static/js/keys.js", "/api/runs/x", "/openapi.json", "/runs/x/steps/1"]


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_has_the_security_headers(client, path):
    headers = client.get(path).headers
    assert {name: headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS


def test_the_policy_is_our_own_files_and_nothing_inline(client):
    policy = client.get("/").headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy
    for part in ("default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert part in policy


@pytest.mark.parametrize("path", ["/", "/docs", "/runs", "/nothing"])
def test_no_page_has_anything_inline_or_from_elsewhere(client, path):
    page = client.get(path).text
    assert "<style" not in page
    assert " style=" not in page
    assert " onclick=" not in page
    assert "<script>" not in page
    assert 'src="http' not in page
    assert 'href="http' not in page


@pytest.mark.parametrize("path", ["/", "/api/runs/x"])
@pytest.mark.parametrize("host", ["evil.example", "", "testserver.evil.example", "testserver:80:80", "a b", "[::1"])
def test_an_unknown_host_is_refused(client, path, host):
    answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 400
    assert answer.headers["content-security-policy"]
    if path.startswith("/api"):
        assert answer.json()["error"]["code"] == "untrusted_host"
        assert "MERGE_NEXT_TRUSTED_HOSTS" in answer.json()["error"]["message"]


def test_hosts_that_are_trusted(make_client):
    client = make_client(trusted_hosts=("*.example.org", "[::1]"))
    hosts = {"a.example.org": 200, "A.EXAMPLE.ORG:8000": 200, "[::1]:8000": 200, "example.org": 400, "[::2]": 400}
    hosts |= {"evil.com/a.example.org": 400, "evil.com#.example.org": 400, ".example.org": 400}
    for host, status in hosts.items():
        assert client.get("/runs", headers={"Host": host}).status_code == status, host
    assert make_client(trusted_hosts=("*",)).get("/runs", headers={"Host": "any"}).status_code == 200


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://testserver:81"},
    {"Origin": "http://[bad"},
]
OWN = [
    {},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://testserver"},
    {"Origin": "https://testserver", "Sec-Fetch-Site": "same-origin"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_post_from_another_site_is_refused(client, headers):
    page = client.post("/runs", data={"corpus": "low"}, headers=headers)
    assert page.status_code == 403
    answer = client.post("/api/runs", json={"corpus": "low"}, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "cross_site")


@pytest.mark.parametrize("headers", OWN)
def test_our_own_posts_are_taken(client, headers):
    assert client.post("/api/runs", json={"corpus": "low"}, headers=headers).status_code in (200, 201)


def test_reading_from_another_site_is_harmless(client):
    assert client.get("/runs", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_a_body_announced_too_large_is_refused(make_client):
    client = make_client(max_body_bytes=1_000)
    answer = client.post("/api/runs", json={"corpus": "x" * 2_000})
    assert answer.status_code == 413
    assert "at most 1,000 are taken" in answer.json()["error"]["message"]
    assert client.post("/runs", data={"corpus": "x" * 2_000}).status_code == 413


@pytest.mark.parametrize(
    ("path", "kind"), [("/api/runs", "application/json"), ("/runs", "multipart/form-data; boundary=x")]
)
def test_a_body_that_turns_out_too_large_is_refused_while_it_arrives(make_client, path, kind):
    client = make_client(max_body_bytes=1_000)
    taken = 0

    def chunks():
        nonlocal taken
        for _ in range(100):
            taken += 1
            yield b"x" * 100

    answer = client.post(path, content=chunks(), headers={"Content-Type": kind})
    assert answer.status_code in (400, 413)
    if path.startswith("/api"):
        assert answer.status_code == 413
        assert answer.json()["error"]["code"] == "too_large"


def test_a_broken_content_length_breaks_nothing(client):
    answer = client.post(
        "/api/runs", content=b"{}", headers={"Content-Type": "application/json", "Content-Length": "x"}
    )
    assert answer.status_code in (400, 422)


def test_an_unforeseen_error_is_answered_without_details(settings, monkeypatch):
    from starlette.testclient import TestClient

    from app.main import create_app

    async def broken(*_: object, **__: object) -> None:
        raise RuntimeError("secret detail")

    with TestClient(create_app(settings), raise_server_exceptions=False) as client:
        for way in ("open", "at"):
            monkeypatch.setattr(client.app.state.services.book, way, broken)
        for answer in (client.get("/"), client.post("/api/runs", json={"corpus": "low"})):
            assert answer.status_code == 500
            assert "secret" not in answer.text
            assert answer.headers["content-security-policy"]
        assert answer.json()["error"]["code"] == "internal"


@pytest.mark.parametrize("path", ["/", f"/runs/{TOY}/steps/3", "/docs", "/openapi.json", "/static/icons/favicon.svg"])
def test_head_is_answered_as_get_is(client, path):
    asked, told = client.get(path), client.head(path)
    assert told.status_code == asked.status_code
    assert told.headers["content-type"] == asked.headers["content-type"]


@pytest.mark.parametrize("charset", ["utf-7", "utf-16", "punycode", "unicode_escape", "no-such-thing"])
def test_a_form_in_another_charset_is_refused(client, charset):
    body = '--x\r\nContent-Disposition: form-data; name="corpus"\r\n\r\n+AGE-\\x\r\n--x--\r\n'
    headers = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
    answer = client.post("/runs", content=body, headers=headers)
    assert answer.status_code == 415
    assert "UTF-8" in answer.text


@pytest.mark.anyio
async def test_whoever_leaves_while_sending_leaves_no_traceback(settings, caplog):
    app = create_app(settings)
    scope = post_to("/runs", {"Content-Type": "multipart/form-data; boundary=x"})
    messages = iter([{"type": "http.request", "body": b"--x", "more_body": True}, {"type": "http.disconnect"}])
    sent = []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message)

    async with app.router.lifespan_context(app):
        await app(scope, receive, send)
    assert not [message for message in sent if message.get("status") == 500]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
