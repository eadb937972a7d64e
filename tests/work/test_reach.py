"""What a tenant may call is held against the call itself: a target that is not its own is dead."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.launch.replay import replay
from onthedot.launch.trigger import trigger
from onthedot.records.runs import tenant_permits
from onthedot.store import table_reads
from onthedot.store.access import tenant_bounds
from onthedot.work.gates import tenant_line
from tests.simulation.calm import add, go, outcomes, runs, told, wait
from tests.simulation.stage import Stage

HELLO = {"type": "python", "handler": "hello"}
HTTP = {"type": "http", "url": "https://example.com"}
REFS = ("arn:aws:secretsmanager:a:b:secret:beta/api", "ssm:/beta/api")
QUEUE = "https://sqs.us-east-1.amazonaws.com/000000000000/beta"
TARGETS: dict[str, dict[str, Any]] = {
    "python": HELLO,
    "auth": HTTP | {"auth": {"secret_ref": REFS[0]}},
    "sign": HTTP | {"sign": {"secret_ref": REFS[1]}},
    "sqs": {"type": "sqs", "queue_url": QUEUE},
    "sns": {"type": "sns", "topic_arn": "arn:aws:sns:us-east-1:0:beta"},
    "lambda": {"type": "lambda", "function_arn": "arn:aws:lambda:us-east-1:0:function:beta"},
    "eventbridge": {"type": "eventbridge", "bus": "beta"},
    "stepfunctions": {
        "type": "stepfunctions",
        "state_machine_arn": "arn:aws:states:us-east-1:0:stateMachine:beta",
    },
}


@pytest.mark.parametrize("kind", TARGETS)
def test_what_no_pattern_of_the_tenant_covers_is_dead_and_never_called(
    stage: Stage, kind: str
) -> None:
    task = add(stage, "1 12 * * *", target=TARGETS[kind])
    tenant_bounds.set_targets("acme", ["arn:aws:sqs:*:*:acme-*", "python:acme_*"])

    go(stage, 70)

    assert list(outcomes(stage, task).values()) == ["dead(target_forbidden)"]
    assert told(stage) == []
    (run,) = runs(stage, task)
    error = run.life.its_end.error or {}
    assert error["type"] == "TargetForbidden"
    assert "The tenant 'acme' may not use" in error["message"]
    assert "PUT /v1/tenants/acme" in error["message"]


@pytest.mark.parametrize("kind", ["http", "python"])
def test_http_and_what_a_pattern_covers_is_called(stage: Stage, kind: str) -> None:
    task = add(stage, "1 12 * * *", target=HTTP if kind == "http" else HELLO)
    tenant_bounds.set_targets("acme", ["python:h*o"])

    go(stage, 70)

    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_a_tenant_for_which_nothing_is_set_is_held_to_nothing(stage: Stage) -> None:
    task = add(stage, "1 12 * * *", target=HELLO)
    tenant_line.set_limit("acme", 5)

    go(stage, 70)

    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_while_an_upgrade_looks_for_what_is_in_use_nothing_dies(stage: Stage) -> None:
    task = add(stage, "1,2 12 * * *", target=HELLO)
    assert tenant_bounds.begin_targets("acme", [], looking=True)
    go(stage, 70)
    assert tenant_bounds.begin_targets("acme", [], looking=False)

    go(stage, 130)

    assert list(outcomes(stage, task).values()) == ["succeeded", "dead(target_forbidden)"]


@pytest.mark.usefixtures("stage")
def test_what_an_operator_has_said_no_upgrade_changes() -> None:
    tenant_bounds.begin_targets("acme", [], looking=True)
    tenant_bounds.set_targets("acme", ["python:a"])

    assert not tenant_bounds.begin_targets("acme", ["python:b"], looking=True)
    assert not tenant_bounds.begin_targets("acme", ["python:b"], looking=False)
    assert _item()["targets"] == ["python:a"]


@pytest.mark.usefixtures("stage")
def test_a_limit_and_targets_do_not_undo_one_another() -> None:
    tenant_bounds.set_targets("acme", ["python:a"])
    # Yesterday's workers and dispatchers take this for no limit.
    assert _item()["most"] == 0
    tenant_line.set_limit("acme", 3)
    tenant_bounds.set_targets("acme", ["python:b"])
    assert _item() == {**tenant_permits.limit_key("acme"), "most": 3, "targets": ["python:b"]}
    tenant_line.set_limit("acme", None)

    assert (_item()["most"], _item()["targets"]) == (0, ["python:b"])
    assert tenant_line.read("acme").most == 0


def test_a_run_by_hand_is_held_to_it_too_and_a_replay_is_not_made(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", target=HELLO)
    first = trigger(task.task_id)
    wait(stage, 10)
    tenant_bounds.set_targets("acme", [])
    trigger(task.task_id)
    assert first is not None
    assert replay(first.run_id) is None

    wait(stage, 30)

    said = sorted(run.life.reason or run.life.status for run in runs(stage, task))
    assert said == ["succeeded", "target_forbidden"]


def test_another_tenants_bounds_are_its_own(stage: Stage) -> None:
    mine = add(stage, "1 12 * * *", name="mine", target=HELLO)
    other = add(stage, "1 12 * * *", name="other", target=HELLO, tenant_id="beta")
    tenant_bounds.set_targets("beta", [])

    go(stage, 70)

    assert list(outcomes(stage, mine).values()) == ["succeeded"]
    assert list(outcomes(stage, other).values()) == ["dead(target_forbidden)"]


def _item() -> dict[str, Any]:
    found = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key("acme"))
    assert found is not None
    return found
