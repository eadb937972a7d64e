"""An edit as steps: what is written with it, which version it makes, what is done behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Delete, Insert, Part, Update
from onthedot.records.tasks import pause_ends, task_cursor
from onthedot.records.tasks.task_items import Known, cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.definition import schedule
from onthedot.registry.edit import asked_for, end_of_pause, foreseen
from onthedot.registry.edit_writes import Recount, Signed, Step, beside, writes

NOON = 1_795_003_200
FIELDS = {"name": "report", "cron": "*/5 * * * *", "target": {"type": "recording"}}
BY = By(tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON * 1000, chance="0" * 16)
CHANGED = Signed(BY, "schedule.changed")


def task() -> Task:
    made = schedule(FIELDS, task_id="sch_A", tenant_id="acme")
    return replace(made, effective_from=NOON)


def known(seen: Task) -> Known:
    item = cursor(seen, first_due(seen))
    return Known(seen, task_cursor.parse(item), "due_shard" in item)


def step(seen: Task, wanted: Task, signed: Signed | None = CHANGED) -> Step:
    made = asked_for(known(seen), wanted, NOON + 60, signed)
    assert made is not None
    return made


def told(parts: list[Part]) -> list[str]:
    return sorted(
        str(part.item.get("part") or part.item.get("what") or part.item["task_id"])
        if isinstance(part, Insert)
        else f"without {dict(part.key)['task_id']}"
        for part in parts
        if isinstance(part, Insert | Delete)
    )


def faster(seen: Task) -> Task:
    return lifecycle.redefined(seen, NOON + 60, FIELDS | {"cron": "* * * * *"})


def test_every_change_is_the_next_version_and_what_is_so_already_is_none() -> None:
    seen = replace(task(), version=7)

    assert step(seen, replace(seen, priority=1)).wanted.version == 8
    again = step(seen, replace(seen, effective_from=NOON + 60))
    assert (again.written, again.wanted) == (True, seen)


def test_nothing_revives_what_has_ended() -> None:
    ended = lifecycle.ended(task(), NOON)

    assert asked_for(known(ended), replace(ended, status="active"), NOON, CHANGED) is None
    assert step(ended, lifecycle.ended(ended, NOON + 60)).written


def test_a_change_beside_the_schedule_leaves_the_cursor_and_what_is_claimed() -> None:
    seen = task()
    made = step(seen, replace(seen, payload={"other": 1}))

    assert (made.moves, made.sent_from, made.next_due) == (False, None, NOON + 300)
    # What runs were given until then stays.
    assert told(beside(made)) == ["schedule.changed", "spec#0000000001"]
    assert told(beside(step(seen, replace(seen, queue_max=7)))) == ["schedule.changed"]


def test_another_schedule_moves_the_cursor_and_keeps_the_former_one() -> None:
    seen = task()
    made = step(seen, faster(seen))

    # What was claimed from where the cursor stood may have lost its dispatcher.
    assert (made.moves, made.sent_from, made.next_due) == (True, NOON + 300, NOON + 120)
    assert told(beside(made)) == ["rev#000001", "schedule.changed"]


def test_the_system_keeps_the_former_schedule_too_and_tells_nobody() -> None:
    seen = task()

    assert told(beside(step(seen, faster(seen), None))) == ["rev#000001"]


@pytest.mark.parametrize("field", [{"overlap": "queue"}, {"overlap": "allow"}, {"queue_max": 5}])
def test_another_crowd_lets_every_claimed_run_ask_again(field: dict[str, Any]) -> None:
    seen = task()

    assert step(seen, replace(seen, **field)).sent_from == 0


def test_what_an_earlier_try_wrote_is_sent_and_dispatched_all_over() -> None:
    seen = task()
    made = step(seen, seen)

    assert (made.sent_from, made.next_due, beside(made)) == (0, NOON + 300, [])


def test_a_pause_that_is_over_is_a_step_as_of_its_end() -> None:
    stopped = lifecycle.paused(task(), NOON, pause_ends.why(NOON, "key_1", None, NOON + 30))

    assert end_of_pause(known(stopped), NOON + 28) is None
    made = end_of_pause(known(stopped), NOON + 900)

    assert made is not None
    assert (made.at, made.wanted.effective_from) == (NOON + 29, NOON + 29)
    assert (made.wanted.version, made.wanted.schedule_version) == (2, 2)
    assert (made.by_itself, told(beside(made))) == (True, ["rev#000001"])


def test_a_pause_with_an_end_is_listed_and_a_delete_frees_the_name() -> None:
    seen = task()
    stopped = lifecycle.paused(seen, NOON, pause_ends.why(NOON, "key_1", None, NOON + 30))

    assert told(beside(step(seen, stopped))) == [pause_ends.OPEN, "schedule.changed"]
    assert told(beside(step(seen, lifecycle.ended(seen, NOON)))) == [
        "schedule.changed",
        "without name#acme#report",
    ]


def test_another_name_is_taken_and_the_former_one_is_free() -> None:
    seen = task()
    parts = beside(step(seen, replace(seen, name="other")))

    assert told(parts) == ["name", "schedule.changed", "without name#acme#report"]


def test_a_preview_of_another_schedule_shows_when_that_fires_next() -> None:
    seen = task()

    after = foreseen(known(seen), faster(seen), NOON + 60)

    assert (first_due(seen), after.due.next_run_at) == (NOON + 300, NOON + 120)


@pytest.mark.parametrize(("most", "fires"), [(5, True), (4, False), (3, False)])
def test_a_bound_that_has_been_reached_takes_the_cursor_out_of_the_index(
    most: int, *, fires: bool
) -> None:
    """Four of five runs have been claimed."""
    seen = replace(task(), max_runs=5)
    at_hand = known(seen)
    at_hand = replace(at_hand, due=replace(at_hand.due, runs_left=1))
    made = asked_for(at_hand, replace(faster(seen), max_runs=most), NOON + 60, CHANGED)
    assert made is not None

    part = _cursor_of(made)

    assert ("due_shard" in part) == fires
    assert part["runs_left"] == most - 4


def test_a_pause_leaves_the_cursor_where_it_stood() -> None:
    seen = task()
    part = _cursor_of(step(seen, lifecycle.paused(seen, NOON + 60, {})))

    assert "next_run_at" not in part
    assert "due_shard" not in part


def _cursor_of(made: Step) -> dict[str, Any]:
    """Returns what the step writes into the task's cursor."""
    written = writes(made, Recount(), payload=None, now=NOON + 60)
    assert isinstance(written[1], Update)
    return dict(written[1].sets)
