"""One history: a profile and a seed decide everything in it; its end is judged by every law."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from botocore.exceptions import ConnectionClosedError

from onthedot.dispatch.due_tasks import BUDGET_MIN
from onthedot.launch.backfill import Backfill, loop
from onthedot.launch.trigger import trigger
from onthedot.records.attributes import typed, typed_item
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.runs.tenant_permits import limit_key
from onthedot.records.tasks.bulk_operation import Named
from onthedot.records.tasks.calendar import Stored, insert
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, error_of
from onthedot.targets.call import Call
from onthedot.upkeep import bulk_operations
from onthedot.work.gates import tenant_line
from tests.simulation import auditor
from tests.simulation.faults.faults import Aim, Fault, Place
from tests.simulation.faults.forgeries import forge
from tests.simulation.invariants import Measure, broken
from tests.simulation.machine.process import Process
from tests.simulation.outside import outside_parts, parts, put_off
from tests.simulation.profiles.running.kinds import LUNCH
from tests.simulation.profiles.running.kinds_apart import EVERY_KIND
from tests.simulation.scene import Scene
from tests.simulation.sizes import applied
from tests.simulation.stage import Stage, make_stage, make_task, play
from tests.simulation.users import (
    calendar_edits,
    elders,
    pauses,
    payload_loads,
    replay_acts,
    schedule_ends,
    user,
    users,
)
from tests.simulation.users.act import Act
from tests.simulation.users.caller import opened
from tests.simulation.users.edits import EDITS, SERIES

_TRIES = 12
_LIMITS = (1, 2, 6, None)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a replay keeps of a history: faults that came by chance, and calls by their number."""

    faults: dict[Place, Fault]
    calls: frozenset[int]


def history(
    scene: Scene, seed: int, aims: tuple[Aim, ...] = (), *, kept: Kept | None = None
) -> Stage:
    """Plays it to its end, or play again what is kept of it."""
    with applied(scene.sizes):
        return _history(scene, seed, aims, kept)


def _history(scene: Scene, seed: int, aims: tuple[Aim, ...], kept: Kept | None) -> Stage:
    stage = make_stage(
        seed,
        scene.faults,
        (*scene.aims, *aims),
        receives_max=scene.course.receives_max,
        start=scene.start,
    )
    if scene.costed:
        stage.world.meter()
    stage.sizes = scene.sizes
    if scene.sizes.in_parallel:
        stage.stand_ins.append((aws, "in_parallel", partial(parts.in_parallel, stage.world)))
    random = Random(f"{scene.name.removesuffix(' bare')} {seed}")
    for kind in random.sample(scene.kinds, min(scene.drawn, len(scene.kinds))):
        text, given = EVERY_KIND[kind]
        stage.register(make_task(kind, text, stage.world, **given))
    _keep_calendar(stage)
    _bound(stage, scene)
    _bring_in(stage, scene, seed)
    stage.answer = _answers(scene, seed)
    stage.takes_sec = _durations(scene, seed)
    stage.kills = _killers(scene, seed)
    stage.deaf = _deaf(scene, seed)
    stage.world.chooser.only = kept.faults if kept else None
    _call_up(stage, scene, random, kept)
    _engage(stage, scene, random)
    if _LOOPS & {*scene.calls} and not scene.course.audited:
        until_sec = scene.course.ticks_until + 300
        stage.world.every(
            60, "step", lambda _: auditor.step_alone(), first_sec=40, until_sec=until_sec
        )
    if "pause for a while" in scene.calls and not scene.course.audited:
        pauses.each_minute(stage, scene.course.sec - 300)
    auditor.set_up(stage, scene.course.auditor)
    play(stage, scene.course)
    return stage


def _call_up(stage: Stage, scene: Scene, random: Random, kept: Kept | None) -> None:
    """Lets users call at any moment; some calls are the first of several."""
    for number in range(random.randint(1, scene.calls_max) if scene.calls else 0):
        at_sec = random.uniform(*scene.calls_between)
        name, task = random.choice(scene.calls), random.choice(stage.tasks)
        if kept is None or number in kept.calls:
            task = _to_be_created(stage, number) if name == "create" else task
            for step, later_sec in SERIES.get(name, ((name, 0),)):
                _call(stage, step, task.task_id, at_sec + later_sec)


def _bound(stage: Stage, scene: Scene) -> None:
    """Sets what each tenant may do."""
    if not scene.running_max and not scene.targets:
        return
    for tenant_id in dict.fromkeys(["acme", *(task.tenant_id for task in stage.tasks)]):
        limit: dict[str, Any] = limit_key(tenant_id) | {"most": scene.running_max}
        limit |= {"targets": list(scene.targets)} if scene.targets else {}
        stage.world.store.put_item(TableName="runs", Item=typed_item(limit))


def _bring_in(stage: Stage, scene: Scene, seed: int) -> None:
    """Puts what is there that no call of this history made."""
    if scene.outside:
        outside_parts.set_up(stage, scene, seed)
    for number in range(scene.crowd):
        stage.register(make_task(f"n{number:04}x", "2 12 * * *", stage.world, end_sec=150))
    if scene.poison:
        _poison(stage)
    if scene.elders:
        elders.settle_in(stage, seed, audited=scene.course.audited)
    if scene.forged:
        forge(stage, seed)


def _engage(stage: Stage, scene: Scene, random: Random) -> None:
    """Lets users ask the API; without the audit others do what it leaves to the minutes."""
    if not scene.users:
        return
    words, most, between = scene.users, scene.users_max, scene.calls_between
    users.engage(stage, opened(stage), random, words, most=most, between=between)
    if scene.course.audited:
        return
    until_sec = scene.course.ticks_until + 300
    stage.world.every(
        60, "loops", lambda _: auditor.step_alone(), first_sec=42, until_sec=until_sec
    )
    pauses.each_minute(stage, scene.course.sec - 300)


def verdict(scene: Scene, seed: int, aims: tuple[Aim, ...] = ()) -> list[str]:
    """Names every law that the history breaks."""
    stage = history(scene, seed, aims)
    return judged(stage, scene)


def judged(stage: Stage, scene: Scene) -> list[str]:
    measure = Measure(
        until_sec=scene.course.ticks_until - 60,
        audited=scene.course.audited,
        mixed=scene.course.yesterday_sec > 0,
        purged=bool(scene.faults.purge),
        smooth=scene.smooth,
        unspent=scene.unspent,
        noted=scene.notes and scene.course.audited,
        frugal=scene.frugal,
        costed=scene.costed,
        rows_max=scene.course.rows_max,
        scarce=scene.course.budget_min < BUDGET_MIN,
        resumed=scene.resumed,
        timely=scene.timely,
    )
    return broken(stage, measure)


def _drawn(*parts: object) -> Random:
    return Random(" ".join(str(part) for part in parts))


def _answers(scene: Scene, seed: int) -> Callable[[Call], Answer]:
    """Some handlers fail, now and then for good."""

    def answer(call: Call) -> Answer:
        random = _drawn(seed, call.run_id, call.attempt)
        if random.random() >= scene.failing:
            return Done()
        error = error_of("ValueError", f"no {call.attempt}", "line 1") if scene.raising else None
        if random.random() < 0.1:
            dead = random.random() < 0.5
            return Dead(Reason.PERMANENT, error) if dead else Skipped("nothing to do")
        if scene.yielding and random.random() < scene.yielding:
            return Again(Reason.YIELDED, after_sec=random.choice([1, 5]))
        return Again(Reason.FAILED, error, after_sec=random.choice(scene.waits))

    return answer


def _durations(scene: Scene, seed: int) -> Callable[[Call], float]:
    def takes_sec(call: Call) -> float:
        random = _drawn("long", seed, call.run_id, call.attempt)
        return 0.05 if random.random() < 0.5 else random.uniform(0.05, max(0.05, scene.takes_sec))

    return takes_sec


def _killers(scene: Scene, seed: int) -> Callable[[Call], bool]:
    """Some runs kill whatever process executes them, every time."""
    return lambda call: _drawn("kill", seed, call.run_id).random() < scene.killing


def _keep_calendar(stage: Stage) -> None:
    """Puts the calendar that tasks name, or will name."""
    kept = Stored(tenant_id=user.TENANT, calendar_id=LUNCH["name"], cron=LUNCH["cron"])
    stage.world.store.put_item(TableName="tasks", Item=typed_item(insert(kept).item))


def _deaf(scene: Scene, seed: int) -> Callable[[Call], bool]:
    return lambda call: _drawn("deaf", seed, call.run_id).random() < scene.deaf


def _to_be_created(stage: Stage, number: int) -> Task:
    """Returns a task that is not there yet; its slots count from when it is."""
    task = make_task(f"new {number}", "*/20 * * * * *", stage.world, overlap="allow")
    stage.tasks.append(replace(task, effective_from=0, max_concurrent=None))
    return stage.tasks[-1]


def _created(stage: Stage, act: Act) -> Task:
    """Repeated with the same Idempotency-Key: an earlier try may have registered it."""
    wanted = next(task for task in stage.tasks if task.task_id == act.task_id)
    return user.create(wanted, again=len(act.tries) > 1)


def _poison(stage: Stage) -> None:
    """Puts tasks of which no version of ours can read the cursor, a row, or the spec."""
    poisoned = make_task("poisoned", "* * * * *", stage.world)
    stage.register(poisoned)
    stage.poisoned.add("poisoned")
    garbled = make_task("garbled", "* * * * *", stage.world)
    stage.register(garbled)
    stage.world.call_at(100, lambda: _garble(stage, garbled.task_id))
    strange = make_task("strange", "* * * * *", stage.world)
    stage.register(strange)
    stage.poisoned.add("strange")
    stage.illegible.add(strange.task_id)
    stage.world.store.update_item(
        TableName="tasks",
        Key={"task_id": typed(strange.task_id), "part": typed("spec")},
        UpdateExpression="SET payload = :p",
        ExpressionAttributeValues={":p": typed("{")},
    )
    stage.world.store.update_item(
        TableName="tasks",
        Key={"task_id": typed(poisoned.task_id), "part": typed("cursor")},
        UpdateExpression="SET compiled = :c",
        ExpressionAttributeValues={":c": typed(b"\xff")},
    )


def _garble(stage: Stage, named: str) -> None:
    """Puts a row that no version of ours can read, and a message of a version to come."""
    world = stage.world
    rows = [run for run in stage.rows().values() if run.task_id == named]
    for run in rows[-1:]:
        world.note("garbled", run.run_id)
        stage.poisoned.add("garbled")
        world.store.update_item(
            TableName="runs",
            Key={"task_id": typed(run.task_id), "scheduled_for": typed(run.key)},
            UpdateExpression="SET life = :l",
            ExpressionAttributeValues={":l": typed({"status": "claimed", "shape": "new"})},
        )
    world.queues.send_message(
        QueueUrl=os.environ["NORMAL_QUEUE_URL"], MessageBody='{"v":2,"for":"another version"}'
    )


def _call(stage: Stage, name: str, task_id: str, at_sec: float) -> None:
    """Makes a user's call, and repeats it until it is answered."""
    world = stage.world
    act = Act(name, task_id, world.epoch_us() / 1000 + at_sec * 1000)
    stage.acts.append(act)
    tries = iter(range(_TRIES))

    def ended(process: Process) -> None:
        if process.result is not None and not process.dead and process.error is None:
            return
        if next(tries, None) is not None:
            again = world.now_us / 1_000_000 + 0.4
            world.spawn("api", do, at_sec=again, ended=ended, limit_sec=300)

    def do() -> object:
        assert world.running is not None
        act.tries[world.running.name] = world.epoch_us() / 1000
        try:
            answer = _do(stage, act, at_sec)
        except BusyError as busy:
            # The API answers 503 to that.
            raise ConnectionClosedError(endpoint_url="api") from busy
        act.acked_ms = world.epoch_us() / 1000
        act.run_id = answer.run_id if isinstance(answer, Run) else ""
        return answer or True

    world.spawn("api", do, at_sec=at_sec, ended=ended, limit_sec=300)


def _do(stage: Stage, act: Act, at_sec: float) -> object:
    if act.name in _LAUNCHES:
        run = _LAUNCHES[act.name](stage, act)
        if run is not None:
            stage.acked_runs.add(run.run_id)
        return run
    if act.name in _BESIDE:
        return _BESIDE[act.name](stage, act)
    if act.task_id.startswith("tsk_"):
        # The API knows no schedule of that id.
        return None
    done = _EDITS[act.name](stage, act.task_id, at_sec)
    if done is not None:
        act.version = done.version
    return done


def _cancelled(stage: Stage, act: Act) -> object:
    """The oldest run that is open is to end."""
    still = [run for run in _runs(stage, act.task_id) if not run.final]
    return cancel(still[0].run_id) if still else None


def _limited(act: Act) -> None:
    """Raises, lowers or lifts the tenant's quota; the same call again means the same."""
    tenant_line.set_limit("acme", _LIMITS[int(act.began_ms) % len(_LIMITS)])


def _backfilled(act: Act) -> bool:
    """Begins a backfill of the last minutes; the same call again begins no second one."""
    now = int(act.began_ms) // 1000
    wanted = Backfill(task_id=act.task_id, first=now - 240, last=now)
    name = Named(loop_id=f"bkf_{act.began_ms:.0f}", tenant_id="acme", by="key_1", began_ms=now)
    return bulk_operations.begin(loop(wanted, name, per_minute=3))


def _runs(stage: Stage, task_id: str) -> list[Run]:
    of_task = (run for run in stage.rows().values() if run.task_id == task_id)
    return sorted(of_task, key=lambda run: run.key)


_LAUNCHES: dict[str, Callable[[Stage, Act], Run | None]] = {
    "trigger": lambda _, act: trigger(act.task_id),
    "put off": lambda _, act: put_off.for_days(act),
    "put off barely": put_off.barely,
    **replay_acts.CALLS,
    "trigger laden": payload_loads.launched,
}
# What moves on what a call has begun, minute by minute.
_LOOPS = frozenset({"backfill", "move lunch"})
_BESIDE: dict[str, Callable[[Stage, Act], object]] = {
    "create": _created,
    "limit": lambda _, act: _limited(act),
    "cancel": _cancelled,
    "move lunch": calendar_edits.moved,
    "backfill": lambda _, act: _backfilled(act),
}
_EDITS: dict[str, Callable[[Stage, str, float], Task | None]] = EDITS | {
    "pause": lambda _, task_id, __: user.pause(task_id),
    "resume": lambda _, task_id, __: user.resume(task_id),
    "delete": lambda _, task_id, __: user.delete(task_id),
    "pause for a while": lambda _, task_id, at_sec: pauses.paused_for_a_while(task_id, at_sec),
    "pause for long": lambda _, task_id, at_sec: pauses.paused_for_a_while(
        task_id, at_sec, pauses.LONG_SEC
    ),
    "rebound": schedule_ends.rebounded,
    "end soon": lambda _, task_id, at_sec: schedule_ends.ended_soon(task_id, at_sec),
    "close": lambda _, task_id, __: user.patch(task_id, calendars=[LUNCH["name"]]),
    "open": lambda _, task_id, __: user.patch(task_id, calendars=[]),
    "half": lambda _, task_id, __: user.patch(task_id, cron="*/2 * * * *"),
    "other": lambda _, task_id, __: user.patch(task_id, cron="30 * * * * *"),
    "faster": lambda _, task_id, __: user.patch(task_id, cron="*/20 * * * * *"),
    "payload": lambda _, task_id, at_sec: user.patch(task_id, payload={"edited": int(at_sec)}),
}
