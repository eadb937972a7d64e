"""A model of Debian's cron after cron(8): a daemon that wakes every minute and looks at the wall
clock. Fixed-time jobs of skipped minutes run at once, and not again in repeated ones; a change of
more than three hours is a correction, and the new time holds.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.schedule.oracles.fields import Reading
from tests.schedule.oracles.wall import Tick, wall_of

CORRECTION_MIN = 3 * 60
HOUR_MIN = 60
DAY_MIN = 24 * 60


class Daemon:
    """One job under cron, woken once in each real minute."""

    def __init__(self, job: Reading, *, started: int) -> None:
        """Starts it when the wall clock shows this minute, which counts as done."""
        self.job = job
        self.done = started

    def wake(self, now: int) -> bool:
        """Tells whether the job is run in the real minute whose wall-clock minute is `now`."""
        moved = now - (self.done + 1)
        if abs(moved) > CORRECTION_MIN:
            self.done = now - 1
        due = range(self.done + 1, now + 1)
        self.done = max(self.done, now)
        if self.job.interval:
            return self._names(now)
        return any(self._names(minute) for minute in due)

    def _names(self, minute: int) -> bool:
        named = minute % HOUR_MIN in self.job.minutes
        named = named and minute % DAY_MIN // HOUR_MIN in self.job.hours
        return named and self.job.matches(wall_of(minute * 60))


def runs(ticks: Iterable[Tick], job: Reading) -> list[int]:
    """Gives the real minutes in which cron, started in the first of them, would run the job."""
    first, *rest = ticks
    daemon = Daemon(job, started=first.wall // 60)
    return [tick.at for tick in rest if daemon.wake(tick.wall // 60)]
