"""Sees fires as they happen: the manifests say which runs are coming, their rows what became."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from onthedot.adapters import tables
from onthedot.core import manifest, run, task
from onthedot.core.instants import nominal
from onthedot.core.keys import manifest_keys
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.run import Run

_MINUTE_SEC = 60
_MANIFESTS_EVERY_MS = 2_000
# A run that did not come to an end by then is the audit's business, not a line's.
_FORGET_MS = 600_000
_ANY = ("", "~")


@dataclass(slots=True)
class Watch:
    """Which runs are coming, and what was said of them already."""

    _due_ms: dict[str, int] = field(default_factory=dict)
    _said: dict[str, str] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _listed_ms: int = 0

    def look(self, now_ms: int) -> Iterator[str]:
        """Give a line for each run that has started, or ended, since the last look."""
        if now_ms - self._listed_ms >= _MANIFESTS_EVERY_MS:
            self._listed_ms = now_ms
            self._list(now_ms)
        near = [each for each, due_ms in self._due_ms.items() if due_ms <= now_ms]
        items = tables.get_many({"runs": [run.row_key(each) for each in near]})["runs"]
        for seen in sorted(map(run.parse, items), key=lambda each: each.life.due_ms):
            self._due_ms[seen.run_id] = seen.life.due_ms
            started = seen.life.attempt or seen.final
            if started and self._said.get(seen.run_id) != seen.life.status:
                self._said[seen.run_id] = seen.life.status
                yield self._line(seen)
            if seen.final:
                # Kept as far off: a manifest names it for minutes to come.
                self._due_ms[seen.run_id] = now_ms + _FORGET_MS

    def _list(self, now_ms: int) -> None:
        """Note what is to come; a manifest lies in the minute after its last run is due."""
        first = now_ms // 1000
        last = first + LOOK_AHEAD_SEC + manifest.CHECK_AFTER_SEC + _MINUTE_SEC
        for minute in range(first, last, _MINUTE_SEC):
            for partition in manifest_keys(minute):
                for item in tables.rows(("task_id", partition), "scheduled_for", _ANY):
                    for run_id, _ in manifest.parse(item).entries:
                        self._due_ms.setdefault(run_id, 0)
        self._forget(now_ms)

    def _forget(self, now_ms: int) -> None:
        old = [each for each, due in self._due_ms.items() if 0 < due < now_ms - _FORGET_MS]
        for run_id in old:
            del self._due_ms[run_id]
            self._said.pop(run_id, None)

    def _line(self, seen: Run) -> str:
        life = seen.life
        started_ms = life.first_started_ms or life.started_ms
        late = f"{started_ms - life.due_ms:6} ms late" if started_ms else ""
        status = f"{life.status} ({life.reason})" if life.reason else life.status
        when = nominal(life.due_ms // 1000)
        return f"{when}  {self._name(seen.task_id):28}  {status:12}{late}".rstrip()

    def _name(self, task_id: str) -> str:
        if task_id not in self._names:
            spec = tables.get("tasks", task.spec_key(task_id)) or {}
            self._names[task_id] = spec.get("name") or task_id
        return self._names[task_id]
