"""Finds the slots that a gap of the clock removed under `dst_gap=skip`."""

from __future__ import annotations

from onthedot.schedule.dst_stretches import CORRECTION_SEC
from onthedot.schedule.expression.cron import Every
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import walls_of
from onthedot.schedule.words.dst_notes import jump_at


def skipped_gaps(schedule: Schedule, after: int, until: int) -> list[int]:
    """Returns the ends of gaps that removed slots. Several slots in one gap count once."""
    if isinstance(schedule.rule, Every) or schedule.policy.elapsed or schedule.policy.gap != "skip":
        return []
    place = zone(schedule.timezone)
    starts, offsets = place.segments.starts, place.segments.offsets
    walls = walls_of(schedule.rule)
    found = []
    for at in range(place.segment_at(after) + 1, place.segment_at(until) + 1):
        jump = jump_at(place, at)
        wall_to = starts[at] + offsets[at]
        if 0 < jump <= CORRECTION_SEC and walls.next(wall_to - jump) < wall_to:
            found.append(starts[at])
    return [gap for gap in found if not schedule.matches(gap)]
