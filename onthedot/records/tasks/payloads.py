"""A payload as stored: JSON text, so that it comes back as it was sent, or where it lies.

The store's own maps bound the depth and the numbers, and take far longer to read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from onthedot.records.keys import SPEC, payload_key

# Every load of a run pays for the whole item, four kilobytes a unit.
INLINE_MAX_BYTES = 32 * 1024
# No JSON text begins so.
_ELSEWHERE = "@"
_OF_TASKS, _OF_RUNS = "tasks", "runs"
_SORTS = {"tasks": "part", "runs": "scheduled_for"}
# What nothing names any more lies behind this until the bucket's own rule lets it go.
ASIDE = "aside/"


@dataclass(frozen=True, slots=True)
class Away:
    """A payload that lies in the bucket, under this key."""

    key: str


def written(payload: Any) -> str:  # noqa: ANN401 any JSON
    """Write it."""
    if isinstance(payload, Away):
        return _ELSEWHERE + payload.key
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Read it; what a former version stored as a map is read as it is."""
    if not isinstance(stored, str):
        return stored
    if stored.startswith(_ELSEWHERE):
        return Away(stored.removeprefix(_ELSEWHERE))
    return json.loads(stored)


def large(text: str) -> bool:
    """Tell whether a payload is to lie in the bucket."""
    return len(text.encode()) > INLINE_MAX_BYTES


def of_task(task_id: str, version: int) -> str:
    """Say where the payload lies that a version of a task came with."""
    return f"{_OF_TASKS}/{task_id}/{version}"


def of_run(task_id: str, key: str) -> str:
    """Say where a run's own payload lies."""
    return f"{_OF_RUNS}/{task_id}/{key}"


def away(place: str, text: str) -> Away:
    """Name it after its content, too: what is there never changes, and putting it twice is once."""
    return Away(f"{place}-{sha256(text.encode()).hexdigest()[:32]}")


class Namer(NamedTuple):
    """The item that may name an object."""

    table: str
    task_id: str
    sort: str

    @property
    def key(self) -> dict[str, str]:
        """Its key."""
        return {"task_id": self.task_id, _SORTS[self.table]: self.sort}

    @property
    def of_task(self) -> bool:
        """Tell whether it is a task's spec: what that has named, its former versions may name."""
        return self.table == _OF_TASKS


def namer(key: str) -> Namer | None:
    """Tell who may name an object; None: it is none of ours.

    No later version of a task takes up what a former one has left, and no run another's; only what
    is kept of former versions still names theirs.
    """
    kind, _, rest = key.partition("/")
    task_id, _, rest = rest.partition("/")
    of = rest.rpartition("-")[0]
    if not of or kind not in (_OF_TASKS, _OF_RUNS):
        return None
    if kind == _OF_TASKS:
        return Namer("tasks", task_id, SPEC)
    return Namer("runs", task_id, payload_key(of))
