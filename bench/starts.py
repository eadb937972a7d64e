"""`python -m bench.starts` measures later starts in a folder that was in use for hours."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from onthedot.local import admin_key
from onthedot.local.caller import Caller
from onthedot.local.folder import PROJECT, Folder
from onthedot.local.stack import started
from onthedot.records.attributes import typed_item
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, full_scan

LIMIT_SEC = 5.0
_HELLO = {"type": "python", "handler": "hello"}
# As many rows as one call of DynamoDB writes.
_BATCH = 25
_STOPPED_SEC = 30
_BETWEEN_SEC = 10


def main(arguments: list[str]) -> int:
    """Fills a folder, then starts in it again and again. Returns 1 if a start took too long."""
    parser = argparse.ArgumentParser(prog="python -m bench.starts", description=__doc__)
    parser.add_argument("--schedules", type=int, default=20, help="that fire each second")
    parser.add_argument("--runs", type=int, default=50_000, help="that are over")
    parser.add_argument("--use-sec", type=int, default=60, help="how long it is in use")
    parser.add_argument("--starts", type=int, default=5)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(Path(place))
        _use(folder, asked.schedules, asked.runs, asked.use_sec)
        took = [_ready_sec(folder) for _ in range(asked.starts)]
        print(
            f"Ready after {', '.join(f'{each:.1f}' for each in took)} s; at most {LIMIT_SEC:.0f} s"
        )
    return int(max(took) > LIMIT_SEC)


def _use(folder: Folder, schedules: int, runs: int, seconds: int) -> None:
    """Leaves what hours of use leave: rows, lists, messages under way, unpacked functions."""
    with started(folder) as stack:
        os.environ.update(stack.environment)
        key = admin_key.made(stack)
        admin_key.keep(stack, key)
        caller = Caller(stack.door.port, key)
        for number in range(schedules):
            body = {"name": f"each-second-{number}", "cron": "* * * * * *", "target": _HELLO}
            caller.ask("POST", "/v1/schedules", body | {"overlap": "allow"})
        time.sleep(seconds)
        _write(_older(_last_run(), runs))


def _last_run() -> Mapping[str, Any]:
    items = full_scan.items("runs")
    return next(item for item in items if item.get("life", {}).get("status") == "succeeded")


def _older(run: Mapping[str, Any], count: int) -> Iterator[dict[str, Any]]:
    """Yields copies of a run that is over: one for each second before the hour."""
    end = int(time.time()) - 3_600
    for number in range(count):
        yield {**run, "scheduled_for": nominal(end - number)}


def _write(items: Iterator[dict[str, Any]]) -> None:
    while batch := list(islice(items, _BATCH)):
        puts = [{"PutRequest": {"Item": typed_item(each)}} for each in batch]
        aws.client("dynamodb").batch_write_item(RequestItems={aws.table("runs"): puts})


def _ready_sec(folder: Folder) -> float:
    """Starts `make run` there, and stops it as Ctrl-C does once it is ready."""
    began = time.monotonic()
    command: Sequence[str | Path] = (
        *(sys.executable, "-m", "onthedot.local", "--port", "0"),
        *("--folder", folder.root),
    )
    process = subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)
    ready = (line for line in process.stdout or () if line.endswith("  Ready\n"))
    next(ready)
    took = time.monotonic() - began
    # Until the next start it works off what was overdue, as in use.
    time.sleep(_BETWEEN_SEC)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=_STOPPED_SEC)
    return took


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
