"""The engine's training beside other people's: the same file, in turns, each time in a process of its own."""

from collections.abc import Iterable, Mapping

from tests.bench import peers
from tests.bench.corpus import Corpus
from tests.bench.ours import THIS, THIS_TWICE, by_rule
from tests.bench.outcome import Outcome, compare, run_one
from tests.bench.table import at_least, limit, median, number, say, show
from tokenizer import TIE_RULES

VOCABULARY = 10_000
TARGETS = {"rustbpe": 2, "tokenizers": 7, "ffbpe": 1.3, "gigabpe, 2 threads": 0.6}
GIGABYTE_TARGETS = {"gigabpe, 2 threads": 1.5}
PEAK_MB = 120
HEADS = ("", "wall s", "CPU s", "peak MB", "peer / ours", "target", "of target")
Rounds = Mapping[str, list[Outcome]]


def measure(corpora: Iterable[Corpus], rounds: int) -> None:
    """Print how long training takes beside the peers, and whether they learn the same.

    Args:
        corpora: each has a table.
        rounds: how often all take their turn.

    Raises:
        AssertionError: a peer with the tie rule of lower ids learned something else than we do with it.
    """
    here, missing = peers.installed()
    for corpus in corpora:
        outcomes = _in_turns(corpus, [THIS, THIS_TWICE, *here], rounds)
        ours = {rule: run_one(by_rule(rule), corpus.path, VOCABULARY, threads=1).tokens for rule in TIE_RULES}
        learned = {name: outcomes[name][0].tokens for name in here}
        notes = [_same(name, tokens, ours) for name, tokens in learned.items()]
        _show(corpus, outcomes, THIS, TARGETS, [*notes, *(f"{name} is not installed" for name in missing)])
        for name, peer in here.items():
            assert not peer.lower_ids or learned[name] == ours["lower_ids"], f"{name} and we learn other tokens"


def measure_gigabyte(corpus: Corpus, rounds: int) -> None:
    """Print how long training on a file of 1 GB takes beside the fastest peer, both on two cores."""
    names = [name for name in peers.installed()[0] if name in GIGABYTE_TARGETS]
    outcomes = _in_turns(corpus, [THIS_TWICE, THIS, *names], rounds)
    _show(corpus, outcomes, THIS_TWICE, GIGABYTE_TARGETS, [])


def _in_turns(corpus: Corpus, names: Iterable[str], rounds: int) -> Rounds:
    outcomes: dict[str, list[Outcome]] = {name: [] for name in names}
    for place in range(rounds):
        say(f"training on {corpus.name}, round {place + 1} of {rounds}")
        for name, found in outcomes.items():
            found.append(run_one(name, corpus.path, VOCABULARY, _threads(name)))
    return outcomes


def _threads(name: str) -> int:
    if name == THIS_TWICE:
        return 2
    return peers.PEERS[name].threads if name in peers.PEERS else 1


def _same(name: str, theirs: list[str], ours: Mapping[str, list[str]]) -> str:
    """What a peer learned beside what we do, in words: by its tie rule if we have it, else by the nearest."""
    if peers.PEERS[name].lower_ids:
        return f"{name}, ties by lower ids: {compare(ours['lower_ids'], theirs)}"
    nearest = max(ours, key=lambda rule: len(set(ours[rule]) & set(theirs)))
    return f"{name}, ties by a rule of its own, nearest {nearest.replace('_', ' ')}: {compare(ours[nearest], theirs)}"


def _show(corpus: Corpus, outcomes: Rounds, ours: str, targets: Mapping[str, float], notes: Iterable[str]) -> None:
    rows = [_row(name, outcomes, ours, targets) for name in outcomes]
    title = f"Training, {corpus.name}: GPT-2's pattern, a vocabulary of {VOCABULARY:,} and <|endoftext|>"
    explain = (
        f"medians of {len(outcomes[ours])} rounds, each in a process of its own; reading the file is in it",
        f"above 1 the peer takes longer than {ours}: in CPU time where both have one thread, else in wall time",
        "peak: the most of any round, imports included; of several processes the largest",
    )
    show(title, HEADS, rows, [*explain, *notes])
    if corpus.natural:
        peak = max(each.peak_mb for each in outcomes[ours])
        base = median([each.base_mb for each in outcomes[ours]])
        row = (ours, number(base, 0), *limit(peak, PEAK_MB, 0))
        show(f"Memory, {corpus.name}", ("", "before, MB", "peak, MB", "target", "of target"), [row])


def _row(name: str, outcomes: Rounds, ours: str, targets: Mapping[str, float]) -> tuple[str, ...]:
    found = outcomes[name]
    ratios = [_ratio(each, own, name, ours) for each, own in zip(found, outcomes[ours], strict=True)]
    return (
        name,
        number(median([each.wall for each in found]), 2),
        number(median([each.cpu for each in found]), 2),
        number(max(each.peak_mb for each in found), 0),
        *at_least(median(ratios), targets.get(name), 2),
    )


def _ratio(theirs: Outcome, own: Outcome, name: str, ours: str) -> float:
    if _threads(name) == _threads(ours) == 1:
        return theirs.cpu / own.cpu
    return theirs.wall / own.wall
