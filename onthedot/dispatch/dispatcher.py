"""Dispatches what is due within the look-ahead: each task is planned, and its plan carried out.

Any number of dispatchers may look at the same shards: conditional writes decide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from onthedot.dispatch import due_tasks
from onthedot.dispatch.due_plan import Plan, plan
from onthedot.dispatch.due_tasks import Herd
from onthedot.dispatch.plan_effects import carry_out
from onthedot.dispatch.quarantine import quarantine
from onthedot.dispatch.range_rows import record_range
from onthedot.dispatch.tick import Tick, new_tick
from onthedot.records.runs import run_row
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.timings import DUE_MAX, LATE_SEC, LOOK_AHEAD_SEC, SHARDS_AT_ONCE
from onthedot.schedule.blackouts import Blackout, calendars_of
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, conditional_writer, siblings, table_reads
from onthedot.store.tasks import blackouts


def dispatch(shards: Sequence[int]) -> Tick:
    """Runs one tick over some shards. Any number of ticks may run over the same ones."""
    tick = new_tick()
    backlog = due_tasks.parse(table_reads.get(run_row.TABLE, due_tasks.KEY))
    herd = Herd(budget=backlog.budget)
    if backlog.open:
        tick.lost_for = Reason.CIRCUIT_OPEN
    for first in range(0, len(shards), SHARDS_AT_ONCE):
        if herd.seen > DUE_MAX and siblings.take(shards[first:]):
            tick.count("handed_over", len(shards[first:]))
            break
        for items in _pages(shards[first : first + SHARDS_AT_ONCE], tick):
            herd.add(items, since=_since(tick))
            if len(herd.on_time) >= DUE_MAX:
                _carry(herd.take_on_time(), tick)
    _carry(herd.take_on_time(), tick)
    # Tasks on time go first. Overdue ones get the rest of the budget.
    _carry(herd.overdue, tick)
    tick.report(
        due=herd.seen,
        backlog=herd.behind,
        not_fired=herd.not_fired(tick.started_ms),
        circuit_open=int(backlog.open),
    )
    if 0 in shards:
        after = backlog.after_tick(
            on_time=herd.seen - herd.behind,
            overdue=herd.behind,
            # A machine whose clock is too wrong has claimed nothing, so its tick is no sign of
            # life.
            at_ms=backlog.at_ms if tick.hopeless else tick.started_ms,
        )
        table_reads.put(run_row.TABLE, after.item())
    return tick


def _since(tick: Tick) -> str:
    """Returns the due time before which a slot is late: its misfire policy decides."""
    return nominal(tick.started_ms // 1000 - LATE_SEC)


def _pages(shards: Sequence[int], tick: Tick) -> Iterator[list[table_reads.Item]]:
    """Reads all first pages at once, and the pages after them one by one.

    If overdue tasks fill a shard's first page, it also asks for the tasks on time after them.
    """
    since, until = _since(tick), nominal(tick.started_ms // 1000 + LOOK_AHEAD_SEC)
    firsts = aws.in_parallel(
        lambda shard: conditional_writer.call(
            lambda: table_reads.due_page(shard, ("0", until)), lambda: tick.over
        ),
        shards,
    )
    tick.correct_clock()
    for shard, (items, more) in zip(shards, firsts, strict=True):
        yield items
        if more and items[-1]["next_run_at"] < since:
            yield from table_reads.due_pages(shard, (since, until))
        elif more:
            yield from table_reads.due_pages(shard, ("0", until), more)


def _carry(items: Sequence[table_reads.Item], tick: Tick) -> None:
    _to_the_end(_planned(items, tick), tick)


def _to_the_end(plans: list[Plan], tick: Tick) -> None:
    """Carries plans out. A bounded task records first, and plans the rest by what is left."""
    while plans:
        onward = carry_out(plans, tick)
        plans = _from_here(onward, tick)


def _from_here(dues_now: Sequence[Due], tick: Tick) -> list[Plan]:
    now = tick.started_ms // 1000
    plans = (_behind_ranges(plan(due, now, lost_for=tick.lost_for), tick) for due in dues_now)
    return [planned for planned in plans if planned]


def _planned(items: Sequence[table_reads.Item], tick: Tick) -> list[Plan]:
    """Plans each task. A task that cannot be planned is set aside and blocks no other."""
    excluded = [item["task_id"] for item in items if "calendars" in item]
    closed = blackouts(excluded) if excluded else {}
    plans = (_plan_or_quarantine(item, closed.get(item["task_id"], ()), tick) for item in items)
    return [planned for planned in plans if planned]


def _plan_or_quarantine(
    item: table_reads.Item, closed: Sequence[Blackout], tick: Tick
) -> Plan | None:
    now = tick.started_ms // 1000
    try:
        calendars = calendars_of(closed) if closed else ()
        planned = plan(task_cursor.parse(item, calendars), now, lost_for=tick.lost_for)
    except UNREADABLE:
        quarantine(item)
        tick.count("quarantined", 1)
        return None
    return _behind_ranges(planned, tick)


def _behind_ranges(planned: Plan, tick: Tick) -> Plan | None:
    """Puts ranges first. What fires is planned after the range, now or by the next tick."""
    while spanned := planned.range:
        if tick.over:
            return None
        due = record_range(planned, spanned, force=tick.force)
        tick.count(spanned.status, spanned.count)
        if due is None:
            return None
        planned = plan(due, tick.started_ms // 1000, lost_for=tick.lost_for)
    return planned


def dispatch_inline(*near: Due) -> Tick:
    """Dispatches a task within an API call: what is due inside the look-ahead cannot wait."""
    tick = new_tick(force=True)
    _to_the_end(_from_here(near, tick), tick)
    return tick
