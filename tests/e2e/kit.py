"""A local stack in a test's hands: asked over HTTP, looked into, hurt."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from onthedot.local import admin_key, clients
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import Stack
from onthedot.records.tasks.task_items import cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.store import table_reads
from onthedot.store.ids import new_id

HELLO = {"type": "python", "handler": "hello"}
WAIT = {"type": "python", "handler": "wait"}
FINAL = {"succeeded", "dead", "skipped", "missed", "cancelled"}
_Got = TypeVar("_Got")


@dataclass(frozen=True, slots=True)
class Local:
    """A stack that stands, and a caller with its admin key."""

    stack: Stack
    caller: Caller
    # Found by nobody but a tick; put at the start, so that its minute passes under other tests.
    left_to_the_rule: list[Task] = field(default_factory=list)

    @classmethod
    def of(cls, stack: Stack) -> Local:
        return cls(stack, Caller(stack.door.port, admin_key.made(stack)))

    def register(self, name: str, **schedule: object) -> str:
        """Registers a schedule, and gives its id."""
        body = {"name": name, "target": HELLO, **schedule}
        status, answer = self.caller.ask("POST", "/v1/schedules", body)
        assert status == 201, answer
        return str(answer["task_id"])

    def trigger(self, task_id: str, **given: object) -> str:
        """Runs a task now, and gives the run's id."""
        status, answer = self.caller.ask("POST", f"/v1/schedules/{task_id}/trigger", given)
        assert status == 202, answer
        return str(answer["run_id"])

    def run(self, run_id: str) -> dict[str, Any]:
        """Returns a run, as its history shows it."""
        status, answer = self.caller.ask("GET", f"/v1/runs/{run_id}")
        assert status == 200, answer
        return dict(answer)

    def runs(self, task_id: str) -> list[dict[str, Any]]:
        """Returns the newest runs of a task."""
        status, answer = self.caller.ask("GET", f"/v1/schedules/{task_id}/runs?limit=200")
        assert status == 200, answer
        return list(answer["data"])

    def settled(self, run_id: str, within_sec: float = 20) -> dict[str, Any]:
        """Returns the run, once it has its outcome."""
        return until(lambda: self.run(run_id), lambda run: run["status"] in FINAL, within_sec)

    def running(self, run_id: str, attempt: int, within_sec: float = 20) -> dict[str, Any]:
        """Returns the run, once that attempt of it runs."""
        return until(
            lambda: self.run(run_id),
            lambda run: (run["status"], run["attempt"]) == ("running", attempt),
            within_sec,
        )

    def invoke(self, function: str, *, wait: bool = True) -> Any:
        """Calls a function as its rule would."""
        kind = "RequestResponse" if wait else "Event"
        return clients.client("lambda", self.stack.endpoint).invoke(
            FunctionName=self.stack.outputs[function], InvocationType=kind, Payload=b"{}"
        )

    def processes(self, function: str) -> list[int]:
        """Returns the processes that run a function now."""
        assert self.stack.emulator is not None
        name = f"AWS_LAMBDA_FUNCTION_NAME={self.stack.outputs[function]}\0".encode()
        return [pid for pid in members(self.stack.emulator.pid) if name in _environment(pid)]

    def kill(self, function: str) -> int:
        """Kills every process of a function, in the middle of whatever it does."""
        pids = self.processes(function)
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)

    def kill_everything(self) -> None:
        """Kills the emulator with all its functions, and the database."""
        assert self.stack.emulator is not None
        assert self.stack.database is not None
        for process in (self.stack.emulator, self.stack.database):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def until(
    look: Callable[[], _Got],
    reached: Callable[[_Got], object],
    within_sec: float = 20,
    step_sec: float = 0.2,
) -> _Got:
    """Looks again until it is so; what was seen last says why it never was."""
    deadline = time.monotonic() + within_sec
    while not reached(seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(step_sec)
    return seen


@contextmanager
def sharing_an_assembly(folder: Folder, tmp: pytest.TempPathFactory) -> Iterator[None]:
    """Yields only the first stack of a test run is deployed by the CDK, which takes two
    processors.
    """
    base = tmp.getbasetemp()
    # Each worker of pytest-xdist has a folder of its own in the one that they share.
    shared = base.parent if base.name.startswith("popen") else base
    assembly = shared / "cdk.out"
    assembly.mkdir(exist_ok=True)
    folder.root.mkdir(parents=True, exist_ok=True)
    folder.assembly.symlink_to(assembly)
    with (shared / "cdk.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def load(tasks: int, *, begin_in_sec: int, for_sec: int) -> list[Task]:
    """Returns tasks with a slot every second, put where nobody but the dispatcher finds them."""
    begin = int(time.time()) + begin_in_sec
    schedule = compile_schedule("* * * * * *", end_at=begin + for_sec - 1)
    made = [
        Task(
            task_id=new_id("sch"),
            tenant_id=FIRST_TENANT,
            effective_from=begin - 1,
            compiled=pack(schedule),
            target=HELLO,
            overlap="allow",
            max_concurrent=None,
        )
        for _ in range(tasks)
    ]
    for each in made:
        table_reads.put("tasks", cursor(each, first_due(each)))
        table_reads.put("tasks", each.item())
    return made


def members(group: int) -> list[int]:
    """Returns the living processes of a group; a dead one that nobody has collected yet is none."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,pgid=,stat="], capture_output=True, text=True, check=True
    )
    rows = (line.split() for line in listed.stdout.splitlines())
    return [int(pid) for pid, pgid, state in rows if int(pgid) == group and state[0] != "Z"]


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
