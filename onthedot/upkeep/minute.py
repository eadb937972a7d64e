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
    """One act. It ends its work itself after `work_sec`; the list leaves it after `limit_sec`.

    Acts that are short by nature ignore `work_sec`.
    """

    name: str
    do: Callable[[Minute, float], Mapping[str, float] | None]
    limit_sec: float
    work_sec: float = 0
    # It waits for seconds of this minute: it begins first, goes on beside the others and ends last.
    beside: bool = False


class Begun(NamedTuple):
    """An act that has begun, and when that was."""

    act: Act
    part: Any
    at_sec: float


def minute() -> dict[str, float]:
    """Does each act and returns the figures. At the end it raises the first error of an act."""
    now = Minute()
    beside = [_begun(act, now) for act in ACTS if act.beside]
    for act in ACTS:
        if not act.beside:
            _finish(_begun(act, now), now)
    for each in beside:
        _finish(each, now)
    now.apart.end()
    return now.figures


def _begun(act: Act, now: Minute) -> Begun:
    return Begun(act, handler_pool.submit(partial(act.do, now, act.work_sec)), clock.monotonic())


def _finish(begun: Begun, now: Minute) -> None:
    """Waits for an act, and notes its figures and how long it took."""
    name = begun.act.name
    with now.apart.each(f"the audit's act '{name}'"):
        now.figures |= _result(begun) or {}
    spent_ms = round((clock.monotonic() - begun.at_sec) * 1000)
    now.figures[f"act_{name.replace(' ', '_')}_ms"] = spent_ms


def _result(begun: Begun) -> Any:  # noqa: ANN401 what the act gives
    """Waits for an act, but no longer than its limit."""
    over = begun.at_sec + begun.act.limit_sec
    while not begun.part.done():
        left = over - clock.monotonic()
        if left <= 0:
            raise BusyError(
                f"it has not ended after {begun.act.limit_sec:.0f} s, and is left behind"
            )
        handler_pool.wait([begun.part], left)
    return begun.part.result()


def _look(now: Minute, work_sec: float) -> None:
    """Checks the runs. What was seen before a failure counts: its lists are gone."""
    claims_audit.audit(now.ledger, work_sec=work_sec)
    now.looked = True


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


# Each act uses what those before it have left: the looks find runs and keep events, the next four
# count what was found, exhausted, loops and health act on it, events tells all that was kept, and
# figures counts all of this. Nothing waits for the sweep.
ACTS = (
    Act("pauses", lambda *_: pauses_due.end_those_due(), LIMIT_SEC - _END_SEC, beside=True),
    Act("look", _look, 90, work_sec=60),
    Act("older", lambda now, sec: claims_audit.audit_older(now.ledger, sec), 20, work_sec=10),
    Act("waiting", lambda now, _: _count_waiting(now), 8),
    Act("tallies", lambda now, _: _keep(now), 12),
    Act("long runs", lambda now, _: long_runs.look_at(now.ledger.longest), 8),
    Act("not fired", lambda *_: unfired_tasks.not_fired(), 12),
    Act("exhausted", lambda _, sec: completed_schedules.note(sec), 20, work_sec=10),
    Act("loops", lambda _, sec: bulk_operations.step(sec), 30, work_sec=15),
    Act("health", lambda *_: failing_tasks.act(), 20),
    Act("events", lambda _, sec: notifications.tell(sec), 30, work_sec=20),
    Act("figures", lambda now, _: _emit(now), 5),
    Act("sweep", lambda _, sec: payload_sweep.step(sec), 20, work_sec=10),
)
