"""The pace of work: an estimate from the last moments, and none while there is nothing to go by."""

import pytest

from app.runs import pace
from app.runs.pace import Pace


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(pace, "monotonic", lambda: now[0])
    return now


def noted(clock, *steps: tuple[float, int]) -> Pace:
    """What was done by so many seconds after the start."""
    found = Pace()
    for at, done in steps:
        clock[0] = 100.0 + at
        found.note(done)
    return found


def test_the_rest_at_the_pace_so_far(clock):
    assert noted(clock, (0, 0), (1, 10)).seconds_for(30) == pytest.approx(3.0)
    assert noted(clock, (0, 0), (1, 10)).seconds_for(0) == 0.0


@pytest.mark.parametrize(
    "steps",
    [(), ((0, 0),), ((0, 0), (0.4, 10)), ((0, 5), (1, 5))],
    ids=["nothing", "once", "too soon", "nothing done"],
)
def test_there_is_no_estimate_without_enough_to_go_by(clock, steps):
    assert noted(clock, *steps).seconds_for(10) is None


def test_what_was_long_ago_says_little(clock):
    steps = [(second / 2, second) for second in range(20)]  # 2 a second
    steps += [(10 + second / 2, 20 + 10 * second) for second in range(1, 10)]  # 20 a second
    assert noted(clock, *steps).seconds_for(100) == pytest.approx(5.0)


def test_where_reports_come_seldom_the_last_few_count(clock):
    sparse = [(0, 0), (8, 8), (11, 11), (22, 22), (30, 60), (38, 98)]
    assert noted(clock, *sparse[:2]).seconds_for(48) == pytest.approx(48.0)
    assert noted(clock, *sparse[:4]).seconds_for(34) == pytest.approx(34.0)
    assert noted(clock, *sparse).seconds_for(10) == pytest.approx(10 * 27 / 87)  # the last four


def test_after_a_rest_or_a_new_beginning_it_starts_anew(clock):
    assert noted(clock, (0, 0), (1, 10), (1.1, 2)).seconds_for(10) is None
    pace = noted(clock, (0, 0), (1, 10))
    pace.rest()
    assert pace.seconds_for(10) is None
    for clock[0], done in ((160.0, 11), (161.0, 12)):
        pace.note(done)
    assert pace.seconds_for(10) == pytest.approx(10.0)
