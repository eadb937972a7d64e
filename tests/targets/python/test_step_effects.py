"""`ctx.once`: a step's effect is had once, whatever kills the worker that has it.

Between an effect and its record a crash repeats it, under the same key: the receiver sees to that.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import BotoCoreError

from onthedot.records.runs import steps
from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Answer, Done
from onthedot.targets.call import Call
from onthedot.targets.python.step_effects import once
from tests.simulation.calm import FREE, employ, go, said
from tests.simulation.faults.faults import CALM, Aim, Fault, Profile
from tests.simulation.stage import Stage, make_stage, make_task, staged

HISTORIES = 40
# Thirty runs, from noon and three minutes on.
HALF_A_MINUTE = "0-29 3 12 * * *"
KILLS = Profile(crash_before=0.02, crash_after=0.02, lost=0.01, faults_max=40)


@dataclass(slots=True)
class Till(Stage):
    """A target that charges once a run, at a receiver that obeys idempotency keys."""

    asked: list[str] = field(default_factory=list)
    charged: dict[str, int] = field(default_factory=dict)

    def deliver(self, call: Call) -> Answer:
        """Returns the handler: one step, then the end."""
        key = f"{call.run_id}#charge"
        try:
            number = once(
                call.run_id, "charge", lambda: self.world.act("charge", self.charge, key=key)
            )
        except BotoCoreError:
            return Again(Reason.FAILED, after_sec=1)
        return Done(number)

    def charge(self, key: str) -> int:
        """Returns what the receiver does: a key that it knows is answered as it was."""
        self.asked.append(key)
        return self.charged.setdefault(key, len(self.charged) + 1)


def history(seed: int, text: str, profile: Profile = CALM, aims: tuple[Aim, ...] = ()) -> Till:
    """Returns the runs of half a minute, and time for all of them to end."""
    stage = Till(make_stage(seed, profile, aims).world)
    with staged(stage):
        employ(stage)
        task = make_task("some", text, stage.world, max_attempts=50, misfire="all", **FREE)
        stage.register(task)
        go(stage, 3_600, audited=True)
        stage.last_rows = stage.rows()
        stage.world.close()
    return stage


@pytest.mark.parametrize(("fault", "asked"), [(Fault.CRASH_AFTER, 2), (Fault.CRASH_BEFORE, 1)])
def test_a_crash_between_effect_and_record_asks_again_under_the_same_key(
    fault: Fault, asked: int
) -> None:
    first = next(each for each in one_run().world.effects() if each.operation == "charge")
    stage = one_run((Aim(first.process, "charge", 0, fault),))

    (run,) = stage.rows().values()
    assert said(run) == "succeeded"
    assert run.life.starts == 2
    assert Counter(stage.asked) == {f"{run.run_id}#charge": asked}
    assert run.life.its_end.result == 1


def one_run(aims: tuple[Aim, ...] = ()) -> Till:
    """Returns a single run, at noon and a minute."""
    return history(1, "1 12 * * *", aims=aims)


def test_a_thousand_runs_whose_workers_are_killed_at_random_charge_once_each() -> None:
    outcomes: Counter[str] = Counter()
    attempts = repeated = 0
    for seed in range(HISTORIES):
        stage = history(seed, HALF_A_MINUTE, KILLS)
        rows = stage.rows()
        outcomes.update(run.life.status for run in rows.values())
        attempts += sum(run.life.starts for run in rows.values())
        repeated += len(stage.asked) - len(stage.charged)
        assert set(stage.charged) == {f"{run_id}#charge" for run_id in rows}
        results = [run.life.its_end.result for run in rows.values()]
        assert sorted(results) == list(range(1, len(rows) + 1))

    assert outcomes["succeeded"] == sum(outcomes.values())
    assert sum(outcomes.values()) >= 1_000
    # The kills were real: attempts were lost, and some between the effect and its record.
    assert attempts > sum(outcomes.values())
    assert repeated > 0


@pytest.mark.parametrize("step", ["", "x" * 201])
def test_a_step_needs_a_name_that_a_key_has_room_for(step: str) -> None:
    with pytest.raises(ValueError, match="1 to 200"):
        steps.key("sch_A.20261118T120000Z", step)


@pytest.mark.parametrize("step", ["a", "x" * 200])
def test_a_name_of_one_letter_or_of_two_hundred_is_one(step: str) -> None:
    assert steps.key("sch_A.20261118T120000Z", step)["scheduled_for"].endswith(f"^once#{step}")


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), "x" * 40_000, object()])
def test_what_cannot_be_recorded_is_refused_by_the_step_s_name(value: Any) -> None:  # noqa: ANN401 any value
    with pytest.raises(ValueError, match="once\\('invoice'\\)"):
        steps.record("sch_A.20261118T120000Z", "invoice", value, now_ms=0)
