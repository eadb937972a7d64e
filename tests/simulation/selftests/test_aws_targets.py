"""The services of the simulated world: AWS's words mean what the worker makes of them."""

from __future__ import annotations

from random import Random

import pytest

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Answer, Dead
from onthedot.targets.aws import refusals
from onthedot.targets.call import Call
from tests.simulation.outside import functions, outside_parts, target_words
from tests.simulation.outside.aws_targets import FIFO_SEC, AwsTargets
from tests.simulation.outside.target_words import ENTRIES, FINAL, PASSING, Refusal
from tests.simulation.profiles.all_profiles import ALL
from tests.simulation.profiles.running.kinds_targets import SERVICE_KINDS
from tests.simulation.stage import Stage, make_stage, make_task, staged

_WORDS = [
    (service, word) for each in (PASSING, FINAL) for service, some in each.items() for word in some
]


@pytest.mark.parametrize(("service", "word"), _WORDS, ids=lambda each: str(each)[:60])
def test_a_refusal_means_what_aws_says_of_it(service: str, word: Refusal) -> None:
    answer = refusals.judged(word.error("any").response)

    assert _sense(answer) == _sense(word.means), service


@pytest.mark.parametrize("word", ENTRIES, ids=lambda word: word.code)
def test_an_entry_that_was_refused_means_what_aws_says_of_it(word: Refusal) -> None:
    assert _sense(refusals.answer(word.code, "", 400)) == _sense(word.means)


@pytest.mark.parametrize("service", PASSING)
def test_an_aws_target_says_every_word_of_its_own(service: str) -> None:
    random = Random(0)
    said = {target_words.drawn(random, service) for _ in range(3_000)}

    assert said == {None, *PASSING[service], *FINAL[service]}


def test_a_function_returns_raises_and_is_killed() -> None:
    random = Random(0)
    said = [functions.drawn(random, "sch_A.now", 1) for _ in range(300)]

    assert {each.error for each in said} == {"", "Handled", "Unhandled"}
    assert {"KeyError", "RangeError", "FunctionError"} <= {
        (each.means.error or {}).get("type", "") for each in said if isinstance(each.means, Again)
    }


def test_a_fifo_queue_keeps_one_message_of_a_run_for_five_minutes() -> None:
    stage, services = _ground("sent fifo")
    kept: dict[str, list[str]] = {}
    for number in range(40):
        run_id = f"{stage.tasks[0].task_id}.{number}"
        for attempt, at_sec in ((1, 0.0), (2, 30.0), (3, FIFO_SEC + 60.0)):
            _call(stage, services, run_id, attempt, at_sec=at_sec)
    with staged(stage):
        stage.world.run(1_000)
    for receipt in stage.outside.receipts:
        kept.setdefault(receipt.run_id, []).append(receipt.refused or receipt.kept)
    taken = [each for each in kept.values() if not any(one in _codes() for one in each)]

    assert taken
    assert all(
        first and second == "" and third not in ("", first) for first, second, third in taken
    )


def test_who_calls_what_hangs_waits_no_longer_than_its_patience() -> None:
    stage, services = _ground("sent")
    for number in range(80):
        _call(stage, services, f"{stage.tasks[0].task_id}.{number}", 1)
    with staged(stage):
        stage.world.run(1_000)
    late = [one for one in stage.deliveries if _is_late(one.answer)]

    assert late
    assert all(9_900 < one.ended_ms - one.at_ms < 10_100 for one in late)


def _sense(answer: Answer) -> tuple[str, str]:
    assert isinstance(answer, Again | Dead)
    assert answer.error is not None
    return (answer.reason if isinstance(answer, Dead) else "again"), answer.error["type"]


def _is_late(answer: Answer | None) -> bool:
    return isinstance(answer, Again) and answer.outcome == "timed_out"


def _codes() -> set[str]:
    return {word.code for _, word in _WORDS} | {"never came"}


def _ground(kind: str) -> tuple[Stage, AwsTargets]:
    """Returns a history with one task, whose targets are called as in production."""
    stage = make_stage(3)
    text, given = SERVICE_KINDS[kind]
    stage.register(make_task(kind, text, stage.world, **given))
    outside_parts.set_up(stage, ALL["queues"], 3)
    services = AwsTargets(stage, 3)
    stage.stand_ins.append((aws, "patient_client", services.client))
    return stage, services


def _call(
    stage: Stage, services: AwsTargets, run_id: str, attempt: int, *, at_sec: float = 0.0
) -> None:
    task = stage.tasks[0]
    call = Call(
        run_id=run_id,
        task_id=task.task_id,
        tenant_id=task.tenant_id,
        name=task.name,
        origin="schedule",
        attempt=attempt,
        max_attempts=3,
        scheduled_for=None,
        due_ms=0,
        deadline_ms=0,
        target=task.target,
        payload={},
        checkpoint=None,
        cancelled=lambda: False,
        lease_lost=lambda: False,
        report=lambda _: None,
    )
    stage.world.spawn("work", lambda: services.target(call), at_sec=at_sec)
