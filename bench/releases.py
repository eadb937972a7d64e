"""Runs two releases at once on the same tables and queues, each function in its own process.

Each release has an API, workers, and every other tick and audit.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from threading import Event, Lock
from typing import Any, TextIO, cast

from bench import stack
from onthedot.records import schema
from onthedot.store import aws
from tests.api.kit import Answer, answer, event
from tests.engines.hands import write_jobs
from tests.tidy.tree import ROOT

WORKERS = 2
_BUSY = 503
_FAULT = 500

_SERVER = """
import importlib, json, os, sys
out = os.fdopen(os.dup(1), "w")
sys.stdout = sys.stderr
handler = importlib.import_module(f"lambdas.{sys.argv[1]}").handler
for line in sys.stdin:
    out.write(json.dumps(handler(json.loads(line), None)) + "\\n")
    out.flush()
"""
HANDLERS = """
import os
from onthedot import Fail

def note(ctx):
    file = os.open(os.environ["HERE"] + "/ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{ctx.run_id} {ctx.attempt} {os.environ['RELEASE']}\\n".encode())
    os.close(file)

@app.job()
def quick(ctx):
    note(ctx)

@app.job()
def steps(ctx):
    note(ctx)
    return ctx.once("step", lambda: ctx.attempt)

@app.job()
def slow(ctx):
    note(ctx)
    time.sleep(3)

@app.job()
def failing(ctx):
    note(ctx)
    raise RuntimeError(f"attempt {ctx.attempt} fails")
"""


class Function:
    """One function of a release, warm in a process of its own."""

    def __init__(self, root: Path, folder: Path, name: str, release: str) -> None:
        self.calls = 0
        self._lock = Lock()
        self._log = (folder / f"{release}-{name}.log").open("a")
        environment = {
            **os.environ,
            "PYTHONPATH": f"{folder}:{root}",
            "HERE": str(folder),
            "RELEASE": release,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVER, name],
            env=environment,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._given = cast("TextIO", self._process.stdin)
        self._answers = cast("TextIO", self._process.stdout)

    def __call__(self, given: object) -> dict[str, Any]:
        """Answers one event. A function that died says so in its log."""
        with self._lock:
            self._given.write(json.dumps(given) + "\n")
            self._given.flush()
            line = self._answers.readline()
            self.calls += 1
        if not line:
            raise RuntimeError(f"a function died: {self.last_words()}")
        return dict(json.loads(line))

    def last_words(self) -> str:
        """Returns the end of its log."""
        return "\n".join(Path(self._log.name).read_text().splitlines()[-12:])

    def end(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._log.close()


@dataclass(slots=True)
class Release:
    """All functions of one commit."""

    name: str
    functions: dict[str, Function]
    workers: list[Function]

    @classmethod
    def begun(cls, name: str, root: Path, folder: Path) -> Release:
        names = ("api", "dispatch", "audit", "bury")
        return cls(
            name,
            {each: Function(root, folder, each, name) for each in names},
            [Function(root, folder, "work", name) for _ in range(WORKERS)],
        )

    def end(self) -> None:
        for each in (*self.functions.values(), *self.workers):
            each.end()


@dataclass(slots=True)
class Both:
    """Two releases on one stack. Requests go to them in turn."""

    releases: list[Release]
    folder: Path
    key: str = ""
    statuses: Counter[tuple[str, int]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    # Answers of 500 and above, by the release that gave them.
    broken: dict[str, list[str]] = field(default_factory=lambda: {"old": [], "new": []})
    over: Event = field(default_factory=Event)
    _turns: Iterator[int] = field(default_factory=count)

    def call(self, route: str, body: object = None, release: int | None = None) -> Answer:
        """Asks the next release, again while it is busy, and records what went wrong."""
        text = "" if body is None else json.dumps(body)
        headers = {"authorization": f"Bearer {self.key}"}
        headers |= {"content-type": "application/json"} if text else {}
        for _ in range(10):
            turn = next(self._turns) if release is None else release
            chosen = self.releases[turn % 2]
            got = answer(chosen.functions["api"](event(route, text, headers)))
            self.statuses[chosen.name, got.status] += 1
            if got.status != _BUSY:
                break
        if got.status >= _FAULT:
            self.broken[chosen.name].append(f"{route}: {got.status} {got.text[:200]}")
        return got

    def duties(self) -> Iterator[Callable[[], None]]:
        """Yields what runs beside the callers: ticks, work, dead letters."""
        yield self.tick
        yield self.bury
        for release in self.releases:
            for place, worker in enumerate(release.workers):
                queues = ("high", "normal", "low") if place else ("normal",)
                yield partial(self.work, worker, queues)

    def do(self, duty: Callable[[], None]) -> None:
        """Repeats a duty until the end. If one dies, everything ends."""
        try:
            duty()
        except Exception as death:  # noqa: BLE001  # whatever ends a duty ends the test
            self.faults.append(f"{type(death).__name__}: {death}")
            self.over.set()

    def tick(self) -> None:
        """Runs a minute's tick and audit, each by the release in turn; some ticks by both."""
        for minute in count(int(time.time()) // 60):
            while time.time() < minute * 60 and not self.over.wait(0.1):
                pass
            if self.over.is_set():
                return
            first, other = self.releases[minute % 2], self.releases[(minute + 1) % 2]
            first.functions["dispatch"]({})
            if minute % 3 == 0:
                other.functions["dispatch"]({})
            other.functions["audit"]({})

    def work(self, worker: Function, queues: tuple[str, ...]) -> None:
        """Polls for one worker, as Lambda would."""
        while not self.over.is_set():
            for queue in queues:
                _poll(worker, queue)

    def bury(self) -> None:
        for turn in count():
            if self.over.wait(5):
                return
            _poll(self.releases[turn % 2].functions["bury"], "dead")


def _poll(function: Function, queue: str) -> None:
    sqs, url = aws.client("sqs"), aws.queue_url(queue)
    got = sqs.receive_message(
        QueueUrl=url,
        MaxNumberOfMessages=10,
        WaitTimeSeconds=1,
        MessageSystemAttributeNames=["All"],
    )
    records = [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "eventSourceARN": f"arn:aws:sqs:us-east-1:000000000000:{queue}",
        }
        for message in got.get("Messages", [])
    ]
    if not records:
        return
    failed = {
        each["itemIdentifier"] for each in function({"Records": records})["batchItemFailures"]
    }
    for record in records:
        if record["messageId"] not in failed:
            # In a batch, because the worker may have deleted it already, which is no mistake.
            entry = {"Id": "0", "ReceiptHandle": record["receiptHandle"]}
            sqs.delete_message_batch(QueueUrl=url, Entries=[entry])


@contextmanager
def both_at_work(old: str) -> Iterator[Both]:
    """Unpacks the older release, makes the tables, and lets the functions of both work."""
    with tempfile.TemporaryDirectory() as scratch, stack.stack() as engines:
        folder = Path(scratch)
        archive = subprocess.run(
            ["git", "archive", old, "onthedot", "lambdas"],
            cwd=ROOT,
            check=True,
            capture_output=True,
        ).stdout
        with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
            packed.extractall(folder / "old", filter="data")
        write_jobs(folder, HANDLERS)
        engines.empty()
        os.environ |= {
            "ACCESS_TABLE": "access",
            "BLOBS_BUCKET": "blobs",
            "AWS_ENDPOINT_URL_S3": os.environ["AWS_ENDPOINT_URL_SQS"],
        }
        aws.client("s3").create_bucket(Bucket="blobs")
        aws.client("dynamodb").create_table(**schema.creation(schema.ACCESS, "access"))
        releases = [
            Release.begun("old", folder / "old", folder),
            Release.begun("new", ROOT, folder),
        ]
        both = Both(releases, folder, _first_key(folder / "old"))
        with ThreadPoolExecutor(2 * WORKERS + 2) as threads:
            for each in both.duties():
                threads.submit(both.do, each)
            try:
                yield both
            finally:
                both.over.set()
        for release in releases:
            release.end()


def _first_key(root: Path) -> str:
    """Lets the older release make the key, as it did in production."""
    made = subprocess.run(
        [sys.executable, "-m", "onthedot.api.admin.first_key"],
        env={**os.environ, "PYTHONPATH": str(root)},
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    )
    return made.stdout.strip()
