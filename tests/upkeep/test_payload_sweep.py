"""The hourly sweep ends in time, goes on where it stopped, and begins again behind the last key."""

from __future__ import annotations

import pytest

from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.tasks import payloads
from onthedot.records.tasks.payloads import Away
from onthedot.upkeep import payload_sweep
from tests.simulation.calm import FREE, add, put_run, wait
from tests.simulation.stage import Stage

DAY_SEC = 86_400
NAMES = [f"tasks/sch_{letter}/1-0" for letter in "abcdefghij"]


@pytest.fixture(autouse=True)
def _bucket(stage: Stage) -> None:
    """Puts ten objects, two days old, that nothing names; a page has four."""
    for name in NAMES:
        put(stage, name)


def put(stage: Stage, name: str, age_sec: float = 2 * DAY_SEC) -> None:
    stage.world.bucket.put(name, b"{}", age_sec=age_sec)


def aside(stage: Stage) -> list[str]:
    return sorted(
        key.removeprefix("aside/") for key in stage.world.bucket.objects if "aside" in key
    )


def swept(stage: Stage, hour: int, minute: float = 7, *, work_sec: float = 10) -> int:
    """Sweeps in a process, so that calls take time; gives how many objects it put aside."""
    before, at_sec = len(aside(stage)), hour * 3_600 + minute * 60
    stage.world.spawn("audit", lambda: payload_sweep.step(work_sec), at_sec=at_sec)
    wait(stage, at_sec + 30)
    return len(aside(stage)) - before


def place(stage: Stage) -> str | None:
    key = typed_item({"task_id": "sweep", "scheduled_for": "-"})
    found = stage.world.store.get_item(TableName="runs", Key=key)
    return plain_item(found["Item"])["after"] if "Item" in found else None


@pytest.mark.parametrize("minute", [6.99, 8, 0, 59])
def test_in_no_other_minute_it_looks(stage: Stage, minute: float) -> None:
    assert swept(stage, 1, minute) == 0
    assert (aside(stage), place(stage)) == ([], None)


def test_to_the_last_second_of_its_minute_it_puts_aside_what_nothing_names(stage: Stage) -> None:
    assert swept(stage, 1, 7.99) == len(NAMES)
    assert (aside(stage), place(stage)) == (NAMES, "")


def test_what_is_left_when_its_time_is_over_waits_for_the_next_hour(stage: Stage) -> None:
    counts = [swept(stage, hour, work_sec=0.03) for hour in range(1, 6)]

    assert counts[:3] == [4, 4, 2]
    assert aside(stage) == NAMES
    # What lies aside comes first, and is looked at again.
    assert counts[3:] == [0, 0]


def test_it_goes_on_behind_the_key_that_it_came_to(stage: Stage) -> None:
    swept(stage, 1, work_sec=0.03)

    assert place(stage) == NAMES[3]
    assert aside(stage) == NAMES[:4]


def test_only_what_its_one_item_names_stays(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", name="named", **FREE)
    of_task, of_run = (
        payloads.away(payloads.of_task(task.task_id, 1), "a").key,
        payloads.away(payloads.of_run(task.task_id, "2026-11-16T12:00:00Z~m1"), "b").key,
    )
    for name in (of_task, of_run, f"aside/{of_task}x", f"aside/{of_run}x"):
        put(stage, name)
    item = task.item() | {"payload": payloads.written(Away(of_task))}
    stage.world.store.put_item(TableName="tasks", Item=typed_item(item))
    row = {"task_id": task.task_id, "scheduled_for": "2026-11-16T12:00:00Z~m1^payload"}
    put_run(stage, row | {"payload": payloads.written(Away(of_run))})

    assert swept(stage, 1) == len(NAMES)
    assert {of_task, of_run} <= set(stage.world.bucket.objects)
    assert {f"{of_task}x", f"{of_run}x"} <= set(aside(stage))


@pytest.mark.parametrize(("older_sec", "moved"), [(-5, 0), (5, 1)])
def test_what_is_a_day_old_is_old(stage: Stage, older_sec: float, moved: int) -> None:
    put(stage, "tasks/sch_young/1-0", DAY_SEC - 3_600 - 7 * 60 + older_sec)

    assert swept(stage, 1) == len(NAMES) + moved
