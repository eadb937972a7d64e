"""Cuts a zone by a DST policy into stretches in which each wall time has one instant.

The policy is data afterwards: the walk over the stretches needs no policy.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from functools import lru_cache

from onthedot.schedule.time.zones import zone

# A larger change is a correction of the clock. Nothing is repeated or suppressed for it.
CORRECTION_SEC = 3 * 3600
ENDLESS = 1 << 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a schedule does where the clock jumps. `elapsed` is for intervals: they do nothing."""

    elapsed: bool = False
    gap: str = "fire"
    overlap: str = "first"


@dataclass(frozen=True, slots=True)
class Seam:
    """The wall times that a forward jump left out, and how they fire."""

    wall_from: int
    wall_to: int
    # True: at the offset from before the jump. False: all of them once, at the jump itself.
    shift: bool
    offset_before: int


@dataclass(frozen=True, slots=True, eq=False)
class Stretches:
    """Parallel arrays. Between the end of one and the start of the next is a hole without fires."""

    starts: array[int]
    ends: array[int]
    offsets: array[int]
    seams: list[Seam | None]

    def add(self, start: int, end: int, offset: int, seam: Seam | None = None) -> None:
        """Appends a stretch, unless it is empty."""
        if start < end:
            self.starts.append(start)
            self.ends.append(end)
            self.offsets.append(offset)
            self.seams.append(seam)


@lru_cache(maxsize=512)
def stretches(name: str, policy: Policy) -> Stretches:
    """Cuts the zone's segments by the policy.

    clocks forward, a gap      -- segment --|-- seam: gap walls may fire --|-- segment --
    clocks back, first pass    -- segment --|   hole: walls repeated       |-- segment --
    clocks back, last pass     -- segment --|   hole   |-- segment (second pass) --------
    """
    segments = zone(name).segments
    starts, offsets = segments.starts, segments.offsets
    cut = Stretches(array("q"), array("q"), array("l"), [])
    for place, offset in enumerate(offsets):
        start = starts[place]
        end = starts[place + 1] if place + 1 < len(starts) else ENDLESS
        before = _jump(offsets, place)
        after = _jump(offsets, place + 1)
        if not policy.elapsed and after < 0 and policy.overlap == "last":
            end = max(start, end + after)
        if not policy.elapsed and before < 0 and policy.overlap == "first":
            start = min(end, start - before)
        if not policy.elapsed and before > 0 and policy.gap != "skip":
            seam_end = min(end, start + before)
            wall_to = start + offset
            seam = Seam(wall_to - before, wall_to, policy.gap == "shift", offset - before)
            cut.add(start, seam_end, offset, seam)
            start = seam_end
        cut.add(start, end, offset)
    return cut


def _jump(offsets: array[int], place: int) -> int:
    """Returns the seconds that the clock jumps at the start of this segment; 0 for a correction."""
    if not 0 < place < len(offsets):
        return 0
    jump = offsets[place] - offsets[place - 1]
    return jump if abs(jump) <= CORRECTION_SEC else 0
