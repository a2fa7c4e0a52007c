"""Counting in parts: one table, whoever counts, however many parts and files there are."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from dataclasses import fields
from multiprocessing import get_context
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer.fast.nasty import lines, texts
from tests.tokenizer.strategies import PATTERNS
from tokenizer import blocks, parallel
from tokenizer.counting import count
from tokenizer.errors import CorpusError, PatternError
from tokenizer.parallel import count_files
from tokenizer.patterns import GPT2, NAMED, custom
from tokenizer.processes import pool_of
from tokenizer.sources import LocalFile, Memory
from tokenizer.table import Table

END = "<|endoftext|>"


def assert_same(table: Table, expected: Table) -> None:
    for field in fields(Table):
        assert getattr(table, field.name) == getattr(expected, field.name), field.name


@pytest.fixture(scope="module")
def corpus(english: Mapping[str, str], udhr: Mapping[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of some blocks: English, many scripts, English again."""
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    path.write_text(END.join([*english.values(), *udhr.values(), *english.values()]), encoding="utf-8", newline="")
    assert path.stat().st_size > 5 * blocks.BLOCK
    return path


class Inline(Executor):
    """Runs what it is given at once, so that thousands of examples are quick."""

    def submit(self, fn: Callable, /, *args: object, **options: object) -> Future:
        future: Future = Future()
        try:
            future.set_result(fn(*args, **options))
        except Exception as error:  # noqa: BLE001 - as every executor does
            future.set_exception(error)
        return future


@pytest.mark.parametrize("name", PATTERNS)
@given(sample=texts(60) | lines(), size=st.integers(1, 30), parts=st.sampled_from([1, 2, 4, 8]))
def test_tables_are_the_same_however_many_parts(
    name: str, sample: tuple[str, list[str]], size: int, parts: int
) -> None:
    text, specials = sample
    with patch.multiple(blocks, BLOCK=size, AHEAD=1), patch.multiple(parallel, MERGED_TOGETHER=2, MOST_IN_FLIGHT=3):
        found = count_files([Memory(text.encode())], NAMED[name], specials, executor=Inline(), parts=parts)
        assert_same(found, count(text, NAMED[name], specials))


@pytest.mark.parametrize("name", ["gpt2", "cl100k_base", "none"])
@pytest.mark.parametrize("parts", [1, 2, 4, 8])
def test_threads_count_a_real_text_in_parts(name: str, parts: int, corpus: Path) -> None:
    with ThreadPoolExecutor(2) as executor:
        found = count_files([str(corpus)], NAMED[name], [END], executor=executor, parts=parts)
    assert_same(found, count(corpus.read_bytes().decode(), NAMED[name], [END]))


def test_processes_count_in_parts_and_progress_moves(corpus: Path) -> None:
    size, seen = corpus.stat().st_size, []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        found = count_files(
            [str(corpus)], GPT2, [END], executor=executor, parts=4, on_progress=lambda *both: seen.append(both)
        )
    assert_same(found, count(corpus.read_bytes().decode(), GPT2, [END]))
    assert len(seen) == 4
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[-1] == (size, size)
    assert {total for _, total in seen} == {size}


def test_large_inputs_get_a_pool_of_processes_of_their_own(corpus: Path) -> None:
    with (
        patch.object(parallel, "WORTH_PROCESSES", 1),
        patch.object(parallel, "pool_of", wraps=pool_of) as pool,
        patch("os.cpu_count", return_value=2),
    ):
        found = count_files([str(corpus)], GPT2, [END])
    assert pool.call_args.args == (2,)
    assert_same(found, count(corpus.read_bytes().decode(), GPT2, [END]))


@pytest.mark.parametrize(
    ("megabytes", "processes", "parts"), [(40, 2, 5), (112, 2, 8), (2_048, 2, 32), (40, 64, 64), (112, 1, 2)]
)
def test_a_process_gets_several_parts_so_that_progress_moves(megabytes: int, processes: int, parts: int) -> None:
    assert parallel._parts_for(megabytes << 20, processes) == parts


def test_a_pool_of_its_own_reports_more_often_than_it_has_processes(corpus: Path) -> None:
    seen = []
    with patch.object(parallel, "SMALL_PART", blocks.BLOCK):
        found = count_files([str(corpus)], GPT2, [END], processes=2, on_progress=lambda *both: seen.append(both))
    assert_same(found, count(corpus.read_bytes().decode(), GPT2, [END]))
    assert len(seen) > 4
    assert seen[-1] == (corpus.stat().st_size,) * 2


def test_small_inputs_are_counted_here_with_progress_by_blocks(corpus: Path) -> None:
    size, seen = corpus.stat().st_size, []
    with patch.object(parallel, "pool_of", side_effect=AssertionError):
        count_files([str(corpus), str(corpus)], GPT2, [END], on_progress=lambda *both: seen.append(both))
    assert len(seen) == 2 * -(-size // blocks.BLOCK)
    assert seen[-1] == (2 * size, 2 * size)


def test_the_workers_of_a_dask_cluster_count_in_parts(corpus: Path) -> None:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        found = count_files([str(corpus)], GPT2, [END], executor=client.get_executor(), parts=4)
    assert_same(found, count(corpus.read_bytes().decode(), GPT2, [END]))


def test_files_may_be_named_by_url(corpus: Path) -> None:
    found = count_files([corpus.as_uri()], GPT2, [END], executor=Inline(), parts=3)
    assert_same(found, count(corpus.read_bytes().decode(), GPT2, [END]))


def test_a_pre_token_never_spans_two_files(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one", "empty", "two", "three")]
    for file, text in zip(files, ("one tw", "", "o é", " b<s>"), strict=True):
        file.write_text(text, encoding="utf-8")
    table = count_files([str(files[0]), LocalFile(str(files[1])), *map(str, files[2:])], GPT2, ["<s>"])
    rows = [(table.pre_token(number), table.count(number)) for number in range(len(table))]
    assert rows == [(word.encode(), 1) for word in ("one", " tw", "o", " é", " b")]
    assert table.marks == ((0, 0, 0), (6, 6, 2), (10, 9, 4))
    assert (table.characters, table.specials) == (14, 1)


def test_no_files_and_empty_files_have_an_empty_table() -> None:
    assert_same(count_files([], GPT2), count("", GPT2))
    assert_same(count_files([Memory(b""), Memory(b"")], GPT2), count("", GPT2))


def test_what_is_not_utf8_is_named_with_its_offset_in_its_file(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    good.write_bytes(b"a b " * 100)
    bad.write_bytes(b"a b " * 100 + b"\xff" + b" a b" * 100 + b"\xfe")
    for executor in (None, Inline()):
        with patch.object(blocks, "BLOCK", 20), pytest.raises(CorpusError) as caught:
            count_files([str(good), str(bad)], GPT2, executor=executor, parts=8)
        assert caught.value.position == 400
        assert caught.value.message.startswith("bad.txt: The file is not UTF-8: byte 400 ")


def test_parts_that_have_not_begun_are_cancelled_after_an_error() -> None:
    class Idle(Inline):
        """Does the second part and nothing else."""

        def __init__(self) -> None:
            self.futures: list[Future] = []

        def submit(self, fn: Callable, /, *args: object, **options: object) -> Future:
            done = super().submit(fn, *args, **options)
            self.futures.append(done if len(self.futures) == 1 else Future())
            return self.futures[-1]

    idle = Idle()
    with patch.object(blocks, "BLOCK", 20), pytest.raises(CorpusError):
        count_files([Memory(b"a b " * 100 + b"\xff")], GPT2, executor=idle, parts=2)
    assert [future.cancelled() for future in idle.futures] == [True, False]


def test_a_custom_pattern_has_a_file_as_one_part() -> None:
    text = "ab <s>" * 100
    with patch.object(blocks, "BLOCK", 20), patch.object(parallel, "count_part", wraps=parallel.count_part) as counted:
        found = count_files([Memory(text.encode())] * 2, custom(r"\w| "), ["<s>"], executor=Inline(), parts=8)
    assert counted.call_count == 2
    assert found.occurrences == 600
    with pytest.raises(PatternError) as caught:
        count_files([Memory(b"ab"), Memory(b"x<s>abq")], custom(r"(?=q)|\w"), ["<s>"])
    assert caught.value.position == 6


def test_few_parts_are_in_flight_at_a_time() -> None:
    waited_for = []

    def watched(running: dict[Future, int], **how: str) -> tuple[set[Future], set[Future]]:
        waited_for.append(len(running))
        return wait(running, **how)

    with patch.object(blocks, "BLOCK", 20), patch.multiple(parallel, MOST_IN_FLIGHT=3, wait=watched):
        count_files([Memory(b"a b " * 1_000)], GPT2, executor=Inline(), parts=50)
    assert max(waited_for) == 3
    assert len(waited_for) > 10
