"""Loads time zones by name from the pinned tzdata wheel, never from the machine."""

from __future__ import annotations

import pkgutil
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache

import tzdata

from onthedot.schedule.time import tzif
from onthedot.schedule.time.zone_names import check

VERSION = tzdata.IANA_VERSION


@dataclass(frozen=True, slots=True, eq=False)
class Zone:
    """A zone's name and its segments of constant offset."""

    name: str
    segments: tzif.Segments

    def segment_at(self, instant: int) -> int:
        """Returns the index of the segment that contains the instant."""
        return bisect_right(self.segments.starts, instant) - 1

    def offset_at(self, instant: int) -> int:
        """Returns the seconds that the clock is ahead of UTC."""
        return self.segments.offsets[self.segment_at(instant)]

    def abbreviation_at(self, instant: int) -> str:
        """Returns the clock's own abbreviation, such as EST or +0530."""
        return self.segments.names[self.segment_at(instant)]

    def instant_of(self, wall: int) -> int:
        """Returns the first instant at which the clock shows `wall` or later."""
        starts, offsets = self.segments.starts, self.segments.offsets
        place = max(self.segment_at(wall - 2 * 86_400), 0)
        while place + 1 < len(starts) and starts[place + 1] + offsets[place] <= wall:
            place += 1
        return max(wall - offsets[place], starts[place])


@cache
def zone(name: str) -> Zone:
    """Loads a zone. An unknown name, an offset or an abbreviation is refused with a suggestion."""
    check(name)
    blob = pkgutil.get_data("tzdata", f"zoneinfo/{name}")
    if blob is None:
        message = f"the tzdata wheel lacks its own zone {name}"
        raise RuntimeError(message)
    return Zone(name, tzif.read(blob))
