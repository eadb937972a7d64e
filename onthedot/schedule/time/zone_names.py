"""Decides which zone names are accepted, and what to say about the others."""

from __future__ import annotations

import pkgutil
from functools import lru_cache

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time import zone_guess

_UTC_NAMES = ("UTC", "Etc/UTC")
_SHOWN_MAX = 64


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """Returns every accepted name: those with a '/', of Etc/ only Etc/UTC, and UTC itself."""
    return frozenset(
        name
        for name in _all_names()
        if name in _UTC_NAMES or ("/" in name and not name.startswith("Etc/"))
    )


def check(name: str) -> None:
    """Refuses a name that is no place, and suggests what may be meant."""
    if name in zone_names():
        return
    code, why = _why_not(name)
    meant = zone_guess.meant(name, zone_names(), _links())
    hint = f"did you mean {meant}?" if meant else "expected a name such as Europe/Paris, or UTC."
    raise ScheduleError(code, f"{why}: {hint}", field="timezone", suggestion=meant)


def _why_not(name: str) -> tuple[str, str]:
    if zone_guess.is_offset(name):
        return "fixed_offset_timezone", f"'{name}' is a fixed offset, not a place"
    if name.upper() in zone_guess.HABITS or ("/" not in name and name in _all_names()):
        return "abbreviated_timezone", f"'{name}' is an abbreviation, not a place"
    return "unknown_timezone", f"'{name[:_SHOWN_MAX]}' is not a known time zone"


@lru_cache(maxsize=1)
def _all_names() -> frozenset[str]:
    return frozenset(_resource("zones").split())


@lru_cache(maxsize=1)
def _links() -> dict[str, str]:
    """Returns other names of the same place, such as Japan for Asia/Tokyo."""
    lines = (line.split() for line in _resource("zoneinfo/tzdata.zi").splitlines())
    return {words[2]: words[1] for words in lines if words[0] == "L"}


def _resource(path: str) -> str:
    found = pkgutil.get_data("tzdata", path)
    if found is None:
        message = f"the tzdata wheel lacks its own {path}"
        raise RuntimeError(message)
    return found.decode()
