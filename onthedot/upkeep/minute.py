"""Runs the acts of the audit's function, one after another. None blocks the others.

An act that raises or hangs is abandoned: the next minute continues from what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, invocation_metrics
from onthedot.upkeep import (
    bulk_operations,
    claims_audit,
    completed_schedules,
    failing_tasks,
    long_runs,
    pauses_due,
    payload_sweep,
    queue_depth,
    tallies,
    unfired_tasks,
)
from onthedot.upkeep.events import notifications
from onthedot.upkeep.ledger import Ledger
from onthedot.upkeep.separate_steps import Apart
from onthedot.work import handler_pool

# Seconds that Lambda gives the function, and the part of them that no act may use.
LIMIT_SEC = 300
_END_SEC = 15


@dataclass(slots=True)
class Minute:
    """What the acts of one minute leave for the acts after them."""

    ledger: Ledger = field(default_factory=Ledger)
    # None: the count failed.
    waiting: int | None = None
    figures: dict[str, float] = field(default_factory=dict)
    # Whether the runs were checked, and what failed.
    looked: bool = False
    apart: Apart = field(default_factory=Apart)


class Act(NamedTuple):
    """One act, and how many seconds the list waits for it."""

    name: str
    do: Callable[[Minute], Mapping[str, float] | None]
    sec: float


def minute() -> dict[str, float]:
    """Does each act and returns the figures. At the end it raises the first error of an act.

    Pauses end at their second, so the wait for them begins first and ends last.
    """
    until = clock.monotonic() + LIMIT_SEC - _END_SEC
    now = Minute()
    ending = handler_pool.submit(pauses_due.end_those_due)
    for act in ACTS:
        part = handler_pool.submit(partial(act.do, now))
        with now.apart.each(f"the audit's act '{act.name}'"):
            now.figures |= _result(part, act.sec) or {}
    with now.apart.each("the audit's act 'pauses'"):
        _result(ending, until - clock.monotonic())
    now.apart.end()
    return now.figures


def _result(part: Any, sec: float) -> Any:  # noqa: ANN401 the runner's own, and what it gives
    """Waits for an act, but no longer than its limit."""
    over = clock.monotonic() + sec
    while not part.done():
        left = over - clock.monotonic()
        if left <= 0:
            raise BusyError(f"it has not ended after {sec:.0f} s, and is left behind")
        handler_pool.wait([part], left)
    return part.result()


def _look(now: Minute) -> None:
    """Checks the runs. What was seen before a failure counts: its lists are gone."""
    claims_audit.audit(now.ledger)
    now.looked = True


def _look_further(now: Minute) -> None:
    claims_audit.audit_older(now.ledger)


def _count_waiting(now: Minute) -> dict[str, float]:
    now.waiting = queue_depth.waiting()
    return {"waiting_messages": now.waiting}


def _keep(now: Minute) -> dict[str, float]:
    """Keeps the tally. It is the audit's sign of life if all runs were checked."""
    ledger = now.ledger
    return tallies.keep(ledger.tally, now.waiting, due=ledger.due, alive=now.looked)


def _emit(now: Minute) -> dict[str, float]:
    """Prints the figures. If an act failed, the alarm sees no audit: somebody must look."""
    seen: dict[str, float] = {**now.ledger.figures(), "audits": int(not now.apart.failures)}
    invocation_metrics.emit(invocation_metrics.MINUTE, seen | now.figures)
    return seen


def _sweep(_: Minute) -> None:
    payload_sweep.step()


ACTS = (
    Act("look", _look, 90),
    Act("older", _look_further, 20),
    Act("waiting", _count_waiting, 8),
    Act("tallies", _keep, 12),
    Act("long runs", lambda now: long_runs.look_at(now.ledger.longest), 8),
    Act("not fired", lambda _: unfired_tasks.not_fired(), 12),
    Act("exhausted", lambda _: completed_schedules.note(), 20),
    Act("loops", lambda _: bulk_operations.step(), 30),
    Act("health", lambda _: failing_tasks.act(), 20),
    Act("events", lambda _: notifications.tell(), 30),
    Act("figures", _emit, 5),
    Act("sweep", _sweep, 20),
)
