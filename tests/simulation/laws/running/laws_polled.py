"""Laws of executions that are asked again: looked at until they end, and never two at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from tests.simulation.laws.running.laws_words import disturbed
from tests.simulation.machine.journal import Journal
from tests.simulation.outside.outside import Execution
from tests.simulation.stage import Stage

_LEAST_MS, _MOST_MS = 3_000, 300_000
# A quarter of its age, as a whole second, and a poll of the queue.
_CALM_MS = 2_000
_SECOND_MS = 1_500
_SENT_AGAIN_MS = 970_000
_OPEN = ("running", "awaiting")


def looked_at(stage: Stage, journal: Journal) -> Iterator[str]:
    """As long as a run waits for it: soon at first, then more and more rarely."""
    slack_ms = _SENT_AGAIN_MS if disturbed(stage) else _CALM_MS
    for execution in _awaited(stage):
        since_ms, until_ms = _wait_of(journal, execution)
        looks = [at for at in execution.looks_ms if since_ms <= at <= until_ms]
        for before, after in pairwise([since_ms, *looks, until_ms]):
            age_ms = before - execution.began_ms
            wait_ms = min(_MOST_MS, max(_LEAST_MS, age_ms / 4)) + slack_ms
            if after - before > wait_ms:
                seconds = (after - before) / 1000
                yield f"not looked at: {execution.arn} for {seconds:.1f} s"
        if not disturbed(stage):
            yield from _too_often(stage, execution, [since_ms, *looks])


def _too_often(stage: Stage, execution: Execution, looks: list[float]) -> Iterator[str]:
    """Nor sooner, unless somebody asked for its end, or its time is up."""
    task = stage.task_of(execution.run_id)
    asked_ms = [act.began_ms for act in stage.acts if act.task_id == task.task_id]
    for before, after in pairwise(looks):
        age_ms = before - execution.began_ms
        left_ms = task.timeout_sec * 1000 - age_ms
        least_ms = min(max(_LEAST_MS, age_ms / 4), left_ms) - _SECOND_MS
        ended = execution.status_at(after) != "RUNNING"
        if after - before < least_ms and not ended and not any(one < after for one in asked_ms):
            yield f"looked at too often: {execution.arn}, after {(after - before) / 1000:.1f} s"


def beside_none(stage: Stage) -> Iterator[str]:
    """Checks that where no worker stood still, a run has never two executions under way."""
    if stage.world.profile.stall_before or stage.world.profile.stall_after:
        return
    of_run: dict[str, list[Execution]] = defaultdict(list)
    for execution in _awaited(stage):
        of_run[execution.run_id].append(execution)
    for run_id, executions in of_run.items():
        for one, other in pairwise(sorted(executions, key=lambda each: each.began_ms)):
            if one.over_ms() > other.began_ms:
                yield f"two at once: {run_id} has executions {one.attempt} and {other.attempt}"


def left_none(stage: Stage) -> Iterator[str]:
    """Checks that none goes on for long after its run is over."""
    now_ms = stage.world.epoch_us() / 1000
    slack_ms = _SENT_AGAIN_MS if disturbed(stage) else _CALM_MS
    for execution in _awaited(stage):
        run = stage.rows().get(execution.run_id)
        if run is None or not run.final:
            continue
        until_ms = min(now_ms, run.life.its_end.ended_ms + slack_ms)
        if execution.over_ms() > until_ms:
            yield f"left running: {execution.arn}, its run is {run.life.status}"


def _awaited(stage: Stage) -> list[Execution]:
    """Returns those that a run waits for."""
    return [
        execution
        for execution in stage.outside.executions.values()
        if stage.task_of(execution.run_id).target.get("wait")
    ]


def _wait_of(journal: Journal, execution: Execution) -> tuple[float, float]:
    """Returns from when to when a run waited for it, the last time."""
    since_ms, until_ms = 0.0, 0.0
    for change in journal.changes:
        if change.run_id != execution.run_id:
            continue
        life = change.after.life if change.after else {}
        waits = change.after is not None and change.after.status == "awaiting"
        if waits and life["waits_on"]["S"] == execution.arn:
            since_ms, until_ms = since_ms or change.at_ms, float("inf")
        elif until_ms == float("inf"):
            until_ms = change.at_ms
    return since_ms, min(until_ms, max(execution.looks_ms, default=since_ms))
