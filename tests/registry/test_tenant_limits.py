"""Tenants from before bounds were kept: what ran yesterday runs today, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from onthedot.records.access import api_key, tenant_reach
from onthedot.records.attributes import typed_item
from onthedot.records.runs import tenant_permits
from onthedot.registry import api_keys, tenant_limits
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.registry.tenant_limits import Bounded
from onthedot.store import table_reads
from onthedot.store.access import tenant_bounds
from tests.simulation.calm import add, go, outcomes
from tests.simulation.stage import Stage
from tests.simulation.users import user

HELLO = {"type": "python", "handler": "hello"}
OTHER = {"type": "python", "handler": "other"}
QUEUE = {"type": "sqs", "queue_url": "https://sqs.eu-west-1.amazonaws.com/1/mail"}
YEARLY = "0 0 1 1 *"


@pytest.fixture(autouse=True)
def _known(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tenants as yesterday's release left them: one listed, one with a key only."""
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    for item in (
        {"pk": "tenants", "sk": "acme", "created_at": "2026-11-01T00:00:00.000Z"},
        api_key.tenant_key("acme") | {"tasks_max": 5, "tasks_left": 4},
        {"pk": "tenant#beta", "sk": "key#key_1", "role": "admin"},
        {"pk": f"tenant#{FIRST_TENANT}", "sk": "key#key_2", "role": "admin"},
        {"pk": "idempotency#acme", "sk": "1"},
    ):
        stage.world.store.put_item(TableName="access", Item=typed_item(item))


def bound(wait: Callable[[float], None] = lambda _: None) -> list[Bounded]:
    """Without the wait for requests under way."""
    return tenant_limits.bound(tenant_limits.unbound(), wait)


def targets(tenant_id: str) -> Any:  # noqa: ANN401  as it is stored
    item = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key(tenant_id))
    return item.get("targets") if item else None


def test_each_tenant_gets_what_its_tasks_use_and_the_first_one_nothing(stage: Stage) -> None:
    add(stage, YEARLY, name="a", target=HELLO)
    add(stage, YEARLY, name="b", target=QUEUE)
    add(stage, YEARLY, name="c", target={"type": "http", "url": "https://example.com"})
    add(stage, YEARLY, name="d", target=OTHER, tenant_id=FIRST_TENANT)
    gone = add(stage, YEARLY, name="e", target=OTHER)
    user.delete(gone.task_id)

    first, second = bound()

    assert (first.tenant_id, second.tenant_id, second.targets) == ("acme", "beta", [])
    assert first.targets == ["arn:aws:sqs:eu-west-1:1:mail", "python:hello"]
    assert dict(first.used) == {"python:hello": ["a"], "arn:aws:sqs:eu-west-1:1:mail": ["b"]}
    assert targets("acme") == first.targets
    assert targets("beta") == []
    assert targets(FIRST_TENANT) is None


def test_what_ran_before_the_upgrade_runs_after_it(stage: Stage) -> None:
    task = add(stage, "1,2 12 * * *", target=HELLO)
    go(stage, 70)
    bound()

    go(stage, 130)

    assert list(outcomes(stage, task).values()) == ["succeeded"] * 2


def test_what_was_registered_while_it_looked_is_found_and_dies_at_no_moment(
    stage: Stage,
) -> None:
    """A request that had read that nothing is set may end after the list was written."""
    add(stage, YEARLY, name="a", target=HELLO)
    seen: list[Any] = []

    def meanwhile(seconds: float) -> None:
        item = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key("acme"))
        seen.extend([seconds, tenant_reach.at_registration(item), tenant_reach.at_call(item)])
        add(stage, YEARLY, name="b", target=OTHER)

    (acme, _) = bound(meanwhile)

    assert seen == [tenant_limits.SETTLED_SEC, ["python:hello"], None]
    assert acme.targets == targets("acme") == ["python:hello", "python:other"]


def test_done_again_it_changes_nothing(stage: Stage) -> None:
    bound()
    add(stage, YEARLY, target=HELLO)

    assert bound() == []
    assert targets("acme") == []


def test_what_broke_off_is_begun_again(stage: Stage) -> None:
    add(stage, YEARLY, target=HELLO)
    with pytest.raises(KeyboardInterrupt):
        bound(_interrupted)
    item = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key("acme"))
    assert tenant_reach.at_call(item) is None

    assert [each.tenant_id for each in bound()] == ["acme", "beta"]
    item = table_reads.get(tenant_permits.TABLE, tenant_permits.limit_key("acme"))
    assert tenant_reach.at_call(item) == ["python:hello"]


def _interrupted(_seconds: float) -> None:
    raise KeyboardInterrupt


@pytest.mark.usefixtures("stage")
def test_what_an_operator_says_meanwhile_stays() -> None:
    found = bound(lambda _: tenant_bounds.set_targets("acme", ["python:mine"]))

    assert [each.tenant_id for each in found] == ["beta"]
    assert targets("acme") == ["python:mine"]


def test_a_tenant_made_by_a_key_alone_is_found(stage: Stage) -> None:
    api_keys.make(tenant_id="gamma", role="write", name="theirs")
    add(stage, YEARLY, target=QUEUE, tenant_id="gamma")

    assert bound()[2].targets == ["arn:aws:sqs:eu-west-1:1:mail"]


@pytest.mark.usefixtures("stage")
def test_where_no_tenant_is_left_to_be_bounded_nobody_waits() -> None:
    waiting, waited = tenant_limits.unbound(), list[float]()
    for tenant_id in waiting:
        tenant_bounds.set_targets(tenant_id, ["python:mine"])

    assert tenant_limits.bound(waiting, waited.append) == []
    assert tenant_limits.bound([], waited.append) == []
    assert waited == []
