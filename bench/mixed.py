"""`python -m bench.mixed --old a255cf2` uses two releases at once, and accounts for every run.

The newer release reads rows, messages and cursors of the older one, and the reverse.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from bench.releases import Both, both_at_work
from onthedot.records.attributes import plain_item
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import aws

PATIENCE_SEC = 180
# Limits that change once, at these seconds of the history. Everything else repeats.
_LIMITS = {30: {"running_max": 4}, 150: {"running_max": 2}, 240: {"running_max": None}}
_CREATED = 201
_ERROR = re.compile(r"^[\w.]+(?:Error|Exception): .*", re.MULTILINE)
# `GET /v1/runs` of a255cf2 reads a run twice if two manifests list it.
_KNOWN = ("list of item keys contains duplicates",)
# Nothing is skipped for an overlap while the tenant's quota makes runs wait.
_FREE: dict[str, Any] = {"overlap": "allow", "max_concurrent": None}
_CALM: dict[str, dict[str, Any]] = {
    "five": _FREE | {"cron": "*/5 * * * * *"},
    "seven": _FREE | {"every_sec": 7},
    "queue": {"cron": "*/10 * * * * *", "overlap": "queue"},
    "minutely": _FREE | {"cron": "* * * * *", "priority": 1},
    "low": _FREE | {"cron": "*/20 * * * * *", "priority": 3},
    "keyed": _FREE | {"every_sec": 9, "concurrency_key": {"key": "shared", "max_running": 2}},
    "large": _FREE | {"every_sec": 11, "payload": {"text": "x" * 20_000}},
}
_OTHERS: dict[str, dict[str, Any]] = {
    # Skipped while the run before waits for the tenant's quota.
    "skip": {"every_sec": 7},
    "edited": {"every_sec": 6},
    "paused": {"every_sec": 8, "misfire": "all"},
    "bounded": {"every_sec": 5, "max_runs": 12},
    "previous": {"every_sec": 4, "overlap": "cancel_previous", "handler": "slow"},
    "lined": {"every_sec": 4, "overlap": "queue", "queue_max": 5, "handler": "slow"},
    "failing": {
        "every_sec": 20,
        "handler": "failing",
        "max_attempts": 3,
        "retry": {"backoff": "fixed", "base_sec": 2, "cap_sec": 2},
    },
    "once": {"every_sec": 13, "handler": "steps"},
    "fetched": {"every_sec": 15, "target": {"type": "pull", "queue": "mixed"}},
}
_LISTS = (
    "/v1/runs",
    "/v1/schedules",
    "/v1/tasks",
    "/v1/runs?status=dead",
    "/v1/upcoming",
    "/v1/audit",
    "/v1/overview",
    "/v1/dead-letters/groups",
)


class Use:
    """Schedules made by both releases, used through both."""

    def __init__(self, both: Both) -> None:
        self.both = both
        self.made: dict[str, str] = {}
        self.begun = time.time()
        for place, (kind, given) in enumerate((_CALM | _OTHERS).items()):
            for release, word in enumerate(("old", "new")):
                self._create(f"{kind}-{word}", given, release)
            if place == len(_CALM):
                self.both.call("GET /v1/schedules")

    def _create(self, name: str, given: dict[str, Any], release: int) -> None:
        handler = given.get("handler", "quick")
        body = {"target": {"type": "python", "handler": handler}, "name": name} | given
        body.pop("handler", None)
        got = self.both.call("POST /v1/schedules", body, release)
        if got.status != _CREATED:
            raise RuntimeError(f"{name}: {got.status} {got.text}")
        self.made[name] = got.body["task_id"]

    def act(self, second: int) -> None:
        """Does what users do in one second of the history."""
        ask = self.both.call
        if second in _LIMITS:
            ask("PUT /v1/tenants/default", _LIMITS[second])
        if second % 5 == 0:
            ask(
                f"POST /v1/schedules/once-{self._word(second)}/trigger", {"payload": {"at": second}}
            )
        if second % 20 == 7:
            every = 5 + second % 3
            change = {"every_sec": every, "payload": {"edited": second}}
            self._patch(f"edited-{self._word(second)}", change)
        if second % 40 == 11:
            ask(f"POST /v1/schedules/paused-{self._word(second)}/pause", {"reason": "mixed"})
        if second % 40 == 31:
            ask(f"POST /v1/schedules/paused-{self._word(second - 20)}/resume", {})
        if second % 60 == 33:
            self._patch(f"bounded-{self._word(second)}", {"max_runs": 12 + second // 10})
        if second % 4 == 0:
            self._walk(_LISTS[second // 4 % len(_LISTS)])
        if second % 25 == 3:
            self._replay()
        ask("POST /v1/tasks", {"delay_sec": 3, "target": {"type": "python", "handler": "quick"}})
        self._fetch()

    def _word(self, second: int) -> str:
        return "old" if second // 20 % 2 else "new"

    def _patch(self, name: str, change: dict[str, Any]) -> None:
        seen = self.both.call(f"GET /v1/schedules/{name}")
        self.both.call(f"PATCH /v1/schedules/{name}", change | {"version": seen.body["version"]})

    def _walk(self, route: str) -> None:
        """Walks pages in turn: one release may refuse the other's cursor, but nothing worse."""
        got = self.both.call(f"GET {route}")
        for _ in range(4):
            following = got.body.get("next_cursor") if got.status < 300 else None
            if not following:
                return
            joint = "&" if "?" in route else "?"
            got = self.both.call(f"GET {route}{joint}cursor={following}")

    def _replay(self) -> None:
        dead = self.both.call("GET /v1/runs?status=dead&limit=1").body.get("data", [])
        for run in dead:
            self.both.call(f"POST /v1/runs/{run['run_id']}/replay", {})

    def _fetch(self) -> None:
        """Fetches as an outside worker: one release leases a run, the next settles it."""
        leased = self.both.call("POST /v1/leases", {"queue": "mixed", "max": 5, "wait_sec": 0})
        for one in leased.body.get("data", []):
            told = {"attempt": one["attempt"]}
            self.both.call(f"POST /v1/runs/{one['run']['run_id']}/heartbeat", told)
            self.both.call(f"POST /v1/runs/{one['run']['run_id']}/complete", told)

    def finish(self) -> int:
        """Pauses everything, waits until nothing is open, and returns when pauses were answered."""
        for name in self.made:
            self.both.call(f"POST /v1/schedules/{name}/pause", {})
        paused = int(time.time())
        deadline = time.time() + PATIENCE_SEC
        while (
            time.time() < deadline
            and not self.both.over.is_set()
            and any(not run.final for run in _all_runs())
        ):
            self._fetch()
            time.sleep(2)
        return paused


def _all_runs() -> list[Run]:
    items = _scanned("runs")
    found = [run_row.readable(item) for item in items if "life" in item]
    return [run for run in found if run]


def _scanned(table: str) -> list[dict[str, Any]]:
    pages = aws.client("dynamodb").get_paginator("scan").paginate(TableName=aws.table(table))
    return [plain_item(item) for page in pages for item in page["Items"]]


def _wrong(use: Use, paused: int) -> list[str]:
    """Returns everything that did not end as it should."""
    found = list(use.both.faults)
    rows = _all_runs()
    found += [f"open: {run.run_id} {run.life.status}" for run in rows if not run.final]
    for name in use.made:
        if name.rsplit("-", 1)[0] in _CALM:
            found += _unaccounted(use.made[name], name, rows, paused)
    odd = {"dead", "missed"}
    failing = {use.made[f"failing-{word}"] for word in ("old", "new")}
    found += [
        f"{run.life.status}({run.life.reason}): {run.run_id} {run.life.end}"
        for run in rows
        if run.life.status in odd and run.task_id not in failing
    ]
    calls = Counter(line.rsplit(" ", 1)[0] for line in _ledger(use.both))
    found += [f"executed twice: {each}" for each, times in calls.items() if times > 1]
    for release, answers in use.both.broken.items():
        raised = list(_raised(use.both, release))
        found += [f"{release} raised {each}" for each in raised]
        # Failures for a known reason are left out, and no others.
        found += answers if raised else []
    return found


def _raised(both: Both, release: str) -> Iterator[str]:
    """Returns what a release's functions raised, except what its commit is known for."""
    for log in both.folder.glob(f"{release}-*.log"):
        for error in _ERROR.findall(log.read_text()):
            if not any(known in error for known in _KNOWN):
                yield f"{log.name}: {error[:200]}"


def _unaccounted(task_id: str, name: str, rows: Sequence[Run], paused: int) -> list[str]:
    """Finds slots of an unedited schedule that did not succeed between creation and pause."""
    spec = next(
        item for item in _scanned("tasks") if item["task_id"] == task_id and item["part"] == "spec"
    )
    task = task_spec.parse(spec)
    outcomes = {run.key: run.life.status for run in rows if run.task_id == task_id}
    since = parse_nominal(spec["created_at"][:19] + "Z")
    wrong, slot = [], task.schedule.next(since)
    while slot is not None and slot < paused - 30:
        if outcomes.get(nominal(slot)) != "succeeded":
            wrong.append(f"{name} {nominal(slot)}: {outcomes.get(nominal(slot))}")
        slot = task.schedule.next(slot)
    return wrong


def _ledger(both: Both) -> list[str]:
    return (both.folder / "ledger").read_text().splitlines()


def _tell(use: Use) -> None:
    done = Counter(line.rsplit(" ", 1)[1] for line in _ledger(use.both))
    print(f"executions by release: {dict(done)}")
    for release in use.both.releases:
        calls = {name: each.calls for name, each in release.functions.items()}
        calls["work"] = sum(each.calls for each in release.workers)
        print(f"{release.name}: {calls}")
    print(f"answers: {dict(sorted(use.both.statuses.items()))}")
    print(f"runs: {dict(Counter(f'{run.life.status} {run.life.reason}' for run in _all_runs()))}")


def main(arguments: list[str]) -> int:
    """Uses both for some minutes. Returns 1 if something did not end as it should."""
    parser = argparse.ArgumentParser(prog="python -m bench.mixed", description=__doc__)
    parser.add_argument("--old", default="a255cf2", help="the commit of the older release")
    parser.add_argument("--minutes", type=float, default=10)
    asked = parser.parse_args(arguments)
    with both_at_work(asked.old) as both:
        use = Use(both)
        for second in count():
            due = use.begun + second
            if due > use.begun + asked.minutes * 60 or both.over.is_set():
                break
            time.sleep(max(0.0, due - time.time()))
            use.act(second)
        paused = use.finish()
        _tell(use)
        wrong = _wrong(use, paused)
    print(json.dumps(wrong, indent=1) if wrong else "every run ended once, as it should")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
