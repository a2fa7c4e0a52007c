"""The run book counts a corpus once: its table is kept, and found damaged or gone without harm."""

from dataclasses import replace

import pytest

from app.sqlite_store import SQLiteStore
from tests.app.live import opening
from tests.app.runs.conftest import PROSE, SECONDS, opened, values
from tokenizer import Recipe, TokenizerError, train
from tokenizer.counting import Counting
from tokenizer.sources import LocalFile

pytestmark = pytest.mark.anyio


@pytest.fixture
def counted(monkeypatch):
    """The files that are counted."""
    seen = []

    def begin(self, source, *arguments: object, **options: object):
        if isinstance(source, LocalFile):
            seen.append(source)
        real(self, source, *arguments, **options)

    real = Counting.__init__
    monkeypatch.setattr(Counting, "__init__", begin)
    return seen


async def first_steps(settings, recipe, **changes):
    """The first steps of a run in a server of its own, and where its corpus is."""
    async with opened(settings, **changes) as book:
        run, _ = await opening(book, recipe)
        live = await book.at(run, 5, wait=SECONDS)
        return values(live, 5), live.corpus.path


async def test_after_a_restart_the_table_is_enough(settings, counted):
    steps, path = await first_steps(settings, PROSE)
    path.unlink()
    async with opened(settings) as book:
        live = await book.at(PROSE.id, 5, wait=SECONDS)
        assert values(live, 5) == steps
        assert not live.corpus.is_there
    assert len(counted) == 1


@pytest.mark.parametrize("other", [{"vocab_size": 300}, {"tie_rule": "lower_ids"}, {"min_count": 2}])
async def test_another_method_that_cuts_the_same_way_begins_with_the_table(settings, counted, other):
    await first_steps(settings, PROSE)
    recipe = replace(PROSE, **other)
    steps, _ = await first_steps(settings, recipe)
    alone = train(recipe, steps=5)
    assert steps == [alone.step(number) for number in range(1, 5)]
    assert len(counted) == 1
    await first_steps(settings, replace(PROSE, special_tokens=("the",)))
    assert len(counted) == 2


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"?" + data[1:]])
async def test_a_damaged_corpus_is_not_trained_until_it_is_sent_again(settings, damage):
    steps, path = await first_steps(settings, PROSE)
    for table in (path.parent.parent / "tables").iterdir():
        table.unlink()
    path.write_bytes(damage(path.read_bytes()))
    async with opened(settings) as book:
        with pytest.raises(TokenizerError, match="was changed or damaged on this server") as raised:
            await book.at(PROSE.id, 5, wait=SECONDS)
        assert raised.value.code == "corpus_damaged"
        assert not list((path.parent.parent / "tables").iterdir())
        await opening(book, PROSE)
        assert path.read_bytes() == PROSE.corpus.encode()
        assert values(await book.at(PROSE.id, 5, wait=SECONDS), 5) == steps


async def test_a_damaged_table_is_counted_anew(settings, counted):
    steps, path = await first_steps(settings, PROSE)
    (table,) = (path.parent.parent / "tables").iterdir()
    whole = table.read_bytes()
    table.write_bytes(whole[:-9] + b"damaged!!")
    assert (await first_steps(settings, PROSE))[0] == steps
    assert len(counted) == 2
    assert table.read_bytes() == whole


async def test_a_table_counts_in_what_the_store_keeps(settings):
    await first_steps(settings, PROSE)
    store = SQLiteStore(settings)
    with store._connection() as connection:
        ((size,),) = connection.execute("SELECT bytes FROM tables").fetchall()
    await store.close()
    ((path),) = (settings.store_path.parent / "store.sqlite3-files" / "tables").iterdir()
    assert size == path.stat().st_size


async def test_without_corpus_and_table_a_run_says_so_and_can_be_made_again(settings):
    _, path = await first_steps(settings, PROSE)
    path.unlink()
    for table in (path.parent.parent / "tables").iterdir():
        table.unlink()
    async with opened(settings) as book:
        with pytest.raises(TokenizerError, match="not kept here any more") as raised:
            await book.at(PROSE.id, 1, wait=SECONDS)
        assert raised.value.code == "corpus_gone"
        assert await opening(book, PROSE) == (PROSE.id, False)
        assert (await book.at(PROSE.id, 1, wait=SECONDS)).ready(1)


async def test_a_live_run_goes_on_when_its_corpus_goes(settings, hold):
    hold.steps = 2
    other = Recipe("another corpus " * 200)
    async with opened(settings, max_store_bytes=5_000) as book:
        run, _ = await opening(book, PROSE)
        live = await book.at(run, 2, wait=SECONDS)
        await opening(book, other)
        assert not live.corpus.is_there
        hold.steps = 30
        assert (await book.at(run, 30, wait=SECONDS)).ready(30)
