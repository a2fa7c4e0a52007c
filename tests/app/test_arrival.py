"""A corpus arrives: blocks become a file of UTF-8, whatever they are cut in."""

import gzip
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.arrival import decoded, write_corpus
from app.files import Files
from tokenizer.errors import CorpusError

CUTS = st.lists(st.integers(0, 40), max_size=6)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    """Bytes in blocks, some of them empty perhaps."""
    ends = sorted(min(place, len(data)) for place in places)
    return [data[start:end] for start, end in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20), CUTS)
def test_a_text_is_read_character_by_character(text, places):
    assert "".join(decoded(cut(text.encode(), places))) == text


@given(st.binary(max_size=40), CUTS)
def test_bytes_are_read_as_python_reads_them_at_once(data, places):
    blocks = cut(data, places)
    assert "".join(decoded(blocks, "latin-1")) == data.decode("latin-1")
    assert "".join(decoded(blocks, "replace")) == data.decode(errors="replace")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        with pytest.raises(CorpusError) as raised:
            list(decoded(blocks))
        assert raised.value.position == error.start
        assert f"byte {error.start:,} (counted from 0) is 0x{data[error.start]:02X}" in raised.value.message
    else:
        assert "".join(decoded(blocks)) == text


@pytest.mark.parametrize(
    ("data", "hint"),
    [("abc".encode("utf-16"), "UTF-16"), (gzip.compress(b"abc", mtime=0), "gzip"), (b"PK\x03\x04\xff", "a zip")],
)
def test_what_is_often_taken_for_a_text_gets_a_hint(data, hint):
    with pytest.raises(CorpusError, match=f"It looks like {hint}"):
        list(decoded([data]))


@pytest.mark.parametrize("data", [b"x\r\ny", b"\xef\xbb\xbfa", "é\0".encode(), b"", b"\r"])
def test_the_file_holds_the_bytes_as_they_came(tmp_path, data):
    corpus = write_corpus(Files(tmp_path / "store"), cut(data, [1, 2]))
    assert corpus.path.read_bytes() == data
    assert (corpus.digest, corpus.bytes) == (sha256(data).hexdigest(), len(data))
    assert corpus.characters == len(data.decode())


def test_what_is_read_another_way_becomes_utf8(tmp_path):
    corpus = write_corpus(Files(tmp_path / "store"), [b"caf", b"\xe9"], "latin-1")
    assert corpus.path.read_bytes() == "café".encode()
    assert (corpus.digest, corpus.bytes, corpus.characters) == (sha256("café".encode()).hexdigest(), 5, 4)


@pytest.mark.parametrize(
    ("blocks", "opening"),
    [
        ([b"to be\nor ", b" not"], "to be or not"),
        ([b" "] * 400 + [b"late"], ""),
        ([b"word "] * 400, ("word " * 16).rstrip() + " "),
        ([b"x" * 70, "é".encode()[:1], "é".encode()[1:], b"y" * 70], "x" * 70 + "é" + "y" * 9),
    ],
)
def test_the_opening_is_the_first_words(tmp_path, blocks, opening):
    assert write_corpus(Files(tmp_path / "store"), blocks).opening == opening.ljust(0)[:80]
