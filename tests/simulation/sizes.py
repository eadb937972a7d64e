"""Sizes of a history: small pages and batches, few or all shards, siblings of a dispatcher."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from onthedot.api.views import agenda_source
from onthedot.dispatch import dispatcher
from onthedot.launch import resume_catchup
from onthedot.records import keys
from onthedot.registry import calendar_edits, code_schedules
from onthedot.store import conditional_writer, siblings, table_reads
from onthedot.upkeep import completed_schedules, dead_letters, recent_runs
from onthedot.work import refill
from onthedot.work.gates import concurrency_key, tenant_line
from onthedot.work.outside import lease
from tests.simulation.machine.process import Process

if TYPE_CHECKING:
    from tests.simulation.machine.world import World

_FUNCTION = "AWS_LAMBDA_FUNCTION_NAME"
# Lambda tries an event twice more, after one minute and after two.
_AGAIN_SEC = (60, 120)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Zero leaves each as it is in production."""

    page: int = 0
    batch: int = 0
    got_at_once: int = 0
    shards: int = 0
    shards_at_once: int = 0
    # From so many due tasks on a dispatcher hands shards over.
    due_max: int = 0
    # From this many tasks on, a list of what comes is long; from three times as many, too long.
    listed: int = 0
    # If set, more tasks than this are too many, whatever `listed` says.
    read_max: int = 0
    # How many tasks a minute follow a changed calendar, and how many are read at once.
    per_minute: int = 0
    followed: int = 0
    # How many runs wait in the line of a key; further ones wait in the queue.
    line_max: int = 0
    # How many runs a machine that fetches is looked for among, before it is looked further down.
    looks_at: tuple[int, ...] = ()
    # How many slots a resume may catch up on.
    caught_up: int = 0
    # How many invocations a queue's poller has at once, and how many runs of a tenant each of them
    # goes on to take.
    places: int = 0
    of_tenant: int = 0
    # At which age an invocation takes no more.
    closes: int = 0
    # Calls that may be made at once are; one that fails leaves the others under way.
    in_parallel: bool = False
    # Every shard is asked, not only those that have tasks.
    all_shards: bool = False


REAL = Sizes()


@contextmanager
def applied(sizes: Sizes) -> Iterator[None]:
    """Lets a history have these."""
    if sizes == REAL:
        yield
        return
    replaced = [each for each in _wanted(sizes) if each[2]]
    before = [getattr(module, name) for module, name, _ in replaced]
    for module, name, size in replaced:
        setattr(module, name, size)
    if sizes.due_max:
        os.environ[_FUNCTION] = "dispatch"
    try:
        yield
    finally:
        os.environ.pop(_FUNCTION, None)
        for (module, name, _), size in zip(replaced, before, strict=True):
            setattr(module, name, size)


def _wanted(sizes: Sizes) -> list[tuple[Any, str, Any]]:
    return [
        (table_reads, "PAGE", sizes.page),
        (tenant_line, "PAGE", sizes.page),
        (completed_schedules, "_PAGE", sizes.page),
        (code_schedules, "_PAGE", sizes.page),
        (dead_letters, "_PAGE", sizes.page),
        (conditional_writer, "BATCH", sizes.batch),
        (table_reads, "GET_MAX", sizes.got_at_once),
        (keys, "SHARDS", sizes.shards),
        (dispatcher, "SHARDS_AT_ONCE", sizes.shards_at_once),
        (siblings, "SHARDS_AT_ONCE", sizes.shards_at_once),
        (dispatcher, "DUE_MAX", sizes.due_max),
        (agenda_source, "_ANEW_UP_TO", sizes.listed),
        (agenda_source, "_MANY", sizes.read_max or 2 * sizes.listed),
        (agenda_source, "LISTED_MAX", sizes.read_max or 3 * sizes.listed),
        (recent_runs, "QUERIES_MAX", sizes.listed),
        (recent_runs, "_PAGE", sizes.listed),
        (calendar_edits, "PER_MINUTE", sizes.per_minute),
        (calendar_edits, "_PAGE", sizes.followed),
        (concurrency_key, "LINE_MAX", sizes.line_max),
        (lease, "_LOOK_AT", sizes.looks_at),
        (resume_catchup, "SLOTS_MAX", sizes.caught_up),
        (refill, "OF_TENANT", sizes.of_tenant),
        (refill, "closes_sec", sizes.closes and (lambda _fraction: sizes.closes)),
    ]


class Functions:
    """Lambda, as far as a dispatcher calls it: an event is taken at once, and carried out later."""

    exceptions = None

    def __init__(self, world: World) -> None:
        self._world = world

    def invoke(self, **request: Any) -> dict[str, Any]:
        """Takes an event; it may come twice."""
        world = self._world
        world.called.add("lambda")
        shards = json.loads(request["Payload"])["shards"]
        copies = 1 + world.chooser.happens(world.profile.double_tick, world.now_us)
        for _ in range(copies):
            self._carry_out(range(shards[0], shards[1] + 1), list(_AGAIN_SEC))
        return {"StatusCode": 202}

    def _carry_out(self, shards: range, again: list[int]) -> None:
        world = self._world

        def ended(process: Process) -> None:
            if again and (process.dead or process.error is not None):
                after_sec = again.pop(0)
                at_sec = world.now_us / 1_000_000 + after_sec
                world.call_at(at_sec, lambda: self._carry_out(shards, again))

        world.spawn("dispatch", lambda: dispatcher.dispatch(shards), limit_sec=60, ended=ended)
