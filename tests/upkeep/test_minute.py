"""The audit's minute: one act that raises, hangs or is refused keeps no other from its turn."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from onthedot.launch.backfill import Backfill, loop
from onthedot.records.runs import manifest
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.bulk_operation import Named
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, invocation_metrics
from onthedot.upkeep import (
    bulk_operations,
    claims_audit,
    failing_task,
    minute,
    minute_tally,
    pulse,
    queue_depth,
)
from tests.simulation.calm import (
    NOON,
    add,
    go,
    outcomes,
    part,
    partition,
    put_run,
    runs,
    spoil,
    wait,
)
from tests.simulation.outside.bus import ARN
from tests.simulation.stage import Stage
from tests.simulation.users import user

ACTS = [act.name for act in minute.ACTS]
Do = Callable[..., None]


@pytest.fixture(autouse=True)
def _look(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims_audit, "LOOK_BACK_MIN", 4)
    monkeypatch.setattr(claims_audit, "_PART_SEC", 0)
    monkeypatch.setattr(invocation_metrics, "emit", stage.emitted)


def minutes(stage: Stage, until_sec: float) -> list[Any]:
    """Lets an audit begin each minute; give the processes."""
    world = stage.world
    before = len(world.processes)
    first = -(-world.now_us // 60_000_000) * 60 + 30
    world.every(
        60, "audit", lambda _: minute.minute(), first_sec=first, until_sec=until_sec, limit_sec=300
    )
    world.run(until_sec)
    return [each for each in world.processes[before:] if each.kind == "audit"]


def planted(monkeypatch: pytest.MonkeyPatch, name: str, do: Do) -> None:
    acts = [act._replace(do=do) if act.name == name else act for act in minute.ACTS]
    monkeypatch.setattr(minute, "ACTS", tuple(acts))


def paused(stage: Stage, task: Task, end_sec: int) -> None:
    def edit(known: Task, now: int) -> Task:
        return lifecycle.paused(known, now, pause_ends.why(now, "key_1", None, NOON + end_sec))

    assert user.change(task.task_id, edit) is not None
    assert part(stage, task, "spec")["status"] == "paused"


def prepared(stage: Stage) -> Task:
    """Of each kind of work of a minute there is some: a late run, a pause that ends."""
    stage.places = (ARN,)
    add(stage, "1 12 * * *", name="late")
    task = add(stage, "*/20 * * * * *", name="paused")
    wait(stage, 160)
    go(stage, 200)
    paused(stage, task, 500)
    return task


def failing(*_: object) -> None:
    raise EndpointConnectionError(endpoint_url="https://nowhere")


def hanging(*_: object) -> None:
    clock.sleep(10_000)


@pytest.mark.deep
@pytest.mark.parametrize("do", [failing, hanging])
@pytest.mark.parametrize("name", ACTS)
def test_every_other_act_has_its_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str, do: Do
) -> None:
    task = prepared(stage)
    planted(monkeypatch, name, do)

    made = [each for each in minutes(stage, 900) if "/" not in each.name]

    ended = [each for each in made if each.done]
    assert ended
    assert all(isinstance(each.error, EndpointConnectionError | BusyError) for each in ended)
    assert not any(each.dead for each in ended)
    if name != "pauses":
        assert part(stage, task, "spec")["status"] == "active"
    if name not in ("look", "events"):
        assert "onthedot.run.late.v1" in [one.body["type"] for one in stage.world.bus.told]
    if name != "tallies":
        assert len(partition(stage, minute_tally.MINUTES)) >= len(ended)
    if name != "figures":
        counted = [figures["audits"] for _, figures in stage.figures if "audits" in figures]
        assert set(counted) == {1 if name in ("sweep", "pauses") else 0}


def test_a_pause_ends_at_its_second_while_another_act_takes_a_minute(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = add(stage, "*/20 * * * * *")
    go(stage, 100)
    paused(stage, task, 300)
    planted(monkeypatch, "look", lambda *_: clock.sleep(85))

    stage.world.every(60, "dispatch", lambda _: None, first_sec=120, until_sec=121)
    minutes(stage, 299.9)

    assert part(stage, task, "spec")["status"] == "active"


@pytest.mark.parametrize(("over_sec", "failed"), [(-0.4, False), (0.4, True)])
def test_an_act_is_waited_for_as_long_as_it_may_take(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, over_sec: float, *, failed: bool
) -> None:
    sec = next(act.limit_sec for act in minute.ACTS if act.name == "health")
    planted(monkeypatch, "health", lambda *_: clock.sleep(sec + over_sec))

    (made,) = (each for each in minutes(stage, 85) if "/" not in each.name)

    assert isinstance(made.error, BusyError) == failed


def test_an_act_ends_its_own_work_before_the_list_leaves_it() -> None:
    """And what the list may wait for, one after another, fits into the function's time."""
    assert all(act.work_sec < act.limit_sec for act in minute.ACTS)
    assert sum(act.limit_sec for act in minute.ACTS if not act.beside) < minute.LIMIT_SEC
    assert all(act.limit_sec < minute.LIMIT_SEC for act in minute.ACTS)


@pytest.mark.parametrize(("name", "field"), [("look", "act_look_ms"), ("health", "act_health_ms")])
def test_a_minute_tells_how_long_each_act_took(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, name: str, field: str
) -> None:
    planted(monkeypatch, name, lambda *_: clock.sleep(7))

    minutes(stage, 60)

    (told,) = (figures for _, figures in stage.figures if "audits" in figures)
    assert 7_000 <= told[field] < 7_100
    slow = [each for each in told if each.startswith("act_") and told[each] > 5_000]
    assert slow == [field]


def test_a_minute_tells_how_many_runs_a_backfill_has_begun(stage: Stage) -> None:
    """Beside its metrics, so that an operator sees which work of a minute no alarm looks at."""
    task = add(stage, "0 * * * *")
    wanted = Backfill(task_id=task.task_id, first=NOON - 7_200, last=NOON)
    named = Named(loop_id="bkf_a", tenant_id="acme", by="key_1", began_ms=NOON * 1000)
    assert bulk_operations.begin(loop(wanted, named, per_minute=2))

    (made,) = (each for each in minutes(stage, 60) if "/" not in each.name)

    (told,) = (figures for _, figures in stage.figures if "audits" in figures)
    assert told["backfilled"] == len(runs(stage, task)) == 2
    # One that calls the function by hand is told, too.
    assert made.result["backfilled"] == 2


def test_a_queue_that_cannot_be_counted_leaves_the_figures_whole(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQS alone refuses: everything else is known, and told."""
    add(stage, "1 12 * * *")
    go(stage, 100)
    monkeypatch.setattr(queue_depth, "waiting", lambda: failing(None))
    minutes(stage, 400)

    succeeded = [figures.get("succeeded", 0) for _, figures in stage.figures]
    assert sum(succeeded) == 1
    newest = max(partition(stage, minute_tally.MINUTES), key=lambda item: item["scheduled_for"])
    assert "waiting" not in newest
    seen = pulse.read(None, newest)
    assert pulse.health(seen, clock.now_ms())["audit"] == "ok"
    assert pulse.health(seen, clock.now_ms())["queue"] == "unknown"


def test_an_audit_that_cannot_look_at_the_runs_is_no_sign_of_life(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes(stage, 100)
    planted(monkeypatch, "look", failing)
    minutes(stage, 400)

    newest = max(partition(stage, minute_tally.MINUTES), key=lambda item: item["scheduled_for"])
    assert newest["scheduled_for"] == "2026-11-18T12:06:00Z"
    assert pulse.health(pulse.read(None, newest), clock.now_ms())["audit"] == "stopped"


def test_a_pause_of_a_task_that_cannot_be_read_keeps_no_other_from_its_end(stage: Stage) -> None:
    first, second = add(stage, "* * * * *", name="first"), add(stage, "* * * * *", name="second")
    paused(stage, first, 100)
    paused(stage, second, 200)
    spoil(stage, first, "spec", payload="{")

    made = minutes(stage, 300)

    assert part(stage, second, "spec")["status"] == "active"
    assert not any(each.error for each in made)
    assert len(partition(stage, pause_ends.OPEN)) == 1


def test_a_sick_task_that_cannot_be_read_keeps_no_other_from_its_probe(stage: Stage) -> None:
    broken, other = add(stage, "* * * * *", name="broken"), add(stage, "0 0 1 1 *", name="other")
    for task in (broken, other):
        known = failing_task.Health(task_id=task.task_id, failures=10, last="1")
        put_run(stage, known.paused(clock.now_ms() - 3_700_000).item())
    spoil(stage, broken, "spec", payload="{")

    made = minutes(stage, 100)

    assert part(stage, other, "spec")["status"] == "paused"
    assert not any(each.error for each in made)


def test_a_list_that_no_release_can_read_keeps_no_other_from_being_looked_at(
    stage: Stage,
) -> None:
    task = add(stage, "1 12 * * *")
    go(stage, 70)
    entry = manifest.Entry("sch_gone.20261118T000000Z", 1, "acme")
    for each in manifest.listing("GONE", [entry], now_ms=NOON * 1000):
        put_run(stage, each.item() | {"entries": b"of a release to come"})
        put_run(stage, each.item() | {"scheduled_for": "ZZZ"})

    made = [each for each in minutes(stage, 300) if "/" not in each.name]

    assert outcomes(stage, task) == {"12:01:00": "succeeded"}
    assert sum(figures.get("succeeded", 0) for _, figures in stage.figures) == 1
    assert all(isinstance(each.error, zlib.error) for each in made)
    for process in stage.world.processes:
        # It is what the test asks for.
        process.error = None


def test_one_event_that_a_bus_never_takes_keeps_no_other_from_being_told(stage: Stage) -> None:
    stage.places = (ARN,)
    for number in range(30):
        add(stage, "1 12 * * *", name=f"late{number:02}x")
    stage.world.bus.poison = "LATE07X"
    wait(stage, 160)
    go(stage, 200)

    minutes(stage, 500)

    told = [one.body["source"] for one in stage.world.bus.told]
    assert len(told) == len(set(told)) == 29
