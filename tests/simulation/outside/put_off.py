"""Runs that were asked for long ago, and are due now: no edit looks that far back."""

from __future__ import annotations

from onthedot.launch.trigger import Moment, trigger
from onthedot.records.runs import edited_slots
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

DAYS_MS = 3 * 86_400_000
_BARELY_SEC = 1_800


def for_days(act: Act) -> Run | None:
    """Returns one that was asked for days ago."""
    return _asked_before(act, DAYS_MS)


def barely(stage: Stage, act: Act) -> Run | None:
    """Returns one that is half an hour older than what edits look at."""
    began = int(act.began_ms) // 1000
    oldest = parse_nominal(edited_slots.window(stage.task_of(act.task_id), began)[0])
    return _asked_before(act, (began - oldest + _BARELY_SEC) * 1000)


def _asked_before(act: Act, by_ms: int) -> Run | None:
    now_ms = int(act.began_ms)
    return trigger(act.task_id, moment=Moment(now_ms - by_ms, f"{now_ms}", now_ms))
