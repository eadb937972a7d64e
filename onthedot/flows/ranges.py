"""Ranges: one row for many slots that do not fire, put before anything else of the task."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import bound, moves
from onthedot.core import due as dues
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.due import Due
from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.keys import is_slot_key, lies_beside, range_key
from onthedot.core.numbers import ROWS_MAX
from onthedot.core.planned import Plan, Unfired
from onthedot.core.run import Life, Run
from onthedot.core.writes import Outcome
from onthedot.flows import patience, range_ends
from onthedot.flows.extra import send
from onthedot.flows.known import read
from onthedot.flows.listed import list_the_exhausted, list_the_missed


def record_range(each: Plan, spanned: Unfired, *, force: bool) -> Due | None:
    """Record the range and move the cursor behind it; give the cursor as it is then.

    None says that the task cannot go on now: a claim inside is still in another's hands.
    """
    last = _put(each.due, spanned)
    gaps = [_row(each.due, gap) for gap in each.unfired[1:]]
    patience.surely([moves.insert(gap, now_ms=gap.life.ended_ms) for gap in gaps])
    counted = _resolve_inside(each.due, spanned, last, force=force)
    if counted is None:
        _edited(each.due)
        return None
    following, due_at = each.due.due_after(last), each.due.schedule.due_at(last)
    move = dues.advance(each.due, following, counted, last=due_at)
    if list_the_exhausted([move]):
        return None
    if claims.write_one(move) is not Outcome.DONE:
        _edited(each.due)
        return None
    return dues.behind(each.due, following, counted)


def _edited(due: Due) -> None:
    """An edit that came in between has not seen the range; no dispatcher may take a row away."""
    known = read(due.task_id) if due.closed else None
    if known is not None:
        range_ends.shorten(known.task, clock.now_ms() // 1000, whole=False)


def covering(run: Run) -> Run | None:
    """Find the range that a slot lies in; only rows that beat it stand between the two."""
    newest = tables.rows(
        ("task_id", run.task_id),
        "scheduled_for",
        ("0", f"{run.key}~~"),
        newest_first=True,
        page=ROWS_MAX,
    )
    for item in islice(newest, ROWS_MAX):
        if "range_to" not in item:
            continue
        spanned = runs.parse(item)
        # A blackout may have been lifted since: the worker knows of those that stand.
        if spanned.life.reason != "calendar":
            return spanned if spanned.range_to >= run.key else None
    return None


def _put(due: Due, spanned: Unfired) -> int:
    """Put the row; whoever was first decides where the range ends."""
    row = replace(
        _row(due, spanned),
        key=range_key(spanned.slot, due.version),
        range_to=nominal(spanned.last),
        range_count=spanned.count,
    )
    list_the_missed([row], by=ids.token(), now_ms=row.life.ended_ms)
    if claims.write_one(moves.insert(row, now_ms=row.life.ended_ms)) is Outcome.DONE:
        return spanned.last
    there = tables.get(runs.TABLE, {"task_id": due.task_id, "scheduled_for": row.key})
    return parse_nominal(runs.parse(there).range_to) if there else spanned.last


def _row(due: Due, unfired: Unfired) -> Run:
    """What is recorded without firing."""
    return Run(
        task_id=due.task_id,
        key=nominal(unfired.slot),
        tenant_id=due.tenant_id,
        origin="schedule",
        queue=due.queue,
        life=Life(
            status=unfired.status,
            reason=unfired.reason,
            note=unfired.note,
            tv=due.version,
            schedule_version=due.schedule_version,
            due_ms=unfired.due * 1000,
            ended_ms=clock.now_ms(),
        ),
    )


def _resolve_inside(due: Due, spanned: Unfired, last: int, *, force: bool) -> int | None:
    """A row beats the range that covers it; one that never was sent gets the range's outcome.

    Give how many of them `max_runs` counts; None: one is in another's hands.
    """
    now_ms = clock.now_ms()
    left, counted = [], 0
    by_edit = _counted_by_an_edit(due)
    between = (nominal(spanned.slot), nominal(last))
    for item in tables.rows(("task_id", due.task_id), "scheduled_for", between):
        if lies_beside(item["scheduled_for"]):
            continue
        seen = runs.readable(item)
        if seen is None:
            return None
        if is_slot_key(seen.key) and seen.life.status == "claimed" and not seen.life.attempt:
            if not force and seen.life.claim_until >= now_ms:
                return None
            left.append(seen)
        else:
            counted += bound.counts(seen) and seen.key not in by_edit
    coming = [seen for seen in left if seen.life.due_ms > now_ms]
    # Only a blackout is recorded ahead of its time, and one that stands when a slot is due has the
    # worker to say so: what is claimed in it is sent, by us if by nobody else.
    send(coming)
    left = [seen for seen in left if seen not in coming]
    outcomes = claims.write_many(
        [moves.miss_claim(seen, spanned.status, spanned.reason, now_ms=now_ms) for seen in left]
    )
    done = all(outcome is Outcome.DONE for outcome in outcomes)
    counted += sum(seen.key not in by_edit for seen in coming)
    return counted if done else None


def _counted_by_an_edit(due: Due) -> tuple[str, ...]:
    if due.runs_left is None:
        return ()
    item = tables.get(tasks.TABLE, tasks.cursor_key(due.task_id))
    return dues.parse(item).ahead if item else ()
