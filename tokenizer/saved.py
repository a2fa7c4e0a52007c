"""A vocabulary in a folder: `merge-next.json`, which holds all of it, and GPT-2's two files for other programs.

`merge-next.json` has the merges as pairs of ids, in the order of their ranks, the split pattern with its source, and
the special tokens with their ids. `vocab.json` and `merges.txt` are the files of GPT-2's release, in which every byte
is spelled as a printable character; they name no pattern. Each file is there as a whole or as it was before.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tokenizer.byte_level import printable
from tokenizer.errors import PatternError, VocabularyError
from tokenizer.patterns import NAMED, SplitPattern, custom
from tokenizer.recipe import BYTES, SURROGATES
from tokenizer.replacing import replacing
from tokenizer.steps import Pair
from tokenizer.vocabulary import Vocabulary

NAME = "merge-next.json"
FILES = (NAME, "vocab.json", "merges.txt")
FORMAT = "merge-next vocabulary 1"
LARGEST = 256_000_000  # bytes of a file that is read; ten million merges have less
MOST_MERGES = 10_000_000
MOST_SPECIAL_TOKENS = 1_000
MOST_SPECIAL_CHARACTERS = 65_536  # of all of them together
MOST_BYTES = 1_000_000_000  # of all tokens together; merges that double a token again and again would fill any memory


def save(vocabulary: Vocabulary, folder: Path) -> Path:
    """Write `merge-next.json` into a folder, which is made; the file's path.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    values = {
        "format": FORMAT,
        "pattern": {"name": vocabulary.pattern.name, "source": vocabulary.pattern.source},
        "special_tokens": dict(vocabulary.special_tokens),
        "merges": [list(pair) for pair in _pairs(vocabulary)],
    }
    path = folder / NAME
    _write(path, json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n")
    return path


def save_for_gpt2(vocabulary: Vocabulary, folder: Path) -> tuple[Path, Path]:
    """Write `vocab.json` and `merges.txt` into a folder, which is made; their paths.

    Raises:
        VocabularyError: a special token is spelled as another token is, so one name would have two ids.
        OSError: they cannot be written.
    """
    spelled = [printable(token) for token in vocabulary.tokens[: vocabulary.size]]
    ids = {token: number for number, token in enumerate(spelled)}
    for text, number in vocabulary.special_tokens.items():
        if ids.setdefault(text, number) != number:
            raise VocabularyError(
                f"vocab.json cannot hold the special token “{text}”: token {ids[text]} is spelled so in GPT-2's "
                "alphabet, and a name can have one id only."
            )
    folder.mkdir(parents=True, exist_ok=True)
    merges = "".join(f"{spelled[left]} {spelled[right]}\n" for left, right in _pairs(vocabulary))
    for_ids, for_merges = (folder / name for name in FILES[1:])
    _write(for_ids, json.dumps(ids, ensure_ascii=False) + "\n")
    _write(for_merges, f"#version: 0.2\n{merges}")
    return for_ids, for_merges


def _write(path: Path, text: str) -> None:
    with replacing(path) as stream:
        stream.write(text.encode())


def load(folder: Path) -> Vocabulary:
    """The vocabulary of a folder that `save` wrote.

    Raises:
        VocabularyError: there is none, or the file is not what `save` writes; says which part.
    """
    path = folder / NAME
    try:
        if path.stat().st_size > LARGEST:
            raise VocabularyError(f"{path} is larger than {LARGEST:,} bytes; such a file is not read.")
        values = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise VocabularyError(
            f"There is no {NAME} in {folder}; `merge-next train --out {folder}` writes it."
        ) from error
    except OSError as error:
        raise VocabularyError(f"{path} cannot be read: {error.strerror or error}.") from error
    except (ValueError, RecursionError) as error:
        raise VocabularyError(f"{path} is no JSON: {error}.") from error
    try:
        return _read(values)
    except VocabularyError as error:
        raise VocabularyError(f"{path}: {error.message}", field=error.field, position=error.position) from error


def _pairs(vocabulary: Vocabulary) -> Iterator[Pair]:
    """The merges in the order of their ranks."""
    known = ((rank, pair) for pair, rank in vocabulary.ranks.items() if rank < vocabulary.merges)
    return (pair for _, pair in sorted(known))


def _read(values: Any) -> Vocabulary:
    if not isinstance(values, dict) or values.get("format") != FORMAT:
        raise VocabularyError(f"the format is not “{FORMAT}”.", field="format")
    tokens, ranks = _merged(values.get("merges"))
    specials = _special_tokens(values.get("special_tokens"), least=len(tokens))
    return Vocabulary(tokens, ranks, len(ranks), _pattern(values.get("pattern")), specials)


def _merged(merges: Any) -> tuple[list[bytes], dict[Pair, int]]:
    if not isinstance(merges, list) or len(merges) > MOST_MERGES:
        raise VocabularyError(f"“merges” is no list of at most {MOST_MERGES:,} pairs.", field="merges")
    tokens = [bytes([byte]) for byte in range(BYTES)]
    ranks: dict[Pair, int] = {}
    size = BYTES
    for rank, ids in enumerate(merges):
        if not _is_pair(ids, below=BYTES + rank):
            raise VocabularyError(
                f"merge {rank} is no pair of ids from 0 to {BYTES + rank - 1}.", field="merges", position=rank
            )
        pair = (ids[0], ids[1])
        if pair in ranks:
            raise VocabularyError(f"merge {rank} is merge {ranks[pair]} again.", field="merges", position=rank)
        size += len(tokens[pair[0]]) + len(tokens[pair[1]])
        if size > MOST_BYTES:
            raise VocabularyError(
                f"with merge {rank} the tokens have more than {MOST_BYTES:,} bytes together.",
                field="merges",
                position=rank,
            )
        ranks[pair] = rank
        tokens.append(tokens[pair[0]] + tokens[pair[1]])
    return tokens, ranks


def _is_pair(ids: Any, *, below: int) -> bool:
    return (
        isinstance(ids, list) and len(ids) == 2 and all(type(number) is int and 0 <= number < below for number in ids)
    )


def _special_tokens(given: Any, *, least: int) -> Mapping[str, int]:
    if not isinstance(given, dict):
        raise VocabularyError("“special_tokens” is no object of texts with ids.", field="special_tokens")
    if len(given) > MOST_SPECIAL_TOKENS or sum(map(len, given)) > MOST_SPECIAL_CHARACTERS:
        raise VocabularyError(
            f"“special_tokens” has more than {MOST_SPECIAL_TOKENS:,} texts or {MOST_SPECIAL_CHARACTERS:,} characters "
            "of them.",
            field="special_tokens",
        )
    for text, number in given.items():
        if not text or SURROGATES.search(text) or type(number) is not int or not least <= number < 1 << 32:
            raise VocabularyError(
                f"the special token {json.dumps(text)} has no text, a lone surrogate, or no id from {least} to "
                f"{(1 << 32) - 1}.",
                field="special_tokens",
            )
    if len(set(given.values())) < len(given):
        raise VocabularyError("“special_tokens” gives one id to two texts.", field="special_tokens")
    return given


def _pattern(given: Any) -> SplitPattern:
    if not isinstance(given, dict) or not all(isinstance(given.get(part), str) for part in ("name", "source")):
        raise VocabularyError("“pattern” has no name and source.", field="pattern")
    pattern = SplitPattern(given["name"], given["source"])
    if NAMED.get(pattern.name) == pattern:
        return pattern
    try:
        return custom(pattern.source)
    except PatternError as error:
        raise VocabularyError(error.message, field="pattern", position=error.position) from error
