"""Dispatch: what is due within the look-ahead is planned, task by task, and carried out.

Any number of dispatchers may look at the same shards: conditional writes decide.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from onthedot.adapters import parallel, tables
from onthedot.core import backlog as backlogs
from onthedot.core import due as dues
from onthedot.core import run
from onthedot.core.due import Due
from onthedot.core.instants import nominal
from onthedot.core.numbers import DUE_MAX, LOOK_AHEAD_SEC
from onthedot.core.plan import Plan, plan
from onthedot.flows.firing import carry_out
from onthedot.flows.quarantine import quarantine
from onthedot.flows.ranges import record_range
from onthedot.flows.tick import Tick, new_tick


def dispatch(shards: Sequence[int]) -> Tick:
    """One tick over some shards; any number may run over the same ones."""
    tick = new_tick()
    backlog = backlogs.parse(tables.get(run.TABLE, backlogs.KEY))
    on_time, overdue = _look(shards, tick)
    for items in _portions(on_time):
        carry_out(_planned(items, tick), tick)
    # What is on time goes first; catching up gets what the budget leaves it.
    for items in _portions(overdue[: backlog.budget]):
        carry_out(_planned(items, tick), tick)
    tick.count("backlog", len(overdue))
    if 0 in shards:
        after = backlog.after_tick(on_time=len(on_time), overdue=len(overdue))
        tables.put(run.TABLE, after.item())
    return tick


def _look(shards: Sequence[int], tick: Tick) -> tuple[list[tables.Item], list[tables.Item]]:
    """Query every shard; where overdue tasks fill the pages, what is on time is asked for too."""
    now = tick.started_ms // 1000
    until, since = nominal(now + LOOK_AHEAD_SEC), nominal(now - LOOK_AHEAD_SEC)
    on_time: list[tables.Item] = []
    overdue: list[tables.Item] = []
    for items in parallel.each(lambda shard: _look_at(shard, since, until), shards):
        on_time += [item for item in items if item["next_run_at"] >= since]
        overdue += [item for item in items if item["next_run_at"] < since]
    tick.count("due", len(on_time) + len(overdue))
    return on_time, overdue


def _look_at(shard: int, since: str, until: str) -> list[tables.Item]:
    items, more = tables.due_page(shard, ("0", until))
    if more and items[-1]["next_run_at"] < since:
        items += tables.due_pages(shard, (since, until))
    elif more:
        items += tables.due_pages(shard, ("0", until), more)
    return items


def _portions(items: Sequence[tables.Item]) -> Iterator[Sequence[tables.Item]]:
    """Bound what is held at once, whatever the backlog."""
    for first in range(0, len(items), DUE_MAX):
        yield items[first : first + DUE_MAX]


def _planned(items: Sequence[tables.Item], tick: Tick) -> list[Plan]:
    """Plan each task; one that cannot be planned is set aside and holds up no other."""
    plans = (_plan_or_quarantine(item, tick) for item in items)
    return [planned for planned in plans if planned]


def _plan_or_quarantine(item: tables.Item, tick: Tick) -> Plan | None:
    now = tick.started_ms // 1000
    try:
        planned = plan(dues.parse(item), now)
    except (ValueError, KeyError, LookupError, struct.error):
        quarantine(item)
        tick.count("quarantined", 1)
        return None
    while spanned := planned.range:
        due = record_range(planned, spanned, force=tick.force)
        tick.count(spanned.status, spanned.count)
        if due is None:
            return None
        planned = plan(due, now)
    return planned


def dispatch_inline(due: Due) -> Tick:
    """Dispatch one task within an API call: what is due inside the look-ahead cannot wait."""
    tick = new_tick(force=True)
    carry_out([plan(due, tick.started_ms // 1000)], tick)
    return tick
