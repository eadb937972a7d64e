"""A start is written down while its run is held: what it says of time is put in as it is sent."""

from __future__ import annotations

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_writes import started
from tests.schedule.samples import NOON_MS, run
from tests.simulation.calm import NOON, add, go, runs
from tests.simulation.stage import Stage


def test_a_start_sent_late_says_so() -> None:
    begun = started(run(), owner="W", msg="m", now_ms=NOON_MS, lease_ms=NOON_MS + 20_000)
    write = run_writes.start(run(), begun, now_ms=NOON_MS)

    sent = run_writes.at(write, NOON_MS + 250, NOON_MS + 20_250)

    ((_, life),) = sent.sets
    assert (life["started_ms"], life["lease_ms"]) == (NOON_MS + 250, NOON_MS + 20_250)
    assert [clause.value for clause in sent.clauses if clause.operator == "<="] == [NOON_MS + 250]
    assert life | {"started_ms": 0, "lease_ms": 0} == begun.life.stored() | {
        "started_ms": 0,
        "lease_ms": 0,
    }


def test_the_row_and_the_call_of_the_target_have_the_time_of_the_start(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)

    first = runs(stage, task)[0]
    assert 0 <= first.life.its_attempt.started_ms - (NOON + 60) * 1000 < 100
    assert stage.deliveries[0].at_ms >= first.life.its_attempt.started_ms
