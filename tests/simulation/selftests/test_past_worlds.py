"""Items that an earlier commit wrote are read by today's code, and go on firing."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from string import digits

import pytest

from onthedot.records.keys import lies_beside
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import FINAL, OPEN
from onthedot.upkeep import separate_steps
from tests.simulation.auditor import Auditor
from tests.simulation.laws.running import laws_runs
from tests.simulation.laws.timing import laws_slots
from tests.simulation.machine.journal import read
from tests.simulation.outside import outside_parts
from tests.simulation.past.past_worlds import ARCHIVE, past_worlds
from tests.simulation.scene import Scene
from tests.simulation.stage import Course, Stage, play
from tests.simulation.users.caller import Caller, opened

_TICKS_SEC = 600
_COURSE = Course(sec=2_700, ticks_until=_TICKS_SEC, auditor=Auditor(look_back_min=30))
_WORLDS = past_worlds()
_LISTS = (
    "schedules",
    "tasks",
    "runs",
    "dead-letters",
    "dead-letters/groups",
    "dead-letters/operations",
    "calendars",
    "keys",
    "tenants",
    "audit",
    "overview",
    "upcoming",
    "upcoming/heat",
)
_ORIGINS = {"schedule", "task", "catchup", "manual", "replay", "backfill"}
_WAITED = {"line", "rate", "lane", "catchup"}
_PARTS = {"cursor", "spec", "name", "rev#", "spec#", "tzdata", "exhausted"}
_IN_ACCESS = {"key", "tenant", "tenants", "idem", "bkey", "audit", "admins"}
_WHY = {"start", "retry", "resend", "hop", "poll", "wake", "busy", "split"}
# Lists of the audit, sums, events, marks; gates, rates, limits, permits, lines; side items.
_AMONG_RUNS = {
    *("check", "recent", "stat", "event", "exhausted", "pauses", "loops", "trail"),
    *("backfill", "operation", "recompute"),
    *("#gate", "#rate", "#limit", "#permit", "#wait"),
    *("^payload", "^once"),
}


@pytest.mark.parametrize("name", _WORLDS)
def test_every_open_run_ends_and_every_schedule_goes_on_firing(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    stage = _taken_over(name)
    before = stage.rows()

    play(stage, _COURSE)

    after, journal = stage.rows(), read(stage.world, stage.corrected)
    assert stage.world.bugs() == []
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []
    assert {run for run in before if not after[run].final} == set()
    assert {run for run, row in after.items() if not _explained(row)} == set()
    assert list(laws_runs.sound_writes(journal)) == []
    assert list(laws_slots.accounted(stage, journal, _TICKS_SEC)) == []


@pytest.mark.parametrize("name", _WORLDS)
def test_the_api_shows_everything(name: str) -> None:
    stage = _taken_over(name)
    front = opened(stage)
    callers = [front.caller(each) for each in sorted(_tenants(name))]
    answers: dict[str, int] = {}

    def ask() -> None:
        for caller in callers:
            for route in _routes(stage, caller):
                told = caller.ask(route).answer
                answers[f"{caller.tenant_id}: {route}"] = told.status if told else 0

    stage.world.spawn("user", ask)
    play(stage, Course(sec=600, ticks_until=0, audited=False))

    assert {route: status for route, status in answers.items() if status != 200} == {}
    assert len(answers) > len(callers)


def test_the_archive_holds_every_kind_of_item_in_every_status() -> None:
    worlds = _WORLDS.values()
    rows = [item for world in worlds for item in world.items("runs")]
    lives = [item["life"] for item in rows if "life" in item]
    # `waiting` is what a run is shown as, and stored nowhere.
    assert {life["status"] for life in lives} == FINAL | OPEN - {"waiting"}
    assert {life["waited"] for life in lives if "waited" in life} >= _WAITED
    assert {item["origin"] for item in rows if "life" in item} == _ORIGINS
    assert any("range_to" in item for item in rows)
    assert {_kind_of(item["task_id"], item["scheduled_for"]) for item in rows} >= _AMONG_RUNS
    specs = [item for world in worlds for item in world.items("tasks")]
    assert {item["part"].rstrip(digits) for item in specs} >= _PARTS
    access = [item for world in worlds for item in world.items("access")]
    assert {item["pk"].partition("#")[0] for item in access} >= _IN_ACCESS
    assert any(world.objects for world in worlds)


def test_the_archive_holds_messages_in_flight_and_of_every_reason() -> None:
    messages = [
        (json.loads(body), received)
        for world in _WORLDS.values()
        for queue in world.queues.values()
        for body, _, _, received in queue
    ]

    assert {message["why"] for message, _ in messages} >= _WHY
    assert any(received for _, received in messages)
    assert any(len(message["runs"]) > 1 for message, _ in messages)


def test_the_archive_has_100_kb_at_most() -> None:
    assert ARCHIVE.stat().st_size <= 100_000


def _taken_over(name: str) -> Stage:
    """Returns a stage with the world in it, on which today's code does not hide what fails."""
    stage = _WORLDS[name].stage()
    outside_parts.set_up(stage, Scene(name="past"), seed=1)
    log = logging.getLogger(separate_steps.__name__)
    stage.stand_ins.append((separate_steps, "_log", log))
    return stage


def _explained(row: Run) -> bool:
    return row.life.status == "succeeded" or bool(row.life.reason) or not row.final


def _tenants(name: str) -> set[str]:
    world = _WORLDS[name]
    items = [*world.items("tasks"), *world.items("runs")]
    return {item["tenant_id"] for item in items if "tenant_id" in item}


def _routes(stage: Stage, caller: Caller) -> Iterator[str]:
    """Yields what a tenant may look at: each thing by itself, and all lists."""
    for task in stage.tasks:
        if task.tenant_id != caller.tenant_id:
            continue
        if task.task_id.startswith("tsk"):
            yield f"GET /v1/tasks/{task.task_id}"
            continue
        path = f"GET /v1/schedules/{task.task_id}"
        yield f"{path}/runs"
        if task.status != "deleted":
            yield from (path, f"{path}/next", f"{path}/backfills")
    for run in stage.rows().values():
        if run.tenant_id == caller.tenant_id:
            yield f"GET /v1/runs/{run.run_id}"
    yield from (f"GET /v1/{each}" for each in _LISTS)


def _kind_of(partition: str, key: str) -> str:
    """Names a kind of item by its key, without ids and times."""
    if key.startswith("#"):
        return "#" + key.split("#")[1]
    if lies_beside(key):
        return "^" + key.partition("^")[2].partition("#")[0]
    return partition.partition("#")[0] if "#" in partition else ""
