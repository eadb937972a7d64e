"""Works messages: their runs are loaded, held until due, started, called, settled, deleted.

All due runs start before any run settles, so that the end of one delays no start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.misfire import is_late
from onthedot.records.timings import HEARTBEAT_SEC
from onthedot.store import aws, clock, conditional_writer, ids
from onthedot.store.aws import Watch
from onthedot.store.conditional_writer import Forgiven
from onthedot.targets.attempt_outcome import LEFT, Again, Stopped, error_of
from onthedot.work import handler_pool
from onthedot.work.batch import Batch, received
from onthedot.work.decision_table import suspect, was_lost
from onthedot.work.heartbeat import extend
from onthedot.work.job import Job, load, put_off
from onthedot.work.refill import Refill
from onthedot.work.settlement import given_up, settle
from onthedot.work.starts import in_time, start_due


@dataclass(slots=True)
class Strays:
    """The handlers of one invocation that were told to stop, with a deadline for each."""

    _left: list[tuple[int, Job]] = field(default_factory=list)

    def add(self, lost: Iterable[Job]) -> None:
        """Adds handlers with the time that they may take to notice."""
        until_ms = clock.now_ms() + int(handler_pool.PATIENCE_SEC * 1000)
        self._left += [(until_ms, job) for job in lost if job.part]

    def moments_ms(self) -> list[int]:
        """Returns the deadlines of those that have not stopped."""
        self._left = [(until_ms, job) for until_ms, job in self._left if not job.part.done()]
        return [until_ms for until_ms, _ in self._left]

    def end_late(self) -> None:
        """Ends the process if one does not stop, and with it all other runs here.

        Those start again when their leases are over. Waiting for them would let two workers execute
        one run at once, for as long as the longest of them takes.
        """
        now_ms = clock.now_ms()
        late = [job for until_ms, job in self._left if now_ms >= until_ms and not job.part.done()]
        if _harmful(late):
            handler_pool.end_process()
        self._left = [(until_ms, job) for until_ms, job in self._left if job not in late]


def _harmful(late: list[Job]) -> bool:
    """Tells whether another worker may have one of these runs. Nobody starts a final run again."""
    with Forgiven():
        load(late)
        return any(job.run is not None and not job.run.final for job in late)
    return True


# Milliseconds that a suspect waits for the runs beside it, before it looks for another worker.
_SHUT_OUT_MS = 1_000


def startable(waiting: Sequence[Job], running: Sequence[Job]) -> list[Job]:
    """Returns the jobs whose time has come. A suspect only when nothing else runs beside it."""
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    trusted = [job for job in due if not suspect(job.run, now_ms)]
    if trusted:
        return trusted
    alone = not running and all(suspect(job.run, now_ms) for job in waiting)
    return due[:1] if alone else []


def shut_out(waiting: Sequence[Job], running: Sequence[Job], began_ms: int) -> list[Job]:
    """Returns the jobs that others keep from starting. If the other is a suspect, at once.

    Other runs are often over soon, and under load nearly every worker has some.
    """
    now_ms = clock.now_ms()
    due = [job for job in waiting if job.wake_ms <= now_ms]
    if any(was_lost(job.run) for job in running):
        return due
    return [job for job in due if now_ms >= moment_ms(job, began_ms)]


def moment_ms(job: Job, began_ms: int) -> int:
    """Returns when something must be done with a job that waits."""
    if job.wake_ms > clock.now_ms():
        return job.wake_ms
    return max(job.wake_ms, began_ms) + _SHUT_OUT_MS


_PATIENCE_MAX_SEC = 1.0
# Seconds. A beat gives way to starts for this long: more would cost leases.
_STARTS_FIRST_SEC = 3.0
_LATE_AT_ONCE = 10
# Seconds. After that the messages come back: another worker may have more luck.
_LOAD_MAX_SEC = 4.0
# Seconds until another worker looks at a run that may not run beside others here.
_ELSEWHERE_SEC = 1
# Seconds. A clock of milliseconds would round less to nothing.
_TIME_STEP_SEC = 0.001


def work(event: Mapping[str, Any]) -> dict[str, Any]:
    """Works the messages of one invocation. Those with runs that are not done come back."""
    watch = aws.watching()
    batch = received(event)
    _not_before_receipt(watch, batch)
    batch.drop_foreign()
    # If this fails, messages come back later, and the audit sends what is missed until then.
    with conditional_writer.Forgiven():
        batch.shorten()
    batch.split()
    refill = Refill(batch=batch)
    jobs = batch.jobs(ids.token(12))
    if jobs:
        tried_until = clock.monotonic() + _LOAD_MAX_SEC
        conditional_writer.call(lambda: load(jobs), lambda: clock.monotonic() > tried_until)
        clock.correct(watch.skew.offset_never_early_ms)
        jobs = [job for job in jobs if not job.unreadable]
        _shift(batch, jobs, refill)
    batch.count_put_aside()
    return batch.failures()


def _not_before_receipt(watch: Watch, batch: Batch) -> None:
    """Corrects the clock: it cannot be earlier than the queue's time of handing a message out."""
    latest_ms = max((message.received_ms for message in batch.messages), default=0)
    watch.skew = watch.skew.not_before(latest_ms, clock.local_ms())


def _shift(batch: Batch, waiting: list[Job], refill: Refill) -> None:
    """Starts what is due, waits for the next event, and settles what has ended."""
    running: list[Job] = []
    strays = Strays()
    began_ms = clock.now_ms()
    beat = clock.monotonic() + HEARTBEAT_SEC
    calm = 0.0
    while waiting or running or refill.asked:
        _stop_late(running)
        strays.end_late()
        if clock.monotonic() < beat and not _to_settle(running):
            refill.ask(waiting, running)
        if running and clock.monotonic() >= beat + _STARTS_FIRST_SEC:
            running, beat = _beaten(batch, running, strays)
        elif refill.answered:
            waiting += refill.taken([*waiting, *running])
        elif ready := _few(startable(waiting, running)):
            began = clock.monotonic()
            started, again = _started(batch, ready)
            calm = _let_others_start(began)
            running += started
            waiting = [job for job in waiting if job not in ready] + again
        elif ended := _to_settle(running):
            if (left := calm - clock.monotonic()) > 0:
                _be_calm(waiting, left)
            else:
                settle(batch, ended)
                running = [job for job in running if not job.over and not given_up(job)]
        elif running and clock.monotonic() >= beat:
            running, beat = _beaten(batch, running, strays)
        elif kept_out := shut_out(waiting, running, began_ms):
            # A worker with slow runs would receive it again at once.
            batch.pass_on([job.ticket for job in kept_out], _ELSEWHERE_SEC if refill.used else 0)
            waiting = [job for job in waiting if job not in kept_out]
        else:
            moments = [moment_ms(job, began_ms) for job in waiting]
            _wait([*moments, *strays.moments_ms()], running, beat, refill)


def _beaten(batch: Batch, running: list[Job], strays: Strays) -> tuple[list[Job], float]:
    """Extends what runs. Returns what is still ours, and when the next beat is due."""
    kept = extend(batch, running)
    strays.add(job for job in running if job not in kept)
    return kept, clock.monotonic() + HEARTBEAT_SEC


def _few(ready: list[Job]) -> list[Job]:
    """Returns the jobs of this round: few late runs, the oldest, because each costs many reads."""
    now_ms = clock.now_ms()
    late = [job for job in ready if job.run and is_late(job.held.life.due_ms, now_ms)]
    late.sort(key=lambda job: job.held.life.due_ms)
    left = set(late[_LATE_AT_ONCE:])
    return [job for job in ready if job not in left]


def _started(batch: Batch, ready: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Starts what is due. The runs of each receive start under its own name."""
    started: list[Job] = []
    again: list[Job] = []
    for worker in dict.fromkeys(job.worker for job in ready):
        of_worker = [job for job in ready if job.worker == worker]
        now_run, left = _started_by(batch, of_worker, worker)
        started += now_run
        again += left
    return started, again


def _started_by(batch: Batch, ready: Sequence[Job], worker: str) -> tuple[list[Job], list[Job]]:
    """Starts what is due. If the store fails on the way, the rest is put off."""
    with conditional_writer.Forgiven():
        return start_due(batch, ready, worker=worker)
    left = [job for job in ready if not job.under_way and batch.naming(job.ticket.run_id)]
    put_off(left)
    return [job for job in ready if job.under_way], [job for job in left if in_time(job)]


def _to_settle(running: Sequence[Job]) -> list[Job]:
    """Returns the jobs whose attempts have ended, and that are not put off."""
    now_ms = clock.now_ms()
    return [job for job in running if job.ended and now_ms >= job.wake_ms]


def _stop_late(running: Sequence[Job]) -> None:
    """Abandons a handler that did not stop in time. Its attempt ends all the same."""
    now_ms = clock.now_ms()
    for job in running:
        if not job.answer and now_ms >= job.abandoned_ms and not job.part.done():
            job.answer = (
                Stopped(note=LEFT)
                if job.stopped_ms
                else Again(Reason.TIMED_OUT, error_of("TimedOut", "the handler took too long"))
            )


def _let_others_start(began: float) -> float:
    """Returns when to settle: twice as long as the starts took, after them.

    A store that was slow has other workers' starts to do, and an end can wait.
    """
    now = clock.monotonic()
    return now + min(2 * (now - began), _PATIENCE_MAX_SEC)


def _be_calm(waiting: Sequence[Job], seconds: float) -> None:
    """Waits for this time, or until another run is due."""
    now_ms = clock.now_ms()
    ahead = [(job.wake_ms - now_ms) / 1000 for job in waiting if job.wake_ms > now_ms]
    clock.sleep(max(_TIME_STEP_SEC, min([seconds, *ahead])))


def _wait(moments: Sequence[int], running: Sequence[Job], beat: float, refill: Refill) -> None:
    """Waits until a run is due, a handler ends or is late, a beat is due, or messages come."""
    now_ms = clock.now_ms()
    parts = [job.part for job in running if not job.ended]
    later = [job.wake_ms if job.ended else job.abandoned_ms for job in running]
    asking = refill.moment_ms(running)
    later += [] if asking is None else [asking]
    seconds = [(each - now_ms) / 1000 for each in (*moments, *later)]
    if running:
        seconds.append(beat - clock.monotonic())
    if refill.asked:
        parts.append(refill.asked)
        seconds.append(HEARTBEAT_SEC)
    if parts:
        handler_pool.wait(parts, min(seconds))
    else:
        clock.sleep(max(_TIME_STEP_SEC, min(seconds)))
