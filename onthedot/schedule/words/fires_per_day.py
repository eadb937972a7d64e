"""Counts how often a schedule fires in a day: the fewest and the most, over the coming days."""

from __future__ import annotations

from onthedot.schedule.schedule import Schedule

DAY_SEC = 86_400
_DAYS = 35
# A longer count would cost more than the figure is worth.
_COUNTED_MAX = 20_000


def per_day(schedule: Schedule, after: int) -> tuple[int, int]:
    """Counts over five weeks of 24-hour days, or over fewer if the schedule fires often."""
    counts: list[int] = []
    counted, begin = 0, after
    while len(counts) < _DAYS and counted <= _COUNTED_MAX:
        slot, count = schedule.next(begin), 0
        while slot is not None and slot <= begin + DAY_SEC and count <= DAY_SEC:
            count += 1
            slot = schedule.next(slot)
        counts.append(count)
        counted += count
        begin += DAY_SEC
    return min(counts), max(counts)
