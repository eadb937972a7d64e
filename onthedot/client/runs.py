"""Reads, cancels and replays runs, and leases them, from a program."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote

from onthedot.client.pages import walk
from onthedot.client.transport import Transport
from onthedot.records.shown_objects import Json, Lease, Run, Step

# Seconds. The API accepts a report on a run at once. After a cold start or a lost connection a
# repeated one is faster: it reaches another environment, and counts only once.
_PATIENCE_SEC = 5.0
_FINAL = frozenset({"succeeded", "dead", "skipped", "missed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Runs:
    """`client.runs`."""

    transport: Transport

    def get(self, run_id: str) -> Run:
        """Returns a run with all of its attempts."""
        return cast("Run", self.transport.call("GET", _at(run_id)))

    def iter(self, **filters: object) -> Iterator[Run]:
        """Walks all runs that match, newest first."""
        return cast("Iterator[Run]", walk(self.transport, "/v1/runs", filters))

    def logs(self, run_id: str, attempt: int | None = None) -> Iterator[Json]:
        """Walks the log lines of its handler, by default in its newest attempt."""
        lines = walk(self.transport, _at(run_id, "logs"), {"attempt": attempt})
        return cast("Iterator[Json]", lines)

    def cancel(self, run_id: str) -> Run:
        """Cancels a run at once, or asks it to stop while it runs."""
        return cast("Run", self.transport.call("POST", _at(run_id, "cancel")))

    def replay(self, run_id: str, **what: object) -> Run:
        """Replays a run as a new run. `payload`, `payload_patch` and `use` say with what."""
        return cast("Run", self.transport.call("POST", _at(run_id, "replay"), body=what))

    def wait(self, run_id: str, timeout_sec: float = 60.0) -> Run:
        """Returns a run once it has its outcome."""
        until = time.monotonic() + timeout_sec
        pause = 0.2
        while (run := self.get(run_id))["status"] not in _FINAL:
            if time.monotonic() + pause > until:
                raise TimeoutError(f"{run_id} is {run['status']} after {timeout_sec:.0f} s")
            self.transport.sleep(pause)
            pause = min(2.0, pause * 1.5)
        return run


@dataclass(frozen=True, slots=True)
class Leases:
    """`client.leases`: what an outside worker does with the runs that it fetches."""

    transport: Transport

    def take(
        self, queue: str, *, most: int, worker: str, wait_sec: int = 20, lease_sec: int = 60
    ) -> list[Lease]:
        """Fetches up to `most` runs, and waits for some to come.

        It tries once: a lease that nobody received expires, and a late one would be shorter.
        """
        body = {
            "queue": queue,
            "max": most,
            "wait_sec": wait_sec,
            "lease_sec": lease_sec,
            "worker": worker,
        }
        answer = self.transport.call("POST", "/v1/leases", body=body, repeatable=False)
        return cast("list[Lease]", answer["data"])

    def extend(
        self, run_id: str, attempt: int, *, lease_sec: int = 60, progress: object = None
    ) -> Json:
        """Extends a run's lease. The answer says whether the run must stop."""
        body: dict[str, Any] = {"attempt": attempt, "lease_sec": lease_sec}
        if progress is not None:
            body["progress"] = progress
        return cast("Json", self._say(run_id, "heartbeat", body))

    def complete(self, run_id: str, attempt: int, result: object = None) -> None:
        """Says that the work is done."""
        body = {"attempt": attempt, "result": result}
        self._say(run_id, "complete", body)

    def skip(self, run_id: str, attempt: int, why: str) -> None:
        """Says that there was nothing to do."""
        body = {"attempt": attempt, "skipped": why}
        self._say(run_id, "complete", body)

    def fail(self, run_id: str, attempt: int, error: object, **how: object) -> None:
        """Says that the work failed. `permanent`, `retry_in_sec` and `release` say what follows."""
        body = {"attempt": attempt, "error": error, **how}
        self._say(run_id, "fail", body)

    def recorded(self, run_id: str, attempt: int, step: str) -> Step:
        """Reads what an attempt of the run has recorded of a step."""
        body = {"attempt": attempt, "key": step}
        return cast("Step", self._say(run_id, "once", body))

    def record(self, run_id: str, attempt: int, step: str, value: object) -> Step:
        """Records a step. The answer has the value that was recorded first."""
        body = {"attempt": attempt, "key": step, "value": value}
        return cast("Step", self._say(run_id, "once", body))

    def previous_success(self, run_id: str) -> str | None:
        """Returns when the run's task last succeeded before the run."""
        answer = self.transport.call("GET", _at(run_id, "previous-success"))
        return cast("str | None", answer["previous_success"])

    def _say(self, run_id: str, what: str, body: object) -> Any:  # noqa: ANN401 whatever it answers
        return self.transport.call("POST", _at(run_id, what), body=body, patience_sec=_PATIENCE_SEC)


def _at(run_id: str, what: str = "") -> str:
    return f"/v1/runs/{quote(run_id, safe='')}" + (f"/{what}" if what else "")
