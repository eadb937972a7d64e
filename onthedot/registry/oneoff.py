"""Defines one-off tasks from their fields, and shows them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from onthedot.records.keys import item_key, slot_key
from onthedot.records.problems import Fault, Problem, of_faults
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_fields import COMMON, LISTED, STAMPS
from onthedot.records.tasks.task_items import HISTORY_SEC
from onthedot.records.tasks.task_spec import Retry, Task
from onthedot.registry.definition import grace_short, payload_unsent
from onthedot.schedule import schedule
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant

_WORKED_WITH = tuple(name for name in COMMON if name in Task.__slots__ and name != "retry")
_SHOWN = (*(name for name in COMMON if name not in Task.__slots__), "idempotency_key")
_LISTED = tuple(name for name in COMMON if name in LISTED)


def define(fields: Mapping[str, Any], *, task_id: str, tenant_id: str, now_ms: int) -> Task:
    """Makes the task, or says what is wrong with its time."""
    whole = COMMON | dict(fields)
    retry = Retry(**COMMON["retry"] | dict(fields.get("retry", {})))
    at = run_at(fields, whole["misfire_grace_sec"], now_ms)
    compiled = compile_schedule(f"at({nominal(at)[:-1]})")
    # It is kept as long as its run may take, and then as long as its history.
    longest = whole["max_attempts"] * (retry.cap_sec + whole["timeout_sec"])
    target = whole["target"]
    shown = {name: whole[name] for name in _SHOWN if whole.get(name)}
    shown |= {"target_type": target.get("type"), "start_at": nominal(at)}
    shown |= {"handler": target["handler"]} if "handler" in target else {}
    return Task(
        task_id=task_id,
        tenant_id=tenant_id,
        name=whole.get("name", ""),
        compiled=schedule.pack(compiled),
        # A time that has just passed counts too: the task runs at once.
        effective_from=min(now_ms // 1000, at - 1),
        overlap="allow",
        max_concurrent=None,
        retry=retry,
        shown={**shown, "expires_at": at + longest + HISTORY_SEC},
        **{name: whole[name] for name in _WORKED_WITH},
    )


def moved(task: Task, fields: Mapping[str, Any], now_ms: int) -> Task:
    """Gives it another time, as a definition of its own."""
    if not {"run_at", "delay_sec"} & fields.keys():
        message = "Neither run_at nor delay_sec is given: expected one of them."
        raise of_faults("invalid_field", [_fault("run_at", "missing", message)])
    at = run_at(fields, task.misfire_grace_sec, now_ms)
    later = at - at_of(task)
    times = {"start_at": nominal(at), "expires_at": task.shown["expires_at"] + later}
    return replace(
        task,
        compiled=schedule.pack(compile_schedule(f"at({nominal(at)[:-1]})")),
        effective_from=min(now_ms // 1000, at - 1),
        shown={**task.shown, **times},
    )


def run_at(fields: Mapping[str, Any], grace_sec: int, now_ms: int) -> int:
    """Reads when it is to run: at an instant, after a delay, or now."""
    if "run_at" in fields and "delay_sec" in fields:
        message = "Both run_at and delay_sec are given: expected one of them."
        raise of_faults("invalid_field", [_fault("delay_sec", "field_count", message)])
    if "run_at" not in fields:
        # Never early: the rest of the second is waited for too.
        delay_ms = 1000 * int(fields.get("delay_sec", 0))
        return now_ms // 1000 if not delay_ms else (now_ms + delay_ms + 999) // 1000
    try:
        at = parse_instant(fields["run_at"], "run_at", not_before=True)
    except ScheduleError as error:
        raise of_faults("invalid_field", [Fault.of("/run_at", error)]) from None
    if at < now_ms // 1000 - grace_sec:
        message = f"'{fields['run_at']}' is more than {grace_sec} s ago, its misfire_grace_sec."
        raise Problem("run_at_in_past", message, [_fault("run_at", "out_of_range", message)])
    return at


def at_of(task: Task) -> int:
    """Returns the instant at which it runs."""
    found = task.schedule.next(0)
    if found is None:
        raise ValueError(f"{task.task_id} never runs")
    return found


def row_key(task: Task) -> dict[str, str]:
    """Returns the key of its run's row."""
    return item_key(task.task_id, slot_key(at_of(task)))


def view(task: Task, run: Run | None, shown_run: Mapping[str, Any] | None) -> dict[str, Any]:
    """Shows it, with its run if there is one."""
    over = run is not None and run.final
    return {
        "task_id": task.task_id,
        "tenant_id": task.tenant_id,
        "version": task.version,
        "name": task.name or None,
        **{name: task.shown.get(name, COMMON.get(name)) for name in _SHOWN},
        "run_at": nominal(at_of(task)),
        **{name: getattr(task, name) for name in _WORKED_WITH},
        "retry": {name: getattr(task.retry, name) for name in Retry.__slots__},
        "status": "completed" if over and task.status == "active" else task.status,
        "run": shown_run,
        "warnings": [
            *map(asdict, payload_unsent(task.target, task.payload)),
            *map(asdict, grace_short(task.misfire_grace_sec)),
        ],
        **{name: task.shown.get(name) for name in STAMPS},
    }


def entry(item: Mapping[str, Any], run: Run | None) -> dict[str, Any]:
    """Shows it in a list, by what the index carries."""
    over = run is not None and run.final
    target = {"type": item.get("target_type")}
    return {
        "task_id": item["task_id"],
        "version": item["version"],
        "name": item.get("name") or None,
        "run_at": item["start_at"],
        "status": "completed" if over and item["status"] == "active" else item["status"],
        "target": target | ({"handler": item["handler"]} if "handler" in item else {}),
        **{name: item.get(name, LISTED[name]) for name in _LISTED},
        "run": None if run is None else {"run_id": run.run_id, "status": run.life.status.value},
        "created_at": item["created_at"],
    }


def _fault(field: str, code: str, message: str) -> Fault:
    return Fault(pointer=f"/{field}", code=code, message=message, field=field)
