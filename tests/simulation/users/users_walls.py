"""What users ask about nights on which a clock is changed, and what they have there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from onthedot.schedule.time.instants import nominal

if TYPE_CHECKING:
    from tests.simulation.users.person import User

# Clocks that go on or back by an hour, or by half an hour, and when they do.
_NIGHTS = (
    ("Europe/Berlin", datetime(2027, 3, 28, 1, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2027, 10, 31, 1, tzinfo=UTC)),
    ("America/New_York", datetime(2027, 3, 14, 7, tzinfo=UTC)),
    ("America/New_York", datetime(2027, 11, 7, 6, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2027, 4, 3, 15, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2027, 10, 2, 15, 30, tzinfo=UTC)),
)
_CRONS = (
    "30 2 * * *",
    "0 2,3 * * *",
    "15,45 1-3 * * *",
    "*/20 * * * *",
    "0 3 28 3 *",
    "30 1 * * *",
    "59 1 * * *",
    "5 2-3 31 10 *",
    "*/7 * * * *",
    "0 */2 * * *",
)
_POLICIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dst_mode", ("auto", "auto", "interval", "fixed")),
    ("dst_gap", ("fire", "skip", "shift")),
    ("dst_overlap", ("first", "last", "both")),
)
# Rules with slots only in the changed hour, which is left out or shown twice, by month.
_IN_THAT_HOUR: dict[int, tuple[dict[str, str], ...]] = {
    3: (
        {"cron": "1-2 2 * * *", "dst_gap": "shift"},
        {"cron": "0 1-2 2 28 3 * 2027", "dst_gap": "shift"},
        {"cron": "0 58,59 1 28 3 * 2027", "dst_gap": "fire"},
        {"cron": "0 30 2 28 3 * 2027", "dst_gap": "fire"},
    ),
    10: (
        {"cron": "*/20 59 2 31 10 * 2027", "dst_overlap": "both"},
        {"cron": "*/20 59 2 31 10 * 2027", "dst_overlap": "first"},
        {"cron": "0 0-1 2 31 10 * 2027", "dst_overlap": "last"},
        {"cron": "59 2 * * *", "dst_overlap": "both"},
    ),
}
_TARGET = {"type": "python", "handler": "hello"}


def _rule(user: User, timezone: str) -> dict[str, Any]:
    drawn = {name: user.random.choice(values) for name, values in _POLICIES}
    return {"cron": user.random.choice(_CRONS), "timezone": timezone, **drawn}


def _foresee(user: User) -> None:
    """Asks when a schedule fires: from before, within, or right after that night."""
    for _ in range(3):
        timezone, change = user.random.choice(_NIGHTS)
        since = int(change.timestamp()) + user.random.choice((-3_600, -60, -1, 0, 1, 1_800, 3_600))
        body = _rule(user, timezone) | {"from": nominal(since), "count": 3}
        user.caller.ask("POST /v1/cron/preview", body, name="walls", once="")


def _over_night(user: User) -> None:
    """Pauses a new one, and runs what passed while the clock was changed."""
    rule = _rule(user, "Europe/Berlin")
    rule |= {"cron": user.random.choice((*_CRONS[:5], "* * * * *", "0 2-3 * * *"))}
    _paused_over(user, rule, user.random.uniform(0, user.random.randint(100, 300)))


def _over_that_hour(user: User) -> None:
    """Pauses a schedule until all of its slots, which are in the changed hour, have passed."""
    world = user.stage.world
    drawn = user.random.choice(_IN_THAT_HOUR[world.start.month])
    rule = {"timezone": "Europe/Berlin", "dst_mode": "fixed", **drawn}
    _paused_over(user, rule, user.random.uniform(185, 320) - world.now_us / 1e6)


def _paused_over(user: User, rule: Mapping[str, Any], sec: float) -> None:
    body = {**rule, "name": f"night-{user.caller.asked}", "overlap": "allow", "target": _TARGET}
    task_id = user.caller.ask("POST /v1/schedules", body, name="create").task_id
    if not task_id:
        return
    user.caller.ask(f"POST /v1/schedules/{task_id}/pause", {}, name="pause", task_id=task_id)
    user.stage.world.sleep(int(sec * 1_000_000))
    mode = user.random.choice(("latest", "latest", "all"))
    route = f"POST /v1/schedules/{task_id}/resume"
    user.carried_out(route, {"catchup": mode}, name="resume", task_id=task_id)


WALLS: Mapping[str, Callable[[User], None]] = {
    "foresee": _foresee,
    "over night": _over_night,
    "over that hour": _over_that_hour,
}
