"""Large payloads in a history: who brings them, and what befalls the bucket that they lie in."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from tests.simulation.users import user

if TYPE_CHECKING:
    from tests.simulation.stage import Stage
    from tests.simulation.users.act import Act

# Beyond what lies in the tables.
_LETTERS = 33_000
_BEFALLS_SEC = (40.0, 240.0)
_PUT_ASIDE, _LOST = 0.5, 0.3


def _large(at: float) -> dict[str, Any]:
    return {"at": int(at), "run": "{{run_id}}", "text": "x" * _LETTERS}


def loaded(_: Stage, task_id: str, at_sec: float) -> Task | None:
    """Returns a user gives a schedule a large payload."""
    return user.patch(task_id, payload=_large(at_sec))


def launched(stage: Stage, act: Act) -> Run | None:
    """Returns a user runs it once, with a large payload for that run alone."""
    payload = _large(act.began_ms)
    run = trigger(act.task_id, payload=payload)
    if run is not None:
        stage.outside.payloads[run.run_id] = payload
    return run


def befall(stage: Stage, seed: int) -> None:
    """Puts everything aside, as a sweep of old tables would, and deletes an object."""
    random = Random(f"bucket {seed}")
    bucket, world = stage.world.bucket, stage.world
    if random.random() < _PUT_ASIDE:
        world.call_at(random.uniform(*_BEFALLS_SEC), bucket.set_aside)
    if random.random() < _LOST:
        world.call_at(random.uniform(*_BEFALLS_SEC), lambda: bucket.lose(random))
