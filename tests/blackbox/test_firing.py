"""When runs start: on their second, never before it, each slot with exactly one outcome."""

from __future__ import annotations

import time
from statistics import median

import pytest

from tests.blackbox.receiver import Hook, Reply
from tests.blackbox.user import HELLO, YEARLY, User, instant, pause_until, seconds, until
from tests.blackbox.world import World

# What begins this far ahead is registered before it is due, even on a busy machine.
AHEAD_SEC = 10


def came(hook: Hook) -> dict[float, int]:
    """Returns how often each slot was called, and that none was called before it was due."""
    counted: dict[float, int] = {}
    for call in hook.calls:
        due = seconds(call.headers["onthedot-due-at"])
        assert call.at >= due, f"{due - call.at:.3f} s early"
        slot = seconds(call.headers["onthedot-scheduled-for"])
        counted[slot] = counted.get(slot, 0) + 1
    return counted


def accounted(user: User, name: str, first: int, last: int) -> list[tuple[str, str]]:
    """Returns each slot of that time with its outcome, once none is open any more."""
    where = f"/v1/schedules/{name}/slots?limit=200&from={instant(first)}&to={instant(last)}"
    shown = until(
        lambda: user.walked(where),
        lambda slots: all(slot["status"] in {"succeeded", "dead", "missed"} for slot in slots),
    )
    return [(slot["scheduled_for"], slot["status"]) for slot in shown]


def taken(user: User) -> float:
    """Returns how long this machine takes for an answer just now."""
    begun = time.monotonic()
    user.get("/v1/health")
    return time.monotonic() - begun


def test_each_second_of_a_schedule_is_called_once_and_never_early(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    first = int(time.time()) + AHEAD_SEC
    last = first + 11
    bounds = {"start_at": instant(first), "end_at": instant(last)}

    user.schedule("seconds", cron="* * * * * *", target=hook.target, overlap="allow", **bounds)
    pause_until(first)
    busy = [taken(user) for _ in range(5)]
    pause_until(last)

    slots = list(range(first, last + 1))
    shown = accounted(user, "seconds", first - 60, last + 60)
    assert shown == [(instant(slot), "succeeded") for slot in slots]
    assert came(hook) == dict.fromkeys(map(float, slots), 1)
    late = {call.run_id: call.at - seconds(call.headers["onthedot-due-at"]) for call in hook.calls}
    told = {run_id: user.run(run_id)["lag_ms"] / 1000 for run_id in late}
    assert all(0 <= told[run_id] <= late[run_id] + 0.05 for run_id in late)
    # The machine may be busy with other things: then an answer takes its time as well.
    assert median(late.values()) < 2 + 30 * median(busy), busy


@pytest.mark.long
def test_every_slot_of_two_minutes_has_exactly_one_outcome(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    first = int(time.time()) + AHEAD_SEC
    last = first + 140
    begun = first + -first % 3

    user.schedule("thirds", cron="*/3 * * * * *", target=hook.target, overlap="allow")
    pause_until(last)

    slots = list(range(begun, last + 1, 3))
    shown = accounted(user, "thirds", begun, last)
    assert shown == [(instant(slot), "succeeded") for slot in slots]
    counted = came(hook)
    assert [counted[float(slot)] for slot in slots] == [1] * len(slots)


@pytest.mark.parametrize(
    ("name", "when", "steps"),
    [
        ("six-fields", {"cron": "*/4 * * * * *"}, 4),
        ("seconds-last", {"cron": "* * * * * */4", "seconds": "last"}, 4),
        ("seven-fields", {"cron": "*/4 * * * * * 2020-2199"}, 4),
        ("elapsed", {"every_sec": 7}, 7),
        ("at-every", {"cron": "@every 7s"}, 7),
    ],
)
def test_every_kind_of_schedule_fires_at_its_seconds(
    world: World, name: str, when: dict[str, object], steps: int
) -> None:
    user, hook = world.tenant(), world.hook()

    user.schedule(name, target=hook.target, max_runs=3, overlap="allow", **when)
    until(lambda: hook.calls, lambda calls: len(calls) >= 3)

    slots = sorted(came(hook))
    assert [slot % steps for slot in slots] == [0, 0, 0]
    assert slots == [slots[0] + steps * each for each in range(3)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "when"),
    [
        ("five-fields", {"cron": "* * * * *", "timezone": "Europe/Paris"}),
        ("rate", {"cron": "rate(1 minute)"}),
        ("aws", {"cron": "cron(* * * * ? *)", "timezone": "Asia/Kolkata"}),
    ],
)
def test_schedules_of_minutes_fire_at_their_minute(
    world: World, name: str, when: dict[str, object]
) -> None:
    user, hook = world.tenant(), world.hook()
    next_minute = int(time.time()) // 60 * 60 + 60

    user.schedule(name, target=hook.target, **when)
    until(lambda: hook.calls, bool)

    slots = sorted(came(hook))
    assert slots[0] in {next_minute, next_minute + 60}
    assert slots[0] % 60 == 0


def test_at_fires_once_at_its_time(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    slot = int(time.time()) + AHEAD_SEC

    user.schedule("once", cron=f"at({instant(slot)[:-1]})", target=hook.target)
    until(lambda: hook.calls, bool)

    assert came(hook) == {slot: 1}


def test_one_off_tasks_run_at_their_time_after_their_delay_or_now(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    due = int(time.time()) + AHEAD_SEC

    timed = user.task(run_at=instant(due), target=hook.target)
    delayed = user.task(delay_sec=8, target=hook.target)
    at_once = user.task(target=hook.target)
    runs = [user.ran(task["task_id"]) for task in (timed, delayed, at_once)]

    assert [(run["status"], run["origin"]) for run in runs] == [("succeeded", "task")] * 3
    assert timed["run_at"] == instant(due)
    calls = {call.run_id: call for call in hook.calls}
    for task, run in zip((timed, delayed, at_once), runs, strict=True):
        assert calls[run["run_id"]].at >= seconds(task["run_at"])
    assert len(hook.calls) == 3
    shown = user.get(f"/v1/tasks/{timed['task_id']}")
    assert (shown["status"], shown["run"]["attempt"]) == ("completed", 1)


def test_a_trigger_runs_at_once_with_its_own_payload(world: World) -> None:
    user = world.tenant()
    user.schedule("yearly", cron=YEARLY)

    run = user.settled(user.trigger("yearly", payload={"who": "you"}))

    assert (run["status"], run["origin"], run["scheduled_for"]) == ("succeeded", "manual", None)
    assert (run["result"], run["payload"]) == ({"greeting": "Hello, you!"}, {"who": "you"})


def test_a_trigger_may_be_put_off_to_its_time(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("yearly", cron=YEARLY, target=hook.target)
    due = int(time.time()) + AHEAD_SEC

    run = user.settled(user.trigger("yearly", due_at=instant(due)))

    assert seconds(run["due_at"]) == due
    assert hook.calls[0].at >= due


def test_jitter_delays_every_fire_by_the_same_seconds(world: World) -> None:
    user, hook = world.tenant(), world.hook()

    user.schedule(
        "jittered", every_sec=6, jitter_sec=5, target=hook.target, max_runs=3, overlap="allow"
    )
    until(lambda: hook.calls, lambda calls: len(calls) >= 3)

    came(hook)
    offsets = {
        seconds(call.headers["onthedot-due-at"]) - seconds(call.headers["onthedot-scheduled-for"])
        for call in hook.calls
    }
    assert len(offsets) == 1
    assert 0 <= offsets.pop() <= 5


def test_each_priority_has_its_runs_started(world: World) -> None:
    user, hook = world.tenant(), world.hook()

    made = [user.task(priority=each, target=hook.target) for each in (1, 2, 3)]

    ended = [user.ran(task["task_id"]) for task in made]
    assert [(run["status"], run["priority"]) for run in ended] == [
        ("succeeded", 1),
        ("succeeded", 2),
        ("succeeded", 3),
    ]


def test_a_slot_within_the_look_ahead_of_its_registration_fires(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    slot = int(time.time()) + 4

    made = user.schedule("soon", cron=f"at({instant(slot)[:-1]})", target=hook.target)

    assert made["status"] == "active"
    until(lambda: hook.calls, bool)
    assert came(hook) == {slot: 1}


def test_a_large_payload_arrives_whole(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    payload = {"text": "ä" * 60_000}

    task = user.task(payload=payload, target=hook.target)
    run = user.ran(task["task_id"])

    assert run["status"] == "succeeded"
    assert hook.calls[0].json == payload


def test_a_batch_of_tasks_is_answered_in_order_and_runs(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    good: dict[str, object] = {"target": hook.target}

    made = user.said(
        200, "POST", "/v1/tasks/batch", {"tasks": [good, {"target": {"type": "fax"}}, good]}
    )["data"]

    assert [each["status"] for each in made] == [201, 422, 201]
    assert made[1]["problem"]["status"] == 422
    for each in (made[0], made[2]):
        assert user.ran(each["task"]["task_id"])["status"] == "succeeded"


def test_runs_of_many_schedules_at_the_same_second_all_start(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(after_sec=0.2))
    slot = int(time.time()) + AHEAD_SEC + 10
    tasks = [{"target": hook.target, "run_at": instant(slot)} for _ in range(40)]

    made = user.said(200, "POST", "/v1/tasks/batch", {"tasks": tasks})["data"]
    until(lambda: hook.calls, lambda calls: len(calls) >= 40)

    assert [each["status"] for each in made] == [201] * 40
    assert min(call.at for call in hook.calls) >= slot
    assert len({call.run_id for call in hook.calls}) == 40


def test_a_schedule_says_when_it_fires_next_and_what_ran_last(world: World) -> None:
    user = world.tenant()
    made = user.schedule("tens", cron="*/10 * * * * *", target=HELLO)

    assert seconds(made["next_run_at"]) % 10 == 0
    assert made["explanation"] == "Every 10 seconds every day, UTC."
    seen = until(lambda: user.get("/v1/schedules/tens"), lambda it: it["last_run"])
    assert seen["version"] == made["version"]
    user.said(204, "DELETE", "/v1/schedules/tens")
