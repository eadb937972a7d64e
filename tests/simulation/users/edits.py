"""Edits besides those of the schedule alone: of priorities, keys, targets, and several in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onthedot.records.tasks.task_spec import Task
from tests.simulation.outside.counter import QUEUE
from tests.simulation.outside.user_handlers import HANDLER
from tests.simulation.stage import Stage
from tests.simulation.users import pauses, payload_loads, user

_OTHER_KEY = {"key": "other", "max_running": 2}
# Longer than the look-ahead: what is due in its last seconds nobody has claimed.
_NAP_SEC, _MOMENT_SEC = 165, 9
# What moves a task to other workers.
MOVES = frozenset({"outwards", "inwards"})
Edit = Callable[[Stage, str, float], Task | None]


def _patched(**fields: Any) -> Edit:
    return lambda _, task_id, __: user.patch(task_id, **fields)


EDITS: dict[str, Edit] = {
    "freed": _patched(overlap="allow", max_concurrent=None),
    "urgent": _patched(priority=1),
    "unhurried": _patched(priority=3),
    "rekey": _patched(concurrency_key=_OTHER_KEY),
    "load": payload_loads.loaded,
    # Outside workers are to work it from now on, or ours.
    "outwards": _patched(target={"type": "pull", "queue": QUEUE}),
    "inwards": _patched(target={"type": "python", "handler": HANDLER}),
    # Somewhere else, of the same kind, and with another payload or with the same.
    "aim": lambda _, task_id, at_sec: user.patch(
        task_id, target={"type": "recording", "at": int(at_sec)}
    ),
    "aim and load": lambda _, task_id, at_sec: user.patch(
        task_id,
        target={"type": "recording", "at": int(at_sec)},
        payload={"aimed": int(at_sec), "of": "{{run_id}}"},
    ),
    "pause past a slot": pauses.paused_past_a_slot,
    "later": _patched(jitter_sec=4),
    "much later": _patched(jitter_sec=45),
}
# Calls that one user makes one after the other, so many seconds behind the first.
SERIES: dict[str, tuple[tuple[str, float], ...]] = {
    "nap": (("pause", 0), ("resume", _NAP_SEC)),
    "edited asleep": (("pause", 0), ("other", _NAP_SEC), ("resume", _NAP_SEC + _MOMENT_SEC)),
}
