"""Encoding by rank, its trace, and decoding."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle, peers
from tests.tokenizer.compare import recipe_of
from tests.tokenizer.conftest import DATA, Case
from tests.tokenizer.strategies import PATTERNS, PUBLISHED, corpora, scaled, texts, texts_with_specials
from tokenizer import (
    GPT2,
    NAMED,
    PatternError,
    Recipe,
    Run,
    SplitPattern,
    Trace,
    UnknownId,
    Vocabulary,
    custom,
    decode,
    encode,
    iterations,
    pieces,
    trace,
    train,
)

BYTES = [bytes([byte]) for byte in range(256)]
utf8 = json.loads((DATA / "golden" / "utf8.json").read_text(encoding="utf-8"))


def vocabulary_of(
    merges: Sequence[Sequence[str]], pattern: SplitPattern = GPT2, specials: Sequence[str] = ()
) -> Vocabulary:
    """A vocabulary from merges written as text."""
    tokens = list(BYTES)
    ranks = {}
    for left, right in merges:
        ranks[tokens.index(left.encode()), tokens.index(right.encode())] = len(ranks)
        tokens.append((left + right).encode())
    return Vocabulary(
        tokens, ranks, len(ranks), pattern, {text: len(tokens) + place for place, text in enumerate(specials)}
    )


EMPTY = vocabulary_of([])


def tokens(text: str, vocabulary: Vocabulary, **how: Any) -> list[str]:
    """The tokens of a text, each as text."""
    return [vocabulary.token(token).decode() for token in encode(text, vocabulary, **how)]


# --- Golden values ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def toy_vocabulary(toy: dict[str, Any]) -> Vocabulary:
    run = train(Recipe(toy["corpus"], special_tokens=tuple(toy["special_tokens"]), vocab_size=toy["vocab_size"]))
    return run.vocabulary(run.known)


@pytest.mark.parametrize("word", [" newest", "lowest", "newer", "zzqq"])
def test_the_toy_traces_are_those_written_down(toy: dict[str, Any], toy_vocabulary: Vocabulary, word: str) -> None:
    golden = toy["encode_traces"][word]
    spelled = toy_vocabulary.token
    rounds = iterations(word.encode(), toy_vocabulary)
    assert [spelled(token).decode("latin-1") for token in rounds[0].tokens] == golden["start"]
    for found, expected in zip(rounds[:-1], golden["iterations"], strict=True):
        assert [spelled(token).decode("latin-1") for token in found.tokens] == expected["tokens"]
        shown = [([spelled(token).decode("latin-1") for token in c.pair], c.rank) for c in found.candidates]
        assert sorted(shown) == sorted((each["pair"], each["rank"]) for each in expected["candidates"])
        assert found.applied == expected["applied_rank"]
    assert rounds[-1].applied is None
    assert rounds[-1].candidates == ()
    assert list(rounds[-1].tokens) == golden["ids"] == encode(word, toy_vocabulary)
    assert tokens(word, toy_vocabulary) == golden["result"]


def test_every_golden_trace_is_tested(toy: dict[str, Any]) -> None:
    assert list(toy["encode_traces"]) == [" newest", "lowest", "newer", "zzqq"]


def test_the_toy_text_has_the_ids_written_down(toy: dict[str, Any], toy_vocabulary: Vocabulary) -> None:
    golden = toy["encode_text"]
    ids = encode(golden["text"], toy_vocabulary)
    assert ids == golden["ids"]
    assert tokens(golden["text"], toy_vocabulary) == golden["tokens"]
    assert len(golden["text"].encode()) == golden["bytes"]
    assert round(golden["bytes"] / len(ids), 2) == golden["bytes_per_token"]
    assert (decode(ids, toy_vocabulary).decode() == golden["text"]) is golden["round_trip"]
    parts, at = [], 0
    for piece in pieces(golden["text"], toy_vocabulary.pattern, toy["special_tokens"]):
        if piece.special:
            parts += [golden["text"][at : piece.start], piece.text]
            at = piece.end
    assert [*parts, golden["text"][at:]] == golden["split"]


def test_the_toy_ids_decode_as_written_down(toy: dict[str, Any], toy_vocabulary: Vocabulary) -> None:
    for golden in toy["decode"]:
        assert decode(golden["ids"], toy_vocabulary).decode(errors="replace") == golden["text"]


@pytest.mark.parametrize("golden", utf8["characters"], ids=lambda golden: golden["code_point"])
def test_characters_have_the_bytes_written_down(golden: Mapping[str, Any]) -> None:
    assert f"U+{ord(golden['char']):04X}" == golden["code_point"]
    assert encode(golden["char"], EMPTY) == golden["bytes"]
    assert decode(golden["bytes"], EMPTY).decode() == golden["char"]


@pytest.mark.parametrize("golden", utf8["texts"], ids=lambda golden: golden["text"])
def test_texts_have_the_bytes_written_down(golden: Mapping[str, Any]) -> None:
    assert len(golden["text"]) == golden["characters"]
    assert encode(golden["text"], EMPTY) == golden["bytes"]


def test_as_many_code_points_have_so_many_bytes_as_written_down() -> None:
    """Over all code points but surrogates; the first byte of a character says how many it has."""
    vocabulary = vocabulary_of([], NAMED["none"])
    occurs: Counter[int] = Counter()
    for plane in range(17):
        block = "".join(chr(plane << 16 | place) for place in range(1 << 16) if not 0xD800 <= place < 0xE000 or plane)
        occurs.update(encode(block, vocabulary))
    first_bytes = {"1": range(0x80), "2": range(0xC2, 0xE0), "3": range(0xE0, 0xF0), "4": range(0xF0, 0xF5)}
    lengths = {length: sum(map(occurs.__getitem__, first)) for length, first in first_bytes.items()}
    assert lengths == utf8["code_points_by_utf8_length"]
    assert sum(lengths.values()) == utf8["total"]


# --- Cases ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ["A", "B"])
def test_e01_ranks_decide_not_length_and_leftmost_goes_first(case: Case, letter: str) -> None:
    wanted = case("E01")
    vocabulary = vocabulary_of(wanted["input"][f"merges_{letter}"])
    for text in wanted["input"][f"texts_{letter}"]:
        assert tokens(text, vocabulary) == wanted["expected"][letter][text]
        applied = [found.applied for found in iterations(text.encode(), vocabulary)[:-1]]
        assert applied == sorted(applied)


@pytest.fixture(scope="module")
def english_run(english: dict[str, str]) -> Run:
    text = english["jane_austen"][:40_000] + " cafe\u0301 café 日本 “ok” ab\0cd a\ufffdb"
    return train(Recipe(text, special_tokens=("<|endoftext|>", "<s>")), steps=300)


@pytest.mark.parametrize(
    ("text", "replaced", "read"),
    [
        ("a\ud83db", 1, "a\ufffdb"),
        ("\ud83d\udc4d", 0, "👍"),
        ("\udc4d\ud83d", 2, "\ufffd\ufffd"),
        ("\ufffd", 0, "\ufffd"),
    ],
)
def test_e03_lone_surrogates_are_encoded_as_replacement_characters_and_said(
    english_run: Run, text: str, replaced: int, read: str
) -> None:
    vocabulary = english_run.vocabulary(300)
    assert encode(text, vocabulary) == encode(read, vocabulary)
    assert decode(encode(text, vocabulary), vocabulary).decode() == read
    assert trace(text, vocabulary).replaced == replaced
    assert trace(text, vocabulary).text == read


def test_e04_nul_is_a_character_like_any_other(case: Case, english_run: Run) -> None:
    text = case("E04")["input"]["text"]
    vocabulary = english_run.vocabulary(300)
    assert 0 in encode(text, vocabulary)
    assert decode(encode(text, vocabulary), vocabulary).decode() == text == "ab\0cd"
    assert [piece.text for piece in trace(text, vocabulary).pieces] == ["ab", "\0", "cd"]


def test_e06_nothing_is_normalised(case: Case, english_run: Run) -> None:
    vocabulary = english_run.vocabulary(300)
    composed, decomposed = case("E06")["input"]["texts"]
    assert encode(composed, vocabulary) != encode(decomposed, vocabulary)
    for text, characters, size in ((composed, 4, 5), (decomposed, 5, 6)):
        read = decode(encode(text, vocabulary), vocabulary)
        assert (read.decode(), len(read.decode()), len(read)) == (text, characters, size)


def test_s02_special_tokens_are_taken_literally(case: Case) -> None:
    s02 = case("S02")
    vocabulary = vocabulary_of([("a", "a")], specials=s02["input"]["specials"])
    assert tokens(s02["input"]["text"], vocabulary) == s02["expected"]["tokens"]
    assert len(encode(s02["input"]["text"], vocabulary)) == len(s02["expected"]["tokens"])


@pytest.mark.parametrize("text", ["<|endoftext|>", "a<|endoftext|> b"])
def test_s03_a_special_token_is_one_or_is_text(case: Case, english_run: Run, text: str) -> None:
    assert text in case("S03")["input"]["texts"]
    vocabulary = english_run.vocabulary(300)
    special = vocabulary.special_tokens["<|endoftext|>"]
    assert special == 556
    as_special = encode(text, vocabulary, specials="as_special")
    assert as_special == encode(text, vocabulary)
    assert as_special.count(special) == 1
    as_text = encode(text, vocabulary, specials="as_text")
    assert all(token < special for token in as_text)
    assert len(as_text) > len(as_special)
    for ids in (as_special, as_text):
        assert decode(ids, vocabulary).decode() == text
    assert any(piece.special for piece in trace(text, vocabulary).pieces)
    assert not any(piece.special for piece in trace(text, vocabulary, specials="as_text").pieces)


def test_s04_a_special_token_that_prints_like_a_learned_one_has_its_own_id(case: Case) -> None:
    s04 = case("S04")["input"]
    learned_like, also = "\u0120hz", s04["also_special"]
    assert s04["special"].startswith(learned_like)
    run = train(Recipe(s04["corpus"], special_tokens=(learned_like, also)), steps=s04["merges_wanted"])
    vocabulary = run.vocabulary(3)
    assert encode(" hz", vocabulary) == [258]
    assert encode(learned_like, vocabulary) == [259]
    assert encode("a", vocabulary) == [260]
    assert encode("a", vocabulary, specials="as_text") == [97]
    assert [vocabulary.token(token) for token in (258, 259, 260, 97)] == [b" hz", learned_like.encode(), b"a", b"a"]


def test_a_special_token_equal_to_a_learned_one_keeps_both_ids() -> None:
    """S04's trap: `cab` must not become c and the special token where it is text."""
    run = train(Recipe("cab cab ab ab"), steps=2)
    learned = run.vocabulary(2)
    vocabulary = Vocabulary(learned.tokens, learned.ranks, 2, GPT2, {"ab": 258})
    assert encode("cab", vocabulary) == [99, 258]
    assert tokens("cab", vocabulary, specials="as_text") == ["cab"]


def test_d01_all_single_bytes_decode_to_themselves() -> None:
    assert decode(range(256), EMPTY) == bytes(range(256))
    assert decode([0xE4, 0xB8, 0xAD], EMPTY).decode() == "中"


def test_d04_tokens_may_be_part_of_a_character() -> None:
    vocabulary = train(Recipe("日 日 日", tie_rule="first_seen")).vocabulary(1)
    ids = encode("日", vocabulary)
    spelled = [vocabulary.token(token) for token in ids]
    assert [token.hex() for token in spelled] == ["e697", "a5"]
    assert sum(map(len, spelled)) == 3
    assert [decode([token], vocabulary).decode(errors="replace") for token in ids] == ["\ufffd", "\ufffd"]
    assert decode(ids, vocabulary).decode() == "日"
    assert decode([0xE2, 0x80], vocabulary).hex() == "e280"
    assert decode([0xE2, 0x80], vocabulary).decode(errors="replace") == "\ufffd"
    quotes = train(Recipe("“ok” “ok”"), steps=1).vocabulary(1)
    assert decode([256], quotes) == b"\xe2\x80"
    assert encode("“ok”", quotes) == [256, 0x9C, 111, 107, 256, 0x9D]
    assert decode(encode("“ok”", quotes), quotes).decode() == "“ok”"


def test_x02_line_ends_are_encoded_as_they_came() -> None:
    assert encode("\nA", EMPTY) == [10, 65]
    assert encode("x\ny", EMPTY) == [120, 10, 121]
    assert encode("x\r\ny", EMPTY) == [120, 13, 10, 121]


# --- L01: one very long piece -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def doubling() -> Vocabulary:
    """aa, aaaa, ... to 1,024 letters, and the same of blanks."""
    run = train(Recipe("a" * 1024 + " " * 1024))
    return run.vocabulary(run.known)


def in_time(work: Callable[[], Any], seconds: float) -> Any:
    """The result of work that may take so many seconds of the processor; what else runs does not count."""
    started = time.process_time()
    result = work()
    assert time.process_time() - started < seconds
    return result


@pytest.mark.parametrize(("character", "times"), [("a", 100_000), (" ", 20_000)])
def test_l01_a_very_long_piece_is_encoded_exactly_and_soon(doubling: Vocabulary, character: str, times: int) -> None:
    ids = in_time(lambda: encode(character * times, doubling), 5)
    binary = [1 << bit for bit in range(9, -1, -1) if times % 1024 >> bit & 1]
    assert [len(doubling.token(token)) for token in ids] == [1024] * (times // 1024) + binary


def test_l01_a_very_long_piece_without_merges_stays_bytes(doubling: Vocabulary) -> None:
    assert in_time(lambda: encode("^" * 100_000, doubling), 10) == [94] * 100_000


def test_l01_the_steps_of_a_very_long_piece_are_read_in_windows() -> None:
    run = train(recipe_of("abcdefgh" * 20 + " " + "hgfedcba" * 20))
    vocabulary = run.vocabulary(run.known)
    piece = b"abcdefgh" * 10_000
    first = in_time(lambda: iterations(piece, vocabulary, limit=2, longest=100), 5)
    assert len(first) == 2
    assert [found.number for found in first] == [1, 2]
    assert first[0].tokens == tuple(piece[:100])
    assert first[0].total == 80_000
    assert first[0].places == 10_000
    assert all(position < 99 for found in first for each in found.candidates for position in each.positions)
    later = in_time(lambda: iterations(piece, vocabulary, offset=3, limit=10, longest=100), 5)
    assert later[0].number == 4
    assert all(len(found.tokens) <= 100 for found in later)
    traced = in_time(lambda: trace(piece.decode(), vocabulary), 5)
    assert traced.pieces[0].ids == traced.ids
    assert len(traced.ids) == later[-1].total if later[-1].applied is None else True


def test_a_long_text_is_not_blamed_on_the_pattern(doubling: Vocabulary) -> None:
    """The limit is for the pattern; encoding takes as long as it takes."""
    assert len(trace("a" * 60_000 + " b", doubling, time_limit=0.1).order) == 2


def test_a_pattern_that_runs_away_on_the_text_is_stopped() -> None:
    vocabulary = vocabulary_of([], custom("(a|a)+$"))
    with pytest.raises(PatternError) as caught:
        in_time(lambda: trace("a" * 40 + "!", vocabulary, time_limit=0.3), 5)
    assert caught.value.field == "pattern"


# --- Decoding ---------------------------------------------------------------------------------------------------------


def test_decoding_joins_bytes_before_it_reads_them(english_run: Run) -> None:
    vocabulary = english_run.vocabulary(300)
    assert decode([], vocabulary) == b""
    assert decode([240, 159, 556, 153, 131], vocabulary) == b"\xf0\x9f<|endoftext|>\x99\x83"
    assert decode([240, 159, 153, 131], vocabulary).decode() == "🙃"


@pytest.mark.parametrize("unknown", [558, 10_000, -1, 10**20])
def test_an_unknown_id_is_refused_with_its_place(english_run: Run, unknown: int) -> None:
    with pytest.raises(UnknownId) as caught:
        decode([65, unknown, 66], english_run.vocabulary(300))
    assert caught.value.position == 1


def test_a_token_that_is_made_later_is_unknown_as_of_a_step(english_run: Run) -> None:
    assert decode([355], english_run.vocabulary(100)) == english_run.token(355)
    assert decode([356], english_run.vocabulary(100)) == b"<|endoftext|>"
    with pytest.raises(UnknownId):
        decode([358], english_run.vocabulary(100))


# --- Properties -------------------------------------------------------------------------------------------------------


def check_trace(found: Trace, vocabulary: Vocabulary, expected: list[oracle.Cut]) -> None:
    """Pieces in order, each distinct one once, with the rounds of the definition."""
    assert [(found.pieces[place].text, found.pieces[place].special) for place in found.order] == [
        (cut.text, cut.special) for cut in expected
    ]
    assert len({(piece.text, piece.special) for piece in found.pieces}) == len(found.pieces)
    assert [piece.occurrences for piece in found.pieces] == [
        found.order.count(place) for place in range(len(found.pieces))
    ]
    assert list(dict.fromkeys(found.order)) == list(range(len(found.pieces)))
    assert found.ids == tuple(token for place in found.order for token in found.pieces[place].ids)
    merges = sorted(vocabulary.ranks, key=lambda pair: vocabulary.ranks[pair])[: vocabulary.merges]
    for piece in found.pieces:
        if piece.special:
            assert (piece.ids, piece.iterations) == ((vocabulary.special_tokens[piece.text],), 0)
            continue
        rounds = oracle.iterations(piece.text.encode(), merges)
        assert piece.ids == rounds[-1].tokens
        assert piece.iterations == len(rounds) - 1
        check_rounds(piece.text.encode(), vocabulary, rounds)


def check_rounds(pre_token: bytes, vocabulary: Vocabulary, expected: list[oracle.Iteration]) -> None:
    found = iterations(pre_token, vocabulary)
    assert len(found) == len(expected)
    for number, (one, other) in enumerate(zip(found, expected, strict=True)):
        assert (one.number, one.tokens, one.total, one.applied) == (
            number + 1,
            other.tokens,
            len(other.tokens),
            other.applied,
        )
        assert {each.pair: (each.rank, each.positions) for each in one.candidates} == other.candidates
        following = expected[number + 1].tokens if number + 1 < len(expected) else other.tokens
        assert one.places == len(other.tokens) - len(following)


@scaled(2)
@given(sample=texts_with_specials(), corpus=corpora(), pattern=st.sampled_from(PATTERNS), data=st.data())
def test_encoding_and_its_trace_are_those_of_the_definition(
    sample: tuple[str, list[str]], corpus: str, pattern: str, data: st.DataObject
) -> None:
    text, specials = sample
    run = train(recipe_of(corpus + text, pattern, special_tokens=tuple(specials)))
    step = data.draw(st.integers(0, run.known))
    vocabulary = run.vocabulary(step)
    merges = [merge.pair for merge in run.merges(step)]
    for how, cut_out in (("as_special", specials), ("as_text", [])):
        ids = encode(text, vocabulary, specials=how)  # type: ignore[arg-type]
        expected = oracle.cut(text, oracle.ALTERNATIVES[pattern], cut_out)
        assert ids == oracle.encode(text, oracle.ALTERNATIVES[pattern], merges, cut_out)
        found = trace(text, vocabulary, specials=how)  # type: ignore[arg-type]
        assert list(found.ids) == ids
        check_trace(found, vocabulary, expected)
        assert decode(ids, vocabulary).decode() == text
        assert b"".join(vocabulary.token(token) for token in ids) == text.encode()


@given(corpus=corpora(), offset=st.integers(0, 12), limit=st.integers(1, 5), longest=st.integers(1, 20))
def test_windows_of_iterations_are_parts_of_all(corpus: str, offset: int, limit: int, longest: int) -> None:
    run = train(recipe_of(corpus + "x", "none"))
    vocabulary, piece = run.vocabulary(run.known), (corpus + "x").encode()
    every = iterations(piece, vocabulary)
    assert iterations(piece, vocabulary, offset=offset, limit=limit) == every[offset : offset + limit]
    for cut, whole in zip(iterations(piece, vocabulary, longest=longest), every, strict=True):
        assert cut.tokens == whole.tokens[:longest]
        assert (cut.number, cut.total, cut.applied, cut.places) == (
            whole.number,
            whole.total,
            whole.applied,
            whole.places,
        )
        shown = [
            (each.pair, each.rank, tuple(position for position in each.positions if position < longest - 1))
            for each in whole.candidates
        ]
        assert [(each.pair, each.rank, each.positions) for each in cut.candidates] == [
            each for each in shown if each[2]
        ]


@given(text=texts(), source=st.sampled_from([r"\w+", "a", r"\p{L}|[0-9]+", r"(?<=a)b"]))
def test_texts_that_a_custom_pattern_does_not_cover_survive(text: str, source: str) -> None:
    run = train(Recipe(text * 2, pattern=custom(source)))
    vocabulary = run.vocabulary(run.known)
    assert decode(encode(text, vocabulary), vocabulary).decode() == text


@given(text=st.text(st.characters(exclude_categories=())))
def test_texts_with_surrogates_survive_but_for_these(text: str) -> None:
    read = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert decode(encode(text, EMPTY), EMPTY).decode() == read


# --- Peers ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=PUBLISHED)
def trained(request: pytest.FixtureRequest, english: dict[str, str], udhr: dict[str, str]) -> Run:
    """500 merges of many scripts and English, in each published pattern."""
    corpus = "\n".join(text[:250] for text in udhr.values()) + english["jane_austen"][:20_000]
    return train(recipe_of(corpus, request.param, special_tokens=("<|endoftext|>", "<s>")), steps=500)


@pytest.fixture(scope="module")
def tiktoken_encode(trained: Run) -> Callable[..., list[int]]:
    vocabulary = trained.vocabulary(500)
    pattern = peers.tiktoken_pattern(trained.method.pattern.name)
    return peers.tiktoken_encoding(vocabulary.tokens[:756], pattern, vocabulary.special_tokens).encode


def test_many_scripts_encode_as_in_tiktoken(
    trained: Run, tiktoken_encode: Callable[..., list[int]], udhr: dict[str, str]
) -> None:
    for text in udhr.values():
        assert encode(text, trained.vocabulary(500)) == tiktoken_encode(text)


def test_many_scripts_encode_as_in_the_tokenizers_package(trained: Run, udhr: dict[str, str]) -> None:
    vocabulary = trained.vocabulary(500)
    merges = [merge.pair for merge in trained.merges(500)]
    peer = peers.tokenizers_encoding(vocabulary.tokens[:756], merges, trained.method.pattern.source)
    for text in udhr.values():
        assert encode(text, vocabulary) == peer(text)


@scaled(2)
@given(text=texts(40) | st.lists(st.sampled_from(["the ", "<s>", "<|endoftext|>", " a", "é", "\n"])).map("".join))
def test_generated_texts_encode_as_in_tiktoken(
    trained: Run, tiktoken_encode: Callable[..., list[int]], text: str
) -> None:
    vocabulary = trained.vocabulary(500)
    assert encode(text, vocabulary) == tiktoken_encode(text, allowed_special="all")
    assert encode(text, vocabulary, specials="as_text") == tiktoken_encode(text, disallowed_special=())
