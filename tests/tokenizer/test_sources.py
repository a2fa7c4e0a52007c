"""Sources: what can be read anew, from any place on, here or in another process."""

import os
import pickle
from pathlib import Path
from unittest.mock import patch

import pytest

from tokenizer import sources
from tokenizer.errors import RecipeError
from tokenizer.sources import LocalFile, Memory, Remote, Source, source_of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(b"zero one two")
    return path


def every_kind(file: Path) -> list[Source]:
    return [LocalFile(str(file)), Remote(file.as_uri()), Memory(b"zero one two", "corpus.txt")]


def test_each_kind_of_source_gives_the_same_bytes_from_any_place_as_often_as_asked(file):
    for source in every_kind(file):
        assert isinstance(source, Source)
        assert (source.name, source.size()) == ("corpus.txt", 12)
        for at in (0, 5, 12):
            with source.open() as stream:
                stream.seek(at)
                assert stream.read() == b"zero one two"[at:]


def test_sources_are_values_that_can_be_sent_elsewhere(file):
    for source in every_kind(file):
        assert pickle.loads(pickle.dumps(source)) == source  # noqa: S301 - made in this line


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("corpus.txt", LocalFile("corpus.txt")),
        ("/data/corpus.txt", LocalFile("/data/corpus.txt")),
        (r"C:\\corpus.txt", LocalFile(r"C:\\corpus.txt")),
        ("c://corpus.txt", LocalFile("c://corpus.txt")),
        ("file:///data/corpus.txt", Remote("file:///data/corpus.txt")),
        ("s3://bucket/corpus.txt", Remote("s3://bucket/corpus.txt")),
        ("git+https://host/corpus.txt", Remote("git+https://host/corpus.txt")),
    ],
)
def test_a_url_is_remote_and_a_path_is_a_file(given, expected):
    assert source_of(given) == expected


def test_the_name_of_a_remote_source_holds_no_key():
    assert Remote("https://host/data/corpus.txt?key=secret").name == "corpus.txt"


def test_without_fsspec_the_error_names_the_extra():
    with patch.object(sources, "import_module", side_effect=ModuleNotFoundError), pytest.raises(RecipeError) as caught:
        Remote("s3://bucket/corpus.txt").size()
    assert "merge-next[remote]" in caught.value.message
    assert caught.value.field == "corpus"


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        LocalFile(str(tmp_path / "nowhere")).size()


def test_a_pipe_and_a_device_are_refused_by_name_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (str(tmp_path / "pipe"), os.devnull):
        for read in (LocalFile(path).size, LocalFile(path).open):
            with pytest.raises(OSError, match=r"no regular file") as caught:
                read()
            assert caught.value.filename == path
