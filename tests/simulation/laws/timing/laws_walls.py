"""Laws of walls: what fires on the night of a change is what the oracle reads off the wall clock.

The oracle shares no code with the engine: it looks at each minute of the zone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.schedule.oracles import fields, instant, wall
from tests.simulation.profiles.running.kinds import Kind
from tests.simulation.profiles.running.kinds_apart import APART
from tests.simulation.stage import Stage

# The oracle knows only changes within its window.
_AROUND_SEC = 4 * 3_600


@dataclass(frozen=True, slots=True, kw_only=True)
class _Night:
    """What the oracle knows of one task."""

    window: wall.Window
    reading: fields.Reading
    policy: instant.Policy
    fires: tuple[int, ...]

    @classmethod
    def of(cls, kind: Kind, begin: int) -> _Night:
        text, given = kind[0], kind[1]["zone"]
        seen = wall.window(given["timezone"], begin - _AROUND_SEC, begin + _AROUND_SEC)
        policy = instant.Policy(
            mode=given.get("dst_mode", "auto"),
            gap=given.get("dst_gap", "fire"),
            overlap=given.get("dst_overlap", "first"),
        )
        reading = fields.read(text)
        every = tuple(instant.fires(seen, reading, policy))
        return cls(window=seen, reading=reading, policy=policy, fires=every)

    def gaps(self) -> Iterator[int]:
        """Gives the ends of those gaps that the task skips, and does not fire at all the same."""
        for jump in self.window.jumps:
            left_out = range(jump.wall - jump.by, jump.wall, wall.MINUTE)
            small = 0 < jump.by <= instant.CORRECTION and jump.at not in self.fires
            if small and any(self.reading.matches(wall.wall_of(each)) for each in left_out):
                yield jump.at


def obeyed(stage: Stage, until_sec: float) -> Iterator[str]:
    """For each task of a zone whose clock changes nearby, and that nobody edits."""
    begin, edited = int(stage.world.start.timestamp()), {act.task_id for act in stage.acts}
    for task in stage.tasks:
        kind = APART.get(task.name)
        if kind and "zone" in kind[1] and task.task_id not in edited:
            night = _Night.of(kind, begin)
            yield from _fired(stage, task, night, until_sec)
            if night.policy.gap == "skip":
                yield from _skipped(stage, task, night, until_sec)


def _fired(stage: Stage, task: Task, night: _Night, until_sec: float) -> Iterator[str]:
    begin = stage.world.start.timestamp()
    due = {at for at in night.fires if begin < at <= begin + until_sec}
    rows = {key for key, run in _slots(stage, task) if run.life.reason != "dst_gap"}
    for at in sorted(due - rows):
        yield f"wall: {task.name} {nominal(at)} has no row, and the wall shows it"
    for at in sorted(rows - set(night.fires)):
        yield f"wall: {task.name} {nominal(at)} has a row, and the wall does not show it"


def _skipped(stage: Stage, task: Task, night: _Night, until_sec: float) -> Iterator[str]:
    """Checks that each gap is told of, once the first slot behind it is planned."""
    begin = stage.world.start.timestamp()
    told = {key for key, run in _slots(stage, task) if run.life.reason == "dst_gap"}
    for gap in night.gaps():
        following = next((at for at in night.fires if at >= gap), None)
        if following and begin < gap and following <= begin + until_sec and gap not in told:
            yield f"wall: {task.name} says nothing of the gap at {nominal(gap)}"
    for gap in sorted(told - set(night.gaps())):
        yield f"wall: {task.name} tells of a gap at {nominal(gap)}, where there is none"


def _slots(stage: Stage, task: Task) -> Iterator[tuple[int, Run]]:
    for run in stage.rows().values():
        if run.task_id == task.task_id and is_slot_key(run.key):
            yield parse_nominal(run.key), run
