"""A vocabulary in a folder: what is written is what is read, other programs read it too, damage is named."""

import errno
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokenizer.strategies import corpora
from tokenizer import (
    NAMED,
    TIE_RULES,
    Recipe,
    SplitPattern,
    TieRule,
    Vocabulary,
    VocabularyError,
    custom,
    encode,
    train,
)
from tokenizer.saved import NAME, load, save, save_for_gpt2

EOT = "<|endoftext|>"
CORPUS = "low low lower newest newest widest don't naïve 日本語 " * 3


def trained(corpus: str = CORPUS, *, steps: int | None = None, special: str = EOT, **parts: object) -> Vocabulary:
    run = train(Recipe(corpus, special_tokens=(special,), **parts), steps=steps)  # type: ignore[arg-type]
    return run.vocabulary(run.known)


@given(
    corpus=corpora(),
    pattern=st.sampled_from(sorted(NAMED)),
    rule=st.sampled_from(TIE_RULES),
    tokens=st.lists(st.text(min_size=1), unique=True, max_size=3),
)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, corpus: str, pattern: str, rule: TieRule, tokens: list[str]
) -> None:
    tokens = [token for token in tokens if token.isprintable()]
    run = train(Recipe(corpus, pattern=NAMED[pattern], tie_rule=rule, special_tokens=tuple(tokens)), steps=40)
    vocabulary = run.vocabulary(run.known)
    folder = tmp_path_factory.mktemp("vocabulary")
    assert save(vocabulary, folder) == folder / NAME
    again = load(folder)
    assert again.tokens == list(vocabulary.tokens)
    assert again.ranks == vocabulary.ranks
    assert again.merges == vocabulary.merges
    assert again.pattern == vocabulary.pattern
    assert again.special_tokens == vocabulary.special_tokens


def test_a_vocabulary_as_of_a_step_is_written_up_to_it(tmp_path: Path) -> None:
    run = train(Recipe(CORPUS))
    save(run.vocabulary(3), tmp_path)
    assert load(tmp_path).tokens == run.vocabulary(3).tokens[:259]


def test_a_custom_pattern_is_kept(tmp_path: Path) -> None:
    vocabulary = trained(pattern=custom(r"\w+|\W"))
    save(vocabulary, tmp_path)
    assert load(tmp_path).pattern == SplitPattern("custom", r"\w+|\W")


def test_the_tokenizers_package_reads_the_files_and_gives_the_same_ids(tmp_path: Path, udhr: dict[str, str]) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    scripts = EOT.join(text[:300] for text in udhr.values())
    vocabulary = trained(scripts, steps=300)
    vocab, merges = save_for_gpt2(vocabulary, tmp_path)
    peer = tokenizers.Tokenizer(tokenizers.models.BPE.from_file(str(vocab), str(merges)))
    peer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    peer.add_special_tokens([EOT])
    assert peer.encode(scripts).ids == encode(scripts, vocabulary)


def test_a_special_token_that_is_spelled_as_another_is_refused_by_name(tmp_path: Path) -> None:
    vocabulary = trained("a b a b", special="Ġb")
    assert b" b" in vocabulary.tokens
    with pytest.raises(VocabularyError, match=r"“Ġb”.*token 256"):
        save_for_gpt2(vocabulary, tmp_path)
    assert list(tmp_path.iterdir()) == []


GOOD = {
    "format": "merge-next vocabulary 1",
    "pattern": {"name": "gpt2", "source": NAMED["gpt2"].source},
    "special_tokens": {EOT: 258},
    "merges": [[97, 98], [256, 99]],
}


def test_the_form_is_as_documented(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text(json.dumps(GOOD))
    assert load(tmp_path).tokens[256:] == [b"ab", b"abc"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"format": "other"}, "format"),
        ({"merges": [[97, 98], [257, 99]]}, "merge 1 "),
        ({"merges": [[97, 98], [-1, 99]]}, "merge 1 "),
        ({"merges": [[97, 98], [97, 98]]}, "merge 1 is merge 0"),
        ({"merges": [[97, 98], [True, 98]]}, "merge 1 "),
        ({"merges": [[97, 98], [97, 98, 99]]}, "merge 1 "),
        ({"merges": [[97, 98], "ab"]}, "merge 1 "),
        ({"merges": {}}, "merges"),
        ({"merges": [[255 + step, 255 + step] for step in range(60)]}, "bytes together"),
        ({"special_tokens": {EOT: 257}}, "special token"),
        ({"special_tokens": {EOT: 258, "<s>": 258}}, "special_tokens"),
        ({"special_tokens": {"": 258}}, "special token"),
        ({"special_tokens": {EOT: 1 << 32}}, "special token"),
        ({"special_tokens": [EOT]}, "special_tokens"),
        ({"special_tokens": {EOT: []}}, "special token"),
        ({"special_tokens": {"\ud800": 258}}, "surrogate"),
        ({"special_tokens": {str(number): 258 + number for number in range(1_001)}}, "1,000 texts"),
        ({"special_tokens": {"a" * 65_537: 258}}, "65,536 characters"),
        ({"pattern": "gpt2"}, "pattern"),
        ({"pattern": {"name": "custom", "source": "("}}, "pattern"),
        ({"pattern": {"name": "custom", "source": "a*"}}, "pattern"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_with_the_file(tmp_path: Path, change: dict[str, object], says: str) -> None:
    (tmp_path / NAME).write_text(json.dumps(GOOD | change))
    with pytest.raises(VocabularyError, match=says) as caught:
        load(tmp_path)
    assert str(tmp_path / NAME) in caught.value.message


@pytest.mark.parametrize("content", [b"", b"{", b"[" * 100_000, b"\xff", b"[]", b"null"])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(VocabularyError, match=NAME):
        load(tmp_path)


def test_a_folder_without_a_vocabulary_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(VocabularyError, match="merge-next train"):
        load(tmp_path / "nowhere")


def test_a_file_that_cannot_be_written_whole_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(trained(steps=3), tmp_path)
    before = (tmp_path / NAME).read_bytes()

    def full(_from: Path, _to: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="No space"):
        save(trained(steps=5), tmp_path)
    assert (tmp_path / NAME).read_bytes() == before
    assert list(tmp_path.iterdir()) == [tmp_path / NAME]
