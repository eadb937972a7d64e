"""`python -m bench.local`: 1,000 one-minute schedules on the local stack, every slot accounted for.

What must have fired is computed by the engine; what did is read from the rows.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from onthedot.adapters import tables
from onthedot.core import run, task
from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.local.admin_key import admin_key
from onthedot.local.caller import Caller
from onthedot.local.folder import Folder
from onthedot.local.stack import started

MINUTE_SEC = 60
# What is registered comes due later than its registration would dispatch it by itself.
LEAD_SEC = LOOK_AHEAD_SEC + MINUTE_SEC
PATIENCE_SEC = 120
REGISTERING = 4
_CREATED = 201


@dataclass(frozen=True, slots=True)
class Load:
    """So many schedules, each with a slot a minute, spread over the minute or all at :00."""

    name: str
    schedules: int
    minutes: int
    jitter_sec: int

    def measure(self, caller: Caller) -> bool:
        """Register, wait, account; say whether every slot fired once, and in time."""
        first = -(-(int(time.time()) + LEAD_SEC) // MINUTE_SEC) * MINUTE_SEC
        last = first + (self.minutes - 1) * MINUTE_SEC
        began = time.monotonic()
        tasks = self._register(caller, first, last)
        print(f"\n{self.name}: {len(tasks)} registered in {time.monotonic() - began:.1f} s")
        print(f"  firing from {nominal(first)} for {self.minutes} minutes", flush=True)
        time.sleep(max(0.0, last + self.jitter_sec + 5 - time.time()))
        return self._account(tasks)

    def _register(self, caller: Caller, first: int, last: int) -> list[Task]:
        def register(number: int) -> str:
            schedule = {
                "name": f"{self.name}-{number}",
                "cron": "* * * * *",
                "jitter_sec": self.jitter_sec,
                "start_at": nominal(first),
                "end_at": nominal(last),
                "target": {"type": "python", "handler": "hello"},
            }
            status, answer = caller.ask("POST", "/v1/schedules", schedule)
            if status != _CREATED:
                raise RuntimeError(f"{schedule['name']}: {status} {answer}")
            return str(answer["task_id"])

        with ThreadPoolExecutor(REGISTERING) as threads:
            task_ids = list(threads.map(register, range(self.schedules)))
        specs = tables.get_many({"tasks": [task.spec_key(each) for each in task_ids]})["tasks"]
        return [task.parse(each) for each in specs]

    def _account(self, tasks: Sequence[Task]) -> bool:
        expected = {(each.task_id, nominal(slot)) for each in tasks for slot in _slots(each)}
        runs = _settled(tasks)
        found = {(each.task_id, each.key): each for each in runs}
        done = {key for key, each in found.items() if each.life.status == "succeeded"}
        twice = [each for each in runs if each.life.attempt > 1 or each.life.attempts]
        late = sorted(_late_ms(each) for each in runs if each.life.started_ms)
        missing, stray = expected - done, set(found) - expected
        print(f"  slots {len(expected)}  missing {len(missing)}  doubled {len(twice)}", end="")
        print(f"  beyond the schedule {len(stray)}  early {sum(each < 0 for each in late)}")
        print("  outcomes", dict(Counter(each.life.status for each in runs)))
        print("  late ms ", "  ".join(f"{name} {ms}" for name, ms in _quantiles(late).items()))
        for minute, quantiles in _by_minute(runs):
            print(f"    {minute}  ", "  ".join(f"{name} {ms}" for name, ms in quantiles.items()))
        sys.stdout.flush()
        return not missing and not twice and not stray


def _slots(of: Task) -> Iterator[int]:
    """What the engine says must have fired."""
    slot = of.schedule.next(of.effective_from)
    while slot is not None:
        yield slot
        slot = of.schedule.next(slot)


def _settled(tasks: Sequence[Task]) -> list[Run]:
    """All runs, once each has its outcome."""
    deadline = time.monotonic() + PATIENCE_SEC
    while True:
        runs = [each for of in tasks for each in _runs(of.task_id)]
        if all(each.final for each in runs) or time.monotonic() > deadline:
            return runs
        time.sleep(5)


def _runs(task_id: str) -> Iterator[Run]:
    for item in tables.rows(("task_id", task_id), "scheduled_for", ("0", "~")):
        if "life" in item:
            yield run.parse(item)


def _late_ms(of: Run) -> int:
    return (of.life.first_started_ms or of.life.started_ms) - of.life.due_ms


def _quantiles(late: Sequence[int]) -> dict[str, int]:
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return {name: late[int(share * (len(late) - 1))] for name, share in shares.items()}


def _by_minute(runs: Sequence[Run]) -> Iterator[tuple[str, dict[str, int]]]:
    minutes: dict[str, list[int]] = {}
    for each in runs:
        minutes.setdefault(nominal(parse_nominal(each.key[:20]))[11:16], []).append(_late_ms(each))
    for minute, late in sorted(minutes.items()):
        yield minute, _quantiles(sorted(late))


def main(arguments: list[str]) -> int:
    """Measure the spread load, then the herd; 1 says that a slot is missing, or fired twice."""
    parser = argparse.ArgumentParser(prog="python -m bench.local", description=__doc__)
    parser.add_argument("--schedules", type=int, default=1_000)
    parser.add_argument("--minutes", type=int, default=5)
    parser.add_argument("--only", choices=["spread", "herd"])
    asked = parser.parse_args(arguments)
    loads = [
        Load("spread", asked.schedules, asked.minutes, jitter_sec=59),
        Load("herd", asked.schedules, asked.minutes, jitter_sec=0),
    ]
    with tempfile.TemporaryDirectory() as folder, started(Folder(Path(folder))) as stack:
        caller = Caller(stack.door.port, admin_key(stack))
        os.environ.update(stack.environment)
        chosen = [load for load in loads if asked.only in (None, load.name)]
        hold = [load.measure(caller) for load in chosen]
    return 0 if all(hold) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
