import pytest

from tests.bench.outcome import Outcome
from tests.bench.table import at_least, limit, p95, show
from tests.bench.training import _ratio


def test_a_ratio_stands_beside_what_it_should_reach() -> None:
    assert at_least(2.6, 1.3, 2) == ("2.60", "≥ 1.3", "2.00")
    assert at_least(2.6) == ("2.6", "", "")


def test_a_figure_stands_beside_what_it_should_not_exceed() -> None:
    assert limit(90, 120, 0) == ("90", "≤ 120", "0.75")


@pytest.mark.parametrize(("count", "expected"), [(1, 1), (20, 19), (100, 95), (101, 96)])
def test_the_95th_percentile_is_a_value_that_95_of_100_do_not_exceed(count: int, expected: int) -> None:
    assert p95(list(range(1, count + 1))) == expected


def test_columns_are_as_wide_as_their_widest_cell(capsys: pytest.CaptureFixture[str]) -> None:
    show("Title", ("", "s"), [("ours", "1.25"), ("a peer", "2")], ["a note"])
    assert capsys.readouterr().out == "\nTitle\n           s\n------  ----\nours    1.25\na peer     2\n  a note\n"


def test_one_thread_beside_one_is_compared_by_cpu_time_and_more_by_wall_time() -> None:
    ours = Outcome(wall=4.0, cpu=1.0, base_mb=1, peak_mb=1, tokens=[])
    theirs = Outcome(wall=2.0, cpu=3.0, base_mb=1, peak_mb=1, tokens=[])
    assert _ratio(theirs, ours, "rustbpe", "this engine") == 3.0
    assert _ratio(theirs, ours, "gigabpe, 2 threads", "this engine") == 0.5
