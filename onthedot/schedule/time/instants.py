"""Reads and writes instants: RFC 3339, and the wall clock of a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.zones import Zone

# RFC 3339, and the same without seconds or without a time: then the error asks for an offset. ISO
# 8601 has more forms, such as weeks. `datetime` reads them, and newer versions read more.
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
    """Reads RFC 3339 with Z or an offset, from 2000 to 2199, in whole seconds.

    A fraction is cut off. With `not_before` it is rounded up, so that nothing happens early.
    """
    form = _FORM.fullmatch(text)
    try:
        # A text in another form is read as an empty text, which is no instant.
        moment = datetime.fromisoformat(text.upper() if form else "")
    except ValueError:
        message = f"'{text[:64]}' is not an instant: expected one such as 2026-11-18T14:00:00Z."
        raise ScheduleError("bad_value", message, field=field) from None
    if moment.tzinfo is None:
        message = f"'{text}' has no offset: expected Z, or one such as +01:00, at its end."
        raise ScheduleError("bad_value", message, field=field, suggestion=f"{moment.isoformat()}Z")
    # `datetime` reads six digits of a fraction. There may be more.
    fraction = (form and form["fraction"]) or ""
    seconds = (moment - EPOCH) // _SECOND + (not_before and fraction.strip("0") != "")
    if not FIRST <= seconds < HORIZON:
        message = f"'{text}' is out of range: expected a year from 2000 to 2199."
        raise ScheduleError("out_of_range", message, field=field)
    return seconds


def nominal(instant: int) -> str:
    """Writes a slot in whole seconds with Z."""
    return datetime.fromtimestamp(instant, UTC).isoformat()[:19] + "Z"


def measured(instant: int) -> str:
    """Writes a measured instant with three decimals and Z."""
    return datetime.fromtimestamp(instant, UTC).isoformat()[:19] + ".000Z"


def wall(zone: Zone, instant: int) -> datetime:
    """Returns what the zone's clock shows, as a time without a zone."""
    return datetime.fromtimestamp(instant + zone.offset_at(instant), UTC).replace(tzinfo=None)


def local(zone: Zone, instant: int) -> str:
    """Writes the zone's clock: Wed 2026-11-18 02:30 EST. Seconds are left out if they are 0."""
    shown = wall(zone, instant)
    return f"{shown:%a %Y-%m-%d} {clock(shown)} {zone.abbreviation_at(instant)}"


def clock(shown: datetime) -> str:
    """Writes a time of day: 02:30 or 02:30:20."""
    return f"{shown:%H:%M:%S}" if shown.second else f"{shown:%H:%M}"


def clock_of_wall(seconds: int) -> str:
    """Writes a wall-clock second as a time of day."""
    return clock(datetime.fromtimestamp(seconds, UTC))


def parse_nominal(text: str) -> int:
    """Reads what `nominal` wrote."""
    return int(datetime.fromisoformat(text).timestamp())


def moment(ms: int) -> str | None:
    """Writes one. Zero means that it has not happened, and gives None."""
    if not ms:
        return None
    return f"{datetime.fromtimestamp(ms // 1000, UTC).isoformat()[:19]}.{ms % 1000:03}Z"
