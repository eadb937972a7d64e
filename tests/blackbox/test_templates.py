"""What templates give, where they may stand, and how much they may make."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blackbox.user import YEARLY, User
from tests.blackbox.world import World


def ended(user: User, target: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Returns the run of a task that calls this target now."""
    made = user.task(target=target, max_attempts=1, **fields)
    return user.run(user.ran(made["task_id"])["run_id"])


def test_templates_are_filled_in_payloads_and_texts_and_nothing_is_evaluated(
    world: World,
) -> None:
    user, payload_hook, text_hook = world.tenant(), world.hook(), world.hook()
    payload = {"run": "{{run_id}}", "n": "{{attempt}}", "odd": "{{nobody}} {{{{run_id}}"}

    run = ended(user, payload_hook.target, payload=payload)
    ended(
        user,
        {**text_hook.target, "body": "order {{payload.order}} of {{name}}: {{payload.__class__}}"},
        payload={"order": 77},
        name="ordered",
    )

    sent = payload_hook.calls[0].json
    assert (sent["run"], str(sent["n"])) == (run["run_id"], "1")
    assert sent["odd"] == "{{nobody}} {{run_id}}"
    text = text_hook.calls[0].body.decode()
    assert text.startswith("order 77 of ordered: ")
    assert "class '" not in text


def test_templates_stand_in_headers_and_escaped_in_paths_and_queries(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    target = {
        **hook.target,
        "url": hook.url + "/{{payload.id}}/x?q={{payload.q}}",
        "headers": {"X-Run": "run {{run_id}}", "X-Order": "{{payload.id}}"},
    }

    run = ended(user, target, payload={"id": "a/b", "q": "x&y=z"})

    call = hook.calls[0]
    assert run["status"] == "succeeded"
    assert call.path.endswith("/a%2Fb/x?q=x%26y%3Dz")
    assert call.headers["x-run"] == f"run {run['run_id']}"
    assert call.headers["x-order"] == "a/b"


@pytest.mark.parametrize("value", ["..", "."])
def test_a_value_does_not_lead_to_another_path(world: World, value: str) -> None:
    user, hook = world.tenant(), world.hook()

    run = ended(user, {**hook.target, "url": hook.url + "/{{payload.id}}/x"}, payload={"id": value})

    assert (run["status"], run["reason"], hook.calls) == ("dead", "permanent", [])


def test_a_value_with_a_line_break_is_no_header(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    target = {**hook.target, "headers": {"X-A": "{{payload.a}}"}}

    run = ended(user, target, payload={"a": "x\r\nX-B: y"})

    assert (run["status"], run["reason"], hook.calls) == ("dead", "permanent", [])


def test_what_templates_give_beyond_a_megabyte_is_a_death_and_not_sent(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    target = {**hook.target, "body": "{{payload.a}}" * 5_000}

    run = ended(user, target, payload={"a": "x" * 30_000})

    assert (run["status"], run["reason"], hook.calls) == ("dead", "permanent", [])
    assert run["error"]["type"] == "TemplateTooLarge"


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "http://{{payload.host}}/"},
        {"url": "{{payload.scheme}}://127.0.0.1/"},
        {"url": "http://127.0.0.1:{{payload.port}}/"},
        {"headers": {"Authorization": "Bearer {{payload.token}}"}},
        {"headers": {"X-Api-Key": "{{payload.key}}"}},
        {"headers": {"Host": "elsewhere.example"}},
    ],
    ids=range(6),
)
def test_a_template_where_none_may_stand_is_refused(world: World, fields: dict[str, Any]) -> None:
    target = {"type": "http", "url": "http://127.0.0.1:9/", **fields}

    answer = world.operator.ask("POST", "/v1/tasks", {"target": target})

    assert answer.status == 422, answer
    assert answer.code


def test_a_payload_that_is_not_sent_is_warned_of(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    target = {**hook.target, "method": "GET"}

    made = user.schedule("quiet", cron=YEARLY, target=target, payload={"a": 1})

    assert "payload_unsent" in {each["code"] for each in made["warnings"]}
