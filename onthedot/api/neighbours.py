"""How many of a tenant's schedules fire in one minute; what was read is good for a while."""

from __future__ import annotations

from onthedot.adapters import clock, listing
from onthedot.api.asking import tenant
from onthedot.core import schedule_view
from onthedot.core.schedule import Schedule

REMEMBERED_MS = 60_000
# A preview is asked for at every key that is pressed: it looks no further than this.
LOOKED_AT_MAX = 1_000
_MINUTE_SEC = 60
_known: dict[str, tuple[int, list[Schedule]]] = {}


def same_minute(instant: int) -> int:
    """Count the active schedules that fire in the minute of an instant."""
    begin = instant - instant % _MINUTE_SEC
    coming = (schedule.next(begin - 1) for schedule in _schedules())
    return sum(slot is not None and slot < begin + _MINUTE_SEC for slot in coming)


def forget() -> None:
    """Read them anew."""
    _known.clear()


def _schedules() -> list[Schedule]:
    now_ms = clock.now_ms()
    read_ms, found = _known.get(tenant(), (0, []))
    if now_ms - read_ms < REMEMBERED_MS:
        return found
    page = listing.by_tenant(f"{tenant()}#s", limit=LOOKED_AT_MAX, start=None)
    found = [schedule_view.listed(item) for item in page.items if item["status"] == "active"]
    _known[tenant()] = (now_ms, found)
    return found
