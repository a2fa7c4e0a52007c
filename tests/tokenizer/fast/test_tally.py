"""Tallies: parts that become one, and tables made of them."""

import pickle
from collections import Counter
from dataclasses import fields

from hypothesis import given
from hypothesis import strategies as st

from tokenizer.counting import Counting
from tokenizer.fast.tally import Tally, keys_and_others
from tokenizer.patterns import NAMED
from tokenizer.sources import Memory
from tokenizer.table import Mark, Table

PRE_TOKENS = st.sampled_from([b"a", b" b", b"c" * 8, b"d" * 16, b"e" * 17, b"f\0", b"\0", "é".encode()])


@given(words=st.lists(PRE_TOKENS, max_size=30))
def test_the_table_is_the_one_of_the_counts_in_the_order_of_places(words: list[bytes]) -> None:
    counted = {word: (number, 7 * words.index(word)) for word, number in Counter(words).items()}
    backwards = dict(reversed(counted.items()))
    table = Tally(*keys_and_others(backwards), 50, 40, 30, 2, 1, (Mark(0, 0, 0),)).table()
    expected = Table.of(Counter(words), characters=40, specials=2, uncovered=1, marks=[Mark(0, 0, 0)])
    for field in fields(Table):
        assert getattr(table, field.name) == getattr(expected, field.name), field.name


def tally_of(text: str, name: str) -> Tally:
    counting = Counting(Memory(text.encode()), NAMED[name], ["<s>"])
    while counting.advance():
        pass
    return counting.tally()


@given(
    parts=st.lists(st.sampled_from(["", "a b c ", "c d <s>", "\0 a é", "x" * 20 + " y"]), max_size=5),
    name=st.sampled_from(["gpt2", "cl100k_base", "none"]),
)
def test_merged_tallies_are_the_whole_and_may_be_sent(parts: list[str], name: str) -> None:
    tallies = [pickle.loads(pickle.dumps(tally_of(part, name))) for part in parts]  # noqa: S301 - made in this line
    merged = Tally.merge([Tally.merge(tallies[:2]), *tallies[2:]]).table()
    whole = tally_of("<s>".join(parts), name).table()
    for field in ("blob", "starts", "counts", "seen", "occurrences", "corpus_bytes", "uncovered"):
        assert getattr(merged, field) == getattr(whole, field), field
    assert merged.characters == len("".join(parts))
    assert merged.specials == whole.specials - max(0, len(parts) - 1)


def test_the_marks_of_later_parts_are_moved_by_those_before() -> None:
    merged = Tally.merge([tally_of(text, "gpt2") for text in ("é b", "<s>c", "", "d")])
    assert merged.marks == ((0, 0, 0), (4, 3, 2), (8, 7, 4))
    assert (merged.size, merged.characters, merged.pieces, merged.specials) == (9, 8, 5, 1)
