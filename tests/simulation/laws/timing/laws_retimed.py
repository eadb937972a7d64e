"""Laws of new data of the zones: each slot by it fires on time, and none by the old data does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage
from tests.simulation.users.zone_change import CHANGED_SEC, shift_sec

_MINUTES = {"zoned 0": (2, 12), "zoned 1": (7, 15), "zoned 2": (0, 9)}
# What is due sooner after the change may have been claimed, and its claim moves with nothing.
_CLAIMED_SEC = 150 + 20
# Ticks go on until then.
_UNTIL_SEC = 1_740
_LATE_SEC = 3.0


def obeyed(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that the slots are computed from the minutes of the wall, by no code of the engine."""
    start = int(stage.world.start.timestamp())
    late_sec = _LATE_SEC + 200 * bool(stage.world.chooser.faults)
    for task in stage.tasks:
        first, step = _MINUTES[task.name]
        at = [
            (one.due_ms / 1000 - start, one.at_ms / 1000 - start)
            for one in stage.deliveries
            if task.task_id in one.run_id and one.attempt == 1
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
        if len(called) < len(at):
            yield f"twice: {task.name}"
        # After a dispatcher has died, the next one may see an old cursor.
        if not stage.world.chooser.faults:
            for due in _goes_back(stage, called, first, step):
                yield f"gone back to: {task.name} at {due} s"


def _goes_back(stage: Stage, called: Iterable[int], first: int, step: int) -> Iterator[int]:
    """Gives the slots of the new data that were called, but were due before the change."""
    start = int(stage.world.start.timestamp()) + 3_600
    for due in called:
        by_new = _fires(start + due + shift_sec(stage), first, step)
        if due < CHANGED_SEC and by_new and not _fires(start + due, first, step):
            yield due


def _offset(stage: Stage, second: int) -> int:
    return 3_600 + (shift_sec(stage) if second >= CHANGED_SEC else 0)


def _fires(wall: int, first: int, step: int) -> bool:
    minute, second = divmod(wall % 3_600, 60)
    return second == 0 and minute >= first and (minute - first) % step == 0
