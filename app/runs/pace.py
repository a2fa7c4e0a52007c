"""How fast something goes, and so how long the rest of it takes."""

from collections import deque
from time import monotonic

LOOK_BACK = 2.0  # seconds; steps get faster as training goes on, so that what was long ago says little
# Reports that count however old they are: a pattern of one's own may take seconds for each part of a corpus.
REPORTS = 4
ENOUGH = 0.5  # seconds without which nothing can be said


class Pace:
    """The pace of the last moments, or of the last reports where they come seldom. All calls come from one thread."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, done: int) -> None:
        """So much is done by now; called whenever something was done, and before anything is."""
        now = monotonic()
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # it begins anew
        while len(self._seen) >= REPORTS and now - self._seen[1][0] > LOOK_BACK:
            self._seen.popleft()
        self._seen.append((now, done))

    def rest(self) -> None:
        """The work rests: the time until it goes on is none of its own."""
        self._seen.clear()

    def seconds_for(self, more: int) -> float | None:
        """How long so much more takes at this pace; None while it cannot be told."""
        if len(self._seen) < 2:
            return None
        (begun, before), (last, done) = self._seen[0], self._seen[-1]
        if last - begun < ENOUGH or done <= before:
            return None
        return max(0.0, more * (last - begun) / (done - before))
