"""A skipped run keeps its message until its places are given up."""

from __future__ import annotations

import pytest

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.runs.run_status import Reason, Status
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import conditional_writer
from onthedot.work import starts
from onthedot.work.batch import Batch, Received
from onthedot.work.decision_table import Hint, Skip
from onthedot.work.gates import overlap
from onthedot.work.job import Job
from tests.schedule.samples import NOON_MS, run, task


def test_a_skip_whose_places_are_not_given_up_keeps_its_message(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The worker that gets the message again finds the run over, and gives the places up."""
    skipped = run()
    ticket = Ticket(skipped.run_id, 1, 1)
    hint = Hint(attempt=1, receives=1, message_id="m")
    job = Job(ticket=ticket, hint=hint, run=skipped, task=task())
    message = Received(
        pack=Pack(due_ms=NOON_MS, why="start", tickets=(ticket,), tenant_id="acme", queue="normal"),
        message_id="m",
        receipt="r",
        receives=1,
        owes={skipped.run_id},
    )
    batch = Batch(queue="normal", messages=[message])

    def busy(_: object) -> None:
        raise BusyError("the gate is not read")

    monkeypatch.setattr(conditional_writer, "write_many", lambda _: [Outcome.DONE])
    monkeypatch.setattr(overlap, "leave", busy)
    with pytest.raises(BusyError):
        starts._skip(batch, [(job, Skip(Status.SKIPPED, Reason.PAUSED))])  # noqa: SLF001  # its order

    assert batch.naming(skipped.run_id) == [message]
    monkeypatch.setattr(overlap, "leave", lambda _: None)
    assert starts._skip(batch, [(job, Skip(Status.SKIPPED, Reason.PAUSED))]) == []  # noqa: SLF001  # its order
    assert batch.naming(skipped.run_id) == []
