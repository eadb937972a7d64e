"""A user who asks when schedules will fire: days ahead, across clock changes and closed days."""

from __future__ import annotations

from functools import partial
from random import Random
from typing import Any

from onthedot.schedule.time.instants import nominal
from tests.simulation.stage import Stage
from tests.simulation.users.caller import Caller, opened
from tests.simulation.users.person import TARGET

# What keeps schedules from firing: days in a row and apart, given in any order; hours.
_CALENDARS: tuple[dict[str, Any], ...] = (
    {
        "calendar_id": "days",
        "dates": ["2026-11-22", "2026-11-19/2026-11-20", "2026-11-19"],
        "timezone": "Europe/Berlin",
    },
    {"calendar_id": "nights", "cron": "* 20-23 * * *"},
)
_SPRING = ("2027-03-27T23:30:00Z", "2027-03-28T00:59:59Z", "2027-03-28T01:10:00Z")
_AUTUMN = ("2026-10-24T22:30:00Z", "2026-10-25T00:20:00Z", "2026-10-25T01:10:00Z")
# The schedule of each question, from when it asks, and how many slots it wants.
_FIXED = {"cron": "*/20 1-3 * * *", "timezone": "Europe/Berlin", "dst_mode": "fixed"}
_QUESTIONS: tuple[tuple[dict[str, Any], tuple[str, ...], int], ...] = (
    *((_FIXED | {"dst_gap": gap}, _SPRING, 12) for gap in ("fire", "skip", "shift")),
    *((_FIXED | {"dst_overlap": each}, _AUTUMN, 14) for each in ("first", "last", "both")),
    ({"cron": "*/15 * * * *", "timezone": "Europe/Berlin"}, (*_SPRING, *_AUTUMN), 24),
    ({"every_sec": 5_400}, ("", *_AUTUMN), 20),
    ({"cron": "0 */3 * * *", "calendars": ["days"]}, ("", "2026-11-18T21:00:00Z"), 14),
    ({"cron": "0 */2 * * *", "calendars": ["nights", "days"]}, ("2026-11-18T19:00:00Z",), 14),
    (
        {
            "cron": "*/30 * * * *",
            "start_at": "2026-11-20T09:30:00Z",
            "end_at": "2026-11-20T12:00:00Z",
        },
        ("", "2026-11-20T09:00:00Z", "2026-11-20T10:30:00Z"),
        9,
    ),
)
_ASKED = 4
# As far as one page of what comes may reach.
_AHEAD_SEC = 36 * 3_600


def prepared(stage: Stage) -> None:
    """Lets a user make some schedules, and ask about each."""
    random = Random(f"foreseen {stage.world.seed}")
    caller = opened(stage).caller()
    for body in _CALENDARS:
        stage.world.spawn("user", partial(_keep, caller, body), at_sec=1)
    for number, (schedule, moments, count) in enumerate(random.sample(_QUESTIONS, _ASKED)):
        body = schedule | {"name": f"ahead-{number}", "target": TARGET}
        if "calendars" not in body and random.random() < 0.3:
            body |= {"jitter_sec": random.choice((40, 2_000))}
        where = f"count={count}"
        if moment := random.choice(moments):
            where += f"&from={moment}"
        at_sec = random.uniform(5, 200)
        stage.world.spawn("user", partial(_foresee, caller, body, where), at_sec=at_sec)
    stage.world.spawn("user", partial(_look, stage, caller), at_sec=random.uniform(230, 300))


def _keep(caller: Caller, body: dict[str, Any]) -> None:
    caller.ask("POST /v1/calendars", body, name="calendar")


def _foresee(caller: Caller, body: dict[str, Any], where: str) -> None:
    made = caller.ask("POST /v1/schedules", body, name="create").said
    if made:
        task_id = made["task_id"]
        caller.ask(f"GET /v1/schedules/{task_id}/next?{where}", name="foresee", task_id=task_id)


def _look(stage: Stage, caller: Caller) -> None:
    """Looks at what fires next, of all schedules."""
    until = nominal(stage.world.epoch_us() // 1_000_000 + _AHEAD_SEC)
    caller.ask(f"GET /v1/upcoming?to={until}&limit=100", name="look ahead")
