"""Planted faults of outcomes: slots that are passed over, and cancels that are forgotten."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onthedot.dispatch import dispatcher, due_plan
from onthedot.dispatch.due_plan import Firing, Plan, Unfired
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_cursor import Due
from onthedot.work import starts
from onthedot.work.decision_table import Decision, decide

Patch = tuple[Any, str, Any]
REASONS = ("outside_grace", "policy_none", "unaccounted", "circuit_open")


def fires_nothing(reason: str = REASONS[0]) -> list[Patch]:
    """Each slot is recorded as missed."""

    def plan(due: Due, now: int, **named: Any) -> Plan:
        made = due_plan.plan(due, now, **named)
        passed = [Unfired(one.slot, one.due, Status.MISSED, Reason(reason)) for one in made.firings]
        unfired = sorted([*made.unfired, *passed], key=lambda one: one.slot)
        return replace(made, firings=[], unfired=unfired)

    return [(dispatcher, "plan", plan)]


def _sorting(change: Callable[[list[Firing], list[Unfired]], Any]) -> list[Patch]:
    original = due_plan._sorted_out  # noqa: SLF001  # planted in the plan

    def sorted_out(*given: Any, **named: Any) -> Any:
        return change(*original(*given, **named))

    return [(due_plan, "_sorted_out", sorted_out)]


def newest_coalesced() -> list[Patch]:
    """Of late slots, none fires under `latest`."""

    def changed(firings: list[Firing], unfired: list[Unfired]) -> Any:
        late = [one for one in firings if one.origin == "catchup" and unfired]
        passed = [Unfired(one.slot, one.due, Status.SKIPPED, Reason.COALESCED) for one in late]
        return [one for one in firings if one not in late], [*unfired, *passed]

    return _sorting(changed)


def grace_halved() -> list[Patch]:
    """What is late is missed before its grace is over."""
    original = due_plan._sorted_out  # noqa: SLF001  # planted in the plan

    def sorted_out(due: Due, *given: Any, **named: Any) -> Any:
        return original(replace(due, grace_sec=due.grace_sec // 2), *given, **named)

    return [(due_plan, "_sorted_out", sorted_out)]


def cancel_forgotten() -> list[Patch]:
    """A run that was asked to stop is tried again."""

    def decided(run: Any, task: Any, hint: Any, now_ms: int) -> Decision:
        return decide(replace(run, cancel_ms=0) if run else None, task, hint, now_ms)

    return [(starts, "decide", decided)]


def next_tick_only() -> list[Patch]:
    """A dispatcher looks no further ahead than to what is due by now."""
    return [(due_plan, "LOOK_AHEAD_SEC", 0)]
