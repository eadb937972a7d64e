"""What a user's write makes of a task, for each state that it may find it in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.access.audit_trail import By
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_items import HISTORY_SEC
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.definition import schedule
from onthedot.schedule.blackouts import Blackout, blackout
from onthedot.schedule.schedule import compile_schedule, pack
from tests.schedule.samples import NOON, NOON_MS

FIELDS: dict[str, Any] = {"name": "report", "cron": "* * * * *", "target": {"type": "recording"}}
BY = By(tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON_MS + 250, chance="0")
AT = "2026-11-18T12:00:00.250Z"
LUNCH = (blackout("lunch", cron="* 12 * * *"),)
OVER = pack(compile_schedule("* * * * *", end_at=NOON - 60))
WHY = pause_ends.why(NOON, "key_1", "a fire", None)
LATER = NOON + 100


def task(**given: Any) -> Task:  # noqa: ANN401 any field
    made = schedule(FIELDS, task_id="sch_A", tenant_id="acme")
    return replace(made, **({"effective_from": NOON} | given))


def stopped(**said: Any) -> Task:  # noqa: ANN401 any field
    return lifecycle.paused(task(), NOON, WHY | said)


def version(seen: Task) -> tuple[str, int, int]:
    return seen.status, seen.schedule_version, seen.effective_from


@pytest.mark.parametrize(("task_id", "kind"), [("sch_A", "s"), ("tsk_A", "t")])
def test_a_new_one_says_who_made_it_when_and_stands_on_its_list(task_id: str, kind: str) -> None:
    made = lifecycle.stamped(task(task_id=task_id), BY)

    assert made.status == "active"
    assert (
        made.shown.items()
        >= {
            "listed": f"acme#{kind}",
            "created_at": AT,
            "created_by": "key_1",
            "updated_at": AT,
            "updated_by": "key_1",
        }.items()
    )


def test_one_that_is_born_paused_says_since_when_and_by_whom() -> None:
    made = lifecycle.stamped(task(status="paused"), BY)

    assert (made.status, made.paused_at) == ("paused", NOON)
    assert made.shown["paused"] == pause_ends.why(NOON, "key_1")
    assert made.shown["created_by"] == "key_1"


def test_slots_count_from_its_birth_unless_it_says_since_when() -> None:
    assert lifecycle.born(task(effective_from=0), LATER) == task(effective_from=LATER)
    assert lifecycle.born(task(effective_from=NOON), LATER) == task()


def test_a_schedule_without_any_slot_is_completed_at_once() -> None:
    assert lifecycle.born(task(compiled=OVER), LATER).status == "completed"
    # A pause says more, and what runs once has its own end.
    assert lifecycle.born(task(compiled=OVER, status="paused"), LATER).status == "paused"
    assert lifecycle.born(task(compiled=OVER, task_id="tsk_A"), LATER).status == "active"


def test_other_fields_leave_the_schedule_as_it_is_and_what_stands_beside_them() -> None:
    beside = {"listed": "acme#s", "created_at": AT, "created_by": "key_9", "paused": WHY}
    seen = task(version=4, schedule_version=3, status="paused", paused_at=NOON, shown=beside)
    made = lifecycle.redefined(seen, LATER, FIELDS | {"priority": 1})

    assert (made.priority, made.version, made.paused_at) == (1, 4, NOON)
    assert version(made) == ("paused", 3, NOON)
    assert made.shown.items() >= beside.items()
    assert "updated_at" not in made.shown


@pytest.mark.parametrize(
    ("fields", "blackouts"), [(FIELDS | {"cron": "5 * * * *"}, ()), (FIELDS, LUNCH)]
)
def test_another_expression_or_calendar_is_another_schedule_from_now_on(
    fields: dict[str, Any], blackouts: tuple[Blackout, ...]
) -> None:
    made = lifecycle.redefined(task(), LATER, fields, blackouts)

    assert version(made) == ("active", 2, LATER)


def test_one_that_was_set_aside_goes_on_from_now() -> None:
    made = lifecycle.redefined(task(status="invalid"), LATER, FIELDS)

    assert version(made) == ("active", 2, LATER)


@pytest.mark.parametrize(
    ("left", "status"), [(None, "active"), (1, "active"), (0, "completed"), (-2, "completed")]
)
def test_a_completed_one_goes_on_if_the_edit_leaves_it_runs(left: int | None, status: str) -> None:
    before = task(status="completed")
    wanted = replace(lifecycle.restarted(before, LATER), max_runs=5)

    made = lifecycle.reopened(before, wanted, left, LATER, indexed=False)

    assert made.status == status


def test_a_completed_one_stays_so_where_its_schedule_stays_or_has_no_slot() -> None:
    before = task(status="completed")
    over = lifecycle.restarted(replace(before, compiled=OVER), LATER)

    assert lifecycle.reopened(before, before, None, LATER, indexed=False) == before
    assert lifecycle.reopened(before, over, None, LATER, indexed=False).status == "completed"


def test_more_runs_start_one_again_whose_cursor_is_in_no_index() -> None:
    before = task(max_runs=3)
    wanted = replace(before, max_runs=9)

    out = lifecycle.reopened(before, wanted, 6, LATER, indexed=False)
    within = lifecycle.reopened(before, wanted, 6, LATER, indexed=True)
    as_many = lifecycle.reopened(before, before, 3, LATER, indexed=False)

    assert version(out) == ("active", 2, LATER)
    assert version(within) == version(as_many) == ("active", 1, NOON)


@pytest.mark.parametrize(("before", "after"), [("paused", "active"), ("active", "paused")])
def test_a_pause_is_never_reopened(before: str, after: str) -> None:
    seen = task(status=before, max_runs=3)
    wanted = replace(seen, status=after, max_runs=9)

    assert lifecycle.reopened(seen, wanted, 6, LATER, indexed=False) == wanted


def test_a_calendar_that_closes_otherwise_is_another_schedule() -> None:
    closed = lifecycle.reclosed(task(), LATER, LUNCH)

    assert (version(closed), closed.blackouts) == (("active", 2, LATER), LUNCH)
    assert lifecycle.reclosed(closed, LATER + 9, LUNCH) == closed


def test_a_pause_says_since_when_and_why() -> None:
    made = lifecycle.paused_by(task(), NOON + 5, key_id="key_2", reason="a flood", until=LATER)

    assert (made.status, made.paused_at) == ("paused", NOON + 5)
    assert made.shown["paused"] == pause_ends.why(NOON + 5, "key_2", "a flood", LATER)


def test_what_is_paused_already_takes_another_reason_or_end_and_keeps_when_it_began() -> None:
    again = pause_ends.why(LATER, "key_2", "a flood", None)
    longer = pause_ends.why(LATER, "key_2", None, LATER + 60)

    assert lifecycle.paused(stopped(), LATER, again).shown["paused"] == again | {"at": WHY["at"]}
    kept = lifecycle.paused(stopped(), LATER, longer)
    assert kept.shown["paused"] == longer | {"at": WHY["at"], "reason": "a fire"}
    assert kept.paused_at == NOON


@pytest.mark.parametrize("reason", ["a fire", None])
def test_the_same_pause_again_changes_nothing_unless_the_system_had_paused_it(
    reason: str | None,
) -> None:
    again = pause_ends.why(LATER, "key_2", reason, None)

    assert lifecycle.paused(stopped(), LATER, again) == stopped()
    by_system = stopped(by=pause_ends.SYSTEM)
    assert lifecycle.paused(by_system, LATER, again).shown["paused"]["by"] == "key_2"


@pytest.mark.parametrize("status", ["active", "completed"])
def test_what_is_not_paused_goes_on_already(status: str) -> None:
    assert lifecycle.resumed(task(status=status), LATER) == task(status=status)


def test_a_resume_starts_from_now_and_forgets_why_it_was_paused() -> None:
    made = lifecycle.resumed(stopped(), LATER)

    assert version(made) == ("active", 2, LATER)
    assert made.shown == task().shown


@pytest.mark.parametrize(
    ("at", "since"), [(LATER, LATER), (NOON - 60, NOON + 7), (NOON + 6, NOON + 7)]
)
def test_a_pause_that_ends_by_itself_ends_no_sooner_than_it_began(at: int, since: int) -> None:
    until = pause_ends.why(NOON, "key_1", None, LATER + 1)
    seen = replace(lifecycle.paused(task(), NOON + 7, until), effective_from=NOON + 3)
    made = lifecycle.resumed_by_itself(seen, at)

    assert version(made) == ("active", 2, since)
    assert made.shown == {**task().shown, "pause_ended": until["until"]}


def test_what_is_deleted_is_on_no_list_and_stays_as_long_as_its_history() -> None:
    seen = task(shown={"listed": "acme#s", "cron": "* * * * *"})
    made = lifecycle.ended(seen, NOON)

    assert made.status == "deleted"
    assert made.shown == {"cron": "* * * * *", "expires_at": NOON + HISTORY_SEC}
    assert lifecycle.ended(made, LATER) == made


def test_a_change_says_who_made_it_and_no_change_says_nothing() -> None:
    seen = task()
    made = lifecycle.touched(seen, replace(seen, priority=1), BY)

    assert (made.priority, made.shown["updated_at"], made.shown["updated_by"]) == (1, AT, "key_1")
    assert lifecycle.touched(seen, task(), BY) is seen


def test_a_one_off_task_is_taken_back_or_moved_with_its_times() -> None:
    once = task(task_id="tsk_A", shown={"start_at": "a", "expires_at": 1, "tags": {}})
    other = replace(
        once, compiled=OVER, effective_from=LATER, shown={"start_at": "b", "expires_at": 2}
    )
    made = lifecycle.moved(once, other)

    assert lifecycle.cancelled(once) == replace(once, status="cancelled")
    assert (version(made), made.compiled) == (("active", 2, LATER), OVER)
    assert made.shown == {"start_at": "b", "expires_at": 2, "tags": {}}
    assert lifecycle.moved(once, replace(other, compiled=once.compiled)) == once
