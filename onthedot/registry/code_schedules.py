"""Makes, changes and ends the schedules that code declares, and no others, at a deployment.

Operators alone decide about pauses: no deployment starts what they have stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from onthedot.records.access.audit_trail import By
from onthedot.records.keys import CHANCE_LETTERS, ulid
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import definition, lifecycle, schedule_actions
from onthedot.registry.calendar_edits import resolve
from onthedot.registry.definition import of_code
from onthedot.registry.edit import edit
from onthedot.store import clock, ids, table_pages
from onthedot.store.ids import new_id
from onthedot.store.schedule_names import owner
from onthedot.store.tasks import read

_PAGE = 100


def register(wanted: Iterable[Mapping[str, Any]], tenant_id: str) -> dict[str, int]:
    """Makes the tenant's schedules as the code declares them. A second call changes nothing.

    A name that belongs to another schedule is left alone, and counted as taken.
    """
    by_name = {fields["name"]: fields for fields in wanted}
    done: Counter[str] = Counter()
    for name, fields in by_name.items():
        task_id = owner(tenant_id, name)
        known = read(task_id) if task_id else None
        if known is None:
            named = resolve(tenant_id, fields.get("calendars", ()))
            made = definition.schedule(
                fields, task_id=new_id("sch"), tenant_id=tenant_id, blackouts=named
            )
            schedule_actions.create(made, _by(tenant_id))
            done["created"] += 1
        elif not of_code(known.task.shown.get("managed_by", "")):
            done["taken"] += 1
        else:
            changed = _changed(known.task, fields)
            if not changed:
                # The deployment that made it may have died before it was dispatched.
                edit(known.task.task_id, lifecycle.unchanged, known=known)
            done["changed" if changed else "unchanged"] += 1
    done["ended"] += _end_others(set(by_name), tenant_id)
    return {name: number for name, number in done.items() if number}


def _changed(task: Task, fields: Mapping[str, Any]) -> bool:
    wanted = schedule_actions.redefined(task, task.effective_from, fields=fields)
    if not definition.differences(task, wanted) and wanted.blackouts == task.blackouts:
        return False
    make = partial(schedule_actions.redefined, fields=fields)
    schedule_actions.redefine(task.task_id, make, _by(task.tenant_id))
    return True


def _end_others(kept: set[str], tenant_id: str) -> int:
    """Ends schedules that the code no longer declares: they would find no handler."""
    gone = [item for item in _listed(tenant_id) if item["name"] not in kept]
    for item in gone:
        schedule_actions.end(item["task_id"], _by(tenant_id))
    return len(gone)


def _listed(tenant_id: str) -> Iterator[dict[str, Any]]:
    """Reads all before it returns: ending one removes it from the list that is read."""
    found: list[dict[str, Any]] = []
    start: Mapping[str, Any] | None = None
    while True:
        page = table_pages.by_tenant(f"{tenant_id}#s", limit=_PAGE, start=start)
        found += [item for item in page.items if of_code(item.get("managed_by", ""))]
        if page.last is None:
            return iter(found)
        start = page.last


def _by(tenant_id: str) -> By:
    """Signs as a deployment, which has no key and no request."""
    now_ms = clock.now_ms()
    return By(
        tenant_id=tenant_id,
        key_id="deploy",
        request_id=f"req_{ulid(now_ms, ids.token(CHANCE_LETTERS))}",
        now_ms=now_ms,
        chance=ids.token(CHANCE_LETTERS),
    )
