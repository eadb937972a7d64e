"""A note of the audit and an edit at the same moment: the schedule fires what it was given."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.tasks import exhausted_schedules, task_cursor, task_spec
from onthedot.records.tasks.task_items import cursor as cursor_of
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.edit import _count_again, edit
from onthedot.store import conditional_writer, table_reads
from onthedot.upkeep import completed_schedules
from tests.engines.place import at_once, cursor
from tests.engines.tasks import daily, last_minute

ROUNDS = 12
_HOURS_SEC = 6 * 3_600


def used_up(number: int) -> Task:
    """Returns a schedule of one run that has had it; its next slot is hours away."""
    task = daily(number, last_minute() + _HOURS_SEC, max_runs=1)
    table_reads.put("tasks", task.item())
    table_reads.put("tasks", cursor_of(task, None) | {"runs_left": 0})
    conditional_writer.write_one(
        exhausted_schedules.line(task.task_id, task.version, last_minute())
    )
    return task


def status(task: Task) -> str:
    item = table_reads.get("tasks", task_spec.spec_key(task.task_id))
    assert item is not None
    return str(item["status"])


@pytest.mark.usefixtures("place")
def test_a_schedule_that_is_given_more_while_it_is_noted_is_active_and_in_the_index() -> None:
    for number in range(ROUNDS):
        task = used_up(number)

        def either(place: int, task: Task = task) -> object:
            if place:
                return completed_schedules.note()
            return edit(task.task_id, lambda seen, _: replace(seen, max_runs=2))

        at_once(2, either)

        assert status(task) == "active"
        assert cursor(task.task_id)["runs_left"] == 1
        assert "due_shard" in cursor(task.task_id)


@pytest.mark.usefixtures("place")
def test_a_place_given_back_while_it_is_noted_makes_it_active_and_due() -> None:
    for number in range(ROUNDS):
        task = used_up(number)

        def either(place: int, task: Task = task) -> object:
            if place:
                return completed_schedules.note()
            _count_again(task, 0, 1)
            return None

        at_once(2, either)

        assert status(task) == "active"
        assert "due_shard" in cursor(task.task_id)


@pytest.mark.usefixtures("place")
def test_of_many_audits_one_notes_it_and_the_version_stays() -> None:
    task = used_up(1)

    noted = at_once(6, lambda _: completed_schedules.note()["completed"])

    assert sum(noted) == 1
    assert status(task) == "completed"
    seen = table_reads.get("tasks", task_spec.spec_key(task.task_id))
    assert seen is not None
    assert seen["version"] == task.version


@pytest.mark.usefixtures("place")
def test_a_dispatchers_write_lists_a_schedule_once_however_often_it_is_made() -> None:
    task = used_up(1)
    key = tuple(task_spec.cursor_key(task.task_id).items())
    clause = exhausted_schedules.note(task, task_cursor.parse(cursor(task.task_id)))[1].clauses
    leaving = Update("tasks", key, (), clause, removes=("due_shard",))

    lines = exhausted_schedules.lines([leaving], last_minute() + 60)
    outcomes = [conditional_writer.surely(lines)[0] for _ in range(2)]

    assert outcomes == [Outcome.DONE, Outcome.REFUSED]
