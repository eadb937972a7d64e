"""Outside workers for tests: processes of their own, with handlers that behave in every way."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.api.kit import Answer, Api
from tests.api.serving import in_turn, pauses
from tests.tidy.tree import ROOT

COMMAND = Path(sys.executable).parent / "onthedot"
PATIENCE_SEC = 60
HANDLERS = """
import time
from pathlib import Path
from onthedot import Fail, OnTheDot, RetryLater, Skip
app = OnTheDot()

@app.job()
def quick(ctx, number=0):
    return {"number": number, "run": ctx.run_id, "key": ctx.idempotency_key("charge")}

@app.job()
def slow(ctx, seconds=3):
    Path("asleep").touch()
    until = time.time() + seconds
    while time.time() < until:
        ctx.heartbeat(progress=round(until - time.time()))
        time.sleep(0.1)
    Path("slept").touch()
    return "slept"

@app.job()
def moody(ctx, how="fail"):
    if how == "fail":
        raise Fail("never")
    if how == "skip":
        raise Skip("nothing to do")
    if how == "later" and ctx.checkpoint is None:
        raise RetryLater(after=0, checkpoint={"page": 7})
    if how == "bug" and ctx.attempt == 1:
        raise ZeroDivisionError("a bug")
    return ctx.checkpoint

@app.job()
def paid(ctx):
    def charge():
        with open("charges", "a") as file:
            file.write(f"{ctx.attempt}\\n")
        return {"by": ctx.attempt, "before": str(ctx.previous_success)}
    receipt = ctx.once("charge", charge)
    if ctx.attempt == 1:
        raise RetryLater(after=0)
    return receipt

@app.job()
def patient(ctx):
    def charge():
        Path("begun").touch()
        while not Path("go").exists():
            time.sleep(0.05)
        with open("charges", "a") as file:
            file.write("had\\n")
        return "had"
    return ctx.once("charge", charge)

@app.job()
def stuck(ctx):
    by = ctx.once("charge", lambda: ctx.attempt)
    Path("recorded").touch()
    while ctx.attempt == 1:
        time.sleep(0.05)
    return by

@app.job()
def broken(ctx):
    ctx.once("nothing", lambda: {1, 2})

@app.job()
def hung(ctx):
    while True:
        pass
"""
Start = Callable[..., "subprocess.Popen[str]"]


@contextmanager
def workers(api: Api, folder: Path) -> Iterator[Start]:
    """Begins workers there; those that still live are killed in the end."""
    (folder / "their_jobs.py").write_text(HANDLERS)
    begun: list[subprocess.Popen[str]] = []

    def started(port: int, *more: str) -> subprocess.Popen[str]:
        command = [str(COMMAND), "worker", "--queue", "gpu"]
        command += ["--module", "their_jobs", "--url", f"http://127.0.0.1:{port}", *more]
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "ONTHEDOT_API_KEY": api.key("worker"),
        }
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        begun.append(process)
        return process

    try:
        yield started
    finally:
        for process in begun:
            process.kill()
            process.communicate()


def asked(api: Api, route: str, body: Any = None) -> Answer:
    """Asks the function itself, when no worker does."""
    with in_turn:
        return api.call(route, body)


def triggered(api: Api, name: str, payload: Any = None, **fields: Any) -> str:
    """Runs one of the handlers, now."""
    free = {"overlap": "allow", "max_concurrent": None}
    if asked(api, f"GET /v1/schedules/{name}").status == 404:
        with in_turn:
            api.schedule(name, target={"type": "pull", "queue": "gpu"}, **free, **fields)
    body = {} if payload is None else {"payload": payload}
    answer = asked(api, f"POST /v1/schedules/{name}/trigger", body)
    assert answer.status == 202, answer.text
    return str(answer.body["run_id"])


def ended(api: Api, run_id: str, *statuses: str) -> Any:
    """Returns the run, once it is as awaited; final unless told otherwise."""
    wanted = statuses or ("succeeded", "dead", "skipped", "cancelled")
    deadline = time.monotonic() + PATIENCE_SEC
    while (run := asked(api, f"GET /v1/runs/{run_id}").body)["status"] not in wanted:
        assert time.monotonic() < deadline, json.dumps(run)
        time.sleep(0.1)
    return run


def appeared(file: Path) -> None:
    """Waits until a handler has made it."""
    deadline = time.monotonic() + PATIENCE_SEC
    while not file.exists():
        assert time.monotonic() < deadline, f"no {file.name}"
        time.sleep(0.05)


def asked_for_more() -> None:
    """Waits until a worker's request waits for a run to come."""
    before, deadline = len(pauses), time.monotonic() + PATIENCE_SEC
    while len(pauses) == before:
        assert time.monotonic() < deadline, "no worker asks"
        time.sleep(0.05)


def stopped(process: subprocess.Popen[str]) -> int:
    """Asks a worker to stop, and gives its word."""
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=PATIENCE_SEC)
    return process.returncode
