"""Settings: their environment variables and what they refuse."""

import pytest
from pydantic import ValidationError

from app.settings import Settings, default_store_path


def test_trusted_hosts_are_comma_separated_and_lower_case(monkeypatch):
    monkeypatch.setenv("MERGE_NEXT_TRUSTED_HOSTS", "Class.example.org, localhost,")
    assert Settings().trusted_hosts == ("class.example.org", "localhost")


def test_a_wildcard_inside_a_name_is_refused():
    with pytest.raises(ValidationError, match="wildcard"):
        Settings(trusted_hosts=("a*.example.org",))


def test_the_store_lies_in_the_users_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Settings().store_path == default_store_path() == tmp_path / "merge-next" / "store.sqlite3"


def test_limits_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("MERGE_NEXT_MAX_CORPUS_BYTES", "1234")
    assert Settings().max_corpus_bytes == 1234
    monkeypatch.setenv("MERGE_NEXT_MAX_CORPUS_BYTES", "0")
    with pytest.raises(ValidationError):
        Settings()
