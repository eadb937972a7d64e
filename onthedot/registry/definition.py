"""Makes a task from the fields that a user defines, with their defaults.

Names, types and limits were checked before. Here the fields are checked together.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from onthedot.records.merge_patch import merged
from onthedot.records.problems import Fault, of_faults
from onthedot.records.tasks.task_fields import COMMON, COMPILED, SCHEDULE
from onthedot.records.tasks.task_spec import Retry, Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.blackouts import Blackout
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule, pack
from onthedot.schedule.time.instants import nominal, parse_instant
from onthedot.schedule.words.expression_warnings import Warned
from onthedot.targets.http.web_exchange import BODILESS

_ID_PREFIXES = ("sch_", "tsk_")
_CODE = "code:"


def check(fields: Mapping[str, Any]) -> None:
    """Refuses a name that reads as an id, and a backoff whose start is above its own cap."""
    faults: list[Fault] = []
    if str(fields.get("name", "")).startswith(_ID_PREFIXES):
        message = f"'{fields['name']}' looks like an id: expected no sch_ or tsk_ at its start."
        faults.append(_fault("/name", "name", message))
    retry = COMMON["retry"] | fields.get("retry", {})
    if retry["base_sec"] > retry["cap_sec"]:
        message = f"base_sec is {retry['base_sec']}: expected cap_sec ({retry['cap_sec']}) or less."
        faults.append(_fault("/retry/base_sec", "base_sec", message))
    if faults:
        raise of_faults("invalid_field", faults)


def check_new(fields: Mapping[str, Any]) -> None:
    """Refuses a new schedule that is neither active nor paused."""
    status = fields.get("status", "active")
    if status not in ("active", "paused"):
        message = f"A new schedule cannot be {status}: expected active or paused."
        raise of_faults("invalid_field", [_fault("/status", "status", message)])


def of_code(managed_by: str) -> bool:
    """Tells whether code declares it, so that deployments make, change and end it."""
    return managed_by.startswith(_CODE)


def check_owner(fields: Mapping[str, Any], before: str = "") -> None:
    """Lets only a deployment give a schedule to the code: the next one would end any other."""
    owner = fields.get("managed_by", "")
    if of_code(owner) and owner != before:
        message = f"managed_by is '{owner}', which only deployments write: expected another owner."
        raise of_faults("invalid_field", [_fault("/managed_by", "managed_by", message)])


def _fault(pointer: str, field: str, message: str) -> Fault:
    return Fault(pointer=pointer, code="bad_value", message=message, field=field)


_FIELD = "pause_after_deaths"
_DEFAULT = SCHEDULE[_FIELD]
# Stands for null, which cannot be stored: the default is not stored either.
_NEVER = 0


def kept(wanted: int | None) -> dict[str, int]:
    """Returns what the spec stores: nothing for the default, as in every older spec."""
    return {} if wanted == _DEFAULT else {_FIELD: wanted or _NEVER}


def limit(task: Task) -> int | None:
    """Returns the number, or None if deaths never pause it."""
    return task.shown.get(_FIELD, _DEFAULT) or None


def near(task: Task, failures: int) -> int | None:
    """Returns the number if half of it is reached and the schedule is not paused."""
    most = limit(task)
    return most if most and task.status == "active" and 2 * failures >= most else None


# Kept in the task for the worker under these names.
_WORKED_WITH = tuple(name for name in SCHEDULE if name in Task.__slots__ and name != "retry")


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
    found["pause_after_deaths"] = limit(task)
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
    shown |= kept(whole["pause_after_deaths"])
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
    bounds = {name: _instant(whole[name], name, faults) for name in ("start_at", "end_at")}
    given = {name: whole[name] for name in COMPILED} | bounds
    try:
        return compile_schedule(text, seed=seed, **given)
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


_NAMES_PAYLOAD = re.compile(r"\{\{\s*payload\b")


def pause_near(failures: int, most: int) -> Warned:
    """Warns that further deaths will pause the schedule."""
    died = "The last run died." if failures == 1 else f"The last {failures} runs died."
    detail = (
        f"{died} After {most} deaths in a row the schedule is paused (pause_after_deaths). "
        "One success starts the count again."
    )
    return Warned("pause_near", detail)


def grace_short(grace_sec: int) -> list[Warned]:
    """Warns of a grace that is shorter than the time after which a slot is late."""
    if grace_sec >= LATE_SEC:
        return []
    detail = (
        f"misfire_grace_sec is {grace_sec} and acts as {LATE_SEC}: a slot is late only "
        f"{LATE_SEC} s after it was due."
    )
    return [Warned("grace_short", detail)]


def payload_unsent(target: Mapping[str, Any], payload: object) -> list[Warned]:
    """Warns of a payload that is not sent, because the request has no body."""
    method = target.get("method", "POST")
    if target.get("type") != "http" or method not in BODILESS or not payload:
        return []
    named = [target["url"], *target.get("headers", {}).values()]
    if any(_NAMES_PAYLOAD.search(text) for text in named):
        return []
    detail = (
        f"{method} sends no body, so the payload is not sent. Name its fields in the url or in a "
        "header, as {{payload.field}}, or use POST."
    )
    return [Warned("payload_unsent", detail)]


def unknown_handler(name: str, near: str | None) -> Warned:
    """Warns of a handler that no deployment has brought yet."""
    meant = f" Did you mean '{near}'?" if near else ""
    detail = f"There is no handler '{name}' in jobs/: runs are dead until there is one.{meant}"
    return Warned("unknown_handler", detail)


def undone(managed_by: str) -> Warned:
    """Warns of a change to a schedule that code declares."""
    detail = (
        f"It is declared in code ({managed_by}): the next deployment undoes this change. "
        "Change it in the code as well, or set managed_by to api."
    )
    return Warned("managed_by_code", detail)
