"""Laws of calendars: nothing starts inside one that stands, and outside nothing is kept back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from onthedot.records.attributes import plain_item
from onthedot.records.keys import run_id
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import calendar, task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_instant
from tests.simulation.laws.timing import true_slots
from tests.simulation.laws.timing.reigns import Reign, slots_within
from tests.simulation.machine.journal import Journal, Version, pairs
from tests.simulation.stage import Stage
from tests.simulation.stores.values import Item
from tests.simulation.users.caller import Ask

_ASKED = frozenset({"calendar", "no calendar"})
_STOPPED = frozenset({"paused", "deleted"})
# Between the time that an edit goes by and its write.
_EDGE_SEC = 8


def followed(stage: Stage) -> Iterator[str]:
    """Checks that once all have been looked at, each task has its calendars as their user left
    them.
    """
    rows = stage.world.store.table("runs").rows.items
    loops = [plain_item(item) for key, item in rows.items() if key[0].startswith("recompute#")]
    if not loops or any(loop["status"] != "done" for loop in loops):
        return
    for (_, part), item in stage.world.store.table("tasks").rows.items.items():
        if part != "spec" or item["status"]["S"] != "active" or "blackouts" not in item:
            continue
        spec = task_spec.parse(plain_item(item))
        for one in spec.blackouts:
            now = calendar.parse(plain_item(_kept(stage, spec.tenant_id, one["name"])))
            if one != now.blackout:
                yield f"left behind: {spec.name} has {one['cron']} of {one['name']}, not {now.cron}"


def _kept(stage: Stage, tenant_id: str, name: str) -> Item:
    key = tuple(calendar.key(tenant_id, name).values())
    return stage.world.store.table("tasks").rows.items[key[0], key[1]]


def answered(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a calendar is written if its caller was told so, and by no try that was
    refused.
    """
    asks = [act for act in stage.acts if isinstance(act, Ask) and act.name in _ASKED]
    if not asks:
        return
    first_us = journal.start_ms * 1000
    writers = {
        int(first_us) + entry[0]: entry[1].name.partition("/")[0]
        for entry in stage.world.trace
        if entry[1] is not None
    }
    log = pairs(stage.world, "tasks")
    wrote = {writers.get(at_us) for at_us, key, *_ in log if key[0].startswith("cal#")}
    for ask in asks:
        if ask.done and not wrote & ask.tries.keys():
            yield f"unwritten: {ask.route} was answered, and nobody has written it"
        if ask.answer is not None and not ask.done and ask.answer.process in wrote:
            yield f"refused, and done: {ask.route} was told {ask.answer.code}"


def kept(stage: Stage, ruled: list[Reign], until_sec: float, *, rows_max: int) -> Iterator[str]:
    """By the task as it was, beyond doubt, when each slot was due."""
    rows = stage.rows()
    end = stage.world.start.timestamp() + until_sec
    for reign in ruled:
        task = reign.task
        if not task.blackouts and task.version == 1:
            continue
        for slot, _ in slots_within(task, reign.since, min(reign.until, end)):
            run = rows.get(run_id(task.task_id, nominal(slot)))
            calendar = true_slots.closing(task, slot)
            if calendar and run and run.life.attempt:
                yield f"closed: {run.run_id} ran inside {calendar}"
            if not calendar and _kept_back(run, task, slot, rows):
                yield f"open: {task.name} {nominal(slot)} was skipped for a calendar"
            told = [run] if run else _covering(task, slot, rows)
            if calendar and _unexplained(told, task, rows_max):
                yield f"closed: {task.name} {nominal(slot)} was missed inside {calendar}"


def unclaimed(
    stage: Stage, journal: Journal, ruled: list[Reign], until_sec: float
) -> Iterator[str]:
    """Checks that what its first calendars close is recorded in ranges: a row for each slot costs
    too much.
    """
    claimed = {one.run_id for one in journal.changes if one.after and one.after.status == "claimed"}
    end = stage.world.start.timestamp() + until_sec
    for reign in ruled:
        task = reign.task
        if not task.blackouts or task.version > 1:
            continue
        for slot, _ in slots_within(task, reign.since, min(reign.until, end)):
            named = run_id(task.task_id, nominal(slot))
            if named in claimed and (calendar := true_slots.closing(task, slot)):
                yield f"claimed though closed: {named} lies inside {calendar}"


def lifted(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no range tells of what is due after an edit that lifted its calendar, or ended
    its task.
    """
    for run in stage.rows().values():
        if not run.range_to or run.life.reason != "calendar":
            continue
        was, ended = _reign(journal.versions[run.task_id], run.life.schedule_version)
        if was is None or ended is None or _died(stage, ended):
            continue
        first, last = run.key.partition("~")[0], run.range_to
        slots = true_slots.slots(
            was.task, parse_instant(first, "slot") - 1, parse_instant(last, "slot") + 1
        )
        over = ended.at_ms / 1000 + _EDGE_SEC
        beyond = [slot for slot in slots if true_slots.due_at(was.task, slot) > over]
        born = next((one for one in journal.changes if one.run_id == run.run_id), None)
        if born is not None and born.at_ms > ended.at_ms - _EDGE_SEC * 1000:
            # Its dispatcher planned before the edit, and may leave one slot of it, or have died.
            dead = born.writer is not None and (born.writer.dead or not born.writer.done)
            beyond = [] if dead else beyond[1:]
        if beyond:
            yield f"lifted: {run.run_id} tells of {len(beyond)} slots after its end"


def _reign(
    versions: Sequence[Version], schedule_version: int
) -> tuple[Version | None, Version | None]:
    """Returns the last version under which a range stood, and the one that ended it."""
    was = None
    for version in versions:
        task = version.task
        if task.schedule_version == schedule_version and task.status not in _STOPPED:
            was = version
        elif was is not None:
            return was, version
    return was, None


def _died(stage: Stage, ended: Version) -> bool:
    """Tells whether who wrote it has not done the rest, and nobody was told that it was done."""
    writer = ended.writer
    told = any(
        act.version == ended.task.version and act.acked_ms
        for act in stage.acts
        if act.task_id == ended.task.task_id
    )
    return not told and (
        writer is None or writer.dead or not writer.done or writer.error is not None
    )


def _kept_back(run: Run | None, task: Task, slot: int, rows: dict[str, Run]) -> bool:
    """A slot's own row says why; where there is none, the newest range that covers it does."""
    if run is not None:
        return run.life.reason == "calendar"
    # A bounded task owes no more than so many.
    if task.status != "active" or task.max_runs is not None:
        return False
    covering = _covering(task, slot, rows)
    return bool(covering) and all(one.life.reason == "calendar" for one in covering)


def _unexplained(told: list[Run], task: Task, rows_max: int) -> bool:
    """Tells whether an edit's books call it missed; one row may stand for more stretches than
    fit.
    """
    return bool(told) and all(
        one.life.reason == "unaccounted" and _stretches(task, one) <= rows_max for one in told
    )


def _covering(task: Task, slot: int, rows: dict[str, Run]) -> list[Run]:
    """Returns the ranges that stand for the slot."""
    return [
        one
        for one in rows.values()
        if one.task_id == task.task_id
        and one.key.partition("~")[0] <= nominal(slot) <= one.range_to
    ]


def _stretches(task: Task, run: Run) -> int:
    """Counts how often a calendar begins or ends to be closed within the range."""
    began = run.key.partition("~")[0]
    first, last = (parse_instant(at, "slot") for at in (began, run.range_to or began))
    closed = [
        true_slots.closing(task, slot) for slot in true_slots.slots(task, first - 1, last + 1)
    ]
    return len([*groupby(closed)])
