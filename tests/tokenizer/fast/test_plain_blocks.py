"""Blocks that are counted plainly: when, and that their counts are those of the plain path."""

from unittest.mock import patch

from tokenizer.blocks import Block
from tokenizer.fast.chunk_counter import ChunkCounter
from tokenizer.fast.gpt2_counter import Gpt2Counter
from tokenizer.fast.plain_blocks import PlainBlocks
from tokenizer.fast.tally import Tally
from tokenizer.patterns import GPT2
from tokenizer.plain import PlainCounter
from tokenizer.table import Mark


def test_a_new_block_is_followed_by_ever_more_plain_ones_until_one_is_not_new() -> None:
    plain = PlainBlocks(GPT2)
    pauses = []
    for new in (0, 34, 34, 100, 100, 100, 100, 33, 34):
        plain.judge(new, 100)
        pauses.append(0)
        while plain.due:
            assert plain.add(b"a", (), offset=0) == 1
            pauses[-1] += 1
    assert pauses == [0, 1, 2, 4, 8, 16, 16, 0, 1]


def test_counts_leave_special_tokens_out_and_places_ascend_from_where_a_block_begins() -> None:
    plain = PlainBlocks(GPT2)
    assert plain.add(b"a b<s>c", [(3, 6)], offset=10) == 3
    assert plain.add(b" b<s>a<s> d", [(2, 5), (6, 9)], offset=17) == 3
    assert plain.counts() == {b"a": (2, 10), b" b": (2, 11), b"c": (1, 12), b" d": (1, 17)}


def test_chunk_counters_count_plainly_after_a_block_of_new_chunks_and_to_the_same_result() -> None:
    new, old = " ".join(f"\U0001f600{number}é" for number in range(100)).encode(), b" and" * 100
    for counter in (ChunkCounter(GPT2, (), time_limit=None), Gpt2Counter((), time_limit=None)):
        plainly, at, by_chunks = PlainCounter(GPT2, (), time_limit=None), 0, []
        for data in (new, old, new, new):
            with patch.object(PlainBlocks, "add", autospec=True, side_effect=PlainBlocks.add) as add:
                counter.add(Block(data, at), Mark(at, at, at))
            plainly.add(Block(data, at), Mark(at, at, at))
            by_chunks.append(not add.called)
            at += len(data)
        assert by_chunks == [True, False, True, True]
        table, expected = Tally(*counter.tallied()).table(), Tally(*plainly.tallied()).table()
        assert (table.blob, table.counts, table.seen) == (expected.blob, expected.counts, expected.seen)
