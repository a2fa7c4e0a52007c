"""Compression, entity tags, the memory of pages, static files."""

import gzip

import pytest
from starlette.requests import Request

from app.assets import Assets
from app.packing import PackedPages, accepts_gzip, is_known, pack, packed_answer


def request(query="", **headers):
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": raw, "query_string": query.encode(), "method": "GET", "path": "/"})


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip, deflate, br", True),
        ("br;q=1.0, gzip;q=0.8", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("identity", False),
        ("", False),
    ],
)
def test_who_takes_gzip(header, accepted):
    assert accepts_gzip(request(accept_encoding=header)) is accepted


def test_a_packed_answer_is_unpacked_for_those_who_need_it():
    packed = pack(b"text" * 300)
    both = packed_answer(request(accept_encoding="gzip"), packed, media_type="text/plain")
    assert (both.body, both.headers["content-encoding"]) == (packed, "gzip")
    plain = packed_answer(request(), packed, media_type="text/plain")
    assert plain.body == b"text" * 300
    assert "content-encoding" not in plain.headers
    assert both.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"


def test_tags_are_compared_weakly():
    assert is_known(request(if_none_match='W/"a", "b"'), 'W/"b"')
    assert is_known(request(if_none_match="*"), 'W/"b"')
    assert not is_known(request(if_none_match='W/"a"'), 'W/"b"')
    assert not is_known(request(), 'W/"b"')


def test_the_memory_of_pages_is_bounded_and_forgets_the_least_recent():
    pages = PackedPages(10)
    pages.put("a", b"1234")
    pages.put("b", b"1234")
    assert pages.get("a") == b"1234"
    pages.put("c", b"1234")
    assert [pages.get(tag) for tag in "abc"] == [b"1234", None, b"1234"]
    pages.put("a", b"12345678")
    assert [pages.get(tag) for tag in "abc"] == [b"12345678", None, None]
    pages.put("d", b"x" * 11)
    assert [pages.get(tag) for tag in "ad"] == [None, None]


@pytest.fixture
def assets(tmp_path):
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "a.css").write_text("a {}" * 300)
    (tmp_path / "small.js").write_text("1")
    (tmp_path / ".hidden").write_text("no")
    return Assets(tmp_path)


def test_a_static_file_with_its_version_is_kept_for_a_year(assets):
    url = assets.url("css/a.css")
    answer = assets.answer(request(url.partition("?")[2], accept_encoding="gzip"), "css/a.css")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert gzip.decompress(answer.body) == b"a {}" * 300


def test_a_static_file_without_its_version_is_asked_for_again(assets):
    answer = assets.answer(request("v=old"), "small.js")
    assert (answer.headers["cache-control"], answer.body) == ("no-cache", b"1")
    again = assets.answer(request(if_none_match=answer.headers["etag"]), "small.js")
    assert (again.status_code, again.body) == (304, b"")


def test_other_files_are_not_there(assets):
    assert assets.answer(request(), ".hidden") is None
    assert assets.answer(request(), "../store.py") is None
    with pytest.raises(KeyError):
        assets.url("css/b.css")
