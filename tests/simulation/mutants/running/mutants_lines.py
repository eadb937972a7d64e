"""Planted faults of lines: who comes later is called first, and places that nobody is given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from onthedot.dispatch.extra_runs import launch
from onthedot.launch import backfill_flow
from onthedot.launch.backfill import Backfill
from onthedot.records.runs import overlap_gate, tenant_permits
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Wait
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.tenant_permits import Quota
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.task_spec import Task
from onthedot.work.gates import concurrency_key, gate_items, overlap
from onthedot.work.gates.concurrency_key import Limit, Starts
from onthedot.work.gates.gate_items import Rows
from tests.simulation.mutants.mutant import Mutant, Patch


def pushed_in() -> list[Patch]:
    """A run that finds a free place at its task's gate takes it, though others stand there."""
    deciding = overlap_gate.enter

    def enter(seen: Gate, key: str, task: Any, order: Any, **more: Any) -> Any:
        if key not in seen.holders and len(seen.holders) < (task.max_concurrent or 1):
            rest = seen.without([key])
            return Enter(replace(rest, holders=(*rest.holders, key)))
        return deciding(seen, key, task, order, **more)

    return [(overlap_gate, "enter", enter)]


def pushed_in_by_key() -> list[Patch]:
    """A run that finds a free place of its key takes it, though others stand there."""
    deciding = concurrency_key.enter

    def enter(seen: Gate, run_id: str, most: int, order: Any) -> Have | Enter | Wait | None:
        if run_id not in seen.holders and len(seen.holders) < most:
            rest = seen.without([run_id])
            return Enter(replace(rest, holders=(*rest.holders, run_id)))
        return deciding(seen, run_id, most, order)

    return [(concurrency_key, "enter", enter)]


def pushed_in_by_quota() -> list[Patch]:
    """A run that finds a free permit takes it, though others have been due for longer."""
    giving = tenant_permits.allot

    def allot(free: Sequence[int], _: object, runs: Iterable[Run], part: float) -> dict[str, int]:
        return giving(free, [], runs, part)

    return [(tenant_permits, "allot", allot)]


def newest_first() -> list[Patch]:
    """A backfill goes from its last slot to its first."""

    def one_by_one(going: Loop, wanted: Backfill, task: Task) -> Loop:
        slots = list(wanted.slots(task.schedule, wanted.first))
        past = backfill_flow._past(task, slots)  # noqa: SLF001  # planted in the flow
        for slot in reversed(slots):
            newest = past.newest(slot)
            mine = newest is not None and newest.backfill_id == going.loop_id
            number = past.number(slot, only_missing=wanted.only_missing)
            if (mine and newest and newest.final) or (number is None and not mine):
                continue
            if number is not None and backfill_flow._free(task):  # noqa: SLF001
                launch([backfill_flow._run(going, task, slot, number)])  # noqa: SLF001
            return going
        return replace(going, status="done")

    return [(backfill_flow, "_one_by_one", one_by_one)]


def unwoken() -> list[Patch]:
    """Who leaves a gate wakes nobody: the audit finds who stands there."""
    return [
        (overlap, "_passed_on", lambda _, left, __: left),
        (overlap, "_wake_first", lambda *_: None),
    ]


def woken_by_everybody() -> list[Patch]:
    """A run that joins a line calls the first one in it, though no place is free."""

    def wake_if_free(seen: Gate, rows: Rows, _: int, mine: str) -> None:
        if seen.waiting and seen.waiting[0] != mine:
            gate_items.wake([rows.get(seen.waiting[0])])

    return [(gate_items, "wake_if_free", wake_if_free)]


def one_place_less() -> list[Patch]:
    """Where two may run at once, one may."""
    deciding = overlap_gate.enter

    def enter(seen: Gate, key: str, task: Any, order: Any, **more: Any) -> Any:
        fewer = max(1, (task.max_concurrent or 1) - 1)
        return deciding(seen, key, replace(task, max_concurrent=fewer), order, **more)

    return [(overlap_gate, "enter", enter)]


def one_place_of_a_key_less() -> list[Patch]:
    """The last place of a key is never given."""
    deciding = concurrency_key.enter

    def enter(seen: Gate, run_id: str, most: int, order: Any) -> Have | Enter | Wait | None:
        return deciding(seen, run_id, max(1, most - 1), order)

    return [(concurrency_key, "enter", enter)]


def one_permit_less() -> list[Patch]:
    """The last permit of a tenant is never given."""
    finding = Quota.free

    def free(self: Quota, now_ms: int) -> list[int]:
        return [number for number in finding(self, now_ms) if number or self.most == 1]

    return [(Quota, "free", free)]


def rate_halved() -> list[Patch]:
    """A start is booked twice as far ahead as the rate asks for."""
    booking = Starts.booked

    def booked(self: Starts, limit: Limit, now_ms: int) -> tuple[Starts, int]:
        return booking(self, replace(limit, per_ms=2 * limit.per_ms), now_ms)

    return [(Starts, "booked", booked)]


def called_though_over() -> list[Patch]:
    """A run in a tenant's line is called, even if it is over."""
    return [(tenant_permits, "waits", lambda _run, _now_ms: True)]


def not_given_up() -> list[Patch]:
    """A cancelled run keeps its place."""
    return [(overlap, "give_up", lambda _run: None)]


def left_by_the_dead() -> list[Patch]:
    """If a worker dies before it gives a place up, nobody gives it up later."""
    return [(overlap, "finish", lambda _job: None)]


def next_second_left_out() -> list[Patch]:
    """A backfill goes on two seconds after its last slot: it leaves one second out."""
    original = backfill_flow._behind  # noqa: SLF001  # planted in the flow

    def behind(seen: Loop, wanted: Backfill, task: Task, looked_at: int | None) -> Loop:
        return original(seen, wanted, task, looked_at if looked_at is None else looked_at + 1)

    return [(backfill_flow, "_behind", behind)]


def sent_on() -> list[Patch]:
    """A run that is already in its key's line comes back later, though it will be called."""
    deciding = concurrency_key.enter

    def enter(seen: Gate, run_id: str, most: int, order: Any) -> Any:
        entry = deciding(seen, run_id, most, order)
        return None if run_id in seen.waiting and isinstance(entry, Wait) else entry

    return [(concurrency_key, "enter", enter)]


_OVER, _GIVEN_UP, _DIED = "tenant's given up line", "given up lines", "deserted lines bare"
LINES = (
    Mutant("called over", "who is over is not called", called_though_over, (_OVER,), 3),
    Mutant("not given up", "who is cancelled leaves", not_given_up, (_GIVEN_UP,), 1),
    Mutant("left by the dead", "an outcome gives the place up", left_by_the_dead, (_DIED,)),
    Mutant("sent on", "who stands in a line is called", sent_on, ("keys bare",)),
    Mutant("second left out", "no slot is left out", next_second_left_out, ("fills of pairs",), 2),
    Mutant(
        "pushed in",
        "who comes goes behind those that stand there",
        pushed_in,
        ("slow lines",),
        seed=17,
    ),
    Mutant(
        "pushed in by key",
        "0064: nobody overtakes in a key's line",
        pushed_in_by_key,
        ("slow lines",),
        seed=3,
    ),
    Mutant(
        "pushed in by quota",
        "0070: nobody passes those who stand there longer",
        pushed_in_by_quota,
        ("tenant's slow line",),
    ),
    Mutant("newest first", "0040: one slot after another, oldest first", newest_first, ("lines",)),
    Mutant("unwoken", "who leaves wakes the first in the line", unwoken, ("lines",)),
    Mutant("woken by everybody", "who waits is called for a place", woken_by_everybody, ("lines",)),
    Mutant("one place less", "as many as may run at once do", one_place_less, ("lines",), seed=3),
    Mutant(
        "one place of a key less",
        "0064: each place is given",
        one_place_of_a_key_less,
        ("lines",),
        seed=8,
    ),
    Mutant("one permit less", "0070: each permit is given", one_permit_less, ("tenant's line",)),
    Mutant("rate halved", "0064: a rate is used to the full", rate_halved, ("lines",)),
)
