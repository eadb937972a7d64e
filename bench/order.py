"""`python -m bench.order` checks that runs that wait for one place start in due order.

Twelve triggers, then slots every 3 s with 5 s of work; alone, then beside busy schedules.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from typing import Any

from bench import accounts
from bench.outage import Slow
from onthedot.local import admin_key
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import started
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import nominal

TRIGGERS = 12
SLOTS_SEC = 60
BESIDE = 10
PATIENCE_SEC = 240
_CREATED, _ACCEPTED = 201, 202


def _asked(caller: Caller, path: str, body: dict[str, Any]) -> dict[str, Any]:
    status, answer = caller.ask("POST", path, body)
    if status not in (_CREATED, _ACCEPTED):
        raise RuntimeError(f"{path}: {status} {answer}")
    return dict(answer)


def _begin(caller: Caller, url: str, load: str) -> list[str]:
    """Registers both schedules, and triggers the first."""
    first = int(time.time()) + 5
    slots = _asked(
        caller,
        "/v1/schedules",
        {
            "name": f"slots-{load}",
            "cron": "*/3 * * * * *",
            "overlap": "queue",
            "start_at": nominal(first),
            "end_at": nominal(first + SLOTS_SEC),
            "target": {"type": "http", "url": f"{url}/5"},
        },
    )
    triggered = _asked(
        caller,
        "/v1/schedules",
        {
            "name": f"triggers-{load}",
            "cron": "0 0 1 1 *",
            "overlap": "queue",
            "target": {"type": "http", "url": f"{url}/1"},
        },
    )
    for number in range(TRIGGERS):
        path = f"/v1/schedules/{triggered['task_id']}/trigger"
        _asked(caller, path, {"payload": {"number": number}})
    return [str(slots["task_id"]), str(triggered["task_id"])]


def _crowd(caller: Caller, for_sec: int) -> None:
    """Fires each second beside them."""
    for number in range(BESIDE):
        until = nominal(int(time.time()) + for_sec)
        body = {
            "name": f"beside-{number}",
            "cron": "* * * * * *",
            "end_at": until,
            "target": {"type": "python", "handler": "hello"},
        }
        _asked(caller, "/v1/schedules", body)


def _settled(task_ids: list[str]) -> dict[str, list[Run]]:
    deadline = time.monotonic() + PATIENCE_SEC
    while True:
        found = {task_id: list(accounts.runs_of(task_id)) for task_id in task_ids}
        counts = [len(runs) for runs in found.values()]
        done = all(run.final for runs in found.values() for run in runs)
        if (done and min(counts) >= TRIGGERS) or time.monotonic() > deadline:
            return found
        time.sleep(2)


def _judge(runs: list[Run]) -> Iterator[str]:
    ran = sorted(
        (run for run in runs if run.life.attempt),
        key=lambda run: run.life.its_attempt.started_ms,
    )
    if len(ran) < len(runs):
        yield f"{len(runs) - len(ran)} of {len(runs)} did not run"
    for soon, late in pairwise(ran):
        if late.key < soon.key:
            yield f"{late.key} started after {soon.key}"
        end = soon.life.end
        if end and late.life.its_attempt.started_ms < end.ended_ms:
            yield f"{late.key} started while {soon.key} ran"


def main(arguments: list[str]) -> int:
    """Plays both. Returns 1 if a run was out of order."""
    argparse.ArgumentParser(prog="python -m bench.order", description=__doc__).parse_args(arguments)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    broken = 0
    with tempfile.TemporaryDirectory() as folder, started(Folder(Path(folder))) as stack:
        os.environ.update(stack.environment)
        caller = Caller(stack.door.port, admin_key.made(stack))
        for load in ("quiet", "crowded"):
            if load == "crowded":
                _crowd(caller, SLOTS_SEC * 3)
            for task_id, runs in _settled(_begin(caller, url, load)).items():
                said = list(_judge(runs))
                broken += len(said)
                print(f"{load}: {task_id}: {len(runs)} runs, {len(said)} out of order", flush=True)
                for each in said:
                    print(f"  BROKEN: {each}", flush=True)
    server.shutdown()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
