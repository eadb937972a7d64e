"""Shows fires as they happen: manifests say which runs come, rows say what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from onthedot.records.keys import manifest_keys
from onthedot.records.runs import manifest, run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks import task_spec
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store import table_reads
from onthedot.work.gates import waiting_runs

_MINUTE_SEC = 60
_MANIFESTS_EVERY_MS = 2_000
# Milliseconds. A run that has not ended by then is left to the audit and gets no more lines.
_FORGET_MS = 600_000
_ANY = ("0", "~")


@dataclass(slots=True)
class Watch:
    """The runs that are coming, and those that are over."""

    # Runs that ended before this are no news.
    since_ms: int
    # When each is due, or when it was first seen if that is unknown.
    _coming: dict[str, int] = field(default_factory=dict)
    # The last line about each run that is not over.
    _said: dict[str, str] = field(default_factory=dict)
    # A manifest names runs for minutes after they end.
    _over: dict[str, int] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)
    _listed_ms: int = 0

    def look(self, now_ms: int) -> Iterator[str]:
        """Returns a line for each run that waits, has started or has ended since the last look."""
        if now_ms - self._listed_ms >= _MANIFESTS_EVERY_MS:
            self._listed_ms = now_ms
            self._list(now_ms)
        due = [run_id for run_id, due_ms in self._coming.items() if due_ms <= now_ms]
        items = table_reads.get_all(run_row.TABLE, map(run_row.row_key, due))
        found = waiting_runs.shown([run_row.parse(item) for item in items], now_ms)
        for seen in sorted(found, key=lambda each: each.life.due_first_ms):
            if self._is_news(seen, now_ms):
                yield self._line(seen)

    def _is_news(self, seen: Run, now_ms: int) -> bool:
        self._coming[seen.run_id] = seen.life.due_ms
        if seen.final:
            del self._coming[seen.run_id]
            self._over[seen.run_id] = now_ms
            return seen.life.its_end.ended_ms >= self.since_ms
        told = "started" if seen.life.attempt else ""
        if seen.life.status == Status.WAITING:
            told = seen.life.reason
        news = bool(told) and self._said.get(seen.run_id) != told
        if news:
            self._said[seen.run_id] = told
        return news

    def _list(self, now_ms: int) -> None:
        """Notes what is to come. A manifest is in the first minute after a run is overdue."""
        first = now_ms // 1000
        last = first + LOOK_AHEAD_SEC + manifest.OVERDUE_SEC + 2 * _MINUTE_SEC
        for minute in range(first, last, _MINUTE_SEC):
            for partition in manifest_keys(minute):
                for item in table_reads.rows(("task_id", partition), "scheduled_for", _ANY):
                    for run_id, *_ in manifest.parse(item).entries:
                        if run_id not in self._over:
                            self._coming.setdefault(run_id, now_ms)
        self._forget(now_ms - _FORGET_MS)

    def _forget(self, before_ms: int) -> None:
        for known in (self._coming, self._over):
            for run_id in [each for each, ms in known.items() if ms < before_ms]:
                del known[run_id]
                self._said.pop(run_id, None)

    def _line(self, seen: Run) -> str:
        life = seen.life
        late = "" if life.lag_ms is None else f"{life.lag_ms:6} ms late"
        status = f"{life.status} ({life.reason})" if life.reason else life.status
        when = nominal(life.due_first_ms // 1000)
        return f"{when}  {self._name(seen.task_id):28}  {status:12}{late}".rstrip()

    def _name(self, task_id: str) -> str:
        if task_id not in self._names:
            spec = table_reads.get("tasks", task_spec.spec_key(task_id)) or {}
            self._names[task_id] = spec.get("name") or task_id
        return self._names[task_id]
