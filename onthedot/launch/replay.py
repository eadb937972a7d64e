"""Replays a run that has an outcome, as a new run. The old one keeps its outcome."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from onthedot.dispatch.extra_runs import first_life, launched, relaunched
from onthedot.records.access import tenant_reach
from onthedot.records.keys import is_slot_key, moment_key
from onthedot.records.merge_patch import merged
from onthedot.records.runs import row_remarks, tenant_permits
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.side_item import Own
from onthedot.records.tasks.kept_versions import Sent, Use
from onthedot.records.tasks.payloads import Away
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.store import aws, clock, conditional_writer, ids, run_inputs, stored_runs, table_reads
from onthedot.store.payloads import at_hand
from onthedot.store.tasks import read
from onthedot.targets import current_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Who wants the replay, and with what. None means the payload that `use` names.

    Each run keeps a payload of its own, because the old run's may be purged.
    """

    by: str = "user"
    use: Use = field(default_factory=Use)
    payload: Any = None
    # What to change in the payload that `use` names (RFC 7396).
    patch: Mapping[str, Any] | None = None
    # If the replay may be asked for twice, the key comes from the request.
    key: str = ""


def replay(run_id: str, wish: Wish | None = None) -> Run | None:
    """Runs it once more. None: it cannot be replayed now.

    It is open, purged, or its task is gone; its payload is gone; or the target is not allowed any
    more, by today's rules or the tenant's.
    """
    old = stored_runs.read(run_id)
    known = read(old.task_id) if old else None
    if old is None or known is None or not replayable(old, known.task):
        return None
    wanted = wish or Wish()
    given = chosen(old, known.task, wanted)
    if given is None or not _allowed(old, known.task, given.target or known.task.target):
        return None
    return again(old, known.task, wanted, given)


def chosen(old: Run, task: Task, wish: Wish) -> Own | None:
    """Returns what the replay gets instead of its task's values. None: the payload is gone."""
    was = run_inputs.sent(old, task, run_inputs.own(old))
    target = was.target if wish.use.target == "sent" else None
    payload = wish.payload
    if payload is None and (wish.patch is not None or wish.use.payload == "sent"):
        payload = _payload(was, task, wish)
        if isinstance(payload, Away):
            return None
        payload = _patched(payload, wish.patch)
    return Own(payload, target)


def again(old: Run, task: Task, wish: Wish, given: Own) -> Run:
    """Runs again what was read and is allowed."""
    made = _made(old, replace(task, target=given.target or task.target), wish.key)
    # An earlier step may have launched it and died before it recorded that.
    there = stored_runs.read(made.run_id) if wish.key else None
    begun = relaunched(there) if there else launched(made, given.payload, given.target)
    conditional_writer.write_one(
        row_remarks.replayed(old, wish.by, begun.run_id, now_ms=clock.now_ms())
    )
    return begun


def replayable(old: Run, task: Task) -> bool:
    """Tells whether a run can be replayed. A purged run has nothing left to run with."""
    return old.final and not old.purged_ms and not old.is_range and task.status not in ENDED


def _payload(was: Sent, task: Task, wish: Wish) -> Any:  # noqa: ANN401 any JSON
    """Returns the payload, or the place of one that is gone. None: the run had none."""
    said = was.payload if wish.use.payload == "sent" else task.payload
    if said is None and wish.patch is not None:
        # It never started. The change applies to what it would have got.
        said = task.payload
    found = at_hand(said)
    return said if found is None else found


def _patched(present: Any, patch: Mapping[str, Any] | None) -> Any:  # noqa: ANN401 any JSON
    """Returns a payload with the changes applied."""
    if patch is None:
        return present
    return merged(present if isinstance(present, Mapping) else {}, patch)


def _allowed(old: Run, task: Task, target: Mapping[str, Any]) -> bool:
    """Tells whether the run's tenant may call the target today. The worker checks again."""
    if not current_rules.permits(target, task.timeout_sec):
        return False
    limit = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key(old.tenant_id))
    patterns = tenant_reach.at_registration(limit)
    return patterns is None or tenant_reach.beyond(target, patterns, aws.home()) is None


def _made(old: Run, task: Task, key: str) -> Run:
    now_ms = clock.now_ms()
    return Run(
        task_id=old.task_id,
        key=key or moment_key(now_ms, "r", ids.token(6)),
        tenant_id=old.tenant_id,
        origin="replay",
        queue=task.queue,
        life=first_life(task, now_ms, ids.token()),
        slot=old.key if is_slot_key(old.key) else old.slot,
        replay_of=old.run_id,
    )
