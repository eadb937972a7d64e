"""`python -m bench.slow` runs slow calls of one tenant beside another's every-second schedule.

It uses a local stack of its own, with as many workers as `worker_concurrency` 20 gives.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bench.accounts import late_ms
from onthedot.local import admin_key, clients
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import Stack, started
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import nominal
from onthedot.store import table_reads

CALLS = 100
OVER_SEC = 10
QUICK_RUNS = 10
AT_ONCE = {"high": 8, "normal": 8, "low": 4}
WARM_SEC = 20
PATIENCE_SEC = 900
LATER_MS_MAX, LATE_MS_MAX = 1_000, 5_000
_POSTING = 8
# Seconds that registering 100 tasks may take on a busy machine.
_LEAD_SEC = 30
_BRIEF_SEC = 3


@dataclass(slots=True)
class Receiver:
    """Answers at once, or after some seconds if the path has `slow` or all answers are slow."""

    slow_sec: float
    slow: bool = False
    closing: Event = field(default_factory=Event)
    port: int = 0

    def url(self, path: str) -> str:
        """Returns an address of the receiver."""
        return f"http://127.0.0.1:{self.port}/{path}"

    def pause(self, path: str) -> None:
        """Takes as long as a call of that path takes."""
        if path == "/brief":
            self.closing.wait(_BRIEF_SEC)
        if path == "/slow" or (path == "/turning" and self.slow):
            self.closing.wait(self.slow_sec)


@contextmanager
def receiving(slow_sec: float) -> Iterator[Receiver]:
    """Listens on loopback."""
    receiver = Receiver(slow_sec)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            receiver.pause(self.path)
            self.send_response(200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    server = Server(("127.0.0.1", 0), Handler)
    receiver.port = server.server_port
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield receiver
    finally:
        receiver.closing.set()
        server.shutdown()
        server.server_close()


@dataclass(slots=True)
class Trial:
    """A stack with two tenants: one makes slow calls, the other's schedule fires each second."""

    caller: Caller
    other: Caller
    receiver: Receiver
    window_sec: int
    watched: str = ""

    def watch(self) -> None:
        """Registers the schedule that must be on time."""
        schedule = {"name": "watched", "cron": "* * * * * *", "target": self._target("quick")}
        self.watched = _made(self.other, "/v1/schedules", schedule | _FREE)

    def warm(self) -> None:
        """Lets each place start its process: the emulator needs seconds for that, AWS less."""
        made = self._schedules("warm", "brief")
        _ended(_together(lambda number: self._triggered(made[number])))

    def control(self) -> list[str]:
        """Makes no slow call."""
        return []

    def by_tasks(self) -> list[str]:
        """Registers 100 new tasks, each with a message of its own."""
        first = int(time.time()) + _LEAD_SEC

        def post(number: int) -> str:
            at = nominal(first + number * OVER_SEC // CALLS)
            task = {"name": f"a-{number}", "run_at": at, "target": self._target("slow")}
            return _made(self.caller, "/v1/tasks", task)

        made = _together(post)
        time.sleep(max(0.0, first - time.time()))
        return made

    def by_triggers(self) -> list[str]:
        """Triggers 100 schedules that have never run."""
        made = self._schedules("b", "slow")
        return _together(lambda number: self._triggered(made[number]))

    def after_quick_runs(self) -> list[str]:
        """Triggers 100 schedules that were each quick ten times."""
        self.receiver.slow = False
        made = self._schedules("c", "turning")
        for _ in range(QUICK_RUNS):
            quick = _together(lambda number: self._triggered(made[number]))
            _ended(quick)
        self.receiver.slow = True
        begin = time.monotonic()

        def at_its_time(number: int) -> str:
            time.sleep(max(0.0, begin + number * OVER_SEC / CALLS - time.monotonic()))
            return self._triggered(made[number])

        return _together(at_its_time)

    def _schedules(self, name: str, path: str) -> list[str]:
        def post(number: int) -> str:
            target = self._target(path)
            schedule = {"name": f"{name}-{number}", "cron": "0 0 1 1 *", "target": target}
            return _made(self.caller, "/v1/schedules", schedule | _FREE)

        return _together(post)

    def _triggered(self, task_id: str) -> str:
        status, answer = self.caller.ask("POST", f"/v1/schedules/{task_id}/trigger", {})
        if status != _ACCEPTED:
            raise RuntimeError(f"trigger: {status} {answer}")
        return str(answer["run_id"])

    def _target(self, path: str) -> dict[str, Any]:
        return {"type": "http", "url": self.receiver.url(path)}


_ACCEPTED = 202
_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}


def _made(caller: Caller, path: str, body: dict[str, Any]) -> str:
    status, answer = caller.ask("POST", path, {"timeout_sec": 120} | body)
    if status not in (200, 201, 202):
        raise RuntimeError(f"{path}: {status} {answer}")
    return str(answer["task_id"])


def _together(call: Callable[[int], str]) -> list[str]:
    with ThreadPoolExecutor(_POSTING) as threads:
        return list(threads.map(call, range(CALLS)))


def _read(run_ids: Sequence[str]) -> list[Run]:
    keys = [run_row.row_key(run_id) for run_id in run_ids]
    return [run_row.parse(item) for item in table_reads.get_all(run_row.TABLE, keys)]


def _of_tasks(task_ids: Sequence[str]) -> list[Run]:
    found = []
    for task_id in task_ids:
        rows = table_reads.rows(("task_id", task_id), "scheduled_for", ("0", ":"))
        found += [run_row.parse(item) for item in rows if "life" in item]
    return found


def _rows(named: Sequence[str]) -> list[Run]:
    """Reads runs by their ids, or those of one-off tasks by the tasks' ids."""
    return _read(named) if named and "." in named[0] else _of_tasks(named)


def _ended(named: Sequence[str]) -> list[Run]:
    deadline = time.monotonic() + PATIENCE_SEC
    while True:
        found = _rows(named)
        over = [each for each in found if each.final]
        if len(over) >= len(named) or time.monotonic() > deadline:
            return found
        time.sleep(1)


@dataclass(frozen=True, slots=True)
class Figures:
    """How late the watched schedule was, and how long the slow calls took together."""

    name: str
    late: list[int]
    missing: int
    last_sec: float
    outcomes: str

    @property
    def p99(self) -> int:
        """Returns the lateness that one of a hundred exceeds."""
        return self.late[int(0.99 * (len(self.late) - 1))]

    def say(self) -> None:
        print(
            f"{self.name:14} runs {len(self.late):4}  missing {self.missing}  late in ms"
            f"  p50 {self.late[len(self.late) // 2]}  p99 {self.p99}  max {self.late[-1]}"
            f"   slow calls: {self.outcomes} within {self.last_sec:.0f} s",
            flush=True,
        )


def _measured(trial: Trial, name: str, act: Callable[[], list[str]]) -> Figures:
    made = act()
    # What was registered and run before does not count.
    since = int(time.time()) - (OVER_SEC if name == "quick, slow" else 2)
    time.sleep(max(0.0, since + trial.window_sec + 6 - time.time()))
    found = _ended(made)
    first_ms = min((each.life.due_first_ms for each in found), default=0)
    ends_ms = (each.life.end.ended_ms for each in found if each.life.end)
    last_ms = max(ends_ms, default=0)
    outcomes = ", ".join(sorted({each.life.status for each in found})) or "none"
    between = (nominal(since), nominal(since + trial.window_sec - 1))
    rows = table_reads.rows(("task_id", trial.watched), "scheduled_for", between)
    watched = [run_row.parse(item) for item in rows]
    late = sorted(late_ms(each) for each in watched if each.life.attempt)
    missing = trial.window_sec - len(late)
    return Figures(name, late, missing, (last_ms - first_ms) / 1000, f"{len(found)} {outcomes}")


def _few_workers(stack: Stack) -> None:
    """Gives the stack's queues as many places as a smaller deployment has."""
    functions = clients.client("lambda", stack.endpoint)
    for mapping in functions.list_event_source_mappings()["EventSourceMappings"]:
        arn = mapping["EventSourceArn"].lower()
        for name, most in AT_ONCE.items():
            if name in arn:
                functions.update_event_source_mapping(
                    UUID=mapping["UUID"], ScalingConfig={"MaximumConcurrency": most}
                )


def _tenant(operator: Caller, name: str, port: int) -> Caller:
    operator.ask("PUT", f"/v1/tenants/{name}", {"requests_per_min": 100_000})
    status, answer = operator.ask(
        "POST", f"/v1/tenants/{name}/keys", {"role": "write", "name": "bench"}
    )
    if status not in (200, 201):
        raise RuntimeError(f"{name}: {status} {answer}")
    return Caller(port, str(answer["key"]))


def main(arguments: list[str]) -> int:
    """Measures. Returns 1 if a limit was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.slow", description=__doc__)
    parser.add_argument("--slow-sec", type=float, default=60)
    parser.add_argument("--window-sec", type=int, default=120)
    parser.add_argument("--only", default="", help="letters of control, a, b, c: such as xa")
    asked = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as folder,
        receiving(asked.slow_sec) as receiver,
        started(Folder(Path(folder))) as stack,
    ):
        operator = Caller(stack.door.port, admin_key.made(stack))
        os.environ.update(stack.environment)
        _few_workers(stack)
        port = stack.door.port
        slow, other = _tenant(operator, "slow", port), _tenant(operator, "other", port)
        trial = Trial(slow, other, receiver, asked.window_sec)
        trial.watch()
        trial.warm()
        time.sleep(WARM_SEC)
        acts = {
            "x": ("control", trial.control),
            "a": ("tasks", trial.by_tasks),
            "b": ("triggers", trial.by_triggers),
            "c": ("quick, slow", trial.after_quick_runs),
        }
        seen = []
        for letter, (name, act) in acts.items():
            if letter in (asked.only or "xabc"):
                seen.append(_measured(trial, name, act))
                seen[-1].say()
    return 0 if _kept(seen) else 1


def _kept(seen: Sequence[Figures]) -> bool:
    control = next((each.p99 for each in seen if each.name == "control"), 0)
    return all(
        each.p99 <= control + LATER_MS_MAX and each.late[-1] <= LATE_MS_MAX and not each.missing
        for each in seen
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
