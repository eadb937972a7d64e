"""Describes a stored payload: JSON text, which comes back as it was sent, or where it lies.

The store's own maps limit depth and numbers, and take far longer to read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from onthedot.records.keys import SPEC, item_key, part_key, payload_key

# Bytes. Every load of a run pays for the whole item, one unit for each 4 kB.
INLINE_MAX_BYTES = 32 * 1024
# No JSON text begins with this.
_ELSEWHERE = "@"
_OF_TASKS, _OF_RUNS = "tasks", "runs"
_KEYS = {"tasks": part_key, "runs": item_key}
# Objects that nothing names lie under this prefix until the bucket's own rule deletes them.
ASIDE = "aside/"


@dataclass(frozen=True, slots=True)
class Away:
    """A payload that lies in the bucket, under this key."""

    key: str


def written(payload: Any) -> str:  # noqa: ANN401 any JSON
    if isinstance(payload, Away):
        return _ELSEWHERE + payload.key
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Reads it. A former version stored a map, which is returned as it is."""
    if not isinstance(stored, str):
        return stored
    if stored.startswith(_ELSEWHERE):
        return Away(stored.removeprefix(_ELSEWHERE))
    return json.loads(stored)


def large(text: str) -> bool:
    """Tells whether a payload belongs into the bucket."""
    return len(text.encode()) > INLINE_MAX_BYTES


def of_task(task_id: str, version: int) -> str:
    """Returns where the payload of a task's version lies."""
    return f"{_OF_TASKS}/{task_id}/{version}"


def of_run(task_id: str, key: str) -> str:
    """Returns where a run's own payload lies."""
    return f"{_OF_RUNS}/{task_id}/{key}"


def away(place: str, text: str) -> Away:
    """Adds a digest of the content to the name, so an object never changes and can be put twice."""
    return Away(f"{place}-{sha256(text.encode()).hexdigest()[:32]}")


class Namer(NamedTuple):
    """The item that may name an object."""

    table: str
    task_id: str
    sort: str

    @property
    def key(self) -> dict[str, str]:
        """Returns its key."""
        return _KEYS[self.table](self.task_id, self.sort)

    @property
    def of_task(self) -> bool:
        """Tells whether it is a task's spec. Former versions may name the same objects."""
        return self.table == _OF_TASKS


def namer(key: str) -> Namer | None:
    """Returns the item that may name an object, or None if the object is not ours.

    A later version of a task never names a former one's object, nor a run another run's. Only the
    kept former versions still name theirs.
    """
    kind, _, rest = key.partition("/")
    task_id, _, rest = rest.partition("/")
    of = rest.rpartition("-")[0]
    if not of or kind not in (_OF_TASKS, _OF_RUNS):
        return None
    if kind == _OF_TASKS:
        return Namer("tasks", task_id, SPEC)
    return Namer("runs", task_id, payload_key(of))
