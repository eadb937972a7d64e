"""Laws of the gate: at most N run, each holder is open, and no run is turned away without cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import CATCH_UPS_MAX
from tests.simulation.laws.timing.true_bounds import guarded, places
from tests.simulation.machine.journal import Journal, Seen
from tests.simulation.stage import Stage

# Outside workers ask the API by processes of this kind.
_ASKS = "said"

# By which policy a run may end so.
_POLICIES = {"overlap": "skip", "previous": "cancel_previous"}
# A message, a load and a start.
_FREED_MS = 3_000


def never_crowded(journal: Journal) -> Iterator[str]:
    """Checks that at most N runs of a task are between their first start and their outcome."""
    inside: dict[str, set[str]] = defaultdict(set)
    for change in journal.changes:
        task = _only(journal, change.task_id)
        if task is None or change.after is None:
            continue
        most = places(task)
        if change.after.final:
            inside[change.task_id].discard(change.key)
        elif change.after.attempt:
            inside[change.task_id].add(change.key)
            if change.started and len(inside[change.task_id]) > most:
                keys = sorted(inside[change.task_id])
                yield f"crowded: {keys} of {task.name} run at once, {most} may"


def _only(journal: Journal, task_id: str) -> Task | None:
    """Returns the task, if it has a gate and was never without."""
    versions = journal.versions[task_id]
    if not versions or not all(guarded(version.task) for version in versions):
        return None
    return versions[0].task


def freed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that once an edit lets runs overlap, waiting runs begin, unless
    another act follows.
    """
    if stage.world.chooser.faults:
        return
    for act in stage.acts:
        if act.name != "freed" or not act.acked_ms:
            continue
        until_ms = act.acked_ms + _FREED_MS
        others = [one for one in stage.acts if one is not act and one.task_id == act.task_id]
        if any(one.began_ms < until_ms for one in others):
            continue
        rows: dict[str, Seen] = {}
        for change in journal.changes:
            if change.task_id == act.task_id and change.at_ms < until_ms and change.after:
                rows[change.run_id] = change.after
        for run_id, seen in rows.items():
            if seen.status == "claimed" and seen.due_ms < act.acked_ms:
                yield f"still waiting: {run_id}, and the runs of its task may overlap"


def turned_away_for_cause(journal: Journal) -> Iterator[str]:
    """Checks that skipped or replaced as the task's policy says, and only while another run was
    there.
    """
    open_spans = _open_spans(journal)
    for change in journal.changes:
        after = change.after
        if after is None or after.reason not in _POLICIES or change.before is None:
            continue
        if change.before.final:
            continue
        policies = {one.task.overlap for one in journal.versions[change.task_id]}
        if _POLICIES[after.reason] not in policies:
            yield f"turned away: {change.run_id} for {after.reason}, against its policy"
        # A retry may be turned away before it is due.
        wanted_ms = min(change.before.due_ms, change.at_ms) - 10_000
        others = [
            key
            for key, (born, ended) in open_spans[change.task_id].items()
            if key != change.key and born <= change.at_ms and ended >= wanted_ms
        ]
        if not others:
            yield f"turned away: {change.run_id} for {after.reason}, and nobody was there"


def _open_spans(journal: Journal) -> dict[str, dict[str, tuple[float, float]]]:
    """Returns from a run's claim to its outcome."""
    spans: dict[str, dict[str, tuple[float, float]]] = defaultdict(dict)
    for change in journal.changes:
        if change.after is None or change.after.range_to:
            continue
        if change.before is None and not change.after.final:
            spans[change.task_id][change.key] = (change.at_ms, float("inf"))
        elif change.after.final and change.key in spans[change.task_id]:
            born, ended = spans[change.task_id][change.key]
            spans[change.task_id][change.key] = (born, min(ended, change.at_ms))
    return spans


def bounded(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no more wait, and no more hold, than the task allows."""
    for task in stage.tasks:
        for held in journal.gates[task.task_id]:
            if len(held.waiting) > task.queue_max:
                yield f"overfull: {len(held.waiting)} wait for {task.name}"
            if len(held.holders) > (places(task) if guarded(task) else CATCH_UPS_MAX):
                yield f"crowded: {held.holders} hold the gate of {task.name}"


def asked_last_ms(stage: Stage) -> float:
    """Returns when an outside worker asked for the last time."""
    asked_us = (
        each[0] for each in stage.world.trace if each[1] is not None and each[1].kind == _ASKS
    )
    return stage.world.start.timestamp() * 1000 + max(asked_us, default=0) / 1000


def freed_too_late(stage: Stage, journal: Journal, task_id: str) -> bool:
    """Tells whether the last place came free after outside workers had asked for the last time."""
    gates = journal.gates[task_id]
    return bool(gates) and gates[-1].at_ms > asked_last_ms(stage)


def behind_unsent(stage: Stage, journal: Journal, run: Run) -> bool:
    """Tells whether it waits at its task's gate for an older run whose maker could not send it.

    That one goes first, and only the audit sends it.
    """
    gates = journal.gates[run.task_id]
    return bool(gates and run.key in gates[-1].waiting) and any(
        one.task_id == run.task_id
        and one.life.due_ms < run.life.due_ms
        and not (one.final or one.run_id in journal.sent_ms)
        for one in stage.rows().values()
    )


def left_clean(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that at a calm end nobody waits behind a run that is final."""
    rows = {(run.task_id, run.key): run for run in stage.rows().values()}
    for task_id, gates in journal.gates.items():
        for key in gates[-1].waiting if gates else ():
            run = rows.get((task_id, key))
            if (
                run
                and not run.final
                and not (pulled(run.queue) and freed_too_late(stage, journal, task_id))
                and not behind_unsent(stage, journal, run)
                and all(
                    holder.final
                    for name in gates[-1].holders
                    if (holder := rows.get((task_id, name)))
                )
            ):
                yield f"stranded: {run.run_id} waits, and nobody holds"
