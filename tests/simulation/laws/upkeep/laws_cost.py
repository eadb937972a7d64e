"""Laws of cost: in calm histories, units and calls are what the formula gives for these runs.

The formula is the table of costs in data.md, with keys (0064) and quotas (0070).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import ceil

from onthedot.records.tasks.task_spec import Task
from tests.simulation.laws.waiting.run_standings import Standing
from tests.simulation.machine.journal import Journal
from tests.simulation.machine.trace import Entry
from tests.simulation.stage import Stage

_READS = frozenset({"query", "get_item", "batch_get_item", "scan"})
_STATEMENTS_MAX, _MESSAGES_MAX = 25, 10


@dataclass(slots=True)
class Bill:
    """Units and calls; two bills add up."""

    written: float = 0.0
    read: float = 0.0
    calls: float = 0.0

    def __add__(self, other: Bill) -> Bill:
        return Bill(self.written + other.written, self.read + other.read, self.calls + other.calls)


# From its message to its deletion: visibility, load, start, settle, delete. The load reads the
# run, its task, and the limit of its tenant.
_RUN = Bill(written=2, read=3, calls=5)
# Its task's gate: who skips leaves nothing behind, and reads who was there before.
_SKIP = Bill(written=1, read=2, calls=3)
_GATE = Bill(written=2, read=2, calls=4)
# Where runs go in the order of their due times, those before it are looked at.
_ORDER = Bill(read=1, calls=1)
_KEY = Bill(written=2, read=2, calls=4)
_RATE = Bill(written=1, read=1, calls=2)
# Two queries and a write at the start, a write and a query at the end.
_QUOTA = Bill(written=2, read=3, calls=5)
# A tick reads and writes the backlog.
_TICK = Bill(written=1, read=1, calls=2)
# What is out of the index and into it, and the item itself.
_ADVANCE_UNITS = 3


def within_formula(stage: Stage, journal: Journal, runs: Iterable[Standing]) -> Iterator[str]:
    """Dispatch by its ticks and claims, work by its runs."""
    spent: dict[str, Bill] = defaultdict(Bill)
    for entry in stage.world.trace:
        if entry[1] is not None:
            spent[entry[1].kind] += _spent(entry)
    bounded = any(limit.most for limit in journal.limits)
    working = sum((_run(run.task, bounded=bounded) for run in runs), Bill())
    yield from _compared("work", spent["work"], working)
    yield from _compared("dispatch", spent["dispatch"], _dispatching(stage, journal))


def _compared(kind: str, spent: Bill, formula: Bill) -> Iterator[str]:
    for name in ("written", "read", "calls"):
        said, most = getattr(spent, name), getattr(formula, name)
        if said > most:
            yield f"dear: {kind} has {said:g} {name}, by the formula it is {most:g}"


def _run(task: Task, *, bounded: bool) -> Bill:
    """Returns one run that starts at once, succeeds at its first attempt, and is over in a
    heartbeat.
    """
    bill = _RUN
    if task.overlap == "skip":
        bill += _SKIP
    elif task.overlap != "allow" or task.max_concurrent is not None:
        bill += _GATE
        bill += Bill() if task.overlap == "cancel_previous" else _ORDER
    key = task.shown.get("concurrency_key") or {}
    if key.get("max_running"):
        bill += _KEY
    if key.get("rate"):
        bill += _RATE
    return bill + _QUOTA if bounded else bill


@dataclass(slots=True)
class _Claimed:
    """What one tick has claimed."""

    slots: int = 0
    tasks: set[str] = field(default_factory=set)
    # In which minutes the audit is to look at them.
    minutes: set[int] = field(default_factory=set)


def _dispatching(stage: Stage, journal: Journal) -> Bill:
    shards = len(stage.shards())
    ticks = sum(process.kind == "dispatch" for process in stage.world.processes)
    # A page of an index is read at half the price, and one page is enough.
    bill = Bill(
        written=ticks * _TICK.written,
        read=ticks * (_TICK.read + shards / 2),
        calls=ticks * (_TICK.calls + shards),
    )
    claimed: dict[str, _Claimed] = defaultdict(_Claimed)
    for change in journal.changes:
        if change.before is None and change.writer and change.writer.kind == "dispatch":
            one = claimed[change.writer.name]
            one.slots += 1
            one.tasks.add(change.task_id)
            overdue_ms = max(change.at_ms, change.after.due_ms if change.after else 0) + 20_000
            one.minutes.add(ceil(overdue_ms / 60_000))
    # The last advance of a schedule that ends notes for the audit that it does.
    ended = sum("due_shard" not in move.after for move in journal.moves)
    bill += Bill(written=ended, calls=ended)
    for one in claimed.values():
        statements = ceil(one.slots / _STATEMENTS_MAX) + ceil(len(one.tasks) / _STATEMENTS_MAX)
        bill += Bill(
            # The lists, the claims, the advances.
            written=len(one.minutes) + one.slots + _ADVANCE_UNITS * len(one.tasks),
            calls=len(one.minutes) + statements + ceil(one.slots / _MESSAGES_MAX),
        )
    return bill


def _spent(entry: Entry) -> Bill:
    """Calls of SQS and of the store; a target is no call of ours."""
    operation, answer = entry[2], entry[4]
    if not isinstance(answer, dict):
        return Bill()
    told = answer.get("ConsumedCapacity", [])
    each = told if isinstance(told, list) else [told]
    units = sum(one["CapacityUnits"] for one in each)
    if operation in _READS:
        return Bill(read=units, calls=1)
    return Bill(written=units, calls=1)
