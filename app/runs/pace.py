"""How fast something goes, and so how long the rest of it takes."""

from collections import deque
from time import monotonic

LOOK_BACK = 2.0  # seconds; steps get faster as training goes on, so that what was long ago says little
ENOUGH = 0.5  # seconds without which nothing can be said


class Pace:
    """The pace of the last moments. `note` is called whenever something was done, by one thread."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def note(self, done: int) -> None:
        """So much is done by now."""
        now = monotonic()
        if self._seen and (done < self._seen[-1][1] or now - self._seen[-1][0] > LOOK_BACK):
            self._seen.clear()  # it begins anew, or it has rested
        while len(self._seen) > 1 and now - self._seen[1][0] > LOOK_BACK:
            self._seen.popleft()
        self._seen.append((now, done))

    def seconds_for(self, more: int) -> float | None:
        """How long so much more takes at this pace; None while it cannot be told."""
        if len(self._seen) < 2:
            return None
        (begun, before), (last, done) = self._seen[0], self._seen[-1]
        if last - begun < ENOUGH or done <= before:
            return None
        return max(0.0, more * (last - begun) / (done - before))
