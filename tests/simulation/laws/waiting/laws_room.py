"""Laws of room: slow runs of one tenant keep no place that another one's run needs.

By true time and the schedule: when each run began, and which attempts were under way by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onthedot.records.timings import LATE_SEC
from tests.simulation.faults.faults import CALM
from tests.simulation.laws.timing.laws_lateness import steady_sec
from tests.simulation.laws.waiting.run_standings import FOR_EVER, Standing
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

# So long before its start a run may be in a worker's hands, and so long after its end.
_HELD_MS, _SETTLED_MS = 7_000, 2_500
# How many runs of one second two tasks have, besides the first.
_IN_A_MESSAGE = 1


def shared(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Where nothing goes wrong."""
    if stage.sizes.of_tenant and stage.world.profile == CALM:
        yield from _at_once(stage, journal, runs)
        yield from _taken_up(stage, runs)
        yield from _no_more(stage, journal)


def _at_once(stage: Stage, journal: Journal, runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that who has less than its share under way waits for nobody."""
    most, world = stage.sizes.of_tenant, stage.world
    allowed_ms = 1_000 * (steady_sec(stage))
    spans = _spans(journal)
    tenants = {task.task_id: task.tenant_id for task in stage.tasks}
    end_ms = world.epoch_us() / 1000
    for run in runs:
        first = spans.get(run.run_id, [(FOR_EVER, FOR_EVER)])[0][0]
        late_ms = min(first, run.over_ms, end_ms) - run.due_ms
        if not run.slot or not run.free or late_ms <= allowed_ms:
            continue
        beside = [
            span
            for name, of_run in spans.items()
            if name != run.run_id and tenants[name.partition(".")[0]] == run.task.tenant_id
            for span in of_run
            if span[0] - _HELD_MS < run.due_ms + allowed_ms and span[1] + _SETTLED_MS > run.due_ms
        ]
        if len(beside) < most:
            yield f"kept waiting: {run.run_id} by {late_ms / 1000:.1f} s, beside {len(beside)}"


def _taken_up(stage: Stage, runs: Sequence[Standing]) -> Iterator[str]:
    """Checks that what a worker was handed in time, and put off, is not given up."""
    rows = {row.run_id: row for row in stage.rows().values()}
    for run in runs:
        row = rows.get(run.run_id)
        in_time = run.received_ms <= run.due_ms + LATE_SEC * 1000
        if row and run.slot and in_time and row.life.status in ("missed", "skipped"):
            yield f"given up: {run.run_id} is {row.life.status}({row.life.reason})"


def _no_more(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a worker that has its share of a tenant's runs takes no more of them than one
    message.
    """
    tenants = {task.task_id: task.tenant_id for task in stage.tasks}
    under_way: dict[str, Change] = {}
    since: dict[str, float] = {}
    for change in journal.changes:
        if change.after is None or change.after.status != "running":
            under_way.pop(change.run_id, None)
        if change.writer is None or not change.started:
            continue
        name, tenant = change.writer.name, tenants[change.task_id]
        since.setdefault(name, change.at_ms)
        beside = [
            one
            for one in under_way.values()
            if one.writer is change.writer and tenants[one.task_id] == tenant
        ]
        later = change.at_ms > since[name] + _HELD_MS
        if later and len(beside) >= stage.sizes.of_tenant + _IN_A_MESSAGE:
            yield f"more than its share: {change.run_id} beside {len(beside)} in {name}"
        under_way[change.run_id] = change


def _spans(journal: Journal) -> dict[str, list[tuple[float, float]]]:
    """Returns from when to when attempts of each run were under way."""
    found: dict[str, list[tuple[float, float]]] = {}
    for change in journal.changes:
        of_run = found.setdefault(change.run_id, []) if change.after else []
        if of_run and of_run[-1][1] == FOR_EVER:
            over = change.started or (change.after and change.after.status != "running")
            of_run[-1] = (of_run[-1][0], change.at_ms) if over else of_run[-1]
        if change.started:
            of_run.append((change.at_ms, FOR_EVER))
    return {name: of_run for name, of_run in found.items() if of_run}
