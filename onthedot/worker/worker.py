"""Runs the outside worker: it fetches runs, works several at once, extends leases, and drains.

Runs are worked in threads. One more thread keeps the leases.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

from onthedot.client.client import Client
from onthedot.client.errors import ApiError, Unavailable
from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, error_of, words_of
from onthedot.targets.python import handler_target, trace
from onthedot.targets.python.handler import Handler
from onthedot.worker import run_report
from onthedot.worker.leased_run import BEATS, Fetched, fetched

_LOOK_SEC = 0.5
_HERE_SEC = 2.0
_WAIT_MAX_SEC = 10
_LEASE_MAX = 10


@dataclass(slots=True, kw_only=True)
class Worker:
    """Works a queue until it is told to stop."""

    client: Client
    queue: str
    handlers: Mapping[str, Handler[..., Any]]
    name: str
    at_once: int = 4
    lease_sec: int = 60
    _working: list[Fetched] = field(default_factory=list)
    _stopping: Event = field(default_factory=Event)
    _over: Event = field(default_factory=Event)
    _speaking: Lock = field(default_factory=Lock)
    _strays: int = 0
    _refused: bool = False

    def run(self) -> int:
        """Works. Returns 1 if a handler was left behind, or the API refuses us."""
        keeper = Thread(target=self._keep_leases, name="leases", daemon=True)
        keeper.start()
        pool = ThreadPoolExecutor(self.at_once, thread_name_prefix="run")
        while not self._stopping.is_set():
            for each in self._fetch():
                self._working.append(each)
                pool.submit(self._work, each)
            while len(self._working) >= self.at_once and not self._stopping.wait(_LOOK_SEC / 5):
                pass
        while self._working:
            time.sleep(_LOOK_SEC / 5)
        self._over.set()
        keeper.join()
        pool.shutdown(wait=not self._strays)
        return 1 if self._strays or self._refused else 0

    def stop(self) -> None:
        """Fetches nothing more, and ends when what is under way has ended."""
        self._stopping.set()

    def _fetch(self) -> list[Fetched]:
        """Waits at the API for work. While the API is away, it waits here."""
        since = time.time()
        try:
            found = self.client.leases.take(
                self.queue,
                most=min(_LEASE_MAX, self.at_once - len(self._working)),
                worker=self.name,
                wait_sec=0 if self._working else self._wait_sec,
                lease_sec=self.lease_sec,
            )
        except Unavailable:
            self._stopping.wait(1.0)
            return []
        except ApiError as refusal:
            # A repetition would get the same answer. What is under way is finished.
            sys.stderr.write(f"the API refuses to lease: {refusal}\n")
            self._refused = True
            self.stop()
            return []
        if not found:
            # The API may have no room for another waiting request. Then this one waits here.
            waited = time.time() - since
            self._stopping.wait(_LOOK_SEC if self._working else max(0.0, _HERE_SEC - waited))
        return [fetched(self.client, each, self.lease_sec, asked_at=since) for each in found]

    @property
    def _wait_sec(self) -> int:
        """Returns how long to wait. The lease counts from before the wait: most must be left."""
        return min(_WAIT_MAX_SEC, self.lease_sec // BEATS)

    def _work(self, run: Fetched) -> None:
        answer = self._answer(run)
        if self._first_word_of(run):
            self._tell(run, answer)

    def _first_word_of(self, run: Fetched) -> bool:
        """Tells whether this report is the first: a handler may return while it is given up."""
        with self._speaking:
            first, run.told = not run.told, True
        return first

    def _tell(self, run: Fetched, answer: Answer) -> None:
        """Reports an outcome once. If the API refuses, the lease ends, and another worker tries."""
        try:
            run_report.tell(run, answer)
        except ApiError as refusal:
            sys.stderr.write(f"the API refuses what came of {run.run_id}: {refusal}\n")
        finally:
            self._working.remove(run)

    def _answer(self, run: Fetched) -> Answer:
        if self._stopping.is_set():
            # It came while this worker was being stopped. Another worker may begin it at once.
            stopped = error_of("WorkerStopped", "the worker was told to stop before it began")
            return Again(Reason.RELEASED, stopped, after_sec=0)
        handler = self._handler(run)
        if handler is None:
            return self._not_here(run)
        try:
            return handler_target.call(handler, run.context())
        except Exception as failure:  # noqa: BLE001 the one place where anything becomes an outcome
            kind = type(failure).__name__
            return Again(Reason.FAILED, error_of(kind, words_of(failure), trace.shown(failure)))

    def _handler(self, run: Fetched) -> Handler[..., Any] | None:
        """Returns the handler with the task's name. A single handler is used for every task."""
        if len(self.handlers) == 1:
            return next(iter(self.handlers.values()))
        return self.handlers.get(run.lease["run"].get("name") or "")

    def _not_here(self, run: Fetched) -> Answer:
        """Gives the run back: another worker may have the handler, or will after a deployment."""
        name, known = run.lease["run"].get("name"), ", ".join(sorted(self.handlers))
        message = f"no handler {name} here; this worker has {known}"
        sys.stderr.write(f"{run.run_id}: {message}\n")
        return Again(Reason.FAILED, error_of("HandlerNotFound", message))

    def _keep_leases(self) -> None:
        while not self._over.wait(_LOOK_SEC):
            for each in list(self._working):
                if each.has_hung():
                    self._abandon(each)
                elif each.beat_is_due() and not each.lost:
                    self._extend(each)

    def _extend(self, run: Fetched) -> None:
        try:
            run_report.extend(run)
        except ApiError:
            # Whatever is wrong with this run, the leases of the others must be kept.
            traceback.print_exc()

    def _abandon(self, run: Fetched) -> None:
        """Gives up a handler. A thread cannot be killed: the process ends when the others have."""
        if not self._first_word_of(run):
            return
        self._strays += 1
        self.stop()
        late = error_of("TimedOut", "the handler took too long")
        self._tell(run, Again(Reason.TIMED_OUT, late))


def leave(code: int) -> None:
    """Ends the process even if a handler's thread does not."""
    os._exit(code)
