"""Planted faults of the API's writes: books, stamp, send, trigger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.dispatch import extra_runs
from onthedot.launch import backfill_flow
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import manifest, run_writes
from onthedot.records.runs.run_row import Run, parse
from onthedot.records.tasks import task_items
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry import edit, edit_writes, schedule_actions
from onthedot.registry.edit_writes import Step
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, ids, table_reads
from onthedot.work import starts
from tests.simulation import stage

Patch = tuple[Any, str, Any]


def stamp() -> list[Patch]:
    """Rows that have not started keep the version that they were claimed under."""

    def near(task: Task) -> list[Run]:
        now = clock.now_ms() // 1000
        span = (nominal(now - LOOK_AHEAD_SEC - 3_600), nominal(now + LOOK_AHEAD_SEC + 86_400))
        items = table_reads.rows(("task_id", task.task_id), "scheduled_for", span)
        return [parse(item) for item in items if "life" in item]

    return [(edit, "_stamp", near)]


def same_again() -> list[Patch]:
    """Who finds the task so already answers at once."""
    original = edit._carry_out  # noqa: SLF001  # planted in the flow

    def carry_out(step: Step) -> Sequence[Run] | None:
        return [] if step.written else original(step)

    return [(edit, "_carry_out", carry_out)]


def books() -> list[Patch]:
    """The cursor moves on, and nobody says what became of what was due."""
    return [(edit, "close_the_books", lambda *_: None)]


def orphans() -> list[Patch]:
    """What the write takes out of the index is left to the one that claimed it."""
    return [(edit, "send", lambda _: None)]


def filled_at_once() -> list[Patch]:
    """A backfill launches all that its minute has room for, though others hold the gate."""
    return [(backfill_flow, "_one_by_one", backfill_flow._all_at_once)]  # noqa: SLF001  # what is left out


def never_free() -> list[Patch]:
    """A backfill that goes one by one always finds the gate taken."""
    return [(backfill_flow, "_free", lambda _task: False)]


def unfollowed() -> list[Patch]:
    """Each run of a backfill that goes one by one waits for the minute's step."""
    return [(backfill_flow, "follow", lambda _ended: None)]


def listed_late() -> list[Patch]:
    """A run of its own is claimed, then listed, then sent."""

    def launch(runs: Sequence[Run]) -> list[Outcome]:
        now_ms = clock.now_ms()
        outcomes = conditional_writer.write_many(
            [run_writes.insert(run, now_ms=now_ms) for run in runs]
        )
        entries = [manifest.entry(run) for run in runs]
        listed = manifest.listing(ids.token(), entries, now_ms=now_ms)
        for each in listed:
            table_reads.put(manifest.TABLE, each.item())
        extra_runs.send(
            [run for run, done in zip(runs, outcomes, strict=True) if done is Outcome.DONE]
        )
        return outcomes

    return [(extra_runs, "launch", launch)]


def edge() -> list[Patch]:
    """The first slot is the first after now, wherever its jitter puts it."""

    def first_due(task: Task) -> int | None:
        slot = task.schedule.next(task.effective_from)
        return None if slot is None else task.schedule.due_at(slot)

    return [
        (task_items, "first_due", first_due),
        (edit_writes, "first_due", first_due),
        (edit, "first_due", first_due),
        (schedule_actions, "first_due", first_due),
        (stage, "first_due", first_due),
    ]


def not_again() -> list[Patch]:
    """A run from before what an edit looks through starts by the task as it was loaded."""
    return [(starts, "look_again", lambda _started: None)]
