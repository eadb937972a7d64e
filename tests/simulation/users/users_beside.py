"""What users do besides: rename, fill old slots, take tasks back, choose letters, lock doors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from onthedot.records.access import api_key
from onthedot.registry import api_keys
from onthedot.schedule.time.instants import nominal
from tests.simulation.users import deployments
from tests.simulation.users.person import TARGET, User

_NAMES = ("report", "invoice", "backup")
_WHY = ("a holiday", "a repair")
_ORDERS = ("order-1", "order-2")
# So long an admin key lives that expires while the history goes on.
_SHORT_SEC = 60
_NOON = {"calendar_id": "noon", "cron": "3 12 * * *"}
_REASONS = ("permanent", "attempts_exhausted")


def _rename(user: User) -> None:
    """Renames schedules: two may want the same name, and each may have it back."""
    if task_id := user.schedule():
        body = {"name": user.random.choice(_NAMES)}
        user.caller.ask(f"PATCH /v1/schedules/{task_id}", body, name="edit", task_id=task_id)


def _bear(user: User) -> None:
    """Sets after how many deaths a schedule is paused: few, as by default, many, or never."""
    if task_id := user.schedule():
        body = {"pause_after_deaths": user.random.choice((2, 10, 40, None))}
        user.caller.ask(f"PATCH /v1/schedules/{task_id}", body, name="edit", task_id=task_id)
        user.wait(60)


def _pause_again(user: User) -> None:
    """Pauses a paused schedule for another reason, until sooner or later than before."""
    if task_id := user.schedule():
        now = user.stage.world.epoch_us() // 1_000_000
        for _ in range(2):
            body: dict[str, Any] = {"reason": user.random.choice(_WHY)}
            if length := user.random.choice((0, 45, 100)):
                body |= {"until": nominal(now + length)}
            route = f"POST /v1/schedules/{task_id}/pause"
            user.caller.ask(route, body, name="pause", task_id=task_id)
            user.wait(20)


def _catch_up_in_time(user: User) -> None:
    """Resumes in the second before a whole minute, at which most schedules have a slot."""
    if task_id := user.schedule():
        route = f"POST /v1/schedules/{task_id}"
        user.caller.ask(f"{route}/pause", {}, name="pause", task_id=task_id)
        user.wait(70)
        world = user.stage.world
        world.sleep(
            60_000_000 - world.epoch_us() % 60_000_000 - user.random.randint(50_000, 950_000)
        )
        mode = user.random.choice(("latest", "all"))
        user.carried_out(f"{route}/resume", {"catchup": mode}, name="resume", task_id=task_id)


def _fill(user: User) -> None:
    """Backfills old slots, of any stretch and with all that succeeded, at any pace."""
    task_id = user.schedule()
    if not task_id:
        return
    now = user.stage.world.epoch_us() // 1_000_000
    last = now - user.random.choice((0, 20, 60, 200))
    first = last - user.random.choice((3, 60, 240))
    body = {
        "from": nominal(first),
        "to": nominal(last),
        "rate_per_min": user.random.choice((1, 3, 60)),
        "only_missing": user.random.random() < 0.5,
    }
    route = f"POST /v1/schedules/{task_id}/backfills"
    begun = user.carried_out(route, body, name="backfill", task_id=task_id)
    user.caller.ask(f"GET /v1/schedules/{task_id}/backfills")
    drawn = user.random.random()
    if begun is None or begun.said is None or drawn < 0.5:
        return
    user.wait(90)
    if drawn < 0.7:
        user.caller.ask(f"DELETE /v1/schedules/{task_id}", name="delete", task_id=task_id)
    else:
        where = f"/v1/schedules/{task_id}/backfills/{begun.said['backfill_id']}"
        user.caller.ask(f"POST {where}/cancel", name="stop")
        user.caller.ask(f"GET {where}")


def _bounded(user: User) -> None:
    """Gives a schedule more or fewer runs: first the plan, then the change."""
    body = {
        "name": f"bounded-{user.random.randint(0, 99)}",
        "cron": user.random.choice(("*/20 * * * * *", "* * * * *")),
        "overlap": "allow",
        "max_runs": user.random.randint(1, 6),
        "target": TARGET,
    }
    made = user.caller.ask("POST /v1/schedules", body, name="create")
    route = f"PATCH /v1/schedules/{made.task_id}"
    for _ in range(2 if made.done else 0):
        user.wait(100)
        change: dict[str, Any] = {"max_runs": user.random.randint(1, 9)}
        if user.random.random() < 0.3:
            change |= {"cron": "*/30 * * * * *"}
        user.carried_out(route, change, name="edit", task_id=made.task_id)
        user.caller.ask(f"GET /v1/schedules/{made.task_id}")


def _bind(user: User) -> None:
    """Gives a schedule a bound, and then another one."""
    task_id = user.schedule()
    for _ in range(2 if task_id else 0):
        body = {"max_runs": user.random.randint(1, 4)}
        user.caller.ask(f"PATCH /v1/schedules/{task_id}", body, name="edit", task_id=task_id)
        user.wait(120)


def _fill_up(user: User) -> None:
    """Makes more tasks than there is room for, delete a schedule, and makes more."""
    room = {"tasks_max": user.random.randint(3, 7)}
    user.operator.ask(f"PUT /v1/tenants/{user.caller.tenant_id}", room, name="ration")
    body = {"cron": "0 4 * * *", "target": TARGET}
    for place in range(5):
        if place == 3 and (task_id := user.schedule()):
            user.caller.ask(f"DELETE /v1/schedules/{task_id}", name="delete", task_id=task_id)
        if user.random.random() < 0.4:
            delayed = {"target": TARGET, "delay_sec": 30}
            user.caller.ask("POST /v1/tasks", delayed, name="task")
        else:
            named = body | {"name": f"room-{user.caller.asked}"}
            user.caller.ask("POST /v1/schedules", named, name="create")
        user.wait(70)


def _order(user: User) -> None:
    """Makes a task by a key that others use as well, sometimes for another task."""
    body = {
        "target": TARGET,
        "idempotency_key": user.random.choice(_ORDERS),
        "delay_sec": user.random.choice((0, 60)),
        "idempotency_ttl_sec": user.random.choice((60, 86_400)),
        "max_attempts": 3,
    }

    def again() -> None:
        user.other.ask("POST /v1/tasks", body, name="task")

    if user.random.random() < 0.5:
        user.stage.world.spawn("user", again)
    user.caller.ask("POST /v1/tasks", body, name="task")
    user.wait(70)
    user.caller.ask("POST /v1/tasks/batch", {"tasks": [body, {"delay_sec": -1}]}, name="orders")
    other = body | {"max_attempts": user.random.choice((3, 4))}
    user.caller.ask("POST /v1/tasks", other, name="task")


def _taken_back(user: User) -> None:
    """Moves and takes back a task that runs long, before, while and after it runs."""
    body = {"target": TARGET, "delay_sec": user.random.choice((0, 20, 50, 250))}
    made = user.caller.ask("POST /v1/tasks", body, name="task").said
    if made is None:
        return
    route, task_id = f"POST /v1/tasks/{made['task_id']}", made["task_id"]

    def back() -> None:
        user.other.ask(f"{route}/cancel", name="take back", task_id=task_id)

    for _ in range(3):
        user.wait(50)
        drawn = user.random.random()
        if drawn < 0.4:
            delay = {"delay_sec": user.random.choice((10, 45))}
            user.caller.ask(f"{route}/reschedule", delay, name="move", task_id=task_id)
        elif drawn < 0.8:
            if drawn < 0.5:
                user.stage.world.spawn("user", back)
            user.caller.ask(f"{route}/cancel", name="take back", task_id=task_id)
        user.caller.ask(f"GET /v1/tasks/{task_id}")


def _some_letters(user: User) -> None:
    """Replays or purges some of the dead letters: of one schedule, of one reason, of a time."""
    now = user.stage.world.epoch_us() // 1_000_000
    body: dict[str, Any] = {"rate_per_min": user.random.choice((1, 3, 100))}
    drawn = user.random.random()
    if drawn < 0.4 and (task_id := user.schedule()):
        body |= {"task_id": task_id}
    elif drawn < 0.6:
        body |= {"reason": user.random.choice(_REASONS)}
    elif drawn < 0.8:
        body |= {"from": nominal(now - user.random.randint(20, 120))}
    what = user.random.choice(("replay", "purge"))
    begun = user.carried_out(f"POST /v1/dead-letters/{what}", body, name=f"{what} letters")
    user.caller.ask("GET /v1/dead-letters/operations")
    if begun is not None and begun.said and user.random.random() < 0.3:
        user.wait(90)
        where = f"/v1/dead-letters/operations/{begun.said['operation_id']}"
        user.caller.ask(f"POST {where}/cancel", name="stop")


_USES: tuple[dict[str, Any], ...] = (
    {},
    {"use": {"target": "sent"}},
    {"use": {"payload": "current"}},
    {"use": {"payload": "current", "target": "sent"}},
)


def _aim(user: User) -> None:
    """Calls something else, with another payload or with the same."""
    if task_id := user.schedule():
        number = user.caller.asked
        change: dict[str, Any] = {"target": {**TARGET, "handler": f"jobs.aimed{number % 3}"}}
        if user.random.random() < 0.6:
            change |= {"payload": {"aimed": number}}
        route = f"PATCH /v1/schedules/{task_id}"
        user.caller.ask(route, change, name="edit", task_id=task_id)


def _use(user: User) -> None:
    """Replays one run, or all that died: as it was sent, as it is now, or both mixed."""
    said = user.random.choice(_USES)
    if user.random.random() < 0.3:
        body = {"rate_per_min": 100, **said}
        user.carried_out("POST /v1/dead-letters/replay", body, name="replay letters")
    elif task_id := user.schedule():
        over = user.runs(task_id, "succeeded", "dead")
        if over:
            route = f"POST /v1/runs/{user.random.choice(over)}/replay"
            asked = user.caller.ask(route, dict(said), name="replay")
            user.stage.acked_runs.update([asked.run_id] if asked.done else [])


def _deploy_closed(user: User) -> None:
    """Deployments of a schedule whose calendar moves between them, and of one that others own."""
    closed = {
        "name": "closed",
        "cron": "*/20 * * * * *",
        "target": TARGET,
        "managed_by": "code:jobs",
        "overlap": "allow",
        "calendars": ["noon"],
    }
    taken = {**closed, "name": user.random.choice(_NAMES), "calendars": []}
    user.caller.ask("POST /v1/calendars", _NOON, name="calendar")
    for _ in range(2):
        more = [closed, taken] if user.random.random() < 0.5 else [closed]
        deployments.deploy(user.stage, user.random, more)
        user.wait(60)
        seen = user.caller.ask("GET /v1/calendars/noon").said
        if seen:
            cron = user.random.choice(("3 12 * * *", "4 12 * * *"))
            version = f'"{seen["version"]}"'
            put = "PUT /v1/calendars/noon"
            user.caller.ask(put, {"cron": cron}, name="calendar", if_match=version)
        user.wait(40)


def _lock(user: User) -> None:
    """Revokes admin keys, two at once, until one is left; a deployment may need one."""
    front, world, tenant_id = user.caller.front, user.stage.world, user.operator.tenant_id
    body = {"role": "admin", "name": "lock"}
    expires = user.random.random() < 0.4
    if expires:
        body |= {"expires_at": nominal(world.epoch_us() // 1_000_000 + _SHORT_SEC)}
    made = user.operator.ask("POST /v1/keys", body, name="key").said

    def deploy() -> None:
        text = api_keys.make_first()
        parts = api_key.read(text) if text else None
        if text and parts:
            first = front.holder(tenant_id, parts[0], text)
            world.spawn("user", lambda: first.ask("GET /v1/keys", patience_sec=20))

    world.spawn("deploy", deploy)
    if made is None:
        return
    second = front.holder(tenant_id, made["key_id"], made["key"])
    user.wait(5)
    both = [(user.operator, second.key_id), (second, user.operator.key_id)]
    user.random.shuffle(both)

    def revoke(place: int) -> None:
        caller, key_id = both[place]
        caller.ask(f"DELETE /v1/keys/{key_id}", name="revoke", patience_sec=40)

    if user.random.random() < 0.5:
        world.spawn("user", lambda: revoke(1))
    revoke(0)
    user.wait(5)
    if expires:
        world.sleep(2 * _SHORT_SEC * 1_000_000)
    world.spawn("deploy", deploy)
    user.operator.ask("GET /v1/keys", patience_sec=20)


BESIDE: Mapping[str, Callable[[User], None]] = {
    "rename": _rename,
    "bear": _bear,
    "pause again": _pause_again,
    "catch up in time": _catch_up_in_time,
    "fill": _fill,
    "bounded": _bounded,
    "bind": _bind,
    "fill up": _fill_up,
    "order": _order,
    "taken back": _taken_back,
    "some letters": _some_letters,
    "aim": _aim,
    "use": _use,
    "deploy closed": _deploy_closed,
    "lock": _lock,
}
