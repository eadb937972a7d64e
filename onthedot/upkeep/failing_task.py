"""Describes a task whose runs die in a row, and when to try it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records.keys import item_key
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status

TABLE = "runs"
PARTITION = "health"
PROBE_FIRST_SEC, PROBE_MAX_SEC = 3_600, 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Kept only for a task whose latest run died, or that was paused for it."""

    task_id: str
    failures: int = 0
    # The latest run that counts: its end and its key.
    last: str = ""
    # When the pause was decided; 0 if it was not. `done` is true once it is written and told.
    paused_ms: int = 0
    done: bool = False
    probe_ms: int = 0
    probes: int = 0
    # The end of the run that shows that a paused task works. It must still be resumed.
    resumed_ms: int = 0
    # We had paused it until then: its resume must be told.
    resuming: bool = False

    def after(self, run: Run) -> Health:
        """Counts a run that died, and forgets all if it succeeded. A run seen before is ignored."""
        at = moment(run)
        if at <= self.last or run.life.status not in (Status.DEAD, Status.SUCCEEDED):
            return self
        if run.life.status == Status.DEAD:
            return replace(self, failures=self.failures + 1, last=at)
        works_ms = self.resumed_ms or (run.life.its_end.ended_ms if self.paused_ms else 0)
        return replace(self, failures=0, last=at, resumed_ms=works_ms)

    def paused(self, now_ms: int) -> Health:
        """Stops it for a while."""
        first_ms = now_ms + PROBE_FIRST_SEC * 1000
        return replace(self, paused_ms=now_ms, done=False, probe_ms=first_ms, probes=0)

    def probed(self, now_ms: int) -> Health:
        """Records a probe. The next one comes after twice the time."""
        wait_sec = min(PROBE_MAX_SEC, PROBE_FIRST_SEC << min(self.probes + 1, 10))
        return replace(self, probe_ms=now_ms + wait_sec * 1000, probes=self.probes + 1)

    def item(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in Health.__slots__ if name != "task_id"}
        return {**key(self.task_id), **kept}


def parse(item: Mapping[str, Any]) -> Health:
    known = {name: item[name] for name in Health.__slots__ if name in item}
    return Health(**known | {"task_id": item["scheduled_for"]})


def key(task_id: str) -> dict[str, str]:
    """Returns the key of its item. All lie in one partition: there are never many."""
    return item_key(PARTITION, task_id)


def moment(run: Run) -> str:
    """Orders runs by their end."""
    return f"{run.life.its_end.ended_ms:013}#{run.key}"
