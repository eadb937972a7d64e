"""Laws of new data of the zones: each slot by it fires on time, and none by the old data does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from tests.simulation.journal import Journal
from tests.simulation.retiming import CHANGED_SEC, shift_sec
from tests.simulation.stage import Stage

_MINUTES = {"zoned 0": (2, 12), "zoned 1": (7, 15), "zoned 2": (0, 9)}
# What is due sooner after the change may have been claimed, and its claim moves with nothing.
_CLAIMED_SEC = 150 + 20
# Ticks go on until then.
_UNTIL_SEC = 1_740
_LATE_SEC = 3.0


def heeded(stage: Stage, _journal: Journal) -> Iterator[str]:
    """The slots are computed from the minutes of the wall, by no code of the engine."""
    start = int(stage.world.start.timestamp())
    late_sec = _LATE_SEC + 200 * bool(stage.world.chooser.faults)
    for task in stage.tasks:
        first, step = _MINUTES[task.name]
        at = [
            (one.due_ms / 1000 - start, one.at_ms / 1000 - start)
            for one in stage.deliveries
            if task.task_id in one.run_id
        ]
        wanted = {
            second
            for second in range(60, _UNTIL_SEC)
            if _fires(start + second + _offset(stage, second), first, step)
        }
        firm = {one for one in wanted if not 0 <= one - CHANGED_SEC < _CLAIMED_SEC}
        called = {round(due): when for due, when in at}
        for second in sorted(firm):
            if second not in called:
                yield f"slept through: {task.name} at {second} s"
            elif called[second] - second > late_sec:
                yield f"late by the new zones: {task.name} at {second} s"
        for due in called:
            if due >= CHANGED_SEC + _CLAIMED_SEC and due not in wanted and due < _UNTIL_SEC:
                yield f"by the old zones: {task.name} at {due} s"
        # A dispatcher that dies over a slot leaves the cursor there, for the new data to move on.
        calm = not stage.world.chooser.faults
        if len(called) < len(at) or (calm and _meets_a_wall_twice(stage, called, first, step)):
            yield f"twice: {task.name}"


def _meets_a_wall_twice(stage: Stage, called: Iterable[int], first: int, step: int) -> bool:
    """Whether what was called by the old data is called once more by the new."""
    start = int(stage.world.start.timestamp())
    walls = Counter(
        due + by
        for due in called
        for by in (0, shift_sec(stage))
        if _fires(start + 3_600 + due + by, first, step)
    )
    return any(times > 1 for times in walls.values())


def _offset(stage: Stage, second: int) -> int:
    return 3_600 + (shift_sec(stage) if second >= CHANGED_SEC else 0)


def _fires(wall: int, first: int, step: int) -> bool:
    minute, second = divmod(wall % 3_600, 60)
    return second == 0 and minute >= first and (minute - first) % step == 0
