"""Guesses the zone that a user meant by an abbreviation, an offset or a city."""

from __future__ import annotations

import re
from functools import lru_cache

# People use abbreviations by habit. No data says what they mean, so the table stands here.
HABITS = {
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "ET": "America/New_York",
    "CST": "America/Chicago",
    "CDT": "America/Chicago",
    "CT": "America/Chicago",
    "MST": "America/Denver",
    "MDT": "America/Denver",
    "MT": "America/Denver",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "PT": "America/Los_Angeles",
    "AKST": "America/Anchorage",
    "HST": "Pacific/Honolulu",
    "BST": "Europe/London",
    "WET": "Europe/Lisbon",
    "CET": "Europe/Paris",
    "CEST": "Europe/Paris",
    "MET": "Europe/Paris",
    "EET": "Europe/Athens",
    "EEST": "Europe/Athens",
    "MSK": "Europe/Moscow",
    "IST": "Asia/Kolkata",
    "SGT": "Asia/Singapore",
    "HKT": "Asia/Hong_Kong",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "AEST": "Australia/Sydney",
    "AEDT": "Australia/Sydney",
    "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
}
# For each offset (hours ahead of UTC) a place that keeps it all year.
_PLACES = {
    -11.0: "Pacific/Pago_Pago",
    -10.0: "Pacific/Honolulu",
    -9.5: "Pacific/Marquesas",
    -9.0: "Pacific/Gambier",
    -8.0: "Pacific/Pitcairn",
    -7.0: "America/Phoenix",
    -6.0: "America/Costa_Rica",
    -5.0: "America/Bogota",
    -4.0: "America/Puerto_Rico",
    -3.0: "America/Sao_Paulo",
    -2.0: "America/Noronha",
    -1.0: "Atlantic/Cape_Verde",
    0.0: "UTC",
    1.0: "Africa/Lagos",
    2.0: "Africa/Johannesburg",
    3.0: "Africa/Nairobi",
    3.5: "Asia/Tehran",
    4.0: "Asia/Dubai",
    4.5: "Asia/Kabul",
    5.0: "Asia/Karachi",
    5.5: "Asia/Kolkata",
    5.75: "Asia/Kathmandu",
    6.0: "Asia/Dhaka",
    6.5: "Asia/Yangon",
    7.0: "Asia/Bangkok",
    8.0: "Asia/Singapore",
    8.75: "Australia/Eucla",
    9.0: "Asia/Tokyo",
    9.5: "Australia/Darwin",
    10.0: "Australia/Brisbane",
    11.0: "Pacific/Guadalcanal",
    12.0: "Pacific/Tarawa",
    13.0: "Pacific/Tongatapu",
    14.0: "Pacific/Kiritimati",
}
_OFFSET = re.compile(r"(Etc/)?(?:GMT|UTC?)?(?:([+-])(\d{1,2})(?::?(\d\d))?)", re.IGNORECASE)
_NO_OFFSET = re.compile(r"(?:Etc/)?(?:GMT0?|UCT|Zulu|Universal|Greenwich|Z)", re.IGNORECASE)
_POSIX = re.compile(r"([A-Z]{3})\d+(?::\d\d)?[A-Z]{0,3}", re.IGNORECASE)


def is_offset(name: str) -> bool:
    """Tells whether the name stands for a fixed offset from UTC."""
    return bool(_OFFSET.fullmatch(name) or _NO_OFFSET.fullmatch(name))


def meant(name: str, accepted: frozenset[str], links: dict[str, str]) -> str | None:
    """Returns a guess or None. A guess is always an accepted name."""
    if is_offset(name):
        return _by_offset(name)
    if posix := _POSIX.fullmatch(name):
        name = posix[1]
    if habit := HABITS.get(name.upper()):
        return habit
    place = links.get(name)
    return place if place in accepted else _by_spelling(name, accepted)


def _by_offset(name: str) -> str | None:
    if not (match := _OFFSET.fullmatch(name)):
        return "UTC"
    hours = int(match[3]) + int(match[4] or 0) / 60
    # POSIX counts westwards: Etc/GMT-5 is five hours ahead of UTC.
    ahead = hours if (match[2] == "+") != bool(match[1]) else -hours
    return _PLACES.get(ahead)


def _by_spelling(name: str, accepted: frozenset[str]) -> str | None:
    """Finds the name that differs only in case or blanks, or that ends in this city."""
    return _folded(accepted).get(name.lower().strip().replace(" ", "_"))


@lru_cache(maxsize=1)
def _folded(accepted: frozenset[str]) -> dict[str, str]:
    """Prefers whole names to cities, and of two cities the first in the alphabet."""
    ordered = sorted(accepted, reverse=True)
    cities = {known.lower().rsplit("/", 1)[-1]: known for known in ordered}
    return cities | {known.lower(): known for known in ordered}
