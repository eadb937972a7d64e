"""Laws of shares: tenants take turns in catching up, and a backfill does what it was asked to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from onthedot.records.attributes import plain_item
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import nominal, parse_nominal
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

# What came due in the last moments may be on time for one clock and late for the other.
_EDGE_SEC = 10


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks both laws."""
    yield from _in_turn(stage, journal)
    yield from _filled(stage, journal)


def _in_turn(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no tick catches up on two tasks more of one tenant while another one's task
    waits.
    """
    tenants = {task.task_id: task.tenant_id for task in stage.tasks}
    if len(set(tenants.values())) < 2:
        return
    claimed: dict[str, list[Change]] = defaultdict(list)
    for change in journal.changes:
        writer = change.writer
        if change.before is None and writer is not None and writer.kind == "dispatch":
            claimed[writer.name].append(change)
    born = {(one.task_id, one.key): one.at_ms for ones in claimed.values() for one in ones}
    for name, changes in claimed.items():
        began_ms = min(change.at_ms for change in changes)
        late_ms = began_ms - (LATE_SEC + _EDGE_SEC) * 1000
        taken = {one.task_id for one in changes if one.after and one.after.due_ms < late_ms}
        got: dict[str, int] = defaultdict(int)
        for task_id in taken:
            got[tenants[task_id]] += 1
        for task in stage.tasks:
            if task.task_id in taken or not got:
                continue
            if (
                _waits(stage, task, born, (began_ms, late_ms))
                and max(got.values()) > got[task.tenant_id] + 1
            ):
                yield f"out of turn: {name} left {task.name} of {task.tenant_id} to {dict(got)}"


def _waits(
    stage: Stage, task: Task, born: dict[tuple[str, str], float], between: tuple[float, float]
) -> bool:
    """Tells whether a slot of the task was overdue then, and claimed by nobody yet."""
    began_ms, late_ms = between
    slot = task.schedule.next(int(stage.world.start.timestamp()))
    while slot is not None and task.schedule.due_at(slot) * 1000 < late_ms:
        if born.get((task.task_id, nominal(slot)), began_ms) >= began_ms:
            return True
        slot = task.schedule.next(slot)
    return False


def _filled(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that a backfill that is done has run each of its slots that has no run of its own.

    Whose schedule was edited meanwhile may have had others.
    """
    found = stage.world.store.scan(TableName="runs")["Items"]
    loops = [plain_item(item) for item in found if item["task_id"]["S"].startswith("backfill#")]
    rows = stage.rows()
    for loop in loops:
        if loop["status"] != "done" or len(journal.versions[loop["wanted"]["task_id"]]) > 1:
            continue
        wanted = loop["wanted"]
        there = _there(rows.values(), wanted["task_id"])
        task = next(each for each in stage.tasks if each.task_id == wanted["task_id"])
        for slot in task.schedule.slots(parse_nominal(wanted["first"]) - 1):
            if slot > parse_nominal(wanted["last"]):
                break
            if nominal(slot) not in there:
                yield f"unfilled: {task.name} {nominal(slot)} has no run, its backfill is done"


def _there(rows: Iterable[Run], task_id: str) -> set[str]:
    """Returns slots with a run of their own, or of a backfill."""
    of_task = [run for run in rows if run.task_id == task_id]
    own = {run.key for run in of_task if is_slot_key(run.key)}
    return own | {run.slot for run in of_task if "~b" in run.key}
