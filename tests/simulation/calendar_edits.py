"""A user moves a calendar, and all tasks that name it are to follow, found by their index."""

from __future__ import annotations

from dataclasses import replace

from onthedot.core.errors import BusyError
from onthedot.core.loop import Loop
from onthedot.flows import calendars, loops
from tests.simulation import user
from tests.simulation.act import Act
from tests.simulation.kinds import LUNCH
from tests.simulation.stage import Stage

_LUNCHES = ("2-3 12 * * *", "3-4 12 * * *", "1,5 12 * * *")


def moved(_stage: Stage, act: Act) -> bool:
    """As the API does it; the same call again means the same."""
    seen = calendars.read(user.TENANT, LUNCH["name"])
    assert seen is not None
    cron = _LUNCHES[int(act.began_ms) % len(_LUNCHES)]
    if seen.cron != cron:
        wanted = replace(seen, cron=cron, version=seen.version + 1)
        if not calendars.write(seen, wanted, user.by()):
            raise BusyError("the calendar has changed meanwhile")
    loop = Loop(
        loop_id=f"cal_{act.began_ms:.0f}",
        tenant_id=user.TENANT,
        kind="calendar",
        wanted={"calendar_id": LUNCH["name"]},
        cursor="",
        per_minute=calendars.PER_MINUTE,
        by="key_1",
        began_ms=int(act.began_ms),
    )
    return loops.begin(loop) or True
