"""A file is replaced as a whole or not at all."""

import os
from pathlib import Path

import pytest

from tokenizer.replacing import replacing


def test_the_old_file_is_there_until_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with replacing(path) as stream:
        stream.write(b"new")
        stream.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_after_an_error_the_old_file_is_there_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as stream:
        stream.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    with replacing(tmp_path / "link") as stream:
        stream.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_device_is_written_as_it_is() -> None:
    with replacing(Path(os.devnull)) as stream:
        stream.write(b"new")
    assert not Path(os.devnull).is_file()


def test_an_error_names_the_file_that_was_meant(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere/file"), replacing(tmp_path / "nowhere" / "file"):
        pass
