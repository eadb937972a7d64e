"""A worker whose run was taken over: its settle changes nothing, and is on record."""

from __future__ import annotations

from onthedot.records.runs.stale_settles import note
from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call
from tests.schedule.samples import NOON_MS
from tests.schedule.samples import run as made
from tests.simulation.calm import add, go, runs, said, wait
from tests.simulation.stage import Stage


def test_a_settle_that_comes_too_late_is_recorded_and_changes_nothing(stage: Stage) -> None:
    task = add(stage, "0 13 * * *")

    def answer(call: Call) -> Answer:
        if call.attempt == 1:
            _taken_over(stage)
        return Done(call.attempt)

    stage.answer = answer
    go(stage, 3_605)
    (seen,) = runs(stage, task)
    assert (said(seen), seen.life.starts) == ("running", 2)
    (record,) = seen.stale
    assert (record["attempt"], record["outcome"]) == (1, "stale")
    wait(stage, 4_200)

    (ended,) = runs(stage, task)
    assert (said(ended), ended.life.its_end.result) == ("succeeded", 3)
    assert [*ended.stale] == [record]


def test_a_record_is_of_the_attempt_that_came_and_names_the_one_that_has_the_run() -> None:
    before = made(attempt=2).life.its_attempt
    write = note(made(status="running", attempt=3), before, now_ms=NOON_MS)

    ((name, (record,)),) = write.sets
    assert (name, record["attempt"]) == ("stale", 2)
    assert [clause.value for clause in write.clauses] == [3]


def _taken_over(stage: Stage) -> None:
    """Writes what another worker's takeover leaves, as a stall would allow it."""
    (run,) = stage.rows().values()
    stage.world.store.update_item(
        TableName="runs",
        Key={"task_id": {"S": run.task_id}, "scheduled_for": {"S": run.key}},
        UpdateExpression="SET life.#o = :o, life.attempt = :a",
        ExpressionAttributeNames={"#o": "owner"},
        ExpressionAttributeValues={":o": {"S": "ANOTHER"}, ":a": {"N": "2"}},
    )
