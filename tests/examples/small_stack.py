"""A small stack for examples: the API over HTTP, dispatch and workers in this process.

The tables are Dynoxide's, the queues simulated; the clock begins when a test says, and can jump.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import formatdate
from pathlib import Path
from threading import Event, RLock, Thread, current_thread
from typing import Any, TypeVar

import pytest

from lambdas import dispatch, work
from onthedot import Client
from onthedot.registry import api_keys, code_schedules, declared_handlers
from onthedot.sdk.manifest import manifest
from onthedot.store import aws, clock
from onthedot.targets.python import job_handlers
from tests.api import serving
from tests.api.kit import Api
from tests.simulation.stores.sqs import Sqs, record
from tests.tidy.tree import ROOT

EXAMPLES = ROOT / "examples"
PATIENCE_SEC = 30
FINAL = {"succeeded", "dead", "skipped", "missed", "cancelled"}
_WORKERS = 2
_LOOK_SEC = 0.05
_Got = TypeVar("_Got")


class Taken:
    """The simulated queues, which know no threads, one call at a time."""

    def __init__(self, sqs: Sqs) -> None:
        self.sqs = sqs
        self.turn = RLock()

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.sqs, name)
        if not callable(found) or isinstance(found, type):
            return found

        def called(*given: Any, **named: Any) -> Any:
            with self.turn:
                return found(*given, **named)

        return called


@dataclass(slots=True)
class SmallStack:
    """The stack, and what a test does with it."""

    api: Api
    folder: Path
    ahead_ms: int
    url: str = ""
    queues: Taken = field(init=False)
    _over: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        """Puts the clock and the queues in their places."""
        self.queues = Taken(Sqs(lambda: self.now_ms() * 1000))
        for queue in aws.QUEUES:
            self.queues.create_queue(QueueName=queue)
        settings, asked = self.api.settings, aws.client
        settings.setattr(aws, "client", lambda name: self.queues if name == "sqs" else asked(name))
        settings.setattr(clock, "local_ms", self.now_ms)
        # The store's answers say what time it is, too.
        asked("dynamodb").meta.events.register("after-call.dynamodb.*", self._date)
        settings.setattr(clock, "monotonic", time.monotonic)
        settings.setattr(clock, "sleep", _sleep)

    def now_ms(self) -> int:
        """Reads the clock of the stack."""
        return time.time_ns() // 1_000_000 + self.ahead_ms

    def jump_to(self, instant: str) -> None:
        """Goes to a second before that moment; what is past stays past."""
        wait_sec = datetime.fromisoformat(instant).timestamp() - 1 - self.now_ms() / 1000
        self.ahead_ms += max(0, int(wait_sec * 1000))

    def wait_for(self, instant: str) -> None:
        """Goes there, and lets a tick find what is due then."""
        self.jump_to(instant)
        dispatch.handler({}, None)

    def client(self, role: str = "admin") -> Client:
        """Gives a client with a key of that role."""
        return Client(self.url, self.api.key(role, api_keys.FIRST_TENANT))

    def environment(self, role: str = "write") -> dict[str, str]:
        """Returns what an example needs, as `make run` prints it, and the commands of this
        project.
        """
        return {
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
            "ONTHEDOT_URL": self.url,
            "ONTHEDOT_API_KEY": self.client(role).key,
        }

    def copy(self, example: Path, **changed: str) -> None:
        """Copies an example into `jobs/` as a user does, and puts own addresses into it."""
        text = example.read_text()
        for name, value in changed.items():
            line = next(each for each in text.splitlines() if each.startswith(f"{name} = "))
            text = text.replace(line, f'{name} = "{value}"')
        (self.folder / "jobs" / example.name).write_text(text)

    def deploy(self) -> dict[str, int]:
        """Registers what the copied handlers declare, as a deployment does."""
        found = manifest()["handlers"]
        declared_handlers.publish(each["handler"] for each in found)
        wanted = [each["schedule"] for each in found if each["schedule"]]
        return code_schedules.register(wanted, api_keys.FIRST_TENANT)

    def settled(self, run_id: str) -> Any:
        """Gives the run once it has its outcome; its waits for another attempt are cut short."""
        client = self.client()

        def look() -> Any:
            run: Any = client.runs.get(run_id)
            if run["status"] == "retrying":
                self.jump_to(run["retry_at"])
            return run

        return until(look, lambda run: run["status"] in FINAL)

    def work(self) -> None:
        """Works as the functions do, until the test is over."""
        while not self._over.is_set():
            if not self._worked():
                time.sleep(_LOOK_SEC)

    def stop(self) -> None:
        """Lets the workers end."""
        self._over.set()

    def _date(self, parsed: Any, **_: object) -> None:
        headers = parsed["ResponseMetadata"]["HTTPHeaders"]
        headers["date"] = formatdate(self.now_ms() / 1000, usegmt=True)

    def _worked(self) -> bool:
        queue = self.queues.queue("normal")
        with self.queues.turn:
            messages = queue.receive(10, None)
            records = [record(each, queue) for each in messages]
        if records:
            failed = work.handler({"Records": records}, None)["batchItemFailures"]
            left = {each["itemIdentifier"] for each in failed}
            with self.queues.turn:
                for message, told in zip(messages, records, strict=True):
                    if message.message_id not in left:
                        queue.delete(message, told["receiptHandle"])
        return bool(records)


@contextmanager
def small_stack(api: Api, folder: Path, begins: str) -> Iterator[SmallStack]:
    """Lets the stack work while a test lasts; its clock begins at that moment."""
    ahead_ms = int(datetime.fromisoformat(begins).timestamp() * 1000) - time.time_ns() // 1_000_000
    stack = SmallStack(api, folder, ahead_ms)
    workers = [Thread(target=stack.work, name="worker") for _ in range(_WORKERS)]
    with _own_jobs(api.settings, folder), serving.served() as port:
        stack.url = f"http://127.0.0.1:{port}"
        for each in workers:
            each.start()
        try:
            yield stack
        finally:
            stack.stop()
            for each in workers:
                each.join()


def until(look: Callable[[], _Got], reached: Callable[[_Got], object]) -> _Got:
    """Looks again until it is so; what was seen last says why it never was."""
    deadline = time.monotonic() + PATIENCE_SEC
    while not reached(seen := look()):
        assert time.monotonic() < deadline, seen
        time.sleep(_LOOK_SEC)
    return seen


@contextmanager
def _own_jobs(settings: pytest.MonkeyPatch, folder: Path) -> Iterator[None]:
    """Lets `jobs` be the folder's, and be forgotten afterwards."""
    (folder / "jobs").mkdir()
    (folder / "jobs" / "__init__.py").touch()
    for name in _jobs():
        settings.delitem(sys.modules, name)
    settings.syspath_prepend(folder)
    job_handlers.handlers.cache_clear()
    yield
    for name in _jobs():
        del sys.modules[name]
    job_handlers.handlers.cache_clear()


def _jobs() -> list[str]:
    return [name for name in sys.modules if name.partition(".")[0] == job_handlers.PACKAGE]


def _sleep(seconds: float) -> None:
    """Waits; if it is a request that waits, it lets others have their turn."""
    if "process_request" in current_thread().name:
        serving.sleep(seconds)
    else:
        time.sleep(seconds)
