"""What users read: lists page by page, what an expression would meet, and whether all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onthedot.schedule.time.instants import nominal

if TYPE_CHECKING:
    from tests.simulation.users.person import User

_LOOKS = (
    "health overview upcoming upcoming/heat schedules tasks runs keys tenants audit calendars "
    "dead-letters dead-letters/operations"
).split()
# A walk that has no end is no endless history.
_PAGES_MAX = 60
_AHEAD_SEC = 240
# One try: a service that is down says so by the status with which clients come again.
_ONCE_SEC = 0.1


def look(user: User) -> None:
    """Looks at everything that a user may look at."""
    for route in _LOOKS:
        user.caller.ask(f"GET /v1/{route}")
    if task_id := user.schedule():
        for what in ("", "/next", "/slots", "/runs?outcome=failed", "/backfills"):
            user.caller.ask(f"GET /v1/schedules/{task_id}{what}")
        for run_id in user.runs(task_id, "claimed", "running", "succeeded")[:2]:
            user.caller.ask(f"GET /v1/runs/{run_id}")


def read(user: User) -> None:
    """Lists that are read to their end, and short answers between them."""
    now = user.stage.world.epoch_us() // 1_000_000
    user.caller.ask("GET /v1/health", name="health", patience_sec=_ONCE_SEC)
    asked_for = user.random.choice(("", "", "origin=schedule&", f"to={nominal(now - 90)}&"))
    _walk(user, "runs", asked_for, user.random.choice((1, 4, 50)))
    _walk(user, "upcoming", f"to={nominal(now + _AHEAD_SEC)}&", user.random.choice((5, 50)))
    meets = {"cron": "*/5 * * * *", "from": nominal(now + 60)}
    user.caller.ask("POST /v1/cron/preview", meets, name="preview", once="")
    user.wait(8)
    user.caller.ask("GET /v1/health", name="health", patience_sec=_ONCE_SEC)


def runs(user: User) -> None:
    """Looks at a list of runs, and at its first three runs one by one."""
    for _ in range(3):
        listed = user.caller.ask("GET /v1/runs?limit=50").said
        for run in (listed["data"] if listed else [])[:3]:
            user.caller.ask(f"GET /v1/runs/{run['run_id']}")
        user.wait(20)


def watch(user: User) -> None:
    """Asks each second whether all is well, as a page does."""
    for _ in range(12):
        user.caller.ask("GET /v1/health", name="health", patience_sec=_ONCE_SEC)
        user.wait(1)


def _walk(user: User, what: str, asked_for: str, limit: int) -> None:
    """Walks from page to page; the laws know the pages of one walk by its name."""
    name = f"{what} {user.caller.key_id} {user.caller.asked}"
    route, cursor = f"GET /v1/{what}?{asked_for}limit={limit}", ""
    for _ in range(_PAGES_MAX):
        said = user.caller.ask(f"{route}{cursor}", name=name).said
        if said is None or said["next_cursor"] is None:
            return
        cursor = f"&cursor={said['next_cursor']}"
