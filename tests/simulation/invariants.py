"""What must hold at the end of every history, whatever went wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.core.task import Task
from tests.simulation import (
    laws_api,
    laws_calendars,
    laws_exhausted,
    laws_gate,
    laws_keys,
    laws_pauses,
    laws_runs,
    laws_slots,
    laws_tenants,
)
from tests.simulation.journal import Journal, read
from tests.simulation.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What of the laws depends on the kind of history."""

    # Slots due before must have their outcome at the end.
    until_sec: float
    audited: bool = True
    purged: bool = False
    # How late a first start may be; zero where disturbances may make it as late as they like.
    late_sec: float = 0.0
    # Everything succeeds at its first attempt.
    smooth: bool = False
    # What a dead worker leaves is taken over by its time.
    resumed: bool = False
    # An edit uses up no run of a bounded task.
    unspent: bool = False
    # Each minute notes what fires no more.
    noted: bool = False


def broken(stage: Stage, measure: Measure) -> list[str]:
    """Name every law that does not hold."""
    journal = read(stage.world, stage.corrected)
    stage.last_rows = stage.rows()
    until_sec = measure.until_sec
    ruled = _ruled(stage, journal)
    laws = (
        laws_slots.accounted(stage, journal, until_sec),
        laws_slots.counted(stage, journal, until_sec),
        laws_slots.unspent(stage) if measure.unspent else (),
        laws_slots.acknowledged(stage, journal),
        laws_runs.sound_writes(journal),
        laws_runs.held_alone(journal),
        laws_runs.calm_end(stage, journal, until_sec, audited=measure.audited),
        laws_runs.once(stage, journal),
        laws_runs.alone(stage, journal),
        laws_runs.attempts_bounded(stage, journal),
        laws_runs.uncovered(journal),
        laws_runs.spared(stage),
        laws_gate.never_crowded(journal),
        () if measure.purged else laws_keys.heeded(stage, journal),
        laws_tenants.bounded(stage, journal),
        laws_gate.turned_away_for_cause(journal),
        laws_gate.bounded(stage, journal),
        () if measure.purged else laws_gate.left_clean(stage, journal),
        laws_api.governs(stage, journal),
        laws_api.grounded(journal),
        laws_api.fired(journal, ruled),
        laws_calendars.heeded(stage, ruled, until_sec),
        laws_pauses.heeded(stage, journal),
        laws_exhausted.heeded(stage, journal, noted=measure.noted),
        laws_api.triggered(stage),
        laws_api.beside(stage, journal),
        laws_api.filled(stage),
        laws_runs.punctual(stage, journal, measure.late_sec) if measure.late_sec else (),
        laws_runs.all_succeed(stage) if measure.smooth else (),
        laws_runs.resumed(journal) if measure.resumed else (),
        _sound(stage),
    )
    return list(dict.fromkeys(law for each in laws for law in each))


def _ruled(stage: Stage, journal: Journal) -> list[tuple[Task, float, float]]:
    """Which task was in force from when to when."""
    return [
        (reign.task, reign.since, reign.until)
        for task in stage.tasks
        for reign in laws_slots.reigns(stage, journal, task.task_id)
    ]


def _sound(stage: Stage) -> Iterator[str]:
    """Nothing that the stores call invalid was asked, and no flow broke for a reason of its own."""
    for bug in stage.world.bugs():
        yield f"bug: {bug}"
