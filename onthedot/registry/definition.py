"""Makes a task from the fields that a user defines, with their defaults.

Names, types and limits were checked before. Here the fields are checked together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.merge_patch import merged
from onthedot.records.problems import Fault, of_faults
from onthedot.records.tasks.task_spec import Retry, Task
from onthedot.registry import death_limit
from onthedot.registry.defaults import SCHEDULE
from onthedot.schedule.blackouts import Blackout
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.packed_schedule import pack
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.instants import nominal, parse_instant

# Kept in the task for the worker under these names.
_WORKED_WITH = (
    "name",
    "status",
    "misfire",
    "misfire_grace_sec",
    "overlap",
    "max_concurrent",
    "queue_max",
    "target",
    "payload",
    "max_attempts",
    "timeout_sec",
    "priority",
    "max_runs",
)
_TEXTS = ("timezone", "seconds", "dst_mode", "dst_gap", "dst_overlap")


def schedule(
    fields: Mapping[str, Any],
    *,
    task_id: str,
    tenant_id: str,
    blackouts: tuple[Blackout, ...] = (),
) -> Task:
    """Makes a schedule's task from its fields, or says everything that is wrong with them."""
    whole = SCHEDULE | dict(fields)
    found = compiled(whole, task_id)
    # One form for each instant, whatever its offset was.
    bounds = {"start_at": found.start_at, "end_at": found.end_at}
    whole |= {name: None if at is None else nominal(at) for name, at in bounds.items()}
    if whole["max_concurrent"] is None and whole["overlap"] != "allow":
        whole["max_concurrent"] = 1
    return Task(
        task_id=task_id,
        tenant_id=tenant_id,
        compiled=pack(found),
        blackouts=blackouts,
        retry=Retry(**whole["retry"]),
        shown=_shown(whole),
        **{name: whole[name] for name in _WORKED_WITH},
    )


def compiled(whole: Mapping[str, Any], task_id: str) -> Schedule:
    """Compiles a schedule from its fields, or says everything that is wrong with them."""
    faults: list[Fault] = []
    found = _compiled(whole, task_id, faults)
    if faults or found is None:
        raise of_faults("invalid_schedule", faults)
    return found


def fields_of(task: Task) -> dict[str, Any]:
    """Returns a schedule's fields, with defaults."""
    found = SCHEDULE | {name: task.shown[name] for name in SCHEDULE if name in task.shown}
    found |= {name: getattr(task, name) for name in _WORKED_WITH}
    found["pause_after_deaths"] = death_limit.limit(task)
    return found | {"retry": {name: getattr(task.retry, name) for name in Retry.__slots__}}


def patched(fields: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Merges a patch into fields. A target of another type replaces the old one."""
    old, new = fields["target"], patch.get("target")
    if isinstance(new, Mapping) and new.get("type", old.get("type")) != old.get("type"):
        fields = {**fields, "target": {}}
    whole = merged(fields, patch)
    # Only for this field null is a value of its own, not the default.
    never = "pause_after_deaths" in patch and patch["pause_after_deaths"] is None
    return whole | ({"pause_after_deaths": None} if never else {})


def differences(before: Task, after: Task) -> dict[str, Any]:
    """Returns the fields that differ, before and after."""
    old, new = fields_of(before), fields_of(after)
    return {name: {"from": old[name], "to": new[name]} for name in old if old[name] != new[name]}


def _shown(whole: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields that only the API reads, without defaults, which would only cost."""
    apart = (*_WORKED_WITH, "retry", "pause_after_deaths")
    shown = {name: value for name, value in whole.items() if name not in apart}
    shown = {name: value for name, value in shown.items() if value not in (None, "", {}, [])}
    shown |= death_limit.kept(whole["pause_after_deaths"])
    target = whole["target"]
    shown["target_type"] = target.get("type")
    return shown | ({"handler": target["handler"]} if "handler" in target else {})


def _compiled(whole: Mapping[str, Any], seed: str, faults: list[Fault]) -> Schedule | None:
    if (whole["cron"] is None) == (whole["every_sec"] is None):
        neither = "Neither cron nor every_sec is given: expected one of them."
        both = "Both cron and every_sec are given: expected one of them, and null for the other."
        message = neither if whole["cron"] is None else both
        faults.append(Fault(pointer="/cron", code="field_count", message=message, field="cron"))
        return None
    text = whole["cron"] if whole["cron"] is not None else f"@every {whole['every_sec']}s"
    words: dict[str, Any] = {name: whole[name] for name in _TEXTS}
    bounds = {name: _instant(whole[name], name, faults) for name in ("start_at", "end_at")}
    try:
        return compile_schedule(
            text,
            start_at=bounds["start_at"],
            end_at=bounds["end_at"],
            jitter_sec=whole["jitter_sec"],
            seed=seed,
            **words,
        )
    except ScheduleError as error:
        faults.append(Fault.of(_pointer(error), error))
        return None


def _instant(text: str | None, name: str, faults: list[Fault]) -> int | None:
    try:
        return None if text is None else parse_instant(text, name, not_before=name == "start_at")
    except ScheduleError as error:
        faults.append(Fault.of(f"/{name}", error))
        return None


def _pointer(error: ScheduleError) -> str:
    """Points to a field: the schedule's own fields stand at the top, all others are in `cron`."""
    return f"/{error.field}" if error.field in SCHEDULE else "/cron"
