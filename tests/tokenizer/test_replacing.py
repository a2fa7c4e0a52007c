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


@pytest.mark.parametrize("before", [None, 0o644])
def test_a_mode_that_is_asked_for_holds_from_the_beginning_whatever_was_there(
    tmp_path: Path, before: int | None
) -> None:
    path = tmp_path / "file"
    if before is not None:
        path.touch()
        path.chmod(before)
    with replacing(path, mode=0o600):
        (arriving,) = set(tmp_path.iterdir()) - {path}
        assert arriving.stat().st_mode & 0o777 == 0o600
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("umask", "usual"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_usual_permissions(tmp_path: Path, umask: int, usual: int) -> None:
    old = os.umask(umask)
    try:
        with replacing(tmp_path / "file"):
            pass
    finally:
        os.umask(old)
    assert (tmp_path / "file").stat().st_mode & 0o777 == usual


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
