"""Planted faults of upkeep: lost rows, the audit's looks, dead messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from onthedot.api.views import agenda_source
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_cursor import Due
from onthedot.store import tasks
from onthedot.upkeep import claims_audit, recent_runs, tallies
from onthedot.work import dead_messages, outside_handover
from onthedot.work.batch import Batch
from onthedot.work.job import Job
from tests.simulation.mutants.mutant import Mutant, Patch


def lost_in_silence() -> list[Patch]:
    """The audit ignores a listed run without a row."""
    return [(claims_audit, "_still_missing", lambda *_: False)]


def recorded_ahead() -> list[Patch]:
    """The audit takes each cursor for one that has passed the slot."""

    def cursor(task_id: str) -> Due | None:
        found = tasks.cursor(task_id)
        return found and replace(found, next_run_at=2**40)

    return [(claims_audit, "tasks", SimpleNamespace(cursor=cursor))]


def the_same_hour() -> list[Patch]:
    """Looks at the day before see one hour of it instead of all."""
    return [(claims_audit, "_PART_SEC", 60)]


def all_put_aside() -> list[Patch]:
    """Each dead message is put aside, whether its runs are there or not."""
    original = Batch.without_row

    def without_row(batch: Batch, _missing: Any) -> None:
        original(batch, [one.run_id for each in batch.messages for one in each.pack.tickets])

    return [(Batch, "without_row", without_row)]


def dealt_with_anyway() -> list[Patch]:
    """A dead message is deleted, even if the row's write was refused."""
    original = dead_messages._dealt_with  # noqa: SLF001  # planted there
    return [(dead_messages, "_dealt_with", lambda job: original(job) or True)]


def never_struck_off() -> list[Patch]:
    """The dead message of a run that bury has ended is not deleted."""
    original = dead_messages._ended  # noqa: SLF001  # planted there
    return [(dead_messages, "_ended", lambda *given: original(*given) and False)]


def line_left() -> list[Patch]:
    """Buries does not give up the place of a run that is over."""
    return [(dead_messages, "overlap", SimpleNamespace(finish=lambda _job: None))]


def fetched_kept() -> list[Patch]:
    """Buries keeps the dead message of a run that outside workers fetch."""
    original = dead_messages._dealt_with  # noqa: SLF001  # planted there

    def dealt_with(job: Job) -> bool:
        return original(job) and not (job.run and pulled(job.run.queue))

    return [(dead_messages, "_dealt_with", dealt_with)]


def died_at_once() -> list[Patch]:
    """Buries believes that a message may die as soon as its run is due."""
    return [(dead_messages, "died_ms", lambda life: life.due_ms)]


def asked_after_at_once() -> list[Patch]:
    """The audit sends a message for each open run."""
    return [(claims_audit, "_overdue", lambda _life, _now_ms: True)]


def whole_anyway() -> list[Patch]:
    """A list that was cut is said to be whole."""
    original = agenda_source._listed  # noqa: SLF001  # planted there
    return [(agenda_source, "_listed", lambda *given: (original(*given)[0], True))]


def sorted_at_once() -> list[Patch]:
    """A list believes that an audit has sorted all up to its last second."""
    original = tallies.newest
    told = SimpleNamespace(newest=lambda: (original() or 0) + 120)
    return [(recent_runs, "tallies", told)]


def all_of_the_hour() -> list[Patch]:
    """A list always reads the whole last hour of the audit's lists."""
    return [(recent_runs, "tallies", SimpleNamespace(newest=lambda: None))]


def counted_for_nothing() -> list[Patch]:
    """Each overdue run counts as sent again, even if no message is sent."""
    original = outside_handover.to_resend

    def to_resend(overdue: Iterable[Run]) -> list[Run]:
        runs = list(overdue)
        return [*original(runs), *(one for one in runs if pulled(one.queue))]

    return [(claims_audit, "outside_handover", SimpleNamespace(to_resend=to_resend))]


UPKEEP = (
    Mutant(
        "counted for nothing",
        "only a message that is sent counts as one",
        counted_for_nothing,
        ("forged pull",),
    ),
    Mutant(
        "sorted at once",
        "what an audit passes over while it is at work is listed",
        sorted_at_once,
        ("read slowly",),
        seed=1,
    ),
    Mutant("all of the hour", "a list costs what it must", all_of_the_hour, ("read",)),
    Mutant(
        "asked after at once",
        "what may still have a message gets none from the audit",
        asked_after_at_once,
        ("deleted", "retries"),
    ),
    Mutant(
        "whole anyway",
        "whoever has more than is read is told so",
        whole_anyway,
        ("read too many",),
        seed=4,
    ),
    Mutant(
        "dealt with anyway",
        "what others wrote meanwhile is looked at again",
        dealt_with_anyway,
        ("buried beside",),
    ),
    Mutant(
        "never struck off",
        "what is ended needs no message",
        never_struck_off,
        ("buried refused",),
    ),
    Mutant(
        "line left",
        "who waits behind a run that is over is woken",
        line_left,
        ("buried in line",),
        seed=65,
    ),
    Mutant(
        "fetched kept",
        "what machines fetch needs no message",
        fetched_kept,
        ("forged pull bare", "forged pull"),
    ),
    Mutant("died at once", "bury is patient", died_at_once, ("buried in line",)),
    Mutant(
        "all put aside",
        "what names a run that is there is not put aside",
        all_put_aside,
        ("given up bare",),
    ),
    Mutant(
        "lost in silence",
        "a slot whose row is lost is recorded as missed",
        lost_in_silence,
        ("rows lost",),
    ),
    Mutant(
        "recorded ahead",
        "what a tick still comes to is not recorded as missed",
        recorded_ahead,
        ("listed in vain",),
    ),
    Mutant(
        "the same hour",
        "each hour looks at all of the day before",
        the_same_hour,
        ("looked further",),
    ),
)
