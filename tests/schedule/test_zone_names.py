"""Rule 9: which names are zones here, and what is said of those that are not."""

from __future__ import annotations

import pkgutil

import pytest

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time import zone_guess
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.time.zones import zone

ALL = (pkgutil.get_data("tzdata", "zones") or b"").decode().split()
NOW = 1_795_000_000  # 2026-11-18
YEAR_SEC = 366 * 86_400
FIXED, ABBREVIATED, UNKNOWN = (
    "fixed_offset_timezone",
    "abbreviated_timezone",
    "unknown_timezone",
)

# Neither standard nor summer time; tzdata has numbers for Singapore's letters, MET is history.
NO_CLOCK_SAYS = {"ET", "CT", "MT", "PT", "SGT", "MET"}


def refused(name: str) -> ScheduleError:
    with pytest.raises(ScheduleError) as caught:
        zone(name)
    return caught.value


def test_the_names_of_the_wheel_with_a_slash_are_zones_and_utc() -> None:
    places = {name for name in ALL if "/" in name and not name.startswith("Etc/")}

    assert zone_names() == places | {"UTC", "Etc/UTC"}
    assert len(zone_names()) > 500


@pytest.mark.parametrize("name", sorted(set(ALL) - zone_names()))
def test_every_other_name_of_the_wheel_is_refused(name: str) -> None:
    error = refused(name)

    assert error.code in (FIXED, ABBREVIATED)
    assert error.field == "timezone"
    assert error.suggestion is None or zone(error.suggestion)


@pytest.mark.parametrize(
    ("name", "code", "suggestion"),
    [
        ("EST", ABBREVIATED, "America/New_York"),
        ("pst", ABBREVIATED, "America/Los_Angeles"),
        ("CET", ABBREVIATED, "Europe/Paris"),
        ("IST", ABBREVIATED, "Asia/Kolkata"),
        ("CST6CDT", ABBREVIATED, "America/Chicago"),
        ("EST5EDT", ABBREVIATED, "America/New_York"),
        ("Japan", ABBREVIATED, "Asia/Tokyo"),
        ("GB", ABBREVIATED, "Europe/London"),
        ("PRC", ABBREVIATED, "Asia/Shanghai"),
        ("W-SU", ABBREVIATED, "Europe/Moscow"),
        ("+05:00", FIXED, "Asia/Karachi"),
        ("-05:00", FIXED, "America/Bogota"),
        ("+0530", FIXED, "Asia/Kolkata"),
        ("+03:30", FIXED, "Asia/Tehran"),
        ("+4:30", FIXED, "Asia/Kabul"),
        ("-09:30", FIXED, "Pacific/Marquesas"),
        ("+08:45", FIXED, "Australia/Eucla"),
        ("UTC+5", FIXED, "Asia/Karachi"),
        ("GMT-3", FIXED, "America/Sao_Paulo"),
        ("Etc/GMT-5", FIXED, "Asia/Karachi"),
        ("Etc/GMT+5", FIXED, "America/Bogota"),
        ("etc/gmt+5", FIXED, "America/Bogota"),
        ("GMT", FIXED, "UTC"),
        ("Etc/GMT0", FIXED, "UTC"),
        ("GMT-0", FIXED, "UTC"),
        ("Zulu", FIXED, "UTC"),
        ("Z", FIXED, "UTC"),
        ("+99:99", FIXED, None),
        ("Etc/GMT+12", FIXED, None),
        ("america/new_york", UNKNOWN, "America/New_York"),
        ("America/New York", UNKNOWN, "America/New_York"),
        (" Europe/Paris ", UNKNOWN, "Europe/Paris"),
        ("Paris", UNKNOWN, "Europe/Paris"),
        ("utc", UNKNOWN, "UTC"),
        ("Mars/Olympus", UNKNOWN, None),
        ("", UNKNOWN, None),
        ("/etc/passwd", UNKNOWN, None),
        ("../../etc/passwd", UNKNOWN, None),
        ("/usr/share/zoneinfo/Europe/Paris", UNKNOWN, None),
        ("Europe/../Europe/Paris", UNKNOWN, None),
        ("Europe", UNKNOWN, None),
        ("Europe/", UNKNOWN, None),
        ("Europe/Paris\0", UNKNOWN, None),
        ("Europe/\ud800", UNKNOWN, None),
        ("posixrules", UNKNOWN, None),
        ("tzdata.zi", UNKNOWN, None),
        ("x" * 100_000, UNKNOWN, None),
    ],
)
def test_a_name_that_is_no_place_is_refused_with_what_may_be_meant(
    name: str, code: str, suggestion: str | None
) -> None:
    error = refused(name)

    assert (error.code, error.suggestion) == (code, suggestion)
    assert len(error.message) < 200


@pytest.mark.parametrize("minutes", range(-14 * 60, 14 * 60 + 1, 15))
def test_a_place_suggested_for_an_offset_keeps_that_offset_all_year(minutes: int) -> None:
    sign, hours = "-" if minutes < 0 else "+", abs(minutes) // 60
    suggestion = refused(f"{sign}{hours:02}:{abs(minutes) % 60:02}").suggestion
    shown = [] if suggestion is None else _offsets(suggestion)

    assert set(shown) <= {minutes * 60}


def test_every_offset_that_a_place_keeps_all_year_has_one_suggested() -> None:
    kept = {_offsets(name)[0] for name in zone_names() if len(set(_offsets(name))) == 1}
    asked = {seconds: f"{seconds / 3600:+03.0f}:00" for seconds in kept if seconds % 3600 == 0}
    asked |= {
        seconds: f"{'-' if seconds < 0 else '+'}{abs(seconds) // 3600}:{abs(seconds) // 60 % 60}"
        for seconds in kept
        if seconds % 3600
    }

    assert [text for text in asked.values() if refused(text).suggestion is None] == []


@pytest.mark.parametrize("habit", sorted(zone_guess.HABITS))
def test_an_abbreviation_leads_to_a_place_whose_clock_says_it(habit: str) -> None:
    error = refused(habit)
    said = zone(error.suggestion or "").segments.names

    assert error.code == ABBREVIATED
    assert habit in said or habit in NO_CLOCK_SAYS


def _offsets(name: str) -> list[int]:
    return [zone(name).offset_at(at) for at in range(NOW, NOW + YEAR_SEC, 7 * 86_400)]
