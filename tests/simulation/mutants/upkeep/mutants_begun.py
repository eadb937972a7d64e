"""Planted faults of what is begun, stopped, and given up on."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from onthedot.dispatch import extra_runs
from onthedot.launch import backfill_flow, replay, trigger
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.registry import definition
from onthedot.store import run_messages
from onthedot.targets.aws import executions
from onthedot.upkeep import bulk_operations
from onthedot.work import dead_messages
from tests.simulation.mutants.mutant import Mutant, Patch


def kept() -> list[Patch]:
    """Buries sends a run again, and keeps the message that was given up on."""
    original = run_messages.send

    def send(run: Run, why: str, delay_sec: int = 0) -> bool:
        original(run, why, delay_sec)
        return False

    return [(dead_messages, "run_messages", SimpleNamespace(send=send))]


def sent_twice() -> list[Patch]:
    """Buries sends a run twice."""
    original = run_messages.send

    def send(run: Run, why: str, delay_sec: int = 0) -> bool:
        original(run, why, delay_sec)
        return original(run, why, delay_sec)

    return [(dead_messages, "run_messages", SimpleNamespace(send=send))]


def not_there() -> list[Patch]:
    """What is triggered is said not to be there."""
    return [(trigger, "launched", lambda _run, _payload: None)]


def anothers() -> list[Patch]:
    """A claim that is refused is taken for another's, even if it is its own."""
    return [(extra_runs, "_ours", lambda _run: False)]


def goes_on() -> list[Patch]:
    """A stop of a loop answers with the loop as it was before."""
    original = bulk_operations.stop

    def stop(kind: str, tenant_id: str, loop_id: str) -> Loop | None:
        seen = bulk_operations.read(kind, tenant_id, loop_id)
        original(kind, tenant_id, loop_id)
        return seen

    return [(bulk_operations, "stop", stop)]


def counted_for_all() -> list[Patch]:
    """A backfill counts as its own what another one has launched."""
    original: Any = extra_runs.launch

    def launch(wanted: Sequence[Run]) -> list[Outcome]:
        original(wanted)
        return [Outcome.DONE for _ in wanted]

    return [(backfill_flow, "launch", launch)]


def borne() -> list[Patch]:
    """What a schedule bears is kept as it is by default, whatever a user says."""
    return [(definition, "kept", lambda _wanted: {})]


def of_what_is_gone() -> list[Patch]:
    """A letter is run again though its schedule is gone."""
    return [(replay, "replayable", lambda _old, _task: True)]


def goes_on_alone() -> list[Patch]:
    """A cancel does not stop the run's execution, which ends only at its next look."""
    return [(executions, "stop_soon", lambda _run: None)]


BEGUN = (
    Mutant("goes on alone", "a cancel ends all of it", goes_on_alone, ("executions cancelled",)),
    Mutant("kept dead", "what was dealt with is gone", kept, ("given up", "buried bare")),
    Mutant("dead twice", "a dead message is sent afresh once", sent_twice, ("buried late",)),
    Mutant("not there", "what is there runs when asked to", not_there, ("triggers",)),
    Mutant("another's", "a claim is its maker's", anothers, ("fills unsure bare",)),
    Mutant("borne", "a schedule bears what its user says", borne, ("asked bear",)),
    Mutant("goes on", "who stops a loop is told so", goes_on, ("asked letters twice",)),
    Mutant("of the gone", "nothing runs that is gone", of_what_is_gone, ("asked some letters",), 1),
    Mutant(
        "all counted", "a backfill counts its own", counted_for_all, ("fills unsure",), seed=145
    ),
)
