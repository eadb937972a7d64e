"""Makes the writes of a run's life, each with the state that its writer saw as condition.

`row_remarks` and `stale_settles` write notes on a row beside its life.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.runs import attention, pull
from onthedot.records.runs.attempts import ATTEMPTS_KEPT, attempt_record
from onthedot.records.runs.run_row import OPTIONAL, TABLE, Attempt, Claim, Life, Run, ended
from onthedot.records.runs.run_status import FINAL, NOT_STARTED, Reason, Status

HISTORY_SEC = 90 * 86_400


def insert(run: Run, *, now_ms: int) -> Insert:
    """Claims a slot: the first to put the row must send it. A row born final is a record."""
    item = {
        "task_id": run.task_id,
        "scheduled_for": run.key,
        "tenant_id": run.tenant_id,
        "origin": run.origin,
        "queue": run.queue,
        "life": run.life.stored(),
    }
    item |= {name: getattr(run, name) for name in OPTIONAL if getattr(run, name)}
    item |= dict(_beside(run, run.life, now_ms))
    return Insert(TABLE, item, ("task_id", "scheduled_for"))


def _update(run: Run, life: Life, clauses: tuple[Clause, ...], *, now_ms: int) -> Update:
    return Update(
        TABLE,
        (("task_id", run.task_id), ("scheduled_for", run.key)),
        (("life", life.stored()), *_beside(run, life, now_ms)),
        clauses,
        (*attention.unmarked(run, life), *pull.unmarked(run, life)),
    )


def _beside(run: Run, life: Life, now_ms: int) -> tuple[tuple[str, Any], ...]:
    """Returns the attributes beside the life: places in indexes, and the expiry of a final row."""
    end = (("expires_at", now_ms // 1000 + HISTORY_SEC),) if life.status in FINAL else ()
    return (*end, *attention.marks(run, life, now_ms), *pull.marks(run, life))


def exact_state(life: Life) -> tuple[Clause, ...]:
    """Requires the very state that was seen, so that nothing has happened since."""
    clauses = (
        Clause.equal("life.status", life.status.value),
        Clause.equal("life.attempt", life.starts),
        Clause.equal("life.tv", life.tv),
    )
    if life.status in (Status.RUNNING, Status.AWAITING):
        return (*clauses, Clause.equal("life.lease_ms", life.lease_ms))
    return clauses


def claimed_by(life: Life) -> tuple[Clause, ...]:
    """Requires the claim of the very dispatcher that was seen. Another may be sending it by now."""
    by = life.claim.by if life.claim else ""
    return (*exact_state(life), Clause.equal("life.claim_id", by))


def take_over_claim(run: Run, claim: Claim, *, due_ms: int, now_ms: int) -> Update:
    """Takes a claim over, to send it: its dispatcher is dead, or an API call sends it itself.

    The new owner sets the due time: another jitter may have moved it since the claim.
    """
    life = replace(run.life, claim=claim, due_ms=due_ms)
    return _update(run, life, claimed_by(run.life), now_ms=now_ms)


def miss_claim(run: Run, status: Status, reason: Reason, *, now_ms: int) -> Update:
    """Records the outcome of a claim that was never sent and must not fire any more."""
    life = ended(run.life, status, reason, now_ms=now_ms)
    return _update(run, life, claimed_by(run.life), now_ms=now_ms)


def settle_unstarted(
    run: Run, status: Status, reason: Reason, *, now_ms: int, note: str = ""
) -> Update:
    """Gives an outcome to a run that does not start: skipped, missed, cancelled, dead."""
    life = ended(run.life, status, reason, now_ms=now_ms, note=note)
    return _update(run, life, exact_state(run.life), now_ms=now_ms)


def started(
    run: Run,
    *,
    owner: str,
    msg: str,
    now_ms: int,
    lease_ms: int,
    version: int = 0,
    log: str = "",
    waited: str = "",
    late: bool = False,
) -> Run:
    """Returns the run as it is after the start of its next attempt. A late slot catches up.

    `version` is that of the spec that the call of its target uses.
    """
    seen, before = run.life, run.life.attempt
    origin = "catchup" if late and run.origin == "schedule" else run.origin
    life = replace(
        seen,
        status=Status.RUNNING,
        reason=Reason.NONE,
        attempt=Attempt(
            number=seen.starts + 1,
            owner=owner,
            msg=msg,
            lease_ms=lease_ms,
            started_ms=now_ms,
            first_started_ms=before.run_started_ms if before else None,
            version=version,
            log=log,
            # A cancel stops what an earlier attempt left.
            waits_on=before.waits_on if before else "",
        ),
        # After a start nobody needs the claim, and every write of the row would pay for it.
        claim=None,
        waited=waited,
        attempts=_with_a_lost_one(seen, now_ms),
    )
    return replace(run, origin=origin, life=life, attention="")


def _with_a_lost_one(seen: Life, now_ms: int) -> tuple[Mapping[str, Any], ...]:
    """Returns the records of earlier attempts. An attempt that is taken over was lost."""
    if seen.status != Status.RUNNING:
        return seen.attempts
    lost = attempt_record(seen.its_attempt, Reason.LOST.value, now_ms)
    return (*seen.attempts, lost)[-ATTEMPTS_KEPT:]


def start(seen: Run, begun: Run, *, now_ms: int) -> Update:
    """Begins the next attempt: never early, and never if the state has changed."""
    clauses = exact_state(seen.life)
    if seen.life.status == Status.RUNNING:
        # An edit does not stamp a running run. Only its queue shows that it was handed over. A
        # request to cancel changes no state, so a writer that has not seen it must not begin again.
        clauses = (*clauses, Clause.equal("queue", seen.queue), Clause.missing("cancel_ms"))
    if seen.life.status in NOT_STARTED:
        clauses = (*clauses, Clause(("life", "due_ms"), "<=", now_ms))
    write = _update(seen, begun.life, clauses, now_ms=now_ms)
    if begun.origin == seen.origin:
        return write
    return replace(write, sets=(*write.sets, ("origin", begun.origin)))


def at(start: Update, now_ms: int, lease_ms: int) -> Update:
    """Puts the sending time into a start that was prepared before."""
    (_, life), *marks = start.sets
    sent = {**life, "started_ms": now_ms, "lease_ms": lease_ms}
    clauses = tuple(
        replace(clause, value=now_ms) if clause.operator == "<=" else clause
        for clause in start.clauses
    )
    return replace(start, sets=(("life", sent), *marks), clauses=clauses)


def fence(life: Life) -> tuple[Clause, ...]:
    """Lets only the owner of the newest start write the outcome."""
    return (
        Clause.equal("life.status", Status.RUNNING.value),
        Clause.equal("life.attempt", life.starts),
        Clause.equal("life.owner", life.its_attempt.owner),
    )


def settle(run: Run, life: Life, *, now_ms: int) -> Update:
    """Writes the outcome of the attempt that `run` shows running.

    If a request to cancel came that its worker has not seen, a retry or a wait is refused.
    """
    clauses = fence(run.life)
    if life.status == Status.RETRYING or life.called_back:
        clauses = (*clauses, Clause.missing("cancel_ms"))
    return _update(run, life, clauses, now_ms=now_ms)


def stamp(run: Run, version: int, *, now_ms: int) -> Update:
    """Binds a run that has not started to a newer version of its task."""
    return _update(run, replace(run.life, tv=version), exact_state(run.life), now_ms=now_ms)


def request_cancel(run: Run, by: str, *, now_ms: int) -> Update:
    """Asks a running attempt to stop. The worker replaces the life, so it stands beside it."""
    return Update(
        TABLE,
        (("task_id", run.task_id), ("scheduled_for", run.key)),
        (("cancel_ms", now_ms), ("cancel_by", by)),
        exact_attempt(run.life),
    )


def exact_attempt(life: Life) -> tuple[Clause, ...]:
    """Requires the running attempt that was seen, even if its lease has another holder by now."""
    return (
        Clause.equal("life.status", Status.RUNNING.value),
        Clause.equal("life.attempt", life.starts),
    )


def mark(run: Run, life: Life, *, now_ms: int) -> Update:
    """Writes a note on a row that must otherwise be as it was seen."""
    return _update(run, life, exact_state(run.life), now_ms=now_ms)


def extend(run: Run, life: Life, *, long: bool, now_ms: int) -> Update:
    """Extends a lease. A run that has used most of its time is listed as long."""
    write = replace(settle(run, life, now_ms=now_ms), removes=())
    marks = attention.long_marks(run, life, now_ms) if long else ()
    return replace(write, sets=(*write.sets, *marks))


def cancel(run: Run, by: str, *, now_ms: int) -> Update:
    """Ends a run that has not started, or that waits for its next attempt."""
    reason = Reason(by) if by in ("previous", "task_deleted") else Reason.USER
    write = settle_unstarted(run, Status.CANCELLED, reason, now_ms=now_ms)
    marks = (("cancel_ms", now_ms), ("cancel_by", by))
    return replace(write, sets=(*write.sets, *marks))
