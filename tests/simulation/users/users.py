"""What users do with schedules and their runs, each through the API's own handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import Any

from onthedot.schedule.time.instants import nominal
from tests.simulation.stage import Stage
from tests.simulation.users import deployments, readers
from tests.simulation.users.caller import Front
from tests.simulation.users.person import TARGET, User
from tests.simulation.users.users_beside import BESIDE
from tests.simulation.users.users_walls import WALLS

_NAMES = ("report", "invoice", "backup", "digest", "import")
_LUNCH = {"calendar_id": "lunch", "cron": "2-3 12 * * *"}
BODIES: dict[str, dict[str, Any]] = {
    "minute": {"cron": "* * * * *", "overlap": "allow"},
    "twenty": {"cron": "*/20 * * * * *", "overlap": "allow"},
    "queue": {"cron": "*/30 * * * * *", "overlap": "queue", "queue_max": 3},
    "every": {"every_sec": 30},
    "jitter": {"cron": "* * * * *", "jitter_sec": 40, "overlap": "allow"},
    "fragile": {"cron": "*/20 * * * * *", "overlap": "allow", "max_attempts": 1},
}
_RATIONS: tuple[dict[str, Any], ...] = (
    {"requests_per_min": 6},
    {"requests_per_min": 60},
    {"tasks_max": 3},
    {"tasks_max": 50},
    {"running_max": 1},
    {"running_max": None},
)
_CHANGES: tuple[dict[str, Any], ...] = (
    {"cron": "*/2 * * * *", "every_sec": None},
    {"cron": "30 * * * * *", "every_sec": None},
    {"cron": None, "every_sec": 20},
    {"overlap": "queue", "max_concurrent": 1},
    {"misfire": "all"},
    {"jitter_sec": 20},
    {"jitter_sec": 0},
    {"name": "renamed"},
    {"priority": 1},
)


def _create(user: User) -> None:
    kind = user.random.choice(sorted(BODIES))
    body = BODIES[kind] | {"name": user.random.choice(_NAMES), "target": TARGET}
    user.caller.ask("POST /v1/schedules", body, name="create")


def _twice(user: User) -> None:
    """Sends one request twice at once, as a proxy does that gave the first one up."""
    body = BODIES["twenty"] | {"name": f"twice-{user.random.randint(0, 9)}", "target": TARGET}
    once = f"twice-{user.caller.asked}"

    def ask() -> None:
        user.caller.ask("POST /v1/schedules", body, name="create", once=once)

    user.stage.world.spawn("user", ask)
    ask()


def _edit(user: User) -> None:
    if task_id := user.schedule():
        change = user.random.choice([*_CHANGES, {"payload": {"n": user.random.randint(1, 9)}}])
        route = f"PATCH /v1/schedules/{task_id}"
        if user.random.random() < 0.3:
            user.carried_out(route, change, name="edit", task_id=task_id)
        else:
            user.caller.ask(route, change, name="edit", task_id=task_id)


def _shift(user: User) -> None:
    """Moves when the slots are due, and with them the runs that are claimed."""
    if task_id := user.schedule():
        change = {"jitter_sec": user.random.choice((0, 20, 45))}
        user.caller.ask(f"PATCH /v1/schedules/{task_id}", change, name="edit", task_id=task_id)


def _put(user: User) -> None:
    """Makes the schedule of a name what it is to be, if it still is what was read before."""
    name = user.random.choice(_NAMES)
    body = user.random.choice(list(BODIES.values())) | {"target": TARGET}
    read = user.caller.ask(f"GET /v1/schedules/{name}")
    route = f"PUT /v1/schedules/{name}"
    if read.said is None:
        user.caller.ask(route, body, name="put", if_none_match="*")
        return
    user.wait(3)
    task_id = read.said["task_id"]
    version = f'"{read.said["version"]}"'
    user.caller.ask(route, body, name="edit", task_id=task_id, if_match=version)


def _pause(user: User) -> None:
    if task_id := user.schedule():
        now = user.stage.world.epoch_us() // 1_000_000
        length = user.random.choice((0, 40, 70, 130))
        body = {"until": nominal(now + length)} if length else {"reason": "a holiday"}
        route = f"POST /v1/schedules/{task_id}/pause"
        user.caller.ask(route, body, name="pause", task_id=task_id)


def _resume(user: User) -> None:
    if task_id := user.schedule():
        user.caller.ask(f"POST /v1/schedules/{task_id}/resume", name="resume", task_id=task_id)


def _catch_up(user: User) -> None:
    """Resumes after a while, and runs what passed meanwhile."""
    if task_id := user.schedule():
        route = f"POST /v1/schedules/{task_id}/pause"
        user.caller.ask(route, {}, name="pause", task_id=task_id)
        user.wait(120)
        mode = user.random.choice(("latest", "all"))
        route = f"POST /v1/schedules/{task_id}/resume"
        user.carried_out(route, {"catchup": mode}, name="resume", task_id=task_id)


def _delete(user: User) -> None:
    if task_id := user.schedule():
        user.caller.ask(f"DELETE /v1/schedules/{task_id}", name="delete", task_id=task_id)


def _trigger(user: User) -> None:
    if task_id := user.schedule():
        now = user.stage.world.epoch_us() // 1_000_000
        body: dict[str, Any] = {"payload": {"asked": user.caller.asked}}
        if user.random.random() < 0.3:
            body |= {"due_at": nominal(now + user.random.randint(1, 90))}
        route = f"POST /v1/schedules/{task_id}/trigger"
        asked = user.caller.ask(route, body, name="trigger", task_id=task_id)
        user.stage.acked_runs.update([asked.run_id] if asked.done else [])


def _replay(user: User, *, as_it_was: bool = False) -> None:
    body = {} if as_it_was else {"payload": {"again": 1}}
    if task_id := user.schedule():
        over = user.runs(task_id, "succeeded", "dead", "cancelled", "skipped")
        over = [run_id for run_id in over if "~" in run_id] if as_it_was else over
        if over:
            route = f"POST /v1/runs/{user.random.choice(over)}/replay"
            asked = user.caller.ask(route, body, name="replay")
            user.stage.acked_runs.update([asked.run_id] if asked.done else [])


def _cancel(user: User) -> None:
    if task_id := user.schedule():
        still = user.runs(task_id, "claimed", "running", "retrying")
        if still:
            route = f"POST /v1/runs/{user.random.choice(still)}/cancel"
            user.caller.ask(route, name="cancel", task_id=task_id)


def _backfill(user: User) -> None:
    if task_id := user.schedule():
        now = user.stage.world.epoch_us() // 1_000_000
        body = {"from": nominal(now - 300), "to": nominal(now - 60), "rate_per_min": 4}
        route = f"POST /v1/schedules/{task_id}/backfills"
        begun = user.carried_out(route, body, name="backfill", task_id=task_id)
        if begun is not None and begun.said and user.random.random() < 0.3:
            user.wait(60)
            where = f"/v1/schedules/{task_id}/backfills/{begun.said['backfill_id']}"
            user.caller.ask(f"GET {where}")
            user.caller.ask(f"POST {where}/cancel", name="stop")


def _task(user: User) -> None:
    """Makes a task that runs once; now and then it is moved, or taken back."""
    body = {"target": TARGET, "delay_sec": user.random.randint(0, 120)}
    if user.random.random() < 0.5:
        body |= {"idempotency_key": f"order-{user.random.randint(1, 3)}", "delay_sec": 60}
        user.other.ask("POST /v1/tasks", body, name="task")
    made = user.caller.ask("POST /v1/tasks", body, name="task").said
    drawn = user.random.random()
    if made is None or drawn < 0.5:
        return
    user.wait(60)
    route, task_id = f"POST /v1/tasks/{made['task_id']}", made["task_id"]
    if drawn < 0.75:
        user.caller.ask(f"{route}/cancel", name="take back", task_id=task_id)
    else:
        user.caller.ask(f"{route}/reschedule", {"delay_sec": 30}, name="move", task_id=task_id)


def _tasks(user: User) -> None:
    wanted = [{"target": TARGET, "delay_sec": 5 * number} for number in range(4)]
    wanted[3]["delay_sec"] = -1
    user.caller.ask("POST /v1/tasks/batch", {"tasks": wanted}, name="tasks")


def _calendar(user: User) -> None:
    """Minutes in which nothing fires: kept, put over a schedule, moved, taken off."""
    task_id = user.schedule()
    if not task_id:
        return
    user.caller.ask("POST /v1/calendars", _LUNCH, name="calendar")
    route = f"PATCH /v1/schedules/{task_id}"
    user.caller.ask(route, {"calendars": ["lunch"]}, name="edit", task_id=task_id)
    for _ in range(2):
        user.wait(60)
        seen = user.caller.ask("GET /v1/calendars/lunch").said
        cron = user.random.choice(("2-3 12 * * *", "1,3 12 * * *", "5 12 * * *"))
        if seen:
            version = f'"{seen["version"]}"'
            put = "PUT /v1/calendars/lunch"
            user.caller.ask(put, {"cron": cron}, name="calendar", if_match=version)
    user.caller.ask("GET /v1/upcoming")
    if user.random.random() < 0.5:
        user.caller.ask(route, {"calendars": []}, name="edit", task_id=task_id)
        user.caller.ask("DELETE /v1/calendars/lunch", name="no calendar")


def _key(user: User) -> None:
    """Makes a key, uses it again and again, and revokes it meanwhile."""
    made = user.caller.ask("POST /v1/keys", {"role": "write", "name": "robot"}, name="key").said
    second = user.operator.ask("POST /v1/keys", {"role": "admin", "name": "second"}, name="key")
    if second.said:
        user.operator.ask(f"DELETE /v1/keys/{second.said['key_id']}", name="revoke")
    task_id = user.schedule()
    if made is None or not task_id:
        return
    front, tenant_id = user.caller.front, user.caller.tenant_id
    robot = front.holder(tenant_id, made["key_id"], made["key"])
    revoking = user.random.uniform(5, 40)

    def revoke() -> None:
        user.caller.ask(f"DELETE /v1/keys/{made['key_id']}", name="revoke")

    world = user.stage.world
    world.spawn("user", revoke, at_sec=world.now_us / 1e6 + revoking)
    for _ in range(14):
        route = f"POST /v1/schedules/{task_id}/trigger"
        asked = robot.ask(route, name="trigger", task_id=task_id, patience_sec=20)
        user.stage.acked_runs.update([asked.run_id] if asked.done else [])
        world.sleep(8_000_000)


def _letters(user: User) -> None:
    """Looks at dead letters, replays or purges many of them; now and then that is stopped."""
    user.caller.ask("GET /v1/dead-letters?limit=10")
    user.caller.ask("GET /v1/dead-letters/groups")
    what = user.random.choice(("replay", "replay", "purge"))
    body: dict[str, Any] = {"rate_per_min": user.random.choice((2, 100))}
    if what == "replay" and user.random.random() < 0.5:
        body |= {"payload_patch": {"patched": True}}
    begun = user.carried_out(f"POST /v1/dead-letters/{what}", body, name=f"{what} letters")
    if begun is not None and begun.said and user.random.random() < 0.3:
        user.wait(60)
        where = f"/v1/dead-letters/operations/{begun.said['operation_id']}"
        user.caller.ask(f"GET {where}")
        user.caller.ask(f"POST {where}/cancel", name="stop")


def _hurry(user: User) -> None:
    """Makes many small requests within a minute; a user that is refused does not come again."""
    for _ in range(20):
        user.caller.ask("GET /v1/calendars", patience_sec=0.1)
        user.wait(2)


def _ration(user: User) -> None:
    """Sets what the tenant may use, as the operator does."""
    body = user.random.choice(_RATIONS)
    name = "limit" if "running_max" in body else "ration"
    user.operator.ask(f"PUT /v1/tenants/{user.caller.tenant_id}", body, name=name)


def _deploy(user: User) -> None:
    """Carries out both acts of a deployment, and of the next one."""
    deployments.deploy(user.stage, user.random)
    deployments.upgrade(user.stage)
    user.wait(90)
    deployments.deploy(user.stage, user.random)


_DOES: Mapping[str, Callable[[User], None]] = {
    "create": _create,
    "twice": _twice,
    "edit": _edit,
    "put": _put,
    "shift": _shift,
    "pause": _pause,
    "resume": _resume,
    "catch up": _catch_up,
    "delete": _delete,
    "trigger": _trigger,
    "replay": _replay,
    "repeat": partial(_replay, as_it_was=True),
    "cancel": _cancel,
    "backfill": _backfill,
    "task": _task,
    "tasks": _tasks,
    "calendar": _calendar,
    "key": _key,
    "letters": _letters,
    "look": readers.look,
    "read": readers.read,
    "runs": readers.runs,
    "watch": readers.watch,
    "ration": _ration,
    "hurry": _hurry,
    "deploy": _deploy,
    **BESIDE,
    **WALLS,
}


def engage(
    stage: Stage,
    front: Front,
    random: Random,
    words: tuple[str, ...],
    *,
    most: int,
    between: tuple[float, float],
) -> None:
    """Lets two users make schedules at the beginning, and do so many things at any moment."""
    users, operator = [front.caller(), front.caller()], front.caller("default")
    times = [(1.0, "create"), (1.5, "create"), (2.0, "create")]
    times += [
        (random.uniform(*between), random.choice(words)) for _ in range(random.randint(2, most))
    ]
    for number, (at_sec, word) in enumerate(times):
        drawn = Random(f"{word} {number} {random.random()}")
        caller, other = users[number % 2], users[1 - number % 2]
        user = User(stage, caller, other, operator, drawn)
        stage.world.spawn("user", _doing(user, word), at_sec=at_sec)


def _doing(user: User, word: str) -> Callable[[], None]:
    return lambda: _DOES[word](user)
