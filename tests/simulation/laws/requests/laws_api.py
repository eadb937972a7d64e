"""Laws of the API: what was acknowledged governs, and every outcome has its ground in the task."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.attributes import plain_item
from onthedot.records.keys import is_slot_key, payload_key, run_id
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.laws_pauses import stopped
from tests.simulation.laws.timing.reigns import Reign, end_of
from tests.simulation.machine.journal import Change, Journal, Version
from tests.simulation.outside import contents
from tests.simulation.stage import Delivery, Stage

_EDGE_MS = 6_000
# An edit looks back by a day, an hour of grace and little more: what is older is not stamped.
STAMPED_FROM = "2026-11-17T11"


def governs(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no first start after an acknowledgement obeys an older version of the task."""
    paid = {(delivery.run_id, delivery.attempt): delivery for delivery in stage.deliveries}
    ever = {key for _, key, _ in stage.world.store.table("runs").rows._log}  # noqa: SLF001  # the store's own log
    for change in journal.changes:
        if not change.started or change.after is None or change.after.attempt != 1:
            continue
        least = max(
            (
                act.version
                for act in stage.acts
                if act.task_id == change.task_id and 0 < act.acked_ms < change.at_ms
            ),
            default=0,
        )
        told = paid.get((change.run_id, 1))
        # What it was given by its caller is no matter of its task: see laws_asked.
        own = (change.task_id, payload_key(change.key)) in ever
        until_ms, paid_to = change.at_ms, None if own else told
        if change.key < STAMPED_FROM:
            # What no stamp reaches obeys, or is stopped, between its start and its target.
            until_ms = told.at_ms if told else float("inf")
            least = least if told else 0
        versions = [
            one.task
            for one in journal.versions[change.task_id]
            if one.at_ms < until_ms and one.task.version >= least
        ]
        if not any(_allows(task, change) and _pays(stage, task, paid_to) for task in versions):
            yield f"disobeyed: {change.run_id} started although version {least} was acknowledged"


def _pays(stage: Stage, task: Task, told: Delivery | None) -> bool:
    """Tells whether its target was given the payload of that version."""
    if told is None or told.payload is None:
        return True
    return bool(told.payload == contents.given(stage, task.payload, told))


def _allows(task: Task, change: Change) -> bool:
    """Tells whether that version lets the run start; apart from the worker's table."""
    if task.status in ("deleted", "cancelled"):
        return False
    if not is_slot_key(change.key):
        return True
    due = change.after.due_ms / 1000 if change.after else 0.0
    return not stopped(task, due) and _has(task, change)


def _has(task: Task, change: Change) -> bool:
    """Tells whether the slot is one that this version has, now that it governs."""
    row = change.before or change.after
    if row is None or row.schedule_version == task.schedule_version:
        return True
    slot = parse_nominal(change.key)
    due = true_slots.due_at(task, slot)
    return true_slots.is_slot(task, slot) and due > task.effective_from


def grounded(journal: Journal) -> Iterator[str]:
    """Checks that skipped as paused, superseded or deleted only if the task was so between due
    and then.
    """
    for change in journal.changes:
        after, before = change.after, change.before
        yield from _dropped_in_vain(journal, change)
        if after is None or not after.final or (before and before.final) or after.range_to:
            continue
        since = min(after.due_ms, change.at_ms) - _EDGE_MS
        ruling = _between(journal.versions[change.task_id], since, change.at_ms)
        match after.status, after.reason:
            case "skipped", "paused":
                told = any(task.status == "paused" for task in ruling)
                yield from _too_soon(change)
            case "skipped", "superseded":
                marked = before is not None and "dropped" in before.life
                told = marked or any(not _has(task, change) for task in ruling)
                yield from _too_soon(change)
            case "skipped", "ended":
                marked = before is not None and "dropped" in before.life
                told = marked or any(_ended_before(task, change.key) for task in ruling)
            case "cancelled", "task_deleted":
                told = any(task.status == "deleted" for task in ruling)
            case _:
                told = True
        if not told:
            yield f"groundless: {change.run_id} is {after.status}({after.reason})"


def _ended_before(task: Task, key: str) -> bool:
    end_at = task.schedule.end_at
    return end_at is not None and parse_nominal(key) > end_at


def _dropped_in_vain(journal: Journal, change: Change) -> Iterator[str]:
    """Checks that what is marked as dropped is not in the schedule then, whatever a later one
    has.
    """
    before, after = change.before, change.after
    if before is None or after is None or "dropped" in before.life or "dropped" not in after.life:
        return
    ruling = _between(journal.versions[change.task_id], change.at_ms - _EDGE_MS, change.at_ms)
    if all(_has(task, change) for task in ruling):
        yield f"dropped in vain: {change.run_id}"


def _too_soon(change: Change) -> Iterator[str]:
    """Checks that the task as it is at the due time decides, and nobody knows that before."""
    before, after = change.before, change.after
    if before and after and change.at_ms + change.skew_ms < before.due_ms:
        early = before.due_ms - change.at_ms - change.skew_ms
        yield f"too soon: {change.run_id} is skipped({after.reason}) {early:.0f} ms early"


def _between(versions: list[Version], since_ms: float, until_ms: float) -> list[Task]:
    """Returns every version that ruled for some of the time."""
    ruled = []
    for place, version in enumerate(versions):
        ended = versions[place + 1].at_ms if place + 1 < len(versions) else float("inf")
        if ended > since_ms and version.at_ms <= until_ms + _EDGE_MS:
            ruled.append(version.task)
    return ruled


def fired(journal: Journal, ruled: list[Reign]) -> Iterator[str]:
    """Checks that what was due beyond doubt in a pause did not start."""
    for reign in ruled:
        task = reign.task
        if task.status != "paused":
            continue
        for change in journal.changes:
            if change.task_id != task.task_id or not is_slot_key(change.key):
                continue
            due = change.after.due_ms / 1000 if change.after else 0.0
            first = change.started and change.after and change.after.attempt == 1
            if first and reign.since < due < min(reign.until, end_of(task)):
                yield f"unpaused: {change.run_id} started though it was due in a pause"


def triggered(stage: Stage) -> Iterator[str]:
    """Checks that every trigger that was answered has a row; none has a slot's key."""
    rows = stage.rows()
    for named in stage.acked_runs:
        if named not in rows:
            yield f"lost: the triggered {named} has no row"
    for run in rows.values():
        if run.origin == "manual" and is_slot_key(run.key):
            yield f"collided: {run_id(run.task_id, run.key)} is manual and a slot's"


def beside(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a backfill writes no slot's own row and nothing of a task; each run says its
    origin.
    """
    steps = {process for process in stage.world.processes if process.kind == "step"}
    if any(act.name in ("move lunch", "calendar") for act in stage.acts):
        # A calendar's edit goes on by steps, too, and those are edits of tasks.
        steps = set()
    for change in journal.changes:
        # Dead letters are run again, or purged, by the minute's steps as well.
        dead = change.before is not None and change.before.status == "dead"
        if change.writer in steps and is_slot_key(change.key) and not dead:
            yield f"trespassed: {change.run_id} was written by a backfill"
    for _, process, operation, request, *_ in stage.world.trace:
        if process in steps and operation in _WRITES and _names_tasks(request):
            yield f"trespassed: {process} wrote to a task"
    for run in stage.rows().values():
        named = next((origin for mark, origin in _MARKED.items() if mark in run.key), run.origin)
        if run.origin != named and (run.origin, named) != ("catchup", "backfill"):
            yield f"mistaken: {run.run_id} is of origin {run.origin}"


def filled(stage: Stage) -> Iterator[str]:
    """Checks that a backfill that is done left no slot to a run that only gave way to another
    one.
    """
    found = stage.world.store.scan(TableName="runs")["Items"]
    loops = [plain_item(item) for item in found if item["task_id"]["S"].startswith("backfill#")]
    done = {loop["scheduled_for"] for loop in loops if loop["status"] == "done"}
    newest: dict[tuple[str, str], Run] = {}
    for run in sorted(stage.rows().values(), key=_number):
        if "~b" in run.key:
            newest[run.task_id, run.slot] = run
    for run in newest.values():
        if run.backfill_id in done and not run.life.attempt and run.life.status == "skipped":
            yield f"unfilled: {run.run_id} is skipped({run.life.reason}), and its backfill is done"


def _number(run: Run) -> int:
    return int(run.key.rpartition("~b")[2]) if "~b" in run.key else 0


def _names_tasks(request: object) -> bool:
    return "'tasks'" in str(request) or '"tasks"' in str(request)


_WRITES = ("batch_execute_statement", "put_item", "transact_write_items", "update_item")
_MARKED = {"~b": "backfill", "~m": "manual", "~r": "replay"}
