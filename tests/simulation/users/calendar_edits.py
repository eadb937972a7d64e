"""A user moves a calendar, and all tasks that name it are to follow, found by their index."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.tasks.bulk_operation import Loop
from onthedot.registry import calendar_edits
from onthedot.schedule.expression.errors import BusyError
from onthedot.upkeep import bulk_operations
from tests.simulation.profiles.running.kinds import LUNCH
from tests.simulation.stage import Stage
from tests.simulation.users import user
from tests.simulation.users.act import Act

_LUNCHES = ("2-3 12 * * *", "3-4 12 * * *", "1,5 12 * * *")


def moved(_stage: Stage, act: Act) -> bool:
    """Moves it as the API does; the same call again means the same."""
    seen = calendar_edits.read(user.TENANT, LUNCH["name"])
    assert seen is not None
    cron = _LUNCHES[int(act.began_ms) % len(_LUNCHES)]
    if seen.cron != cron:
        wanted = replace(seen, cron=cron, version=seen.version + 1)
        if not calendar_edits.write(seen, wanted, user.by()):
            raise BusyError("the calendar has changed meanwhile")
    loop = Loop(
        loop_id=f"cal_{act.began_ms:.0f}",
        tenant_id=user.TENANT,
        kind="calendar",
        wanted={"calendar_id": LUNCH["name"]},
        cursor="",
        per_minute=calendar_edits.PER_MINUTE,
        by="key_1",
        began_ms=int(act.began_ms),
    )
    return bulk_operations.begin(loop) or True
