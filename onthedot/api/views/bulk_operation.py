"""Shows a bulk operation as callers see it: what it does, and how far it is."""

from __future__ import annotations

from typing import Any

from onthedot.records.tasks.bulk_operation import DONE, Loop
from onthedot.records.tasks.kept_versions import Use
from onthedot.schedule.time.instants import moment, nominal


def backfill(loop: Loop) -> dict[str, Any]:
    """Shows a backfill."""
    return {
        "backfill_id": loop.loop_id,
        "task_id": loop.wanted["task_id"],
        "from": loop.wanted["first"],
        "to": loop.wanted["last"],
        "only_missing": loop.wanted["only_missing"],
        "next_slot": loop.cursor if loop.running else None,
        "launched": loop.counts.get(DONE, 0),
        **_course(loop),
    }


def operation(loop: Loop) -> dict[str, Any]:
    """Shows an operation on many dead letters."""
    chosen = loop.wanted["chosen"]
    filters = {name: chosen.get(name) for name in ("task_id", "fingerprint", "reason")}
    times = {
        "from": nominal(chosen["from_ms"] // 1000),
        "to": nominal(chosen["to_ms"] // 1000),
    }
    return {
        "operation_id": loop.loop_id,
        "kind": loop.kind,
        "filter": filters | times,
        "use": _use(loop),
        "payload_patch": loop.wanted.get("payload_patch"),
        **_progress(loop),
        **_course(loop),
    }


def _use(loop: Loop) -> dict[str, str] | None:
    """Returns the payload and target of replays. A former release's operation has defaults."""
    return Use(**loop.wanted.get("use", {})).as_json() if loop.kind == "replay" else None


def _progress(loop: Loop) -> dict[str, Any]:
    """Returns how many there are, and their outcomes. A former release did not count them."""
    done, skipped = loop.counts.get(DONE, 0), loop.counts.get("left", 0)
    total = loop.wanted.get("total")
    left = None
    if total is not None:
        # If there are more than were counted, at least one is left while it runs.
        left = max(total - done - skipped, 0 if loop.wanted["complete"] else int(loop.running))
    return {
        "total": total,
        "complete": loop.wanted.get("complete", False),
        "done": done,
        "skipped": skipped,
        "left": left,
    }


def _course(loop: Loop) -> dict[str, Any]:
    return {
        "rate_per_min": loop.per_minute,
        "status": loop.status,
        "created_at": moment(loop.began_ms),
        "created_by": loop.by,
        "ended_at": moment(loop.ended_ms),
    }
