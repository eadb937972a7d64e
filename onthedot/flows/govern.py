"""A written version made to govern: what has not started is stamped, sent, dispatched (L5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onthedot.adapters import claims, clock, tables
from onthedot.core import moves, stamping
from onthedot.core import run as runs
from onthedot.core.errors import BusyError
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.run import NOT_STARTED, Run
from onthedot.core.task import ENDED, Task
from onthedot.core.writes import Update
from onthedot.flows.dispatch import dispatch_inline
from onthedot.flows.extra import send
from onthedot.flows.known import read

_TRIES = 8


def _nothing_more(_near: Sequence[Run]) -> None:
    pass


def make_it_govern(
    task: Task,
    *,
    sent_from: int | None,
    next_due: int | None,
    stamped: Callable[[Sequence[Run]], None] = _nothing_more,
) -> list[Run]:
    """Stamp what has not started, send what left the index unsent, dispatch what is near.

    `next_due` is where the writer left the cursor: one that was moved nearer since is another
    writer's to dispatch. `stamped` is told the runs of about now, which had to be looked at, when
    none of them can start as it was before; they are given to the caller, too.
    """
    near = _stamp(task)
    stamped(near)
    if sent_from is not None:
        claimed = [run for run in near if run.life.status == "claimed"]
        send([run for run in claimed if run.life.due_ms // 1000 >= sent_from])
    if task.status == "active" and next_due is not None and _is_near(next_due):
        _dispatch(task)
    return near


def _stamp(task: Task) -> list[Run]:
    """L5: every run that has not started obeys this version before the write is acknowledged.

    Whoever starts one with a key from before that looks at the task once more.
    """
    between = stamping.window(task, clock.now_ms() // 1000)
    for _ in range(_TRIES):
        items = tables.rows(("task_id", task.task_id), "scheduled_for", between)
        # A run's own payload lies beside it; a row of another version holds up no edit.
        near = [run for item in items if (run := runs.readable(item))]
        behind = [run for run in near if _to_be_stamped(run, task)]
        if not behind:
            return near
        claims.write_many([_stamped(run, task) for run in behind])
    raise BusyError(f"the runs of {task.task_id} kept changing under {_TRIES} stamps")


def _to_be_stamped(run: Run, task: Task) -> bool:
    open_now = run.life.status in NOT_STARTED
    return open_now and (run.life.tv < task.version or task.status in ENDED)


def _stamped(run: Run, task: Task) -> Update:
    now_ms = clock.now_ms()
    if task.status in ENDED:
        return moves.settle_unstarted(run, "cancelled", ENDED[task.status], now_ms=now_ms)
    return moves.stamp(run, task.version, now_ms=now_ms)


def _dispatch(task: Task) -> None:
    known = read(task.task_id)
    if known is not None and known.indexed and _is_near(known.due.next_run_at):
        dispatch_inline(known.due)


def _is_near(instant: int) -> bool:
    return instant <= clock.now_ms() // 1000 + LOOK_AHEAD_SEC
