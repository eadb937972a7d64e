"""Suspects wait for those beside them, and nobody waits for a suspect for long."""

from __future__ import annotations

from typing import Any

from onthedot.records.runs.message_pack import Ticket
from onthedot.work import target_call, worker
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job
from tests.schedule.samples import NOON_MS, SLOT, run, task
from tests.simulation.stage import Stage

_LOST_LIFE: dict[str, Any] = {
    "status": "retrying",
    "attempts": ({"attempt": 1, "worker": "W", "outcome": "lost"},),
}


def job(*, lost: bool = False, wake_ms: int = 0, **life: Any) -> Job:  # noqa: ANN401 any field
    """Returns a job of a run that is due at noon, which is now."""
    made = run(**life, **(_LOST_LIFE if lost else {}))
    return Job(
        ticket=Ticket(f"{SLOT}", 1, 1),
        hint=Hint(attempt=1, receives=1, message_id="m", why="start"),
        run=made,
        task=task(target={"type": "recording"}),
        wake_ms=wake_ms,
    )


def test_trusted_runs_start_together_and_before_any_suspect(stage: Stage) -> None:
    assert stage.world.now_us == 0
    one, other, suspect = job(), job(), job(lost=True)
    later = job(wake_ms=NOON_MS + 1)

    assert worker.startable([suspect, one, later, other], []) == [one, other]
    assert worker.startable([suspect, later], []) == []
    assert worker.startable([suspect], [one]) == []
    assert worker.startable([suspect, job(lost=True)], []) == [suspect]


def test_who_is_due_is_shut_out_after_a_second_or_at_once_by_a_suspect(stage: Stage) -> None:
    waiting, later = job(), job(wake_ms=NOON_MS + 5_000)

    assert worker.shut_out([waiting, later], [job(lost=True)], NOON_MS) == [waiting]
    assert worker.shut_out([waiting, later], [job()], NOON_MS) == []
    assert worker.shut_out([waiting, later], [job()], NOON_MS - 1_000) == [waiting]
    assert worker.moment_ms(waiting, NOON_MS) == NOON_MS + 1_000
    assert worker.moment_ms(later, NOON_MS) == NOON_MS + 5_000
    assert stage.deliveries == []


def test_a_target_is_not_called_with_less_than_two_seconds_of_a_lease(stage: Stage) -> None:
    short = job(status="running", attempt=1, lease_ms=NOON_MS + 1_999, started_ms=NOON_MS)
    enough = job(status="running", attempt=1, lease_ms=NOON_MS + 2_000, started_ms=NOON_MS)
    pulled = job(status="running", attempt=1, lease_ms=NOON_MS + 2_000, started_ms=NOON_MS)
    pulled.task = task(target={"type": "pull", "queue": "q"})

    begun: list[bool] = []
    stage.world.spawn("work", lambda: begun.extend(map(target_call.begin, (short, enough, pulled))))
    stage.world.run(2)

    assert begun == [False, True, True]
    assert [each.part is not None for each in (short, enough, pulled)] == [False, True, False]
    assert [each.under_way for each in (short, enough)] == [False, True]


def test_a_suspect_waits_a_second_for_one_that_is_due_soon_where_nothing_runs(
    stage: Stage,
) -> None:
    suspect, soon = job(lost=True), job(wake_ms=NOON_MS + 300)

    assert worker.shut_out([suspect, soon], [], NOON_MS) == [], stage
    assert worker.shut_out([suspect, soon], [], NOON_MS - 1_000) == [suspect]
