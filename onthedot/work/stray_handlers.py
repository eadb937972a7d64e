"""Watches handlers that go on after their leases were lost, while others work on their runs.

A thread cannot be stopped from outside. Only the end of its process ends it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from onthedot.store import clock
from onthedot.store.conditional_writer import Forgiven
from onthedot.work import handler_pool
from onthedot.work.job import Job, load


@dataclass(slots=True)
class Strays:
    """The handlers of one invocation that were told to stop, with a deadline for each."""

    _left: list[tuple[int, Job]] = field(default_factory=list)

    def add(self, lost: Iterable[Job]) -> None:
        """Adds handlers with the time that they may take to notice."""
        until_ms = clock.now_ms() + int(handler_pool.PATIENCE_SEC * 1000)
        self._left += [(until_ms, job) for job in lost if job.part]

    def moments_ms(self) -> list[int]:
        """Returns the deadlines of those that have not stopped."""
        self._left = [(until_ms, job) for until_ms, job in self._left if not job.part.done()]
        return [until_ms for until_ms, _ in self._left]

    def end_late(self) -> None:
        """Ends the process if one does not stop, and with it all other runs here.

        Those start again when their leases are over. Waiting for them would let two workers execute
        one run at once, for as long as the longest of them takes.
        """
        now_ms = clock.now_ms()
        late = [job for until_ms, job in self._left if now_ms >= until_ms and not job.part.done()]
        if _harmful(late):
            handler_pool.end_process()
        self._left = [(until_ms, job) for until_ms, job in self._left if job not in late]


def _harmful(late: list[Job]) -> bool:
    """Tells whether another worker may have one of these runs. Nobody starts a final run again."""
    with Forgiven():
        load(late)
        return any(job.run is not None and not job.run.final for job in late)
    return True
