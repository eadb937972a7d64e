"""How the tests ask the engine: a schedule under a policy, its fires forwards and backwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from onthedot.schedule.schedule import Schedule, compile_schedule
from tests.schedule.oracles.instant import Policy


def compiled(cron: str, zone: str, policy: Policy) -> Schedule:
    """Compiles an expression under a policy."""
    return compile_schedule(
        cron,
        timezone=zone,
        dst_mode=policy.mode,
        dst_gap=policy.gap,
        dst_overlap=policy.overlap,
    )


def forwards(schedule: Schedule, first: int, last: int) -> list[int]:
    """Gives the fires of [first, last), each asked for from the one before."""
    found = []
    at = schedule.next(first - 1)
    while at is not None and at < last:
        found.append(at)
        at = schedule.next(at)
    return found


def backwards(schedule: Schedule, first: int, last: int) -> list[int]:
    """Gives the fires of [first, last), latest first, each asked for from the one after."""
    found = []
    at = schedule.prev(last)
    while at is not None and at >= first:
        found.append(at)
        at = schedule.prev(at)
    return found


def fault(case: str, expected: Sequence[int | None], got: Sequence[int | None]) -> list[str]:
    """Says where two lists of fires first differ; nothing when they do not."""
    if expected == got:
        return []
    pairs = zip_longest(expected, got)
    first = next((wanted, seen) for wanted, seen in pairs if wanted != seen)
    return [f"{case}: expected {first[0]}, got {first[1]}"]
