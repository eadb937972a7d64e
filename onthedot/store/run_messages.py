"""Messages about runs: each names a run, and says why a worker is to look at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onthedot.records.runs import message_pack
from onthedot.records.runs.message_pack import Address, Pack, Ticket
from onthedot.records.runs.run_row import Run
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, queue


def send(run: Run, why: str, delay_sec: int = 0) -> bool:
    """Sends a message of one run; tells whether SQS took it."""
    return not queue.send([(message_pack.of_run(run, why), delay_sec)])


def send_when_due(runs: Iterable[Run], why: str) -> list[Pack]:
    """Sends a message of each run, for its due time; returns those that SQS did not take."""
    now_ms = clock.now_ms()
    delays = [(run, message_pack.delay_sec(run.life.due_ms, now_ms)) for run in runs]
    return send_each(delays, why)


def send_each(runs: Iterable[tuple[Run, int]], why: str) -> list[Pack]:
    """Sends a message of each run, each with its delay; returns those that SQS did not take."""
    return queue.send([(message_pack.of_run(run, why), delay_sec) for run, delay_sec in runs])


def send_packed(first_starts: Iterable[tuple[Address, Ticket]]) -> set[str]:
    """Sends first starts in packs, for their due times; returns the ids that SQS did not take."""
    now_ms = clock.now_ms()
    packs = list(message_pack.packed(first_starts))
    left = queue.send([(pack, message_pack.delay_sec(pack.due_ms, now_ms)) for pack in packs])
    return {ticket.run_id for pack in left for ticket in pack.tickets}


def wake(runs: Sequence[Run]) -> None:
    """Wakes runs that wait in a line: without its message such a run waits for the audit."""
    if unsent := queue.send([(message_pack.of_run(run, "wake"), 0) for run in runs]):
        names = ", ".join(ticket.run_id for pack in unsent for ticket in pack.tickets)
        raise BusyError(f"SQS did not take the messages that wake {names}")
