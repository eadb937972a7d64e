"""Every five minutes the index itself is asked what should have fired half a minute ago."""

from __future__ import annotations

import pytest

from onthedot.records import keys
from onthedot.schedule.time.instants import nominal
from onthedot.upkeep import unfired_tasks
from onthedot.upkeep.unfired_tasks import not_fired
from tests.simulation.calm import NOON, add, spoil, wait
from tests.simulation.stage import Stage


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "SHARDS", 2)
    monkeypatch.setattr(unfired_tasks, "SHARDS", 2)


@pytest.mark.parametrize(
    ("minute", "asked"), [(0, True), (1, False), (4, False), (5, True), (6, False), (10, True)]
)
def test_it_is_asked_every_five_minutes(stage: Stage, minute: int, *, asked: bool) -> None:
    wait(stage, minute * 60 + 59)

    assert not_fired() == ({"not_fired": 0} if asked else {})


def test_what_is_late_is_counted_in_every_shard(stage: Stage) -> None:
    tasks = [add(stage, "0 0 1 1 *", name=name) for name in "abcdefgh"]
    assert {keys.shard_of(task.task_id) for task in tasks} == {0, 1}
    for task, ago in zip(tasks, (0, 89, 90, 91, 120, 600, 86_400, -60), strict=True):
        spoil(stage, task, "cursor", next_run_at=nominal(NOON - ago))

    assert not_fired() == {"not_fired": 5}
