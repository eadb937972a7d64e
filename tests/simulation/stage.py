"""The real flows on the simulated world: tables, queues, tasks, ticks, workers, and a target."""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from botocore.exceptions import BotoCoreError

from lambdas.work import handler as work
from onthedot.dispatch import due_plan, due_tasks
from onthedot.dispatch.dispatcher import dispatch
from onthedot.dispatch.due_tasks import BUDGET_MIN
from onthedot.records import keys
from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.keys import shard_of
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.schema import ACCESS, RUNS, TASKS, creation
from onthedot.records.tasks import task_items
from onthedot.records.tasks.task_items import cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import unclaimed_slots
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, blobs, clock, ids
from onthedot.targets.attempt_outcome import Again, Answer, Done, Stopped
from onthedot.targets.call import Call
from onthedot.upkeep import separate_steps
from onthedot.upkeep.events import destinations
from onthedot.work import handler_pool, target_call, target_table
from onthedot.work.dead_messages import bury
from tests.simulation import auditor
from tests.simulation.auditor import Auditor
from tests.simulation.faults.elements import let_loose
from tests.simulation.faults.faults import CALM, Aim, Profile
from tests.simulation.machine.clients import Client
from tests.simulation.machine.world import START, World
from tests.simulation.outside import parts, yesterday
from tests.simulation.outside.call_facts import Told, of_call
from tests.simulation.outside.consumer import Consumer
from tests.simulation.outside.hook import Hook
from tests.simulation.outside.outside import Outside
from tests.simulation.outside.yesterday import Flows
from tests.simulation.sizes import REAL, Functions, Sizes
from tests.simulation.users.act import Act


def _url(queue: str) -> str:
    return f"https://sqs.us-east-1.amazonaws.com/000000000000/{queue}"


os.environ |= {
    "TASKS_TABLE": "tasks",
    "RUNS_TABLE": "runs",
    "ACCESS_TABLE": "access",
    "BLOBS_BUCKET": "blobs",
    "PARALLEL_CALLS": "1",
    **{f"{queue.upper()}_QUEUE_URL": _url(queue) for queue in ("high", "normal", "low", "dead")},
}
_SILENT = logging.getLogger("nobody")
_SILENT.disabled = True
_CONFIGURED = destinations.destinations
# One partition a minute: looking costs queries.
keys.MANIFESTS = 1


@dataclass(slots=True)
class Delivery:
    """One call of the target, in true time."""

    run_id: str
    attempt: int
    due_ms: int
    at_ms: int
    process: str
    payload: object = None
    # What it answered, once it has, and when.
    answer: Answer | None = None
    ended_ms: float = 0.0
    # What it was given of the attempt before.
    checkpoint: object = None
    told: Told | None = None  # what it was told of its run
    target: object = None  # how it was addressed, where that is known
    # When its handler could first see that its lease was lost.
    told_ms: float = 0.0


@dataclass(slots=True)
class Stage:
    """One history under way."""

    world: World
    tasks: list[Task] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    # Runs whose trigger was answered, and tasks that cannot be planned.
    acked_runs: set[str] = field(default_factory=set)
    poisoned: set[str] = field(default_factory=set)
    # Ids of tasks whose spec no version of ours can read: their runs stay as they are.
    illegible: set[str] = field(default_factory=set)
    # Runs that killed their worker.
    killers: set[str] = field(default_factory=set)
    # By how much each process has corrected its clock.
    corrected: dict[str, int] = field(default_factory=dict)
    auditor: Auditor = field(default_factory=Auditor)
    # Where events are told, and the webhook among those places.
    places: tuple[str, ...] = ()
    hook: Hook | None = None
    # What each invocation counted, and when, in true time.
    figures: list[tuple[float, dict[str, float]]] = field(default_factory=list)
    # How many executions there were, by their causes, once the laws have judged them.
    executions: Counter[str] = field(default_factory=Counter)
    last_rows: dict[str, Run] | None = None
    answer: Callable[[Call], Answer] = lambda _call: Done()
    takes_sec: Callable[[Call], float] = lambda _call: 0.05
    kills: Callable[[Call], bool] = lambda _call: False
    # What a part that not every history has puts in the place of something real.
    stand_ins: list[tuple[Any, str, Any]] = field(default_factory=list)
    # How large pages, batches and lines are.
    sizes: Sizes = REAL
    # Handlers that look neither at their deadline nor at a cancel.
    deaf: Callable[[Call], bool] = lambda _call: False
    # What is called and done outside; targets that are called as in production, by their type.
    outside: Outside = field(default_factory=Outside)
    targets: dict[str, Callable[[Call], Answer]] = field(default_factory=dict)

    def register(self, task: Task) -> None:
        """Puts a task as it stands after its registration."""
        self.tasks.append(task)
        for item in (cursor(task, first_due(task)), task.item(), task_items.taking(task).item):
            self.world.store.put_item(TableName="tasks", Item=typed_item(item))

    def deliver(self, call: Call) -> Answer:
        """The target: told once it is effective, and busy for a while."""
        answer = self._answered(call)
        self.answered(call.run_id, call.attempt, answer)
        return answer

    def task_of(self, run_id: str) -> Task:
        """Returns the task of a run, as it was registered."""
        task_id = run_id.partition(".")[0]
        return next(task for task in self.tasks if task.task_id == task_id)

    def answered(self, run_id: str, attempt: int, answer: Answer) -> None:
        """Notes what the target has said of an attempt that was brought to it."""
        if delivery := self.delivery(run_id, attempt):
            delivery.answer, delivery.ended_ms = answer, self.world.epoch_us() / 1000

    def delivery(self, run_id: str, attempt: int) -> Delivery | None:
        """Returns the call of the target by that attempt, if there was one."""
        for delivery in self.deliveries[::-1]:
            if (delivery.run_id, delivery.attempt) == (run_id, attempt):
                return delivery
        return None

    def _answered(self, call: Call) -> Answer:
        world = self.world

        def told(run: str, attempt: int) -> Answer:
            at_ms = world.epoch_us() // 1000
            name = world.running.name.split("/")[0] if world.running else ""
            delivery = Delivery(run, attempt, call.due_ms, at_ms, name, call.payload)
            delivery.checkpoint, delivery.target = call.checkpoint, call.target
            delivery.told = of_call(call)
            self.deliveries.append(delivery)
            return self.answer(call)

        try:
            if self.kills(call):
                self.killers.add(call.run_id)
                self._kill_worker()
            answer: Answer = world.act("deliver", told, run=call.run_id, attempt=call.attempt)
        except BotoCoreError:
            return Again(Reason.FAILED)
        left, deaf = self.takes_sec(call), self.deaf(call)
        while left > 0:
            clock.sleep(min(5.0, left))
            left -= 5.0
            if call.lease_lost():
                self._told(call)
                if not deaf:
                    return Again(Reason.LOST)
            self.outside.report(call, {"left": round(left, 1)}, self.world.epoch_us() / 1000)
            if not deaf and call.cancelled():
                return Stopped()
            if not deaf and clock.now_ms() >= call.deadline_ms:
                return Again(Reason.TIMED_OUT)
        return answer

    def _told(self, call: Call) -> None:
        for delivery in self.deliveries:
            if (delivery.run_id, delivery.attempt) == (call.run_id, call.attempt):
                delivery.told_ms = delivery.told_ms or self.world.epoch_us() / 1000

    def correcting(self, correct: Callable[[int], None]) -> Callable[[int], None]:
        """Notes a correction, for the laws to judge a process by its own clock."""

        def noted(offset_ms: int) -> None:
            if self.world.running is not None:
                self.corrected[self.world.running.name] = offset_ms
            correct(offset_ms)

        return noted

    def emitted(self, _names: object, figures: Mapping[str, float]) -> None:
        """Notes what an invocation counted."""
        self.figures.append((self.world.epoch_us() / 1000, dict(figures)))

    def _kill_worker(self) -> None:
        """Kills the whole process of the handler."""
        part = self.world.running
        assert part is not None
        whole = part.name.split("/", maxsplit=1)[0]
        worker = next(each for each in self.world.processes if each.name == whole)
        self.world.call_at(
            self.world.now_us / 1_000_000, lambda: self.world.kill(worker, "its handler")
        )
        self.world.wait(1)

    def rows(self) -> dict[str, Run]:
        """Returns all runs by id, gates and manifests left out; read once when all is over."""
        if self.last_rows is not None:
            return self.last_rows
        found = self.world.store.scan(TableName="runs")["Items"]
        rows = [plain_item(item) for item in found]
        parsed = [run_row.readable(row) for row in rows if "life" in row]
        return {run.run_id: run for run in parsed if run}

    def shards(self) -> Sequence[int]:
        """Returns all, or those that have tasks by now and the one that keeps the backlog."""
        if self.sizes.all_shards:
            return range(keys.SHARDS)
        parts = self.world.store.table("tasks").rows.items
        return sorted({0, *(shard_of(task_id) for task_id, part in parts if part == "cursor")})


def _token(world: World, length: int) -> str:
    return f"{world.random.getrandbits(4 * length):0{length}X}"


@contextmanager
def staged(
    stage: Stage, rows_max: int = 100, *, budget_min: int = BUDGET_MIN, yesterdays: bool = False
) -> Iterator[None]:
    """Puts the world in the place of the clients, the clock, the ids and the target."""
    world = stage.world
    replaced = [
        (aws, "client", world.client),
        (clock, "local_ms", world.clock.now_ms),
        (clock, "correct", stage.correcting(clock.correct)),
        (clock, "monotonic", world.clock.monotonic),
        (clock, "sleep", world.clock.sleep),
        (ids, "token", lambda length=8: _token(world, length)),
        (ids, "fraction", world.random.random),
        (separate_steps, "_log", _SILENT),
        (destinations, "destinations", lambda: [*stage.places, *_CONFIGURED()]),
        (blobs, "_got", blobs._got.__wrapped__),  # noqa: SLF001  # a bucket a history
        (handler_pool, "submit", lambda work: parts.submit(world, work)),
        (handler_pool, "wait", lambda running, seconds: parts.wait(world, running, seconds)),
        (handler_pool, "leave_no_strays", lambda: parts.leave_no_strays(world)),
        (handler_pool, "end_process", lambda: parts.end_process(world)),
        (
            target_call,
            "TARGETS",
            {**dict.fromkeys((*target_table.TARGETS, "recording"), stage.deliver), **stage.targets},
        ),
        (due_plan, "ROWS_MAX", rows_max),
        (unclaimed_slots, "ROWS_MAX", rows_max),
        (due_tasks, "BUDGET_MIN", budget_min),
        *stage.stand_ins,
    ]
    if yesterdays:
        replaced += yesterday.stand_ins(stage, replaced)
    before = [getattr(module, name) for module, name, _ in replaced]
    for module, name, stand_in in replaced:
        setattr(module, name, stand_in)
    try:
        yield
    finally:
        for (module, name, _), original in zip(replaced, before, strict=True):
            setattr(module, name, original)


def make_task(name: str, text: str, world: World, /, **given: Any) -> Task:
    """Returns a task as the API would register it."""
    start = int(world.start.timestamp())
    prefix, jitter_sec = given.pop("prefix", "sch"), given.pop("jitter_sec", 0)
    end_sec = given.pop("end_sec", None)
    end_at = None if end_sec is None else start + end_sec
    zone = given.pop("zone", {})
    task_id = f"{prefix}_{name.upper().replace(' ', '0'):0<26}"
    schedule = compile_schedule(text, jitter_sec=jitter_sec, seed=task_id, end_at=end_at, **zone)
    given = {"target": {"type": "recording"}, "tenant_id": "acme"} | given
    # What an edit makes of it follows from its fields, as the API keeps them.
    shown = {"cron": text, "jitter_sec": jitter_sec, "end_at": end_at and nominal(end_at)}
    shown |= zone | {"calendars": [one["name"] for one in given.get("blackouts", ())]}
    given["shown"] = {name: said for name, said in shown.items() if said} | given.get("shown", {})
    return Task(
        task_id=task_id,
        name=name,
        effective_from=start,
        compiled=pack(schedule),
        **given,
    )


def make_stage(
    seed: int,
    profile: Profile = CALM,
    aims: tuple[Aim, ...] = (),
    *,
    receives_max: int = 10,
    start: datetime = START,
) -> Stage:
    """Returns an empty system."""
    world = World(seed, profile, aims, start=start)
    world.services["lambda"] = Client(world, Functions(world))
    world.store.create_table(**creation(TASKS, "tasks"))
    world.store.create_table(**creation(RUNS, "runs"))
    world.store.create_table(**creation(ACCESS, "access"))
    world.queues.create_queue(QueueName="dead", Attributes={"VisibilityTimeout": "960"})
    dead = world.queues.queue("dead").arn
    policy = {"deadLetterTargetArn": dead, "maxReceiveCount": receives_max}
    for queue in ("high", "normal", "low"):
        world.queues.create_queue(
            QueueName=queue,
            Attributes={"VisibilityTimeout": "960", "RedrivePolicy": json.dumps(policy)},
        )
    return Stage(world)


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """How long a history lasts, and when its rules tick."""

    sec: float = 1_500
    ticks_until: float = 330
    # No tick comes in between: everything that is due then is late.
    gap: tuple[float, float] = (0.0, 0.0)
    dispatchers: int = 1
    audited: bool = True
    auditor: Auditor = field(default_factory=Auditor)
    dispatch_limit_sec: float = 60
    receives_max: int = 10
    # From so many slots on, a range stands for them.
    rows_max: int = 100
    # Yesterday's release works alone for a minute, and beside today's until then.
    yesterday_sec: float = 0.0
    # So many overdue tasks are caught up on in a tick, at least.
    budget_min: int = BUDGET_MIN


def play(stage: Stage, course: Course) -> None:
    """Lets rules tick, workers work, and the auditor look."""
    world = stage.world
    flows = Flows(dispatch, lambda event: work(event, None), bury)
    if course.yesterday_sec:
        flows = yesterday.mixed(world, course.yesterday_sec, flows)
    mixed = course.yesterday_sec > 0
    with (
        staged(stage, course.rows_max, budget_min=course.budget_min, yesterdays=mixed),
        auditor.looking(course.auditor, stage.emitted),
    ):
        for _ in range(course.dispatchers):
            for first, until in ((0.0, course.gap[0]), (course.gap[1], course.ticks_until)):
                world.every(
                    60,
                    "dispatch",
                    lambda _tick: flows.dispatch(stage.shards()),
                    first_sec=first,
                    until_sec=until,
                    limit_sec=course.dispatch_limit_sec,
                )
        if course.audited:
            auditor.employ(world, course.auditor, course.sec)
            yesterday.employ(world, course.yesterday_sec)
        places = stage.sizes.places or 1_000
        for queue in ("high", "normal", "low"):
            Consumer(world, queue, "work", flows.work, batch=10, at_once_max=places, limit_sec=900)
        Consumer(world, "dead", "bury", flows.bury, batch=10, limit_sec=60)
        let_loose(world, course.sec)
        world.run(course.sec)
        world.close()
