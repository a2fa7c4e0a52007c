"""Tables in files: which of them are the same, and what becomes of a damaged one."""

import errno
import os
from dataclasses import replace

import pytest

from app.tables import read_table, table_key, write_table
from tokenizer import Method, count, custom
from tokenizer.patterns import GPT2, NAMED

METHOD = Method(special_tokens=("<s>", "<t>"))
DIGEST = "ab" * 32


@pytest.mark.parametrize(
    "same", [replace(METHOD, vocab_size=300), replace(METHOD, tie_rule="lower_ids"), replace(METHOD, min_count=9)]
)
def test_what_is_done_with_the_pieces_makes_no_other_table(same):
    assert table_key(DIGEST, same) == table_key(DIGEST, METHOD)


@pytest.mark.parametrize(
    "other",
    [
        replace(METHOD, special_tokens=("<s>",)),
        replace(METHOD, special_tokens=("<s>,<t>",)),
        replace(METHOD, special_tokens=()),
        replace(METHOD, pattern=NAMED["cl100k_base"]),
        replace(METHOD, pattern=custom(GPT2.source + "|x")),
    ],
)
def test_another_way_to_cut_makes_another_table(other):
    assert table_key(DIGEST, other) != table_key(DIGEST, METHOD)
    assert table_key("cd" * 32, METHOD) != table_key(DIGEST, METHOD)


def test_a_table_comes_back_and_nothing_lies_beside_it(tmp_path):
    table = count("low low lower", GPT2)
    path = tmp_path / "table"
    assert read_table(path) is None
    assert write_table(path, table) == path.stat().st_size > 0
    assert read_table(path) == table
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", [b"", b"x", lambda data: data[:-1], lambda data: data[:20] + b"?" + data[21:]])
def test_a_damaged_table_is_none(tmp_path, damage, caplog):
    path = tmp_path / "table"
    write_table(path, count("low low lower", GPT2))
    path.write_bytes(damage(path.read_bytes()) if callable(damage) else damage)
    assert read_table(path) is None
    assert "counted anew" in caplog.text


def test_a_table_is_its_owner_s_alone_and_so_is_its_folder(tmp_path):
    path = tmp_path / "tables" / "table"
    old = os.umask(0)
    try:
        write_table(path, count("low", GPT2))
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_what_fails_leaves_the_table_that_was_there_and_nothing_beside_it(tmp_path, monkeypatch):
    def no_room(*_arguments: object):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "table"
    table = count("low low lower", GPT2)
    write_table(path, table)
    monkeypatch.setattr("pathlib.Path.replace", no_room)
    assert write_table(path, count("another", GPT2)) == 0
    assert read_table(path) == table
    assert list(tmp_path.iterdir()) == [path]


def test_a_table_that_cannot_be_kept_is_told_and_leaves_nothing(tmp_path, caplog):
    (tmp_path / "table").mkdir()  # so that no file can take its place
    assert write_table(tmp_path / "table", count("low", GPT2)) == 0
    assert "cannot be kept" in caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["table"]
