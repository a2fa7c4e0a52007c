"""`python -m tests.bench.run_one NAME FILE VOCABULARY`: one training, in a process of its own; prints JSON.

So each has a fresh allocator and a peak of memory of its own. Imports come before the clock, reading the file after
it. VOCABULARY counts the 256 bytes and the merges, and not the special token.
"""

import json
import re
import resource
import sys
import time
from pathlib import Path

from tests.bench.peers import BYTES, PEERS, Training


def main(name: str, path: Path, vocabulary: int) -> None:
    """Train once with ours or a peer, by its name in the tables, and print what `outcome.Outcome` holds."""
    training = _training(name, path, vocabulary - BYTES)
    base = peak_mb()
    processor, begun = _processor(), time.perf_counter()
    trained = training.train()
    wall, processor = time.perf_counter() - begun, _processor() - processor
    peak = peak_mb()
    tokens = [token.hex() for token in training.tokens(trained)]
    print(json.dumps({"wall": wall, "cpu": processor, "base_mb": base, "peak_mb": peak, "tokens": tokens}))


def _training(name: str, path: Path, merges: int) -> Training:
    if name in PEERS:
        return PEERS[name].training(path, merges)
    from tests.bench import ours  # only now: a peer's memory is measured without it

    return ours.NAMED[name](path, merges)


def peak_mb() -> float:
    """The most memory that was resident so far, in MB, of this process or the largest of its ended children.

    Linux counts in `ru_maxrss` what the parent had before this program replaced its copy, so `VmHWM` is read there.
    """
    unit = 1 if sys.platform == "darwin" else 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit
    status = Path("/proc/self/status")
    if status.exists() and (found := re.search(r"VmHWM:\s+(\d+) kB", status.read_text())):
        own = int(found[1]) * 1024
    else:
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return max(own, children) / 1e6


def _processor() -> float:
    """Seconds of processor time of this process's threads and its ended children."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
