"""A zone of the engine is the wheel's own file, to the second, from 1970 to 2199."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from datetime import datetime, timedelta
from functools import cache
from io import BytesIO
from itertools import pairwise
from random import Random
from zoneinfo import ZoneInfo

import pytest
import tzdata

from onthedot.schedule.time import zones
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.time.zones import zone

NAMES = sorted(zone_names())
CHUNKS = 8
SAMPLES = 100
# zoneinfo counts from 1970; the last day of 2199 is left to differing wall clocks.
FIRST, LAST = 0, 7_258_032_000
# Reads many zones and walks schedules, and names every file that is opened meanwhile.
AUDITED = """
import sys
opened = []
sys.addaudithook(lambda event, given: opened.append(str(given[0])) if event == "open" else None)
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.zone_names import zone_names
for name in sorted(zone_names())[::7]:
    compile_schedule("30 2 * * *", timezone=name).next(1_800_000_000)
print("\\n".join(opened))
"""


@cache
def from_the_wheel(name: str) -> ZoneInfo:
    blob = pkgutil.get_data("tzdata", f"zoneinfo/{name}")
    assert blob is not None
    return ZoneInfo.from_file(BytesIO(blob), key=name)


def expected(name: str, instant: int) -> tuple[int, str | None]:
    moment = datetime.fromtimestamp(instant, from_the_wheel(name))
    return (moment.utcoffset() or timedelta()) // timedelta(seconds=1), moment.tzname()


def read(name: str, instant: int) -> tuple[int, str | None]:
    place = zone(name)
    return place.offset_at(instant), place.abbreviation_at(instant)


def instants(name: str, dice: Random) -> list[int]:
    """Gives random moments, and those around every change of the zone."""
    starts = [at for at in zone(name).segments.starts if FIRST < at < LAST]
    around = [at + by for at in starts for by in (-1, 0, 1)]
    return around + [dice.randrange(FIRST, LAST) for _ in range(SAMPLES)]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_zone_shows_what_the_wheel_says_around_its_changes_and_between(chunk: int) -> None:
    dice = Random(chunk)
    asked = [(name, at) for name in NAMES[chunk::CHUNKS] for at in instants(name, dice)]
    wrong = [(name, at) for name, at in asked if read(name, at) != expected(name, at)]

    assert wrong == []


@pytest.mark.parametrize(
    "name", ["America/New_York", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe"]
)
def test_no_change_is_missed_between_the_ones_that_are_known(name: str) -> None:
    noons = range(FIRST, LAST, 43_200)
    wrong = [at for at in noons[::3] if zone(name).offset_at(at) != expected(name, at)[0]]

    assert wrong == []


def test_segments_follow_one_another_and_each_one_differs_from_the_one_before() -> None:
    for name in NAMES:
        segments = zone(name).segments
        kept = list(zip(segments.offsets, segments.names, strict=True))

        assert list(segments.starts) == sorted(set(segments.starts))
        assert all(one != other for one, other in pairwise(kept))


def test_the_version_is_that_of_the_pinned_wheel() -> None:
    assert zones.VERSION == tzdata.IANA_VERSION == "2026f"


def test_the_zones_of_the_machine_are_never_read() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AUDITED], check=True, capture_output=True, text=True
    )
    opened = [path for path in done.stdout.splitlines() if "zoneinfo" in path]

    assert len(opened) >= len(NAMES) // 7
    assert [path for path in opened if "tzdata" not in path] == []


@pytest.mark.parametrize(
    ("name", "wall", "instant"),
    [
        ("UTC", 1_800_000_000, 1_800_000_000),
        # Midnight of 2027-03-28 does not exist in Beirut: the day begins at 01:00 +03.
        ("Asia/Beirut", 1_806_192_000, 1_806_184_800),
        # 2011-12-30 does not exist in Apia: the next instant is 2011-12-31 00:00 +14.
        ("Pacific/Apia", 1_325_203_200, 1_325_239_200),
        ("Pacific/Apia", 1_325_289_600, 1_325_239_200),
        # Midnight of 2026-10-25 comes twice on the Azores; the day begins with the first.
        ("Atlantic/Azores", 1_792_886_400, 1_792_886_400),
    ],
)
def test_a_wall_that_is_missing_is_the_next_there_is_and_a_repeated_one_its_first(
    name: str, wall: int, instant: int
) -> None:
    assert zone(name).instant_of(wall) == instant
