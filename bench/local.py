"""`python -m bench.local` runs 1,000 one-minute schedules locally, and accounts for every slot.

First they are spread by jitter, then all are at :00. MiniStack's timings are its own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench import accounts
from bench.accounts import Accounts
from onthedot.local import admin_key
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import started
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store import table_reads

MINUTE_SEC = 60
# Beyond the look-ahead, so that the ticks dispatch everything and the registration nothing.
LEAD_SEC = LOOK_AHEAD_SEC + MINUTE_SEC
PATIENCE_SEC = 120
REGISTERING = 4
_CREATED = 201


@dataclass(frozen=True, slots=True)
class Load:
    """Schedules with a slot each minute, for some minutes from one minute on."""

    name: str
    schedules: int
    jitter_sec: int
    first: int
    last: int

    def register(self, caller: Caller) -> list[Task]:
        """Registers them all, as a user would."""
        with ThreadPoolExecutor(REGISTERING) as threads:
            created = list(threads.map(lambda n: self._create(caller, n), range(self.schedules)))
        keys = [task_spec.spec_key(task_id) for task_id in created]
        return [task_spec.parse(each) for each in table_reads.get_all("tasks", keys)]

    def _create(self, caller: Caller, number: int) -> str:
        schedule = {
            "name": f"{self.name}-{number}",
            "cron": "* * * * *",
            "jitter_sec": self.jitter_sec,
            "start_at": nominal(self.first),
            "end_at": nominal(self.last),
            "target": {"type": "python", "handler": "hello"},
        }
        status, answer = caller.ask("POST", "/v1/schedules", schedule)
        if status != _CREATED:
            raise RuntimeError(f"{schedule['name']}: {status} {answer}")
        return str(answer["task_id"])

    def account(self, tasks: Sequence[Task]) -> bool:
        """Waits for the last outcome. Returns whether every slot fired once, and nothing else."""
        time.sleep(max(0.0, self.last + self.jitter_sec + 5 - time.time()))
        seen = _settled(tasks)
        print(f"\n{self.name}: {nominal(self.first)} to {nominal(self.last)}")
        print(f"  slots {len(seen.slots)}  missing {len(seen.missing)}  started again", end=" ")
        print(f"{len(seen.again)}  beyond the schedule {len(seen.stray)}  {dict(seen.outcomes)}")
        print(f"  late in ms  {_quantiles(seen.late_ms)}")
        for minute, runs in _by_minute(seen.runs):
            print(f"    {minute}  {_quantiles(sorted(map(accounts.late_ms, runs)))}")
        sys.stdout.flush()
        return not (seen.missing or seen.again or seen.stray)


def _settled(tasks: Sequence[Task]) -> Accounts:
    deadline = time.monotonic() + PATIENCE_SEC
    while not (seen := accounts.read(tasks)).settled and time.monotonic() < deadline:
        time.sleep(5)
    return seen


def _quantiles(late: Sequence[int]) -> str:
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return "  ".join(f"{name} {late[int(at * (len(late) - 1))]}" for name, at in shares.items())


def _by_minute(runs: Sequence[Run]) -> Iterator[tuple[str, list[Run]]]:
    minutes = sorted({each.key[11:16] for each in runs})
    for minute in minutes:
        yield minute, [each for each in runs if each.key[11:16] == minute]


def _loads(schedules: int, minutes: int, only: str | None) -> list[Load]:
    """Returns the loads one after the other. All are registered before the first begins."""
    begin = -(-(int(time.time()) + LEAD_SEC) // MINUTE_SEC) * MINUTE_SEC
    chosen = [each for each in (("spread", 59), ("herd", 0)) if only in (None, each[0])]
    return [
        Load(
            name,
            schedules,
            jitter_sec,
            first=begin + place * (minutes + 1) * MINUTE_SEC,
            last=begin + (place * (minutes + 1) + minutes - 1) * MINUTE_SEC,
        )
        for place, (name, jitter_sec) in enumerate(chosen)
    ]


def main(arguments: list[str]) -> int:
    """Measures both loads. Returns 1 if a slot is missing or fired twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.local", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1_000)
    parser.add_argument("--minutes", type=int, default=5)
    parser.add_argument("--only", choices=["spread", "herd"])
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, started(Folder(Path(folder))) as stack:
        caller = Caller(stack.door.port, admin_key.made(stack))
        os.environ.update(stack.environment)
        loads = _loads(asked.schedules, asked.minutes, asked.only)
        began = time.monotonic()
        registered = [(load, load.register(caller)) for load in loads]
        print(f"registered over HTTP in {time.monotonic() - began:.1f} s", flush=True)
        hold = [load.account(tasks) for load, tasks in registered]
    return 0 if all(hold) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
