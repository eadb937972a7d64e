"""Gives runs a place among those that share a concurrency key, then a turn at its rate.

Every run takes the task's own gate first, then this one, so waits cannot form a cycle.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome, Write
from onthedot.records.runs import run_writes
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Wait
from onthedot.records.runs.run_row import Booking, Life, Run
from onthedot.records.timings import BUSY_MAX_SEC
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.conditional_writer import Decision, Forgiven
from onthedot.targets.attempt_outcome import Dead
from onthedot.targets.call import run_fields
from onthedot.work import target_call
from onthedot.work.decision_table import Hold
from onthedot.work.gates import concurrency_key, gate_items
from onthedot.work.gates.concurrency_key import Limit, Starts
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers, Back, Later, Struck, Verdict

_CROWDED_SEC = 60
# Milliseconds that a run is held until its turn. For a longer wait its message comes back.
_HELD_MS = 1_000


def enter(jobs: Sequence[Job]) -> Answers:
    """Takes places. A run without one waits in line."""
    return [(job, _enters(job)) for job in jobs]


def _enters(job: Job) -> Verdict | None:
    limit = _limit(job, "max_running")
    if limit is None:
        return None
    if job.held.life.key_gate not in ("", limit.place):
        # An edit gave it another key. In the old key's line it would block others.
        leave(job.held)
    if waits := _waits(job, limit):
        return waits
    job.run = replace(job.held, life=replace(job.held.life, key_gate=limit.place))
    # The prepared start does not name the place.
    job.ready = None
    return None


def turns(jobs: Sequence[Job]) -> Answers:
    """Takes turns at the rates of keys. This comes last, because an unused turn is lost."""
    return [(job, _may_go(job)) for job in jobs]


def _may_go(job: Job) -> Verdict | None:
    limit = _limit(job, "rate")
    return None if limit is None else _waits_for_its_turn(job, limit)


def _limit(job: Job, kind: str) -> Limit | None:
    """Returns the limit of the task's key. Most tasks have none, and cost no read here."""
    wanted = job.task.shown.get("concurrency_key") if job.task else None
    if job.task is None or not wanted or not wanted.get(kind):
        return None
    call = target_call.call_of(job, job.held, job.task)
    # If the payload is gone or too large, the key is filled without it. The call reports it.
    whole = target_call.complete(call)
    payload = call.payload if isinstance(whole, Dead) else whole.payload
    return concurrency_key.limit_of(job.task, run_fields(call) | {"payload": payload})


def _waits(job: Job, limit: Limit) -> Verdict | None:
    """Takes a place, or stands in the key's line; None: it has a place."""
    run_id = job.held.run_id
    for _ in range(gate_items.TRIES):
        look = gate_items.look(limit.place, run_id)
        match concurrency_key.enter(look.now, run_id, limit.most, look.order(run_id, job.held)):
            case Have():
                return None
            case Enter(wanted):
                if gate_items.written(look.seen, wanted):
                    return None
            case Wait(wanted):
                if not _names(job, limit.place):
                    return Back()
                if gate_items.written(look.seen, wanted):
                    gate_items.wake_if_free(wanted, look.rows, limit.most, run_id)
                    return Struck()
            case None:
                return Later(_CROWDED_SEC) if _names(job, limit.place) else Back()
    # In a while there is less of a crowd.
    return Back()


def _names(job: Job, place: str) -> bool:
    """Writes on the row where it waits, for lists and cancels. False: the row has changed.

    Then its message comes back.
    """
    life = replace(job.held.life, key_gate=place)
    if life == job.held.life:
        return True
    write = run_writes.mark(job.held, life, now_ms=clock.now_ms())
    if conditional_writer.write_one(write) is not Outcome.DONE:
        return False
    job.run = replace(job.held, life=life)
    return True


def _waits_for_its_turn(job: Job, limit: Limit) -> Verdict | None:
    """A turn that has come is taken; one that is taken and not used is a start less."""
    now_ms = clock.now_ms()
    booking = job.held.life.booking
    at_ms = booking.at_ms if booking else 0
    if at_ms <= now_ms:
        at_ms = _turn(job, limit, now_ms)
    if not at_ms:
        return Back()
    if at_ms <= now_ms:
        return None
    if at_ms - now_ms > _HELD_MS:
        return Later(min(BUSY_MAX_SEC, (at_ms - now_ms) // 1000))
    return Hold(at_ms)


def _turn(job: Job, limit: Limit, now_ms: int) -> int:
    """Returns when it may start. Zero if too many ask at once: then its message comes back."""
    life = job.held.life
    try:
        wanted, booked_ms, at_ms = conditional_writer.compare_and_set(
            read=lambda: _starts(limit.place),
            decide=lambda seen: _booking(seen, life, limit, now_ms),
            tries=gate_items.TRIES,
            what=f"the rate of {limit.place}",
        )
    except BusyError:
        return 0
    if at_ms > now_ms and not life.booking:
        # It holds no permit until then.
        booking = Booking(at_ms=at_ms, behind_ms=wanted.behind_ms)
        life = replace(life, booking=booking, permit="")
        write = run_writes.mark(job.held, life, now_ms=now_ms)
        if conditional_writer.write_one(write) is not Outcome.DONE:
            return 0
        job.run = replace(job.held, life=life)
    job.turn = (limit.place, booked_ms, at_ms)
    return at_ms


def _booking(
    seen: Starts, life: Life, limit: Limit, now_ms: int
) -> Decision[tuple[Starts, int, int]]:
    """Takes the booked turn, or books one. Returns the starts, the booking, and when it is due."""
    if life.booking:
        booked_ms = life.booking.at_ms - life.booking.behind_ms
        wanted, at_ms = seen.take(limit, booked_ms, now_ms)
    else:
        wanted, at_ms = seen.booked(limit, now_ms)
        booked_ms = wanted.at_ms[-1]
    return Decision((wanted, booked_ms, at_ms), _as_wanted(seen, wanted))


def _starts(place: str) -> Starts:
    item = table_reads.get(concurrency_key.TABLE, concurrency_key.rate_key(place))
    return concurrency_key.starts(place, item)


def _as_wanted(seen: Starts, wanted: Starts) -> Write | None:
    return None if wanted == seen else seen.write(wanted)


def begun(jobs: Iterable[Job]) -> None:
    """Records starts that a busy store made late, so that the rate holds for the next ones.

    The next turn is at least a second away.
    """
    now_ms = clock.now_ms()
    late: dict[str, list[int]] = defaultdict(list)
    for job in jobs:
        if job.turn and now_ms - job.turn[2] > concurrency_key.PROMPT_MS:
            place, booked_ms, _ = job.turn
            late[place].append(booked_ms)
    for place, booked in late.items():
        with Forgiven():
            _put_off(place, booked, now_ms)


def _put_off(place: str, booked_ms: Sequence[int], now_ms: int) -> None:
    def decide(seen: Starts) -> Decision[None]:
        return Decision(None, _as_wanted(seen, seen.begun(booked_ms, now_ms)))

    conditional_writer.compare_and_set(
        read=lambda: _starts(place),
        decide=decide,
        tries=gate_items.TRIES,
        what=f"the rate of {place}",
    )


def leave(run: Run) -> None:
    """Gives the place up after a final outcome. The first in line is woken before that."""
    if run.life.key_gate:
        gate_items.change(run.life.key_gate, lambda gate: _passed_on(gate, run))


def _passed_on(seen: Gate, run: Run) -> Gate:
    if not seen.names(run.run_id):
        return seen
    left = seen.without([run.run_id])
    (look,) = gate_items.look_into([(replace(left, holders=()), run.run_id)])
    gate_items.wake(look.rows.values())
    return left
