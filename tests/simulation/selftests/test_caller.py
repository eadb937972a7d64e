"""A caller's requests run through the API's own handler, and no history leaves a trace in it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from onthedot.api import app
from onthedot.api.door import installation_secret
from onthedot.api.door.authentication import REMEMBERED_MS
from tests.simulation.faults.faults import CALM, Aim, Fault, Profile
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users.caller import Ask, Caller, Front, opened

SCHEDULE = {"name": "report", "cron": "0 9 * * *", "target": {"type": "python", "handler": "hello"}}


def played(
    program: Callable[[Caller], Any],
    *aims: Aim,
    profile: Profile = CALM,
    start_sec: float = 1,
    cold: float = 0.0,
) -> tuple[Stage, Front]:
    """Returns one user, and nothing else."""
    stage = make_stage(1, profile, aims)
    front = opened(stage)
    front.cold = cold
    caller = front.caller()
    stage.world.spawn("user", lambda: program(caller), at_sec=start_sec)
    with staged(stage):
        stage.world.run(1_000)
        stage.world.close()
    assert stage.world.bugs() == []
    return stage, front


def asks(stage: Stage) -> list[Ask]:
    return [act for act in stage.acts if isinstance(act, Ask)]


def create(caller: Caller) -> Ask:
    return caller.ask("POST /v1/schedules", SCHEDULE)


def specs(stage: Stage) -> list[str]:
    parts = stage.world.store.table("tasks").rows.items
    return [task_id for task_id, part in parts if part == "spec"]


def effects_of(stage: Stage, process: str = "api#0") -> list[tuple[str, int]]:
    found = [each for each in stage.world.effects() if each.process == process]
    return [(each.operation, each.nth) for each in found]


def test_a_request_is_answered_by_the_handler_and_kept_among_the_acts() -> None:
    stage, _ = played(create)

    (made,) = asks(stage)
    assert made.answer is not None
    assert made.answer.status == 201
    assert made.said["name"] == "report"
    assert [made.task_id] == specs(stage)
    assert made.acked_ms > made.began_ms > 0
    assert made.tries == {"api#0": made.began_ms}


@pytest.mark.parametrize("fault", [Fault.CRASH_BEFORE, Fault.CRASH_AFTER, Fault.LOST])
def test_what_dies_at_any_effect_is_asked_again_and_done_once(fault: Fault) -> None:
    calm, _ = played(create)
    places = effects_of(calm)
    assert ("answer", 0) in places

    for operation, nth in places:
        stage, _ = played(create, Aim("api#0", operation, nth, fault))
        (made,) = asks(stage)
        assert made.done, f"{fault} at {operation} {nth}: {made.told}"
        assert specs(stage) == [made.task_id]
        names = {told.process for told in made.told}
        assert len(names) == len(made.told) == len(made.tries)


def test_an_answer_that_is_lost_on_its_way_is_given_again() -> None:
    stage, _ = played(create, Aim("api#0", "answer", 0, Fault.LOST))

    (made,) = asks(stage)
    assert [told.status for told in made.told] == [0, 201]
    assert made.told[1].headers["Idempotent-Replayed"] == "true"


def test_a_refused_store_is_told_as_unavailable_and_asked_again() -> None:
    stage, _ = played(create, Aim("api#0", "put_item", 0, Fault.THROTTLED))

    (made,) = asks(stage)
    assert [(told.status, told.code) for told in made.told] == [(503, "unavailable"), (201, "")]
    assert "logs" in stage.world.story()


def test_requests_at_once_are_in_environments_of_their_own() -> None:
    stage = make_stage(1)
    front = opened(stage)
    front.cold = 0.0
    caller = front.caller()
    bodies = [SCHEDULE | {"name": f"report-{number}"} for number in range(3)]
    for body in bodies:
        stage.world.spawn("user", partial(caller.ask, "POST /v1/schedules", body), at_sec=1)
    with staged(stage):
        stage.world.run(100)
        stage.world.close()

    assert len(front.free) == 3
    assert all(made.done for made in asks(stage))
    assert sorted(made.said["name"] for made in asks(stage)) == [f"report-{n}" for n in range(3)]


def reads_of_keys(stage: Stage, process: str) -> int:
    return sum(
        entry[2] == "get_item" and "key#" in str(entry[3])
        for entry in stage.world.trace
        if entry[1] is not None and entry[1].name == process
    )


def test_a_warm_environment_remembers_its_keys_and_a_new_one_does_not() -> None:
    def twice(caller: Caller) -> None:
        caller.ask("GET /v1/schedules/nothing")
        caller.ask("GET /v1/schedules/nothing")

    warm, _ = played(twice)
    cold, _ = played(twice, cold=1.0)

    assert [reads_of_keys(warm, f"api#{n}") for n in range(2)] == [1, 0]
    assert [reads_of_keys(cold, f"api#{n}") for n in range(2)] == [1, 1]


def test_what_an_environment_remembers_grows_old() -> None:
    def later(caller: Caller) -> None:
        caller.ask("GET /v1/schedules/nothing")
        caller.front.stage.world.sleep((REMEMBERED_MS + 1_000) * 1_000)
        caller.ask("GET /v1/schedules/nothing")

    stage, _ = played(later)

    assert [reads_of_keys(stage, f"api#{n}") for n in range(2)] == [1, 1]


def test_an_environment_that_dies_takes_no_further_request() -> None:
    stage, front = played(create, Aim("api#0", "answer", 0, Fault.CRASH_BEFORE))

    (made,) = asks(stage)
    assert [told.status for told in made.told] == [0, 201]
    assert reads_of_keys(stage, "api#1") == 1
    assert len(front.free) == 1


def test_a_key_of_the_api_opens_for_who_holds_it() -> None:
    def program(caller: Caller) -> None:
        key = caller.ask("POST /v1/keys", {"role": "read"}).said
        other = caller.front.holder("acme", key["key_id"], key["key"])
        assert other.ask("GET /v1/schedules").done
        refused = other.ask("POST /v1/schedules", SCHEDULE).answer
        assert refused is not None
        assert refused.status == 403

    played(program)


def module_state() -> dict[str, str]:
    """Returns everything that changes and lies in a module of ours."""
    kinds = (dict, list, set)
    found = {
        f"{name}.{attribute}": repr(value)
        for name, module in list(sys.modules.items())
        if name.startswith("onthedot.")
        for attribute, value in vars(module).items()
        if isinstance(value, kinds) and not attribute.startswith("__")
    }
    cached = (installation_secret.secret, installation_secret.derived)
    return found | {each.__name__: str(each.cache_info()) for each in cached}


def test_no_history_leaves_anything_in_a_module() -> None:
    app.resolver()
    before = module_state()

    def program(caller: Caller) -> None:
        create(caller)
        for route in ("health", "schedules", "schedules?limit=1", "upcoming", "overview"):
            assert caller.ask(f"GET /v1/{route}").answer is not None
        caller.ask("POST /v1/schedules?dry_run=true", SCHEDULE | {"name": "other"})

    played(program)

    assert module_state() == before
