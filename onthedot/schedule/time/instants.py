"""Instants as people and programs write them: RFC 3339, and the wall clock of a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.zones import Zone

# RFC 3339, and the same without seconds or a time, whose offset is then asked for. ISO 8601 has
# weeks, days of a year and more: `datetime` would read them, and newer versions more than older.
_FORM = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"(?:[Tt ](?:[01][0-9]|2[0-3]):[0-9]{2}(?::[0-9]{2}(?:\.(?P<fraction>[0-9]+))?)?"
    r"(?:[Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
)
_SECOND = timedelta(seconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FIRST = int(datetime(2000, 1, 1, tzinfo=UTC).timestamp())
HORIZON = int(datetime(2200, 1, 1, tzinfo=UTC).timestamp())


def parse_instant(text: str, field: str, *, not_before: bool = False) -> int:
    """Read RFC 3339 with Z or an offset, from 2000 to 2199, in whole seconds.

    A fraction is cut off; where nothing may happen before the instant, it is rounded up.
    """
    form = _FORM.fullmatch(text)
    try:
        # What has another form is read as nothing, which is no instant.
        moment = datetime.fromisoformat(text.upper() if form else "")
    except ValueError:
        message = f"'{text[:64]}' is not an instant: expected one such as 2026-11-18T14:00:00Z."
        raise ScheduleError("bad_value", message, field=field) from None
    if moment.tzinfo is None:
        message = f"'{text}' has no offset: expected Z, or one such as +01:00, at its end."
        raise ScheduleError("bad_value", message, field=field, suggestion=f"{moment.isoformat()}Z")
    # `datetime` reads six digits of a fraction, and there may be more.
    fraction = (form and form["fraction"]) or ""
    seconds = (moment - EPOCH) // _SECOND + (not_before and fraction.strip("0") != "")
    if not FIRST <= seconds < HORIZON:
        message = f"'{text}' is out of range: expected a year from 2000 to 2199."
        raise ScheduleError("out_of_range", message, field=field)
    return seconds


def nominal(instant: int) -> str:
    """Write a slot: whole seconds, Z."""
    return datetime.fromtimestamp(instant, UTC).isoformat()[:19] + "Z"


def measured(instant: int) -> str:
    """Write a measured instant: three decimals, Z."""
    return datetime.fromtimestamp(instant, UTC).isoformat()[:19] + ".000Z"


def wall(zone: Zone, instant: int) -> datetime:
    """What the zone's clock shows, without a zone of its own."""
    return datetime.fromtimestamp(instant + zone.offset_at(instant), UTC).replace(tzinfo=None)


def local(zone: Zone, instant: int) -> str:
    """Write the zone's clock: Wed 2026-11-18 02:30 EST; seconds only where there are some."""
    shown = wall(zone, instant)
    return f"{shown:%a %Y-%m-%d} {clock(shown)} {zone.abbreviation_at(instant)}"


def clock(shown: datetime) -> str:
    """Write a time of day: 02:30, or 02:30:20."""
    return f"{shown:%H:%M:%S}" if shown.second else f"{shown:%H:%M}"


def clock_of_wall(seconds: int) -> str:
    """Write the time of day of a wall-clock second."""
    return clock(datetime.fromtimestamp(seconds, UTC))


def parse_nominal(text: str) -> int:
    """Read what `nominal` wrote."""
    return int(datetime.fromisoformat(text).timestamp())
