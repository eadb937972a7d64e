"""Hostile messages of each form, 15 times: no run of another tenant is late for them, or lost.

Schedules fire each second before, under and after the attacks; real worker processes run them.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from onthedot.launch.trigger import trigger
from onthedot.records.keys import run_id
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws
from tests.engines.crew import working
from tests.engines.hands import write_jobs
from tests.engines.hostile import EACH, TEXTS, Victims, kept, send
from tests.engines.place import Place, put, rows
from tests.engines.tasks import create, task

# A worker holds its batch until the second at which the runs are due.
WORKERS, BURIERS = 7, 1
SCHEDULES = 3
AHEAD_SEC = 4
# The first starts are those of cold processes.
WARM_SEC = 3
STRETCH_SEC = 7
STRETCHES = ("before", "normal", "dead", "after")
SLOTS = WARM_SEC + STRETCH_SEC * len(STRETCHES)
# Beyond the same schedules without a hostile message about.
LATE_MS_MAX = 1_000
# A message about a run that is under way comes back after its lease.
PATIENCE_SEC = 45
SEED = 1
HANDLERS = """
@app.job()
def quick(ctx):
    return ctx.attempt
"""


@dataclass(frozen=True, slots=True)
class Attack:
    """What an attacker may know of another tenant: its schedules, and a run that is over."""

    schedules: Sequence[Task]
    last: str
    over: str
    pulled: str

    def on(self, queue: str, until: float) -> None:
        """Sends each form once a volley; the forged ones name what is due at the next second."""
        chance = Random(SEED)
        began = time.time()
        for number in range(1, EACH + 1):
            near = run_id(chance.choice(self.schedules).task_id, nominal(int(time.time()) + 1))
            forged = Victims(near, self.last, self.over, self.pulled).forged()
            bodies = [*TEXTS.values(), *forged.values()]
            send(aws.client("sqs"), aws.queue_url(queue), bodies, chance)
            _sleep_until(began + (until - began) * number / EACH)


def test_no_run_of_another_tenant_is_late_or_lost_for_hostile_messages(
    quick_place: Place, tmp_path: Path
) -> None:
    write_jobs(tmp_path, HANDLERS)
    with ExitStack() as crews:
        crews.enter_context(working(quick_place, tmp_path, WORKERS))
        crews.enter_context(working(quick_place, tmp_path, BURIERS, "dead"))
        begin = int(time.time()) + AHEAD_SEC
        schedules = [_each_second(number, begin) for number in range(SCHEDULES)]
        yearly = replace(task(9, "0 0 1 1 *"), target={"type": "pull", "queue": "gpu"})
        waiting = trigger(put(yearly).task_id)
        assert waiting is not None
        first = schedules[0].task_id
        attack = Attack(
            schedules,
            last=run_id(first, nominal(begin + SLOTS - 1)),
            over=run_id(first, nominal(begin)),
            pulled=waiting.run_id,
        )
        for place, stretch in enumerate(STRETCHES):
            _sleep_until(begin + WARM_SEC + STRETCH_SEC * place)
            if stretch in {"normal", "dead"}:
                # The forged messages of a stretch are about its own runs.
                attack.on(stretch, begin + WARM_SEC + STRETCH_SEC * (place + 1) - 1)
        runs = _succeeded(schedules, begin + SLOTS + PATIENCE_SEC)
        _emptied()

    late = _worst(runs, begin + WARM_SEC)
    print(f"late at most, ms: {late}")
    control = max(late["before"], late["after"])
    assert late["normal"] <= control + LATE_MS_MAX
    assert late["dead"] <= control + LATE_MS_MAX
    (row,) = rows(yearly.task_id).values()
    assert (row.life.status, row.life.starts) == ("claimed", 0)


def _each_second(number: int, begin: int) -> Task:
    plain = task(number, "* * * * * *", begin + SLOTS - 1, effective_from=begin - 1)
    quick = {"type": "python", "handler": "quick"}
    return create(replace(plain, target=quick, overlap="allow", max_concurrent=None))


def _succeeded(schedules: Sequence[Task], deadline: float) -> list[Run]:
    """Returns all runs; none is lost, and none starts before its time or twice."""
    while True:
        runs = [run for each in schedules for run in rows(each.task_id).values()]
        left = [run for run in runs if run.life.status != "succeeded"]
        if not left:
            break
        assert time.time() < deadline, left
        time.sleep(0.5)
    assert len(runs) == SCHEDULES * SLOTS
    assert {run.life.starts for run in runs} == {1}
    assert all(run.life.its_attempt.started_ms >= run.life.due_ms for run in runs)
    return runs


def _worst(runs: Sequence[Run], begin: int) -> dict[str, int]:
    """Returns how late the latest run of each stretch started."""
    worst = dict.fromkeys(STRETCHES, 0)
    for run in runs:
        place = (run.life.due_ms // 1000 - begin) // STRETCH_SEC
        if place >= 0:
            late = run.life.its_attempt.started_ms - run.life.due_ms
            worst[STRETCHES[place]] = max(worst[STRETCHES[place]], late)
    return worst


def _emptied() -> None:
    """Checks that nothing hostile comes back for ever."""
    deadline = time.time() + PATIENCE_SEC
    for queue in ("normal", "dead"):
        while left := kept(aws.client("sqs"), aws.queue_url(queue)):
            assert time.time() < deadline, f"{left} messages are left in the {queue} queue"
            time.sleep(0.5)


def _sleep_until(moment: float) -> None:
    time.sleep(max(0, moment - time.time()))
