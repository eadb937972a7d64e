"""What must hold at the end of every history, whatever went wrong in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from tests.simulation.laws.requests import (
    laws_admins,
    laws_api,
    laws_asked,
    laws_foretold,
    laws_letters,
    laws_plans,
    laws_previews,
    laws_read,
    laws_replays,
    laws_tasks,
    laws_trail,
    laws_warned,
)
from tests.simulation.laws.running import (
    laws_alone,
    laws_aside,
    laws_begun,
    laws_buried,
    laws_calls,
    laws_cancels,
    laws_done,
    laws_executions,
    laws_handlers,
    laws_leases,
    laws_living,
    laws_messages,
    laws_moved,
    laws_outcomes,
    laws_patience,
    laws_polled,
    laws_polls,
    laws_runs,
    laws_targets,
    laws_words,
)
from tests.simulation.laws.timing import (
    laws_backoff,
    laws_calendars,
    laws_claims,
    laws_dated,
    laws_edges,
    laws_exhausted,
    laws_lateness,
    laws_misfire,
    laws_pauses,
    laws_recomputed,
    laws_resumed,
    laws_shares,
    laws_slots,
    laws_ticks,
    laws_walls,
)
from tests.simulation.laws.timing.reigns import Reign, reigns
from tests.simulation.laws.upkeep import laws_acts, laws_cost, laws_looks, laws_world
from tests.simulation.laws.upkeep.laws_written import laws as of_written
from tests.simulation.laws.waiting import (
    laws_bounds,
    laws_called,
    laws_gate,
    laws_keys,
    laws_order,
    laws_places,
    laws_room,
    laws_shown,
    laws_tenants,
    laws_waiting,
)
from tests.simulation.laws.waiting.run_standings import everybody
from tests.simulation.machine.journal import Journal, read
from tests.simulation.stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What of the laws depends on the kind of history."""

    # Slots due before must have their outcome at the end.
    until_sec: float
    audited: bool = True
    # The release of yesterday has written some of it.
    mixed: bool = False
    purged: bool = False
    # Everything succeeds at its first attempt.
    smooth: bool = False
    # What a dead worker leaves is taken over by its time.
    resumed: bool = False
    # Nothing keeps a worker from ending an attempt when its time is over.
    timely: bool = False
    # An edit uses up no run of a bounded task.
    unspent: bool = False
    # Each minute notes what fires no more.
    noted: bool = False
    # No dispatcher sends what another one has sent.
    frugal: bool = False
    # How many rows an edit or a tick writes before one row stands for many slots.
    rows_max: int = 100
    # What runs cost is counted.
    costed: bool = False
    # A tick catches up on a few tasks only: each waits for its turn.
    scarce: bool = False


def broken(stage: Stage, measure: Measure) -> list[str]:
    """Names every law that does not hold."""
    journal = read(stage.world, stage.corrected)
    stage.last_rows = stage.rows()
    known = {task.task_id for task in stage.tasks}
    # What callers have registered is judged as it was first.
    made = [versions for each, versions in journal.versions.items() if each not in known]
    stage.tasks += [versions[0].task for versions in made]
    of_audit = [law(stage, journal) for law in stage.auditor.laws if measure.audited]
    if stage.auditor.alone:
        return list(dict.fromkeys(law for each in (*of_audit, _sound(stage)) for law in each))
    laws = chain(
        of_audit,
        _of_runs(stage, journal, measure),
        _of_attempts(stage, journal, measure),
        _of_gates(stage, journal, measure),
        _of_lines(stage, journal, measure),
        _of_slots(stage, journal, measure),
        _of_callers(stage, journal),
        _of_outside(stage, journal),
        of_written(stage, journal, measure),
        [_sound(stage)],
    )
    return list(dict.fromkeys(law for each in laws for law in each))


def _of_runs(stage: Stage, journal: Journal, measure: Measure) -> Iterator[Iterable[str]]:
    """Checks what each run's row went through, and which runs ran at the same time."""
    yield laws_runs.sound_writes(journal)
    yield laws_runs.given_up(stage, journal)
    yield laws_runs.held_alone(journal)
    yield laws_runs.calm_end(stage, journal, measure.until_sec, audited=measure.audited)
    yield laws_runs.once(stage, journal)
    yield laws_runs.alone(stage, journal)
    yield laws_runs.attempts_bounded(stage, journal)
    yield laws_runs.uncovered(journal)
    yield laws_runs.spared(stage)
    yield laws_alone.kept(stage, journal)


def _of_attempts(stage: Stage, journal: Journal, measure: Measure) -> Iterator[Iterable[str]]:
    """Checks which worker has a run, under which lease, and what its target is told."""
    yield laws_executions.repeated(stage, journal)
    yield laws_executions.granted(journal)
    yield laws_leases.kept(stage, journal)
    yield laws_backoff.kept(stage, journal)
    yield laws_backoff.prompt(stage, journal)
    yield laws_living.obeyed(stage, journal)
    yield laws_calls.told(stage, journal)
    yield laws_calls.placed(stage, journal)
    yield laws_calls.heard(stage, journal)
    yield laws_calls.beaten(stage, journal)
    yield laws_calls.patient(stage)
    yield laws_calls.held(stage, journal)
    yield laws_calls.dated(stage, journal)
    yield laws_calls.received(stage, journal)
    yield laws_messages.obeyed(stage, journal)
    yield laws_buried.obeyed(stage, journal)
    yield laws_done.deleted(stage, journal)
    yield laws_done.kept(stage)
    yield laws_patience.kept(stage, journal)
    yield laws_patience.slowed(stage)
    yield laws_patience.prompt(stage)
    yield laws_world.strays(stage)
    yield laws_world.left_running(stage, journal)
    yield laws_world.vanished(stage)
    yield laws_world.addressed(stage, journal)
    yield laws_world.by_the_wall(stage)
    yield laws_world.hurried(stage, journal)
    yield laws_aside.once(stage)
    yield laws_aside.founded(stage, journal)
    if measure.timely:
        yield laws_world.overstayed(journal)
    if measure.frugal:
        yield laws_executions.sent_once(stage)
    if measure.smooth:
        yield laws_runs.all_succeed(stage)
    if measure.resumed:
        yield laws_leases.resumed(stage, journal)


def _of_gates(stage: Stage, journal: Journal, measure: Measure) -> Iterator[Iterable[str]]:
    """Checks who may run beside whom."""
    yield laws_gate.never_crowded(journal)
    yield laws_gate.turned_away_for_cause(journal)
    yield laws_gate.bounded(stage, journal)
    yield laws_gate.freed(stage, journal)
    yield laws_tenants.bounded(stage, journal)
    yield laws_places.obeyed(stage, journal)
    if not measure.purged:
        yield laws_gate.left_clean(stage, journal)
        yield laws_keys.obeyed(stage, journal)


def _of_lines(stage: Stage, journal: Journal, measure: Measure) -> Iterator[Iterable[str]]:
    """Checks who waits, how long, and behind whom."""
    everyone = everybody(stage, journal)
    runs = [one for one in everyone if not one.shifted]
    yield laws_order.kept(stage, journal, runs)
    yield laws_misfire.obeyed(stage, journal, runs)
    yield laws_misfire.kept_turns(stage, journal, runs)
    yield laws_misfire.given_back(stage)
    yield laws_waiting.long(stage, journal, everyone, audited=measure.audited)
    yield laws_called.spared(stage, journal, runs)
    yield laws_called.left_in_line(stage, journal, runs)
    yield laws_waiting.said(stage, journal, runs)
    yield laws_shown.obeyed(stage, journal, runs)
    yield laws_room.shared(stage, journal, runs)
    if measure.costed:
        yield laws_cost.within_formula(stage, journal, runs)


def _of_slots(stage: Stage, journal: Journal, measure: Measure) -> Iterator[Iterable[str]]:
    """Checks what became of each slot."""
    until_sec, ruled = measure.until_sec, _ruled(stage, journal)
    yield laws_claims.made_on_time(stage, journal)
    yield laws_claims.left_alone(stage, journal)
    yield laws_slots.accounted(stage, journal, until_sec)
    yield laws_slots.counted(stage, journal, until_sec)
    yield laws_slots.bound_later(stage, journal)
    yield laws_slots.acknowledged(stage, journal)
    yield laws_edges.accounted(stage, journal, until_sec)
    yield laws_edges.phantoms(stage, journal)
    yield laws_calendars.kept(stage, ruled, until_sec, rows_max=measure.rows_max)
    yield laws_calendars.unclaimed(stage, journal, ruled, until_sec)
    yield laws_calendars.followed(stage)
    if not measure.mixed:
        yield laws_calendars.lifted(stage, journal)
    yield laws_ticks.counted(stage, journal)
    yield laws_ticks.in_turn(stage, journal)
    yield laws_calendars.answered(stage, journal)
    yield laws_api.fired(journal, ruled)
    yield laws_exhausted.obeyed(stage, journal, noted=measure.noted)
    if measure.audited:
        yield laws_acts.obeyed(stage, journal)
        yield laws_looks.asked_after(stage, journal)
        yield laws_looks.carried(stage)
    if not measure.scarce:
        yield laws_lateness.late(stage, journal, ruled, until_sec, audited=measure.audited)
    yield laws_warned.obeyed(stage, journal, audited=measure.audited)
    yield laws_outcomes.founded(stage, journal)
    yield laws_dated.obeyed(stage, journal)
    yield laws_walls.obeyed(stage, until_sec)
    yield laws_shares.obeyed(stage, journal)
    if measure.unspent:
        yield laws_slots.unspent(stage)


def _of_callers(stage: Stage, journal: Journal) -> Iterator[Iterable[str]]:
    """Checks what callers asked for, and what they were told."""
    yield laws_outcomes.stopped(stage, journal)
    yield laws_api.governs(stage, journal)
    yield laws_api.grounded(journal)
    yield laws_pauses.obeyed(stage, journal)
    yield laws_trail.kept(stage, journal)
    yield laws_trail.requests(stage)
    yield laws_api.triggered(stage)
    yield laws_begun.obeyed(stage, journal)
    yield laws_api.beside(stage, journal)
    yield laws_api.filled(stage)
    yield from laws_asked.obeyed(stage, journal)
    yield laws_bounds.obeyed(stage, journal)
    yield laws_read.obeyed(stage, journal)
    yield laws_read.spared(stage)
    yield laws_tasks.obeyed(stage, journal)
    yield laws_letters.obeyed(stage, journal)
    yield laws_replays.obeyed(stage, journal)
    yield laws_admins.obeyed(stage)
    yield laws_foretold.obeyed(stage, journal)
    yield laws_plans.obeyed(stage, journal)
    yield laws_resumed.sent(stage, journal)
    yield laws_previews.obeyed(stage)
    yield laws_recomputed.ended(stage, journal)


def _of_outside(stage: Stage, journal: Journal) -> Iterator[Iterable[str]]:
    """Checks what targets and outside workers said later, and what they were told."""
    yield laws_cancels.obeyed(stage, journal)
    yield laws_words.acknowledged(stage, journal)
    yield laws_words.refused(stage, journal)
    yield laws_words.told(stage)
    yield laws_words.kept_alone(stage, journal)
    yield laws_words.in_its_time(stage)
    yield laws_words.over(stage)
    yield laws_words.given(stage, journal)
    yield laws_words.awaited(stage, journal)
    yield laws_moved.followed(stage, journal)
    yield laws_polled.looked_at(stage, journal)
    yield laws_polled.beside_none(stage)
    yield laws_polled.left_none(stage)
    yield laws_handlers.stepped(stage)
    yield laws_handlers.told_before(stage, journal)
    yield laws_handlers.handed_on(stage, journal)
    yield laws_handlers.spent(stage, journal)
    yield laws_handlers.in_time(stage, journal)
    yield laws_targets.obeyed(stage, journal)
    yield laws_polls.obeyed(stage, journal)
    yield laws_handlers.shown(stage, journal)
    yield laws_handlers.remembered(stage, journal)
    yield laws_handlers.explained(stage, journal)


def _ruled(stage: Stage, journal: Journal) -> list[Reign]:
    """Returns which task was in force from when to when."""
    return [reign for task in stage.tasks for reign in reigns(stage, journal, task.task_id)]


def _sound(stage: Stage) -> Iterator[str]:
    """Yields nothing that the stores call invalid was asked, and no flow broke for a reason of
    its own.
    """
    for bug in stage.world.bugs():
        yield f"bug: {bug}"
