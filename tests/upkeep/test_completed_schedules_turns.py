"""In which order a minute looks at schedules that have come to their end, and how many of them."""

from __future__ import annotations

import pytest

from onthedot.records.tasks import exhausted_schedules
from onthedot.store import conditional_writer
from onthedot.upkeep import completed_schedules
from tests.simulation.calm import NOON, add, go, part, partition, put_run, wait
from tests.simulation.stage import Stage


def _looked_at(stage: Stage, work_sec: float = 10) -> list[str]:
    """Returns which tasks one minute's look reads, in order."""
    before = len(stage.world.trace)
    stage.world.spawn("note", lambda: completed_schedules.note(work_sec))
    wait(stage, stage.world.now_us / 1_000_000 + 5)
    asked = [entry[3] for entry in stage.world.trace[before:] if entry[2] == "batch_get_item"]
    keys = [key for each in asked for key in each["RequestItems"]["tasks"]["Keys"]]
    return [key["task_id"]["S"][4] for key in keys if key["part"]["S"] == "spec"]


@pytest.mark.parametrize(("minute", "order"), [(0, "ABC"), (1, "CAB"), (2, "BCA"), (3, "ABC")])
def test_each_minute_begins_with_another_schedule(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, minute: int, order: str
) -> None:
    # 12:00 is the minute 29,916,720 of the epoch, which three divides.
    monkeypatch.setattr(completed_schedules, "_AT_ONCE", 2)
    for number, name in enumerate("abc"):
        conditional_writer.write_one(
            exhausted_schedules.line(add(stage, "*/5 * * * *", name=name).task_id, 1, NOON + number)
        )
    in_order = "".join(
        item["of"][4] for of in exhausted_schedules.partitions() for item in partition(stage, of)
    )
    wait(stage, minute * 60 + 1)

    names = dict(zip(in_order, "ABC", strict=True))
    assert "".join(names[each] for each in _looked_at(stage)) == order


def test_what_is_left_when_the_time_is_over_waits_for_the_next_minute(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completed_schedules, "_AT_ONCE", 1)
    for name in "abc":
        add(stage, "* * * * *", name=name, max_runs=1)
    go(stage, 90)

    found = []
    for minute in (2, 3, 4):
        wait(stage, minute * 60)
        found.append(_looked_at(stage, 0.05))

    assert 0 < len(found[0]) < len("ABC")
    assert sorted(each for names in found for each in names) == ["A", "B", "C"]


def test_one_that_cannot_be_looked_at_keeps_no_other_from_its_turn_and_is_told_of(
    stage: Stage,
) -> None:
    strange, other = (add(stage, "* * * * *", name=name, max_runs=1) for name in "ab")
    go(stage, 90)
    put_run(stage, {"task_id": strange.task_id, "scheduled_for": "strange"})

    with pytest.raises(ValueError, match="strange"):
        completed_schedules.note()

    states = [part(stage, task, "spec")["status"] for task in (strange, other)]
    assert states == ["active", "completed"]
