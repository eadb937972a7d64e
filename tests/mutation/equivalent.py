"""Changes that change nothing which a caller, a target or an operator could see, and why."""

from __future__ import annotations

from typing import NamedTuple

from tests.mutation.changes import Change


class Equivalent(NamedTuple):
    """One of them, by its text: lines move."""

    module: str
    function: str
    source: str
    after: str
    reason: str

    def is_of(self, change: Change) -> bool:
        given = (change.module, change.at.function, change.source, change.after)
        return given == self[:4]


EQUIVALENT = (
    Equivalent(
        "onthedot.flows.work",
        "_until_next",
        "moments = [job.wake_ms - now_ms for job in waiting if job.wake_ms > now_ms]",
        "job.wake_ms >= now_ms",
        "a job that wakes in this very millisecond is looked at in this round or the next",
    ),
)


def is_known(change: Change) -> bool:
    return any(each.is_of(change) for each in EQUIVALENT)
