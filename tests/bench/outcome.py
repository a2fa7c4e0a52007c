"""What one training said of itself, and whether two learned the same."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """Seconds, the most MB before and after training, and the tokens that were learned, in order, in hex."""

    wall: float
    cpu: float
    base_mb: float
    peak_mb: float
    tokens: list[str]


def run_one(name: str, path: Path, vocabulary: int, threads: int) -> Outcome:
    """Train once in a process of its own.

    Args:
        name: ours or a peer's, as in the tables.
        path: the corpus.
        vocabulary: its 256 bytes and the merges.
        threads: how many the trainer's pool may have.

    Raises:
        RuntimeError: it failed; holds what it said.
    """
    environment = os.environ | {"RAYON_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": str(threads > 1).lower()}
    command = [sys.executable, "-m", "tests.bench.run_one", name, str(path), str(vocabulary)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{name} could not be trained on {path.name}. {done.stderr}")
    return Outcome(**json.loads(done.stdout))


def compare(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """In words: whether they learned the same tokens, and in the same order."""
    if ours == theirs:
        return f"the same {len(ours):,} tokens in the same order"
    both = set(ours) & set(theirs)
    if len(both) == len(set(ours)) == len(set(theirs)):
        return f"the same {len(ours):,} tokens in another order"
    place = next((n for n, (one, other) in enumerate(zip(ours, theirs, strict=False)) if one != other), len(both))
    return f"{len(both):,} of {len(ours):,} tokens are the same; the first difference is merge {place + 1:,}"
