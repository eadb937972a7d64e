"""Pauses that end by themselves in a history: a caller's, and the minute that ends them."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import Task
from onthedot.upkeep.pauses_due import end_those_due
from tests.simulation.machine.world import START
from tests.simulation.stage import Stage
from tests.simulation.users import user

_LENGTHS_SEC = (7, 40, 70, 130, 200)
# Longer than tables are set back by, and what it takes until all goes on.
LONG_SEC = 1_500


def paused_for_a_while(task_id: str, at_sec: float, length_sec: int = 0) -> Task | None:
    """Returns the same call again means the same end."""
    drawn = _LENGTHS_SEC[int(at_sec * 1000) % len(_LENGTHS_SEC)]
    end = int(START.timestamp() + at_sec) + (length_sec or drawn)
    return user.pause(task_id, until=end)


def paused_past_a_slot(_stage: Stage, task_id: str, at_sec: float) -> Task | None:
    """Returns until the second behind a whole minute: what is due at that minute is due in the
    pause.
    """
    end_sec = (int(at_sec) // 60 + 1 + int(at_sec * 1000) % 3) * 60 + 1
    return user.pause(task_id, until=int(START.timestamp()) + end_sec)


def each_minute(stage: Stage, until_sec: float) -> None:
    """Carries out the audit's act in histories without an audit."""
    stage.world.every(
        60,
        "pauses",
        lambda _: end_those_due(),
        first_sec=40,
        until_sec=until_sec,
        limit_sec=90,
    )
