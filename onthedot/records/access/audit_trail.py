"""Describes the audit trail: who did what, with which key, when, and what it changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from onthedot.records.access.api_key import TABLE
from onthedot.records.conditional_writes import Insert
from onthedot.records.keys import ulid
from onthedot.records.tasks.pause_ends import SYSTEM
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import moment

# Bytes of one text, and of one side of a change. The store holds 400 kB, an answer 6 MB.
TEXT_BYTES_MAX, SIDE_BYTES_MAX = 1_000, 8_192
_SHOWN_LETTERS = 100
# A payload may be large or private. The trail only says that it changed.
_UNTOLD = frozenset({"payload"})


def told(fields: Mapping[str, Any], changed: Iterable[str]) -> dict[str, Any]:
    """Returns the changed fields: the beginnings of long texts, and the sizes of large fields."""
    kept: dict[str, Any] = {}
    room = SIDE_BYTES_MAX
    for name in changed:
        if fields.get(name) is None:
            continue
        value = "(changed)" if name in _UNTOLD else _shortened(fields[name])
        if _size(value) > room:
            value = _mark(_json(fields[name]))
        kept[name] = value
        room -= _size(value)
    return kept


def _shortened(value: Any) -> Any:  # noqa: ANN401 any JSON
    if isinstance(value, Mapping):
        return {name: _shortened(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(one) for one in value]
    if isinstance(value, str) and len(value.encode()) > TEXT_BYTES_MAX:
        return f"{value[:_SHOWN_LETTERS]}… {_mark(value)}"
    return value


def _mark(text: str) -> str:
    """Returns the size, and a digest that tells it from another text of this size."""
    written = text.encode()
    return f"({len(written):,} bytes, SHA-256 {sha256(written).hexdigest()[:12]})"


def _size(value: Any) -> int:  # noqa: ANN401 any JSON
    return len(_json(value).encode())


def _json(value: Any) -> str:  # noqa: ANN401 any JSON
    return json.dumps(value, ensure_ascii=False, default=str)


KEPT_SEC = 400 * 86_400
# The system's own lines are kept beside the runs: the audit may only write there.
RUNS, OF_ITSELF = "runs", "trail#"


@dataclass(frozen=True, slots=True, kw_only=True)
class By:
    """Who writes, in which request, and when."""

    tenant_id: str
    key_id: str
    request_id: str
    now_ms: int
    chance: str


def insert(
    by: By,
    what: str,
    about: str,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> Insert:
    """Writes the line of a write. It is part of the same transaction."""
    old, new = before or {}, after or {}
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    at = moment(by.now_ms) or ""
    item = {
        "pk": f"audit#{by.tenant_id}#{at[:7]}",
        "sk": f"{at}#{ulid(by.now_ms, by.chance)}",
        "at": at,
        "key_id": by.key_id,
        "what": what,
        "about": about,
        "request_id": by.request_id,
        "before": told(old, changed),
        "after": told(new, changed),
        "expires_at": by.now_ms // 1000 + KEPT_SEC,
    }
    return Insert(TABLE, item, ("pk", "sk"))


def by_itself(task: Task, what: str, reason: str, at_ms: int) -> Insert:
    """Writes the line of what the system did to a task. Writing it twice makes one line."""
    at = moment(at_ms) or ""
    item = {
        "task_id": f"{OF_ITSELF}{task.tenant_id}",
        "scheduled_for": f"{at}#{task.task_id}",
        "at": at,
        "key_id": SYSTEM,
        "what": what,
        "about": task.task_id,
        "request_id": None,
        "before": {},
        "after": {"status": task.status, "reason": reason},
        "expires_at": at_ms // 1000 + KEPT_SEC,
    }
    return Insert(RUNS, item, ("task_id", "scheduled_for"))
