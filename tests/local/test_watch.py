"""The lines of `make run`: one when a run starts, one when it ends, none twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.local.watch import Watch
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import nominal
from onthedot.store import table_reads
from onthedot.work.gates import tenant_line
from tests.engines.place import put
from tests.engines.tasks import SLOT, claimed, daily
from tests.schedule.samples import lived

pytestmark = pytest.mark.usefixtures("place")

DUE_MS = SLOT * 1000


def listed() -> Run:
    """Returns a named task's run that a dispatch has listed and claimed two minutes ahead."""
    known = put(daily(1, SLOT, name="nightly"))
    run = claimed("d", task_id=known.task_id)
    entries = [manifest.entry(run)]
    for each in manifest.listing("d", entries, now_ms=DUE_MS - 120_000):
        table_reads.put("runs", each.item())
    return stored(run)


def stored(run: Run, **life: Any) -> Run:
    changed = replace(run, life=lived(run.life, **life))
    table_reads.put("runs", run_writes.insert(changed, now_ms=DUE_MS).item)
    return changed


def lines(watch: Watch, late_ms: int) -> list[str]:
    """Returns what is said so long after the due time; the manifests are read
    every other second.
    """
    return list(watch.look(DUE_MS + late_ms))


def test_a_run_is_shown_when_it_ends_with_its_name_second_status_and_lateness() -> None:
    run, watch = listed(), Watch(since_ms=DUE_MS - 60_000)
    assert lines(watch, -10_000) == []

    stored(run, status="succeeded", attempt=1, started_ms=DUE_MS + 12, ended_ms=DUE_MS + 20)

    assert [line.split() for line in lines(watch, 100)] == [
        [nominal(SLOT), "nightly", "succeeded", "12", "ms", "late"]
    ]
    assert lines(watch, 200) == lines(watch, 5_000) == []


def test_a_run_that_takes_its_time_is_shown_when_it_starts_too() -> None:
    run, watch = listed(), Watch(since_ms=DUE_MS - 60_000)
    lines(watch, -10_000)
    running = stored(run, status="running", attempt=1, started_ms=DUE_MS + 12)

    assert ["running" in line for line in lines(watch, 100)] == [True]
    assert lines(watch, 400) == []

    stored(running, status="dead", reason="permanent", ended_ms=DUE_MS + 500)

    assert ["dead (permanent)" in line for line in lines(watch, 600)] == [True]


def test_a_run_that_was_tried_again_is_late_by_its_first_start() -> None:
    run, watch = listed(), Watch(since_ms=DUE_MS - 60_000)
    dead = {"status": "dead", "reason": "attempts_exhausted", "attempt": 2}
    times = {"first_started_ms": DUE_MS + 12, "started_ms": DUE_MS + 10_300}
    moved = {"due_ms": DUE_MS + 10_290, "first_due_ms": DUE_MS, "ended_ms": DUE_MS + 10_400}
    stored(run, **dead, **times, **moved)

    (said,) = lines(watch, 10_500)

    assert said.startswith(nominal(SLOT))
    assert said.split(")")[1].split() == ["12", "ms", "late"]


def test_a_run_that_waits_is_shown_once_with_what_for_and_when_it_starts() -> None:
    run, watch = listed(), Watch(since_ms=DUE_MS - 60_000)
    assert lines(watch, 100) == []
    tenant_line.join([run])
    assert ["waiting (tenant)" in said for said in lines(watch, 200)] == [True]
    assert lines(watch, 300) == []

    stored(run, status="running", attempt=1, started_ms=DUE_MS + 350)

    assert ["running" in line for line in lines(watch, 400)] == [True]


def test_what_ended_before_the_watch_began_is_no_news() -> None:
    run = listed()
    stored(run, status="succeeded", attempt=1, started_ms=DUE_MS + 12, ended_ms=DUE_MS + 20)

    assert lines(Watch(since_ms=DUE_MS + 100), 200) == []


def test_what_was_skipped_has_no_lateness() -> None:
    run, watch = listed(), Watch(since_ms=DUE_MS - 60_000)
    stored(run, status="skipped", reason="overlap", ended_ms=DUE_MS + 20)

    assert [line.endswith("skipped (overlap)") for line in lines(watch, 100)] == [True]
