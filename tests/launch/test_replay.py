"""A replay with a key of its own makes one run, even if several callers ask for it."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.launch.replay import Wish, replay
from onthedot.records.keys import moment_key
from onthedot.records.runs import run_writes
from tests.schedule.samples import run
from tests.simulation.calm import NOON, add, put_run, runs, said, wait
from tests.simulation.stage import Stage


def test_two_at_once_by_one_key_run_it_once(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    died = run(task_id=task.task_id, status="dead", attempt=1, reason="permanent")
    put_run(stage, dict(run_writes.insert(died, now_ms=NOON * 1000).item))
    wish = Wish(by="key_1", key=moment_key(NOON * 1000, "r", "0" * 10), payload={"n": 1})

    both = [stage.world.spawn("step", lambda: replay(died.run_id, wish)) for _ in range(2)]
    wait(stage, 30)

    (again,) = (one for one in runs(stage, task) if one.replay_of == died.run_id)
    assert [one.result.run_id for one in both] == [again.run_id] * 2
    assert (said(again), again.life.starts) == ("succeeded", 1)


@pytest.mark.parametrize(
    ("target", "timeout_sec"),
    [
        ({"type": "http", "url": "http://10.0.0.1/"}, 60),
        ({"type": "http", "url": "https://example.com", "headers": {"x-api-key": "plain"}}, 60),
        ({"type": "http", "url": "https://example.com"}, 86_400),
        ({"type": "sqs", "queue_url": "https://sqs.us-east-1.amazonaws.com/0/normal"}, 60),
    ],
)
def test_a_target_that_nobody_may_register_now_is_not_called_again(
    stage: Stage, target: dict[str, Any], timeout_sec: int
) -> None:
    task = add(stage, "0 0 * * *", target=target, timeout_sec=timeout_sec)
    died = run(task_id=task.task_id, status="dead", attempt=1, reason="permanent")
    put_run(stage, dict(run_writes.insert(died, now_ms=NOON * 1000).item))

    assert replay(died.run_id) is None
    assert [one.run_id for one in runs(stage, task)] == [died.run_id]
