"""A file that cannot be taken as it is, is kept for its browser, so that it need not be chosen again."""

from tests.app.editor import corpus_of, errors, made, run_of, sent, upload
from tests.app.pages import page_of


def latin1(client, **fields):
    """Upload what is no UTF-8."""
    return upload(client, b"ab\xffc", name="caf\xe9.txt", **fields)


def test_a_file_that_is_not_utf8_can_be_read_another_way(make_client):
    client = make_client()
    page = page_of(latin1(client), 422)
    assert "byte 2 (counted from 0) is 0xFF" in page.text
    key = page.of("input", name="kept_upload")[0]["value"]
    choices = {attrs["value"] for attrs in page.of("button", name="decode")}
    assert {"replace", "latin-1"} <= choices
    assert "The file “caf\xe9.txt” is kept" in page.inside("kept")
    run = made(client, source="file", kept_upload=key, decode="replace")
    assert corpus_of(client, run) == "ab\ufffdc"
    page = page_of(sent(client, source="file", kept_upload=key, decode="latin-1"), 422)
    assert "not kept any more" in page.text


def test_a_kept_file_is_for_its_browser_alone(make_client):
    first, second = make_client(), make_client()
    key = page_of(latin1(first), 422).of("input", name="kept_upload")[0]["value"]
    page = page_of(sent(second, source="file", kept_upload=key, decode="latin-1"), 422)
    assert "Choose it again" in page.text
    assert corpus_of(first, made(first, source="file", kept_upload=key, decode="latin-1")) == "abÿc"


def test_without_cookies_the_file_can_be_chosen_again(make_client):
    client = make_client()
    assert corpus_of(client, run_of(latin1(client, decode="latin-1"))) == "abÿc"


def test_a_good_file_beside_another_fault_is_kept_too(make_client):
    client = make_client()
    page = page_of(upload(client, b"x\r\ny", vocab_size="1"), 422)
    assert errors(page) == {"vocab_size"}
    assert page.inside("kept") == "The file “a.txt” is kept for a while, and is taken unless you choose another."
    assert {attrs["value"] for attrs in page.of("button", name="decode")} == {"strict"}
    key = page.of("input", name="kept_upload")[0]["value"]
    assert corpus_of(client, made(client, source="file", kept_upload=key)) == "x\r\ny"


def test_what_is_wrong_with_a_file_stands_beside_it_until_it_is_mended(make_client):
    client = make_client(max_corpus_bytes_none=10)
    page = page_of(upload(client, b"more than ten", pattern="none", corpus="the text box"), 422)
    assert errors(page) == {"file"}
    assert "The corpus has 13 bytes; at most 10 are taken with the pattern none." in page.inside("error-file")
    assert page.of("input", name="file")[0]["aria-describedby"].split() == ["error-file", "kept", "limits"]
    key = page.of("input", name="kept_upload")[0]["value"]
    page = page_of(sent(client, source="file", kept_upload=key, pattern="none"), 422)
    assert errors(page) == {"file"}
    assert "“a.txt” is kept" in page.inside("kept")
    assert corpus_of(client, made(client, source="file", kept_upload=key)) == "more than ten"


def test_what_is_wrong_with_a_sample_or_a_text_stands_beside_it(make_client):
    client = make_client(max_corpus_bytes_none=10)
    assert errors(page_of(sent(client, source="sample", sample="toy", pattern="none"), 422)) == {"sample"}
    assert errors(page_of(sent(client, corpus="more than ten", pattern="none"), 422)) == {"corpus"}
