"""Holds one run in the hands of a worker, from its message to its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthedot.records.access import tenant_reach
from onthedot.records.conditional_writes import Update
from onthedot.records.keys import row_of
from onthedot.records.runs import run_row, tenant_permits
from onthedot.records.runs.edited_slots import surely_within
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.pull import alike, pulled
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.runs.tenant_permits import Permit
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import ABANDON_SEC
from onthedot.store import clock, ids, run_inputs, table_reads, tasks
from onthedot.store.aws import Exchange
from onthedot.store.backoff import pause_ms
from onthedot.targets.attempt_outcome import Answer, Stopped
from onthedot.targets.call import BRIEF
from onthedot.work.decision_table import Hint, Start


@dataclass(frozen=True, slots=True)
class Ready:
    """The next attempt, prepared: the row as it will be, and the write that makes it so."""

    begun: Run
    write: Update


@dataclass(slots=True, kw_only=True, eq=False)
class Job:
    """What is known of the run, and how far it is."""

    ticket: Ticket
    hint: Hint
    # The name of the starting worker on the row. Each receive has another.
    worker: str = ""
    # The tenant by its message. Empty if the message does not say.
    tenant_id: str = ""
    # How many runs of its tenant may be under way. 0 means no limit.
    most: int = 0
    # What its tenant's runs may call. None if nothing is set.
    targets: Sequence[str] | None = None
    # The tenant's permit that it holds.
    permit: Permit | None = None
    run: Run | None = None
    task: Task | None = None
    # The due time and schedule that it starts under, once decided.
    under: Start | None = None
    ready: Ready | None = None
    # It was not taken up in time, and runs late by its policy.
    late: bool = False
    # The misfire policy has let it start late.
    judged: bool = False
    # The turn it took at its key's rate: place, booking, and time.
    turn: tuple[str, int, int] | None = None
    # Nothing is done with it before this time. 0 means at once.
    wake_ms: int = 0
    rounds: int = 0
    # Since when the store has not said whether it took our write, and how often we asked.
    doubt_ms: int = 0
    tries: int = 0
    loaded: bool = False
    # Its row or task has a form that this version cannot read. It is left to the dead letters.
    unreadable: bool = False
    # The last progress that its handler reported.
    progress: Any = None
    # When its target was called. 0: not yet.
    called_ms: int = 0
    # The handler's running call, and whether it only hands the work over.
    part: Any = None
    delivers: bool = False
    # The outcome, if it is known before the handler answers.
    answer: Answer | None = None
    # Its lease is lost or may be. Its handler must stop.
    lost: bool = False
    # When its worker learned of the cancel, and the exchange in which its target waits.
    stopped_ms: int = 0
    exchange: Exchange = field(default_factory=Exchange)
    # What the row is to become; whether the next attempt's message is sent; whether the row is
    # written; and whether its places are given up.
    ending: Life | None = None
    followed: bool = False
    written: bool = False
    over: bool = False

    @property
    def under_way(self) -> bool:
        """Tells whether its target was called, or never will be."""
        return self.part is not None or self.answer is not None

    @property
    def ended(self) -> bool:
        """Tells whether its attempt has ended."""
        return self.answer is not None or (self.part is not None and self.part.done())

    @property
    def deadline_ms(self) -> int:
        """Returns when its attempt has used its time. One that has not begun has all of it."""
        attempt = self.held.life.attempt
        started_ms = attempt.started_ms if attempt else clock.now_ms()
        return started_ms + self.its_task.timeout_sec * 1000

    def stop(self) -> None:
        """Lets it stop. A call that waits for its answer stops at once."""
        self.stopped_ms = self.stopped_ms or clock.now_ms()
        self.exchange.break_off()

    @property
    def reached(self) -> Any:  # noqa: ANN401 any JSON
        """Returns the last progress that its handler reported."""
        return self.held.life.progress if self.progress is None else self.progress

    @property
    def abandoned_ms(self) -> int:
        """Returns when nobody waits for its handler any more."""
        until_ms = self.deadline_ms
        if self.stopped_ms and self.task and self.task.target["type"] not in BRIEF:
            until_ms = min(until_ms, self.stopped_ms)
        return until_ms + ABANDON_SEC * 1000

    @property
    def missing(self) -> bool:
        """Tells whether its message names a run that does not exist."""
        return self.run is None and not self.unreadable

    @property
    def is_keyed(self) -> bool:
        """Tells whether its task has a concurrency key. Most have none, and pay nothing for it."""
        return bool(self.task and self.task.shown.get("concurrency_key"))

    @property
    def is_bounded(self) -> bool:
        """Tells whether its tenant has a quota, or had one when a permit was taken."""
        return bool(self.most or self.permit or self.held.life.permit)

    @property
    def belongs_here(self) -> bool:
        """Tells whether its queue is still its task's: an edit counts for every later start."""
        return self.task is None or alike(self.task.queue, self.held.queue)

    def is_for_others(self, queue: str) -> bool:
        """Tells whether it is for other workers than those of the queue that ask for it.

        If an outside worker asks, the run was handed over after the index showed it. If a message
        asks, outside workers find the run by the index: a late or forged message must not start it.
        """
        if self.run is None or self.task is None:
            return False
        if pulled(queue):
            return not alike(queue, self.run.queue)
        return pulled(self.run.queue) and alike(self.task.queue, self.run.queue)

    @property
    def its_task(self) -> Task:
        """The task of a run that was loaded and found."""
        if self.task is None:
            raise LookupError(f"{self.ticket.run_id} has no task")
        return self.task

    @property
    def held(self) -> Run:
        """Returns the row of a run that was loaded and found."""
        if self.run is None:
            raise LookupError(f"{self.ticket.run_id} has no row")
        return self.run


def load(jobs: Iterable[Job]) -> None:
    """Reads rows, tasks and tenants' limits consistently, in one call for nearly fifty runs.

    A batch read has no order. A row with a newer version than its task was stamped in between, so
    the task is read again. So are the limits of a tenant that no message named.
    """
    wanted = list(jobs)
    if not wanted:
        return
    _load(wanted)
    behind = [job for job in wanted if _behind(job)]
    if behind:
        for job in behind:
            job.tenant_id = job.held.tenant_id
        _load(behind)


def _behind(job: Job) -> bool:
    if job.run is None:
        return False
    older = job.task is not None and job.run.life.tv > job.task.version
    return older or job.run.tenant_id != job.tenant_id


def _load(jobs: list[Job]) -> None:
    keys = {job.ticket.run_id: row_of(job.ticket.run_id) for job in jobs}
    # In the order of the jobs: the order of a set differs between processes.
    task_ids = dict.fromkeys(task for task, _ in keys.values())
    tenants = dict.fromkeys(job.tenant_id for job in jobs if job.tenant_id)
    limits = [tenant_permits.limit_key(tenant_id) for tenant_id in tenants]
    found = table_reads.get_many(
        {
            run_row.TABLE: [*(run_row.row_key(run_id) for run_id in keys), *limits],
            task_spec.TABLE: [task_spec.spec_key(task) for task in task_ids],
        }
    )
    rows = table_reads.by_key(found[run_row.TABLE], "task_id", "scheduled_for")
    specs = table_reads.by_key(found[task_spec.TABLE], "task_id")
    for job in jobs:
        key = keys[job.ticket.run_id]
        row, spec = rows.get(key), specs.get((key[0],))
        limit = rows.get((tenant_permits.partition(job.tenant_id), tenant_permits.LIMIT))
        job.most = limit["most"] if limit else 0
        job.targets = tenant_reach.at_call(limit) if limit else None
        job.run = run_row.readable(row) if row else None
        job.task = task_spec.readable(spec) if spec else None
        job.unreadable = bool((row and not job.run) or (spec and not job.task))
        if job.unreadable:
            job.run = None
        job.ready = None
        job.loaded = True
    _aim(jobs)


def _aim(jobs: Iterable[Job]) -> None:
    """Gives the tasks of runs with a target of their own that target. Few runs have one."""
    for job in jobs:
        if job.run and job.task and job.run.target_ref:
            job.task = run_inputs.aimed(job.run, job.task)
            job.unreadable = job.task is None
            job.run = None if job.unreadable else job.run


def look_again(started: Iterable[Job]) -> None:
    """Reads the task again if no edit can have stamped the run, which is under way now.

    So an edit that was acknowledged before the start counts: the target is called by the task as it
    is now, or not at all.
    """
    now = clock.now_ms() // 1000
    old = [job for job in started if job.task and not surely_within(job.held.key, job.task, now)]
    if not old:
        return
    specs = tasks.specs(job.held.task_id for job in old)
    for job in old:
        spec = specs.get(job.held.task_id)
        job.task = (task_spec.readable(spec) if spec else None) or job.task
        if spec is None or spec["status"] in task_spec.ENDED:
            job.answer = Stopped(task_spec.ENDED[spec["status"]] if spec else Reason.TASK_DELETED)
    _aim(old)


def put_off(jobs: Iterable[Job]) -> None:
    """Leaves jobs alone for a while. Their heartbeats and all other jobs go on."""
    now_ms = clock.now_ms()
    for job in jobs:
        job.doubt_ms = job.doubt_ms or now_ms
        job.wake_ms = now_ms + pause_ms(job.tries, ids.fraction())
        job.tries += 1
        job.loaded = False
