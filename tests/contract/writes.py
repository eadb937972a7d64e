"""Every conditional write that the protocol makes, each with the items it was made on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.launch import backfill
from onthedot.launch.backfill import Backfill
from onthedot.records.conditional_writes import Clause, Insert, Update, Write
from onthedot.records.runs import overlap_gate, run_row, run_writes
from onthedot.records.runs.overlap_gate import Gate
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import bulk_operation, task_cursor
from onthedot.records.tasks.bulk_operation import Named
from onthedot.records.tasks.task_items import Known, cursor
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.edit_writes import Recount, Step, writes
from onthedot.schedule.schedule import compile_schedule, pack
from tests.schedule.samples import lived

SLOT = 1_795_000_020
NOW_MS = SLOT * 1000 + 500
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A write, and the item that its clauses were read from."""

    name: str
    write: Write
    seen: Mapping[str, Any] | None


def _run(**life: Any) -> Run:
    claimed: dict[str, Any] = {
        "status": "claimed",
        "tv": 3,
        "schedule_version": 2,
        "due_ms": SLOT * 1000,
        "claim_id": "DISPATCH",
        "claim_until": SLOT * 1000 + 30_000,
        "claimed_ms": SLOT * 1000 - 9_000,
    }
    return Run(
        task_id="sch_A",
        key="2026-11-18T12:07:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=lived(**claimed | life),
    )


CLAIMED = _run()
RUNNING = run_writes.started(CLAIMED, owner="w1", msg="m1", now_ms=NOW_MS, lease_ms=NOW_MS + 20_000)
RETRYING = _run(
    status="retrying", attempt=1, attempts=({"attempt": 1, "outcome": "failed", "error": {}},)
)
TASK = Task(
    task_id="sch_A",
    tenant_id="acme",
    name="a",
    effective_from=SLOT - 60,
    compiled=pack(compile_schedule("* * * * *")),
    target={"type": "recording"},
    payload={"n": 1.5, "list": [1, None, True], "map": {}},
    max_runs=7,
)


def _item(run: Run) -> Item:
    return dict(run_writes.insert(run, now_ms=NOW_MS).item)


def _starts() -> list[Case]:
    cases = []
    for seen in (CLAIMED, RETRYING, RUNNING):
        begun = run_writes.started(
            seen, owner="w2", msg="m2", now_ms=NOW_MS, lease_ms=NOW_MS + 20_000
        )
        write = run_writes.start(seen, begun, now_ms=NOW_MS)
        cases.append(Case(f"start of a {seen.life.status} run", write, _item(seen)))
    return cases


def _settles() -> list[Case]:
    held = RUNNING.life
    error = {"type": "E", "message": "no", "fingerprint": "f", "stack": ""}
    after = {
        "success": run_row.ended(
            held, Status.SUCCEEDED, Reason.NONE, now_ms=NOW_MS, result={"n": 1}
        ),
        "death": run_row.ended(held, Status.DEAD, Reason.PERMANENT, now_ms=NOW_MS, error=error),
        "retry": lived(held, status=Status.RETRYING, lease_ms=0, attempts=({"attempt": 1},)),
        "heartbeat": run_row.leased(held, NOW_MS + 26_000),
    }
    return [
        Case(name, run_writes.settle(RUNNING, life, now_ms=NOW_MS), _item(RUNNING))
        for name, life in after.items()
    ]


def _of_rows() -> list[Case]:
    taken = run_row.Claim(by="D2", until_ms=NOW_MS)
    missed = run_writes.miss_claim(CLAIMED, Status.MISSED, Reason.OUTSIDE_GRACE, now_ms=NOW_MS)
    cases = [
        Case(
            "take over",
            run_writes.take_over_claim(CLAIMED, taken, due_ms=NOW_MS, now_ms=NOW_MS),
            None,
        ),
        Case("miss", missed, None),
        Case("stamp", run_writes.stamp(CLAIMED, 4, now_ms=NOW_MS), None),
        Case(
            "mark", run_writes.mark(CLAIMED, replace(CLAIMED.life, buried=1), now_ms=NOW_MS), None
        ),
        Case("cancel", run_writes.cancel(CLAIMED, Reason.USER, now_ms=NOW_MS), None),
    ]
    cases = [replace(case, seen=_item(CLAIMED)) for case in cases]
    for seen in (CLAIMED, RETRYING, RUNNING):
        write = run_writes.settle_unstarted(seen, Status.SKIPPED, Reason.OVERLAP, now_ms=NOW_MS)
        cases.append(Case(f"skip of a {seen.life.status} run", write, _item(seen)))
    request = run_writes.request_cancel(RUNNING, Reason.USER, now_ms=NOW_MS)
    return [*cases, Case("request to cancel", request, _item(RUNNING))]


def _of_gates() -> list[Case]:
    empty = Gate(task_id="sch_A")
    one = replace(empty, rev=1, holders=("a",))
    first, second = (
        overlap_gate.write(empty, one),
        overlap_gate.write(one, replace(one, waiting=("b", "c"))),
    )
    assert isinstance(first, Insert)
    left = overlap_gate.write(one, replace(one, holders=()))
    return [
        Case("first at the gate", first, None),
        Case("next at the gate", second, first.item),
        Case("leaving the gate", left, first.item),
    ]


def _of_cursors() -> list[Case]:
    item = cursor(TASK, SLOT)
    due = task_cursor.parse(item)
    endless = cursor(replace(TASK, max_runs=None), SLOT)
    known = Known(TASK, due, indexed=True)
    edits = {
        "pause": replace(TASK, status="paused", paused_at=SLOT, version=2),
        "edit": replace(TASK, schedule_version=2, effective_from=SLOT, version=2),
    }
    cases = [
        Case("advance", task_cursor.advance(due, SLOT + 60, 1), item),
        Case("last advance", task_cursor.advance(due, None, 1), item),
        Case(
            "endless advance",
            task_cursor.advance(task_cursor.parse(endless), SLOT + 60, 1),
            endless,
        ),
        Case("leave the index", replace(task_cursor.advance(due, None, 1), sets=()), item),
    ]
    for name, wanted in edits.items():
        step = Step(seen=known, wanted=wanted, at=SLOT)
        spec, part = writes(step, Recount(), payload=None, now=SLOT)
        cases += [Case(f"{name}, spec", spec, TASK.item()), Case(f"{name}, cursor", part, item)]
    return cases


def _of_backfills() -> list[Case]:
    wanted = Backfill(task_id="sch_A", first=SLOT, last=SLOT + 600)
    named = Named(loop_id="bkf_A", tenant_id="acme", by="key_1", began_ms=NOW_MS)
    begun = backfill.loop(wanted, named)
    record, pointer = bulk_operation.begin(begun)
    further = replace(begun, status="done", counts={"done": 3}, ended_ms=NOW_MS)
    return [
        Case("begin a backfill", record, None),
        Case("list a backfill", pointer, None),
        Case("end a backfill", bulk_operation.moved(begun, further), record.item),
    ]


_INSERTS = [
    Case("claim", run_writes.insert(CLAIMED, now_ms=NOW_MS), None),
    Case("record", run_writes.insert(_run(status="missed"), now_ms=NOW_MS), None),
    Case("spec", Insert("tasks", TASK.item(), ("task_id", "part")), None),
    Case("cursor", Insert("tasks", cursor(TASK, SLOT), ("task_id", "part")), None),
]
CASES = [*_INSERTS, *_starts(), *_settles(), *_of_rows(), *_of_gates(), *_of_cursors()]
CASES += _of_backfills()


@dataclass(frozen=True, slots=True)
class Try:
    """A write on an item as it may be by then."""

    name: str
    write: Write
    item: Item | None
    wins: bool


def tries(case: Case) -> list[Try]:
    """Returns each write where it must win, and with every clause of it broken, one by one."""
    write = case.write
    if isinstance(write, Insert):
        there = Try(f"{case.name}, there already", write, dict(write.item), wins=False)
        return [Try(f"{case.name}, not there", write, None, wins=True), there]
    assert case.seen is not None
    item = dict(case.seen)
    found = [
        Try(f"{case.name}, as seen", write, item, wins=True),
        Try(f"{case.name}, gone", write, None, wins=False),
    ]
    for clause in write.clauses:
        name = f"{case.name}, {'.'.join(clause.path)}"
        if clause == Clause.missing(clause.path[0]):
            found.append(Try(f"{name} there", write, item | {clause.path[0]: 1}, wins=False))
            continue
        found += [
            Try(f"{name} without", write, _without(item, clause.path), wins=False),
            Try(f"{name} other", write, _other(item, clause.path), wins=False),
        ]
    return found


def _without(item: Item, path: tuple[str, ...]) -> Item:
    first, *rest = path
    if not rest:
        return {name: value for name, value in item.items() if name != first}
    return item | {first: _without(item[first], tuple(rest))}


def _other(item: Item, path: tuple[str, ...]) -> Item:
    first, *rest = path
    if rest:
        return item | {first: _other(item[first], tuple(rest))}
    value = item[first]
    # Greater, so that a clause of `<=` is broken too.
    return item | {first: f"{value}?" if isinstance(value, str) else value + 1_000_000}


def key_of(write: Write) -> Item:
    """Returns where it writes."""
    if isinstance(write, Update):
        return dict(write.key)
    return {name: write.item[name] for name in write.key}
