"""The encoder that remembers, beside the definition and beside other people's."""

import itertools
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer import oracle, peers
from tests.tokenizer.compare import recipe_of
from tests.tokenizer.fast import nasty
from tests.tokenizer.strategies import PATTERNS, PUBLISHED, corpora, scaled, texts, texts_with_specials
from tokenizer import (
    GPT2,
    CorpusError,
    PatternError,
    Recipe,
    RecipeError,
    Run,
    Vocabulary,
    custom,
    encode,
    train,
)
from tokenizer.fast import encoder as module
from tokenizer.fast import pre_token_runs
from tokenizer.fast.encoder import MOST_CACHED, Encoder
from tokenizer.sources import Memory


@pytest.fixture(autouse=True)
def arrays_for_short_texts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated texts are short: without this none of them would go the way of long ones."""
    monkeypatch.setattr(module, "SHORT", 0)


def assert_same(found: np.ndarray, expected: Sequence[int]) -> None:
    assert found.dtype == np.uint32
    assert found.tolist() == list(expected)


# --- The definition ---------------------------------------------------------------------------------------------------


@scaled(2)
@given(
    sample=texts_with_specials() | nasty.texts() | nasty.lines(),
    corpus=corpora(),
    pattern=st.sampled_from(PATTERNS),
    size=st.sampled_from([1, 3, 20, 1 << 18]),
    short=st.sampled_from([0, 6, 1 << 10]),
    data=st.data(),
)
def test_ids_are_those_of_the_definition(
    sample: tuple[str, list[str]], corpus: str, pattern: str, size: int, short: int, data: st.DataObject
) -> None:
    """For all named patterns, any special tokens, merges and blocks, cut either way, cold and known already."""
    text, specials = sample
    run = train(recipe_of(corpus + text, pattern, special_tokens=tuple(specials)))
    step = data.draw(st.integers(0, run.known))
    vocabulary, merges = run.vocabulary(step), [merge.pair for merge in run.merges(step)]
    for how, split_out in (("as_special", specials), ("as_text", [])):
        expected = oracle.encode(text, oracle.ALTERNATIVES[pattern], merges, split_out)
        encoder = Encoder(vocabulary, specials=how)  # type: ignore[arg-type]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(module, "BLOCK", size)
            patch.setattr(module, "SHORT", short)
            for given_as in (text, text.encode(), text):
                assert_same(encoder.encode(given_as), expected)


@scaled(2)
@given(
    text=texts(),
    source=st.sampled_from([r"\w+", "a", r"\p{L}|[0-9]+", r"(?<=a)b", r"(a)(b)?|\s", r"(?i)THE|.", r" ?\S+|\s"]),
    specials=st.sampled_from([(), ("a",), (" ", "<s>")]),
)
def test_ids_by_a_custom_pattern_are_those_of_the_definition(text: str, source: str, specials: tuple[str, ...]) -> None:
    run = train(Recipe(text * 2, pattern=custom(source), special_tokens=specials))
    encoder = Encoder(run.vocabulary(run.known))
    for given_as in (text, text * 2, text):
        assert_same(encoder.encode(given_as), encode(given_as, run.vocabulary(run.known)))


@given(sample=nasty.texts(), other=texts())
def test_an_encoder_that_knows_other_texts_gives_the_same(sample: tuple[str, list[str]], other: str) -> None:
    text, specials = sample
    run = train(recipe_of(text + other, special_tokens=tuple(specials)))
    vocabulary = run.vocabulary(run.known)
    encoder = Encoder(vocabulary)
    for each in (other, text, other + text, text + other, text):
        assert_same(encoder.encode(each), encode(each, vocabulary))


@given(text=st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\udc4d \0")))
def test_lone_surrogates_become_replacement_characters(text: str) -> None:
    vocabulary = train(Recipe("\ufffd\ufffd 👍 👍")).vocabulary(3)
    assert_same(Encoder(vocabulary).encode(text), encode(text, vocabulary))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_real_texts_have_the_ids_of_the_definition(
    pattern: str, english: Mapping[str, str], udhr: Mapping[str, str]
) -> None:
    corpus = english["bible_web"][:20_000] + "".join(text[:200] for text in udhr.values())
    text = english["jane_austen"][:50_000] + "<s>" + "".join(list(udhr.values())[::60])
    vocabulary = train(recipe_of(corpus, pattern, special_tokens=("<s>",)), steps=300).vocabulary(300)
    assert_same(Encoder(vocabulary).encode(text), encode(text, vocabulary))


# --- Vocabularies -----------------------------------------------------------------------------------------------------


def test_special_tokens_may_have_any_ids_and_spaces_inside() -> None:
    learned = train(Recipe("ab ab abc abc"), steps=3).vocabulary(3)
    ids = {"<|a b|>": 7, " ": 1 << 31, "the end": (1 << 32) - 1, "ab": 0, "aba": 256}
    vocabulary = Vocabulary(learned.tokens, learned.ranks, 3, GPT2, ids)
    for text in ("x<|a b|> the end abaab the  end", " ", "a b" * 100, "ab" * 50 + " aba"):
        assert_same(Encoder(vocabulary).encode(text), encode(text, vocabulary))
        assert_same(Encoder(vocabulary, specials="as_text").encode(text), encode(text, vocabulary, specials="as_text"))


@pytest.mark.parametrize("token", [-1, 1 << 32])
def test_a_special_token_whose_id_does_not_fit_is_refused(token: int) -> None:
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256)], {}, 0, GPT2, {"<s>": token})
    with pytest.raises(RecipeError, match="“<s>”") as caught:
        Encoder(vocabulary)
    assert caught.value.field == "special_tokens"
    assert Encoder(vocabulary, specials="as_text").encode("a").tolist() == [97]


def test_tokens_that_the_merges_do_not_reach_are_not_taken() -> None:
    """Only the merges make tokens: that a pre-token spells one is not enough."""
    tokens = [*(bytes([byte]) for byte in range(256)), b"bc", b"ab", b"abc"]
    ranks = {(98, 99): 0, (97, 98): 1, (257, 99): 2}
    vocabulary = Vocabulary(tokens, ranks, 3, GPT2, {})
    assert_same(Encoder(vocabulary).encode("abc abc ab"), encode("abc abc ab", vocabulary))
    assert Encoder(vocabulary).encode("abc").tolist() == [97, 256]


def test_a_vocabulary_as_of_a_step_has_no_later_merges(english: Mapping[str, str]) -> None:
    text = english["bible_web"][:5000]
    run = train(recipe_of(text), steps=200)
    for step in (0, 1, 50, 200):
        ids = Encoder(run.vocabulary(step)).encode(text)
        assert_same(ids, encode(text, run.vocabulary(step)))
        assert ids.max() < 256 + step


# --- Inputs at the edges ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small() -> Vocabulary:
    return train(Recipe("the cat sat on the mat. " * 3), steps=10).vocabulary(10)


@pytest.mark.parametrize("empty", ["", b""])
def test_an_empty_text_has_no_ids(small: Vocabulary, empty: str | bytes) -> None:
    assert_same(Encoder(small).encode(empty), [])
    assert list(Encoder(small).encode_blocks(Memory(b""))) == []


@pytest.mark.parametrize("start", [0, 1, 100, 300_000, 700_001])
@pytest.mark.parametrize("fault", [b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xc0\x80"])
def test_bytes_that_are_not_utf8_are_refused_with_their_offset(small: Vocabulary, start: int, fault: bytes) -> None:
    before = ("the cat é sat. " * (start // 16)).encode()
    data = before.ljust(start, b"x") + fault + b" the cat" * 10
    for work in (lambda: Encoder(small).encode(data), lambda: list(Encoder(small).encode_blocks(Memory(data)))):
        with pytest.raises(CorpusError) as caught:
            work()
        assert caught.value.position == start


def test_a_pattern_that_matches_nothing_is_an_error() -> None:
    vocabulary = Vocabulary([bytes([byte]) for byte in range(256)], {}, 0, custom(r"x|(?<=qq)"), {})
    with pytest.raises(PatternError):
        Encoder(vocabulary).encode("aqqa")


@pytest.mark.parametrize("pattern", ["gpt2", "none"])
def test_a_very_long_pre_token_is_encoded_soon(pattern: str, english: Mapping[str, str]) -> None:
    run = train(recipe_of("a" * 1024 + english["bible_web"][:3000], pattern))
    vocabulary = run.vocabulary(run.known)
    text = "a" * 100_000
    begun = time.process_time()
    ids = Encoder(vocabulary).encode(text)
    assert time.process_time() - begun < 5
    assert_same(ids, encode(text, vocabulary))


@pytest.mark.parametrize("length", [127, 128, 129, 130])
def test_pre_tokens_around_the_length_that_is_merged_together_are_the_same(length: int) -> None:
    assert pre_token_runs.LONGEST_TOGETHER == 128
    run = train(Recipe("abcabd" * 30))
    text = ("abcabd" * 30)[:length]
    assert_same(Encoder(run.vocabulary(9)).encode(f"{text} {text}"), encode(f"{text} {text}", run.vocabulary(9)))


def test_more_new_pre_tokens_than_are_merged_together(small: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pre_token_runs, "MOST_TOGETHER", 7)
    text = " ".join(f"the{chr(97 + number)}cat" for number in range(26))
    assert_same(Encoder(small).encode(text), encode(text, small))


# --- What is kept -----------------------------------------------------------------------------------------------------


def kept(encoder: Encoder) -> int:
    return len(encoder._runs)


@pytest.mark.parametrize("most", [0, 1, 30, MOST_CACHED])
def test_no_more_is_kept_than_was_asked_for(small: Vocabulary, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(module, "BLOCK", 50)
    text = "".join(f"{word} the cat{word}! " for word in map("".join, itertools.permutations("abcd")))
    encoder = Encoder(small, most_cached=most)
    for _ in range(2):
        assert_same(encoder.encode(text), encode(text, small))
        assert kept(encoder) <= most
        assert encoder._runs.size <= most * module.IDS_EACH
    if most == MOST_CACHED:
        assert kept(encoder) > 40


def test_ids_count_as_well_as_pieces(small: Vocabulary) -> None:
    encoder = Encoder(small, most_cached=10)
    encoder.encode("z" * 80)
    assert kept(encoder) == 1
    encoder.encode("zz")
    assert kept(encoder) == 0


@pytest.mark.parametrize("short", [0, 1 << 10])
def test_what_is_known_is_not_encoded_again(small: Vocabulary, monkeypatch: pytest.MonkeyPatch, short: int) -> None:
    encoder = Encoder(small)
    text = "the cat sat. naïve cats, the “cat” 12\n" * 5
    monkeypatch.setattr(module, "SHORT", short)
    before = encoder.encode(text)
    known = kept(encoder)
    monkeypatch.setattr(pre_token_runs, "merge_all", None)
    assert_same(encoder.encode(text), before.tolist())
    assert kept(encoder) == known


def test_an_interruption_leaves_nothing_half_known(small: Vocabulary, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(small)
    encoder.encode("the cat")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pre_token_runs, "merge_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            encoder.encode("the mat é")
    for text in ("the mat é", "the cat", "on the mat"):
        assert_same(encoder.encode(text), encode(text, small))


def test_blocks_are_read_as_they_are_asked_for(small: Vocabulary) -> None:
    text = "the cat sat on the mat, é “the” cat.\n" * 30_000
    parts = Encoder(small).encode_blocks(Memory(text.encode()))
    first = next(parts)
    assert 0 < len(first) < len(text) // 2
    assert np.array_equal(np.concatenate([first, *parts]), Encoder(small).encode(text))


def test_two_threads_with_two_encoders_do_not_disturb_each_other(english: Mapping[str, str]) -> None:
    vocabularies = [train(recipe_of(text[:2000]), steps=50).vocabulary(50) for text in english.values()]
    text = "".join(text[:30_000] for text in english.values())

    def work(vocabulary: Vocabulary) -> list[int]:
        encoder = Encoder(vocabulary, most_cached=300)
        encoder.encode(text)
        return encoder.encode(text).tolist()

    alone = [work(vocabulary) for vocabulary in vocabularies]
    with ThreadPoolExecutor(len(vocabularies)) as pool:
        assert list(pool.map(work, vocabularies)) == alone


# --- Peers ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=PUBLISHED)
def trained(request: pytest.FixtureRequest, english: Mapping[str, str], udhr: Mapping[str, str]) -> Run:
    """500 merges of many scripts and English, in each published pattern."""
    corpus = "\n".join(text[:250] for text in udhr.values()) + english["jane_austen"][:20_000]
    return train(recipe_of(corpus, request.param, special_tokens=("<|endoftext|>", "<s>")), steps=500)


def test_real_texts_encode_as_in_tiktoken(trained: Run, english: Mapping[str, str], udhr: Mapping[str, str]) -> None:
    vocabulary = trained.vocabulary(500)
    pattern = peers.tiktoken_pattern(trained.method.pattern.name)
    peer = peers.tiktoken_encoding(vocabulary.tokens[:756], pattern, vocabulary.special_tokens)
    encoder = Encoder(vocabulary)
    for text in [*udhr.values(), *english.values(), "<|endoftext|>".join([*udhr.values(), *english.values()])]:
        assert_same(encoder.encode(text), peer.encode(text, allowed_special="all"))


def test_real_texts_encode_as_in_the_tokenizers_package(
    trained: Run, english: Mapping[str, str], udhr: Mapping[str, str]
) -> None:
    vocabulary = trained.vocabulary(500)
    merges = [merge.pair for merge in trained.merges(500)]
    peer = peers.tokenizers_encoding(vocabulary.tokens[:756], merges, trained.method.pattern.source)
    encoder = Encoder(vocabulary)
    for text in [*udhr.values(), *(text[:50_000] for text in english.values())]:
        assert_same(encoder.encode(text), peer(text))


@scaled(2)
@given(text=texts(40) | nasty.texts(40).map(lambda sample: sample[0]))
def test_generated_texts_encode_as_in_tiktoken(trained: Run, text: str) -> None:
    vocabulary = trained.vocabulary(500)
    pattern = peers.tiktoken_pattern(trained.method.pattern.name)
    peer = _cached(peers.tiktoken_encoding, trained, vocabulary.tokens[:756], pattern, vocabulary.special_tokens)
    assert_same(Encoder(vocabulary).encode(text), peer.encode(text, allowed_special="all"))


_made: dict[int, Any] = {}


def _cached(make: Any, run: Run, *arguments: Any) -> Any:
    """A peer takes longer to make than to use."""
    return _made.setdefault(id(run), make(*arguments))


@pytest.mark.parametrize("pattern", [r"(?:a|aa)+$|[\s\S]", r"((?:a|aa)+$)|[\s\S]"])
def test_a_pattern_that_takes_too_long_is_stopped(pattern: str) -> None:
    vocabulary = train(Recipe("a b", pattern=custom(pattern))).vocabulary(0)
    encoder = Encoder(vocabulary, time_limit=0.05)
    assert encoder.encode("aa").tolist() == [97, 97]
    with pytest.raises(PatternError, match=r"longer than 0.05 s"):
        encoder.encode("a" * 40 + "c")
    with pytest.raises(PatternError, match=r"longer than 0.05 s"):
        list(encoder.encode_blocks(Memory(b"a" * 40 + b"c")))


def test_finding_special_tokens_is_stopped_too() -> None:
    special_tokens = tuple("a" * length + "b" for length in range(500, 700))
    vocabulary = train(Recipe("a b", special_tokens=special_tokens)).vocabulary(0)
    with pytest.raises(RecipeError, match="special tokens took longer"):
        Encoder(vocabulary, time_limit=0.01).encode("a" * 200_000)
