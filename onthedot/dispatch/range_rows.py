"""Records ranges: one row for many slots that do not fire, put before anything else of the task."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from onthedot.dispatch import range_ends
from onthedot.dispatch.due_plan import Plan, Unfired
from onthedot.dispatch.extra_runs import send
from onthedot.dispatch.plan_effects import list_the_exhausted, list_the_missed
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import is_slot_key, lies_beside, range_key
from onthedot.records.runs import max_runs, run_row, run_writes
from onthedot.records.runs.run_row import End, Life, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.timings import ROWS_MAX
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, conditional_writer, ids, stored_runs, table_reads, tasks


def record_range(each: Plan, spanned: Unfired, *, force: bool) -> Due | None:
    """Records the range and moves the cursor behind it. Returns the cursor.

    None means that the task must wait: another dispatcher holds a claim inside the range.
    """
    last = _put(each.due, spanned)
    gaps = [_row(each.due, gap) for gap in each.unfired[1:]]
    conditional_writer.surely(
        [run_writes.insert(gap, now_ms=gap.life.its_end.ended_ms) for gap in gaps]
    )
    counted = _resolve_inside(each.due, spanned, last, force=force)
    if counted is None:
        _edited(each.due)
        return None
    following, due_at = each.due.due_after(last), each.due.schedule.due_at(last)
    move = task_cursor.advance(each.due, following, counted, last=due_at)
    if list_the_exhausted([move]):
        return None
    if conditional_writer.write_one(move) is not Outcome.DONE:
        _edited(each.due)
        return None
    return task_cursor.behind(each.due, following, counted)


def _edited(due: Due) -> None:
    """Shortens the range if an edit came in between. No dispatcher may delete a row."""
    known = tasks.read(due.task_id) if due.closed else None
    if known is not None:
        range_ends.shorten(known.task, clock.now_ms() // 1000, whole=False)


def covering(run: Run) -> Run | None:
    """Finds the range that a slot lies in. Only rows that beat the range can stand between them."""
    newest = table_reads.rows(
        ("task_id", run.task_id),
        "scheduled_for",
        ("0", f"{run.key}~~"),
        newest_first=True,
        page=ROWS_MAX,
    )
    for item in islice(newest, ROWS_MAX):
        if "range_to" not in item:
            continue
        spanned = run_row.parse(item)
        # A blackout may have been lifted since. The worker knows which ones hold.
        if spanned.life.reason != Reason.CALENDAR:
            return spanned if spanned.range_to >= run.key else None
    return None


def _put(due: Due, spanned: Unfired) -> int:
    """Puts the row. The first dispatcher to do so decides where the range ends."""
    row = replace(
        _row(due, spanned),
        key=range_key(spanned.slot, due.version),
        range_to=nominal(spanned.last),
        range_count=spanned.count,
    )
    list_the_missed([row], by=ids.token(), now_ms=row.life.its_end.ended_ms)
    put = run_writes.insert(row, now_ms=row.life.its_end.ended_ms)
    if conditional_writer.write_one(put) is Outcome.DONE:
        return spanned.last
    there = stored_runs.read(row.run_id)
    return parse_nominal(there.range_to) if there else spanned.last


def _row(due: Due, unfired: Unfired) -> Run:
    """Returns the row of slots that are recorded without firing."""
    return Run(
        task_id=due.task_id,
        key=nominal(unfired.slot),
        tenant_id=due.tenant_id,
        origin="schedule",
        queue=due.queue,
        life=Life(
            status=unfired.status,
            reason=unfired.reason,
            tv=due.version,
            schedule_version=due.schedule_version,
            due_ms=unfired.due * 1000,
            end=End(ended_ms=clock.now_ms(), note=unfired.note),
        ),
    )


def _resolve_inside(due: Due, spanned: Unfired, last: int, *, force: bool) -> int | None:
    """Gives the range's outcome to claims inside it that were never sent. Other rows beat it.

    Returns how many of them `max_runs` counts, or None if another dispatcher holds one.
    """
    now_ms = clock.now_ms()
    left, counted = [], 0
    by_edit = _counted_by_an_edit(due)
    between = (nominal(spanned.slot), nominal(last))
    for item in table_reads.rows(("task_id", due.task_id), "scheduled_for", between):
        if lies_beside(item["scheduled_for"]):
            continue
        seen = run_row.readable(item)
        if seen is None:
            return None
        if is_slot_key(seen.key) and seen.life.status == Status.CLAIMED and not seen.life.attempt:
            if not force and seen.life.claim and seen.life.claim.until_ms >= now_ms:
                return None
            left.append(seen)
        else:
            counted += max_runs.counts(seen) and seen.key not in by_edit
    coming = [seen for seen in left if seen.life.due_ms > now_ms]
    # Only a blackout is recorded ahead of its time. If it still holds when a slot is due, the
    # worker skips that run. So claims inside it are sent: nobody else would send them.
    send(coming)
    left = [seen for seen in left if seen not in coming]
    outcomes = conditional_writer.write_many(
        [
            run_writes.miss_claim(seen, spanned.status, spanned.reason, now_ms=now_ms)
            for seen in left
        ]
    )
    done = all(outcome is Outcome.DONE for outcome in outcomes)
    counted += sum(seen.key not in by_edit for seen in coming)
    return counted if done else None


def _counted_by_an_edit(due: Due) -> tuple[str, ...]:
    if due.runs_left is None:
        return ()
    seen = tasks.cursor(due.task_id)
    return seen.ahead if seen else ()
