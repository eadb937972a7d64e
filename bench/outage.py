"""`python -m bench.outage` stops a stack with schedules of each misfire policy for minutes.

Then it checks each slot by the promise of its policy. The stack has a folder of its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

from bench import accounts
from onthedot.local import admin_key
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import started
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import table_reads

MINUTE_SEC = 60
POLICIES = ("latest", "all", "none")
# Seconds of a call, so that runs that go one at a time are visible.
CALL_SEC = 2.0
# Seconds between a worker's last look at its clock and the start, on a machine that has just begun.
DECIDED_SEC = 10
LATE_MS = (LATE_SEC + DECIDED_SEC) * 1000
# Seconds of the last minutes that a stack needs after its start to end everything.
CALM_SEC = 20
PATIENCE_SEC = 270
_CREATED = 201


@dataclass(frozen=True, slots=True)
class Outage:
    """When the stack stopped, and when it was there again."""

    since: float
    until: float


@dataclass(slots=True)
class Case:
    """One schedule or task, and what must be true of it afterwards."""

    name: str
    policy: str
    body: dict[str, Any]
    task: Task | None = None
    said: list[str] = field(default_factory=list)

    @property
    def once(self) -> bool:
        """Tells whether it is a one-off task."""
        return "run_at" in self.body

    def register(self, caller: Caller) -> None:
        """Registers it, as a user would."""
        path = "/v1/tasks" if self.once else "/v1/schedules"
        status, answer = caller.ask("POST", path, {"name": self.name, **self.body})
        if status != _CREATED:
            raise RuntimeError(f"{self.name}: {status} {answer}")
        (found,) = table_reads.get_all("tasks", [task_spec.spec_key(str(answer["task_id"]))])
        self.task = task_spec.parse(found)

    def runs(self) -> list[Run]:
        """Returns its runs, and ranges of slots, by their slots."""
        if self.task is None:
            raise LookupError(f"{self.name} is not registered")
        return sorted(accounts.runs_of(self.task.task_id), key=lambda run: run.key)

    def slots(self, until: float) -> list[int]:
        """Returns the slots that are due by then."""
        if self.task is None:
            raise LookupError(f"{self.name} is not registered")
        found = []
        slot = self.task.schedule.next(self.task.effective_from)
        while slot is not None and slot <= until:
            found.append(slot)
            slot = self.task.schedule.next(slot)
        return found


class Slow(BaseHTTPRequestHandler):
    """A target that takes its time."""

    def do_POST(self) -> None:
        """Answers after a while."""
        self.rfile.read(int(self.headers.get("content-length") or 0))
        time.sleep(float(self.path.strip("/")))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _cases(url: str, begin: int, down_sec: int) -> list[Case]:
    """Returns two schedules of each policy, a daily one, a per-second one, and one-off tasks."""
    slow = {"type": "http", "url": url}
    quick = {"type": "python", "handler": "hello"}
    amid = begin + down_sec // 2
    wall = time.gmtime(amid)
    daily = f"{wall.tm_sec} {wall.tm_min} {wall.tm_hour} * * *"
    cases = []
    for policy in POLICIES:
        minutely = {"cron": "* * * * *", "misfire": policy, "target": slow}
        cases += [
            Case(f"minutely-{policy}", policy, minutely),
            Case(f"minutely-too-{policy}", policy, minutely),
            Case(f"daily-{policy}", policy, {"cron": daily, "misfire": policy, "target": slow}),
            Case(
                f"secondly-{policy}",
                policy,
                {
                    "cron": "* * * * * *",
                    "misfire": policy,
                    "overlap": "allow",
                    "start_at": nominal(begin + 30),
                    "end_at": nominal(begin + down_sec - 10),
                    "target": quick,
                },
            ),
        ]
    once = {"run_at": nominal(amid), "target": slow}
    cases.append(Case("once", "all", once))
    cases.append(Case("once-strict", "none", {**once, "misfire_grace_sec": 0}))
    return cases


def _judge(case: Case, runs: Sequence[Run], outage: Outage, until: float) -> Iterator[str]:
    """Yields everything that breaks its promise."""
    yield from _one_outcome_each(case, runs, until)
    ran = sorted(
        (run for run in runs if run.life.attempt),
        key=lambda run: run.life.its_attempt.started_ms,
    )
    late = [run for run in ran if accounts.late_ms(run) > LATE_MS]
    if case.policy == "none" and late:
        yield f"{len(late)} started late, {_told_of(late[0])}"
    if case.policy == "all":
        due = [run for run in runs if _slot(run) <= until]
        lost = Counter(str(run.life.reason) for run in due if run.life.status != "succeeded")
        if lost:
            yield f"not all ran: {dict(lost)}"
    if case.policy == "latest" and len(late) > 1:
        yield f"{len(late)} late ones started"
    if case.policy == "latest" and late:
        began = late[0].life.its_attempt.started_ms / 1000 - DECIDED_SEC
        if newer := [slot for slot in case.slots(began) if nominal(slot) > late[0].key]:
            yield f"{_told_of(late[0])} started late, and {len(newer)} newer ones were due"
    if case.body.get("overlap") != "allow":
        yield from _in_order(ran)
    if not late and case.policy == "all" and not case.once:
        yield f"none started late in {outage.until - outage.since:.0f} s of outage"


def _one_outcome_each(case: Case, runs: Sequence[Run], until: float) -> Iterator[str]:
    named = Counter(run.key for run in runs)
    ranges = [(nominal(_slot(run)), run.range_to) for run in runs if run.range_to]
    for slot in case.slots(until):
        key = nominal(slot)
        spanned = any(first <= key <= last for first, last in ranges)
        if not spanned and named[key] != 1:
            yield f"{key} has {named[key]} runs"
    for run in runs:
        if _slot(run) <= until and not run.final:
            yield f"{run.key} is {run.life.status}"
        if run.life.starts > 1:
            yield f"{run.key} was started {run.life.starts} times: {list(run.life.attempts)}"


def _told_of(run: Run) -> str:
    """Says what may explain a late start."""
    waited = f", waited for {run.life.waited}" if run.life.waited else ""
    claimed = nominal(run.life.claimed_ms // 1000)
    return f"{run.key} by {accounts.late_ms(run)} ms (claimed at {claimed}{waited})"


def _slot(run: Run) -> int:
    """Returns a run's slot, of a range the first."""
    return parse_nominal(run.key.partition("~")[0])


def _in_order(ran: Sequence[Run]) -> Iterator[str]:
    for soon, late in pairwise(ran):
        if late.key < soon.key:
            yield f"{late.key} started after {soon.key}"
        end = soon.life.end
        if end and late.life.its_attempt.started_ms < end.ended_ms:
            yield f"{late.key} started while {soon.key} ran"


def _settled(cases: Sequence[Case], until: float) -> Mapping[str, list[Run]]:
    """Waits until all that was due has its outcome, or the time is up."""
    deadline = time.monotonic() + PATIENCE_SEC
    while True:
        found = {case.name: case.runs() for case in cases}
        open_runs = [
            run for runs in found.values() for run in runs if not run.final and _slot(run) <= until
        ]
        if not open_runs or time.monotonic() > deadline:
            return found
        time.sleep(3)


def _told(case: Case, runs: Sequence[Run]) -> str:
    said: Counter[str] = Counter()
    for run in runs:
        reason = f"({run.life.reason})" if run.life.reason else ""
        said[f"{run.life.status}{reason}"] += run.range_count or 1
    late = sum(run.origin == "catchup" and run.life.starts > 0 for run in runs)
    return f"{case.name:22} {dict(said)}, {late} caught up"


def main(arguments: list[str]) -> int:
    """Stops the stack, starts it again, and judges. Returns 1 if a promise is broken."""
    parser = argparse.ArgumentParser(prog="python -m bench.outage", description=__doc__)
    parser.add_argument("--down-min", type=float, default=9.0)
    down_sec = int(parser.parse_args(arguments).down_min * MINUTE_SEC)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}/{CALL_SEC}"
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, started(Folder(Path(folder))) as stack:
        os.environ.update(stack.environment)
        caller = Caller(stack.door.port, admin_key.made(stack))
        # The first slots are claimed before the outage, the next ones lie in it.
        begin = -(-int(time.time() + CALM_SEC) // MINUTE_SEC) * MINUTE_SEC + MINUTE_SEC + CALM_SEC
        cases = _cases(url, begin, down_sec)
        for case in cases:
            case.register(caller)
        time.sleep(max(0.0, begin - time.time()))
        stack.stop()
        since = time.time()
        print(f"down at {nominal(int(since))}", flush=True)
        time.sleep(down_sec)
        stack.start()
        outage = Outage(since, time.time())
        print(f"up again at {nominal(int(outage.until))}", flush=True)
        time.sleep(CALM_SEC)
        until = time.time()
        found = _settled(cases, until)
    server.shutdown()
    broken = 0
    for case in cases:
        print(_told(case, found[case.name]))
        for said in _judge(case, found[case.name], outage, until):
            broken += 1
            print(f"  BROKEN: {said}")
    print(f"{broken} promises broken; {time.monotonic() - began:.0f} s in all")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
