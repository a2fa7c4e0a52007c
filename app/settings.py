"""Everything that whoever runs the app can set: environment variables with the prefix `MERGE_NEXT_`.

`MERGE_NEXT_TRUSTED_HOSTS=class.example.org,localhost` for instance. Sizes are bytes, times seconds, unless the name
says otherwise. Every limit that a person can meet is stated, with what they sent, in the error that it raises.
"""

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def default_store_path() -> Path:
    """Where recipes and sessions are kept: `merge-next/store.sqlite3` in the user's data folder (XDG).

    Corpora and their tables are files in a folder beside it, `store.sqlite3-files`.
    """
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "merge-next" / "store.sqlite3"


class Settings(BaseSettings):
    """The settings, with their defaults."""

    model_config = SettingsConfigDict(env_prefix="MERGE_NEXT_", frozen=True, extra="ignore")

    # Who is answered
    trusted_hosts: Annotated[tuple[str, ...], NoDecode] = ("127.0.0.1", "localhost", "[::1]")
    """Names that the `Host` header may have, comma-separated; `*.example.org` for all below, `*` for every name."""

    # Recipes
    max_corpus_bytes: PositiveInt = 64_000_000
    """The largest corpus that is taken as a file."""
    max_typed_bytes: PositiveInt = 8_000_000
    """The largest one that is pasted, or comes in JSON: such a text is held in memory, a file never is."""
    max_corpus_bytes_none: PositiveInt = 1_000_000
    """The corpus limit for the pattern `none`, whose rows are whole documents."""
    max_table_bytes: PositiveInt = 32_000_000
    """Bytes of all distinct pre-tokens of a corpus together; training takes some seventy times as much memory. English
    has half a megabyte of them in 20 MB of text."""
    max_special_tokens: NonNegativeInt = 64
    max_special_token_chars: PositiveInt = 256
    max_pattern_chars: PositiveInt = 1_000
    max_vocab_size: PositiveInt = 1_000_000
    max_min_count: PositiveInt = 1_000_000_000
    pattern_seconds: PositiveFloat = 20.0
    """How long a custom pattern may take over a whole corpus, over one above `max_typed_bytes` as many times longer as
    that is larger; a text that is traced gets a quarter of it."""

    # Texts and lists
    max_text_bytes: PositiveInt = 1_000_000
    """The longest text to trace, encode or cut."""
    text_threads: PositiveInt = 4
    """Texts that are traced or cut at the same time; more of them wait, while steps are shown by other threads."""
    max_ids: PositiveInt = 100_000
    max_search_chars: PositiveInt = 200
    default_list: PositiveInt = 200
    max_list: PositiveInt = 1_000
    """The greatest `limit` of a list in the JSON interface, and its default above it."""
    textarea_bytes: PositiveInt = 100_000
    """Corpora longer than this are not put back into the text box; the run's corpus is kept by its address."""
    max_body_bytes: PositiveInt = 26_000_000
    """The longest request body that holds no file: a typed corpus at its limit, with room for JSON's escapes. A form
    with a file may have `max_corpus_bytes` more."""
    uploads_at_once: PositiveInt = 4
    """Files above 1 MB that are received at the same time; beyond it the answer is 503 with `Retry-After`."""
    upload_seconds: PositiveFloat = 600.0
    """How long a form may take to arrive."""

    # Runs
    workers: NonNegativeInt = 2
    """Processes that train; 0 trains inside the server, in a thread."""
    live_runs: PositiveInt = 256
    """Runs held in memory; the least recently used one goes first and is trained again when it is asked for."""
    live_bytes: PositiveInt = 1_500_000_000
    """Memory that they take together, about; beyond it the least recently used ones go."""
    max_steps: PositiveInt = 20_000
    """Steps that are trained of a run at most."""
    live_trainings: PositiveInt = 64
    """Runs among them that are not trained to their end; the least recently used one beyond it goes as well."""
    max_queue: PositiveInt = 32
    """Runs that may wait for training at once; beyond it the answer is 503 with `Retry-After`."""
    step_wait_seconds: PositiveFloat = 0.8
    """How long an answer waits for a step that is being trained before it shows progress instead."""

    # What is kept
    store_path: Path = Field(default_factory=default_store_path)
    max_store_bytes: PositiveInt = 2_000_000_000
    """Corpora, their tables and recipes together. Only beyond it do the least recently used ones go."""
    session_days: PositiveInt = 180
    max_sessions: PositiveInt = 100_000
    recent_runs: PositiveInt = 20
    upload_minutes: PositiveInt = 30
    """How long a file is kept that came with a form which has to be sent again, to be read another way perhaps."""
    max_uploads_bytes: PositiveInt = 256_000_000
    """All such files together, beside `max_store_bytes`."""
    uploads_per_session: PositiveInt = 2
    page_cache_bytes: NonNegativeInt = 32_000_000
    """Compressed pages kept in memory."""

    @field_validator("trusted_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(host.strip() for host in value.split(",") if host.strip())
        return value

    @field_validator("trusted_hosts")
    @classmethod
    def _check_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for host in value:
            if "*" in host and host != "*" and not host.startswith("*."):
                raise ValueError(f"{host!r}: a wildcard stands alone or before a whole domain, as in *.example.org")
        return tuple(host.lower() for host in value)
