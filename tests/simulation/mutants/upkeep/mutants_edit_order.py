"""Planted faults of the one edit: its effects in another order, or one of them left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Delete, Part
from onthedot.records.runs import edited_slots
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import edit, edit_writes, lifecycle, schedule_actions
from onthedot.registry.edit import Edited, Make
from onthedot.registry.edit_writes import Recount, Step
from onthedot.registry.unclaimed_slots import close_the_books
from onthedot.store import conditional_writer
from onthedot.store.tasks import read
from onthedot.work import job
from tests.simulation.mutants.mutant import Mutant, Patch

_LATER_SEC = 60
_TWO_HOURS_SEC = 7_200


def books_after() -> list[Patch]:
    """The task is written first: who dies then leaves slots that nobody answers for."""
    write = edit._write  # noqa: SLF001  # planted in the flow

    def written(step: Step, counted: Recount) -> bool:
        done = write(step, counted)
        if done and step.moves:
            close_the_books(step.seen, step.at)
        return done

    return [(edit, "close_the_books", lambda *_: None), (edit, "_write", written)]


def dispatched_first() -> list[Patch]:
    """What is near is claimed before the edit gives back what it drops: then it gives nothing."""
    carry_out, dispatch, stamp = edit._carry_out, edit._dispatch, edit._stamp  # noqa: SLF001  # planted in the flow
    due: dict[tuple[str, int], int | None] = {}

    def carried_out(step: Step) -> Sequence[Run] | None:
        due[step.wanted.task_id, step.wanted.version] = step.next_due
        return carry_out(step)

    def stamped(task: Task) -> list[Run]:
        near = stamp(task)
        dispatch(task.task_id, due.pop((task.task_id, task.version)))
        return near

    return [
        (edit, "_carry_out", carried_out),
        (edit, "_stamp", stamped),
        (edit, "_dispatch", lambda *_: None),
    ]


def no_books_of_a_stop() -> list[Patch]:
    """A pause leaves what was due and unclaimed to nobody."""
    carry_out = edit._carry_out  # noqa: SLF001  # planted in the flow
    stopping: set[tuple[str, int]] = set()

    def carried_out(step: Step) -> Sequence[Run] | None:
        if step.wanted.status == "paused":
            stopping.add((step.seen.task.task_id, step.seen.task.version))
        return carry_out(step)

    def closed(known: Known, now: int) -> None:
        if (known.task.task_id, known.task.version) not in stopping:
            close_the_books(known, now)

    return [(edit, "_carry_out", carried_out), (edit, "close_the_books", closed)]


def sent_from_later() -> list[Patch]:
    """What is due soon after the cursor is left to a dispatcher that may be dead."""
    original = Step.sent_from.fget  # type: ignore[attr-defined]  # a property

    def sent_from(self: Step) -> int | None:
        first: int | None = original(self)
        return first and first + _LATER_SEC

    return [(Step, "sent_from", property(sent_from))]


def same_version() -> list[Patch]:
    """A write leaves the version as it was: nobody sees that there was one."""
    return [(edit, "_next_version", lambda _seen, wanted: wanted)]


def undispatched() -> list[Patch]:
    """What is due soon after an edit waits for the next tick."""
    return [(edit, "_dispatch", lambda *_: None)]


def books_until_now() -> list[Patch]:
    """A pause that is over takes what was due since its end with it."""
    original = edit.end_of_pause

    def end_of_pause(seen: Known, now: int) -> Step | None:
        step = original(seen, now)
        return step and replace(step, at=now)

    return [(edit, "end_of_pause", end_of_pause)]


def unsent_again() -> list[Patch]:
    """Who finds it written stamps, and sends nothing of what left the index."""
    original = Step.sent_from.fget  # type: ignore[attr-defined]  # a property
    return [(Step, "sent_from", property(lambda self: None if self.written else original(self)))]


def not_repeated() -> list[Patch]:
    """A create that finds itself done already answers at once."""

    def found(task_id: str, *_: object, **__: object) -> Edited | None:
        known = read(task_id)
        return Edited(known.task, known.task, ()) if known else None

    def edited(task_id: str, make: Make, *given: Any, **more: Any) -> Edited | None:
        unchanged = make is lifecycle.unchanged
        return found(task_id) if unchanged else edit.edit(task_id, make, *given, **more)

    return [(schedule_actions, "edit", edited)]


def told_later() -> list[Patch]:
    """The name, the former schedule and the trail are written behind the task, one by one."""
    beside, write = edit_writes.beside, edit._write  # noqa: SLF001  # planted in the flow

    def written(step: Step, counted: Recount) -> bool:
        done = write(step, counted)
        for part in beside(step) if done else ():
            conditional_writer.write_together([part])
        return done

    return [(edit_writes, "beside", lambda _: []), (edit, "_write", written)]


def unsigned_unkept() -> list[Patch]:
    """What the system does by itself keeps no former schedule."""
    beside = edit_writes.beside
    return [(edit_writes, "beside", lambda step: beside(step) if step.signed else [])]


def name_kept() -> list[Patch]:
    """Who deletes a schedule does not give its name free."""
    beside = edit_writes.beside

    def without(step: Step) -> list[Part]:
        return [part for part in beside(step) if not isinstance(part, Delete)]

    return [(edit_writes, "beside", without)]


def left_waiting() -> list[Patch]:
    """An edit that lets runs overlap does not call the runs that wait."""

    def sent_from(step: Step) -> int | None:
        if step.written:
            return 0
        return step.seen.due.next_run_at if step.moves else None

    return [(Step, "sent_from", property(sent_from))]


def an_hour_off() -> list[Patch]:
    """A worker takes runs for stamped that are too old for the last edit."""

    def surely_within(key: str, task: Task, now: int) -> bool:
        return edited_slots.surely_within(key, task, now - _TWO_HOURS_SEC)

    return [(job, "surely_within", surely_within)]


MUTANTS = (
    Mutant(
        "books after", "0158: the books are closed, then it is written", books_after, ("unclosed",)
    ),
    Mutant(
        "no books of a stop",
        "0158: a pause closes the books, too",
        no_books_of_a_stop,
        ("pauses", "unclosed"),
    ),
    Mutant(
        "sent from later",
        "0158: what leaves the index is sent from the cursor on",
        sent_from_later,
        ("orphans bare",),
    ),
    Mutant(
        "unsent again",
        "0158: who finds it written sends again",
        unsent_again,
        ("unsent bare",),
    ),
    Mutant(
        "same version", "0158: every write has its version", same_version, ("unclosed", "edits")
    ),
    Mutant(
        "undispatched",
        "0158: what is near is not left to a tick",
        undispatched,
        ("near", "created"),
    ),
    Mutant(
        "dispatched first",
        "0158: given back, then dispatched",
        dispatched_first,
        ("unspent",),
        seed=25,
    ),
    Mutant(
        "books until now", "0158: a pause ends as of its end", books_until_now, ("pauses",), seed=38
    ),
    Mutant("not repeated", "0158: a repeated create dispatches", not_repeated, ("created",)),
    Mutant("told later", "0158: told in the same transaction", told_later, ("replays", "edits")),
    Mutant(
        "unsigned unkept", "0158: the system keeps schedules, too", unsigned_unkept, ("pauses",)
    ),
    Mutant("left waiting", "0158: who waits asks again", left_waiting, ("freed",)),
    Mutant("an hour off", "what edits miss is looked at again", an_hour_off, ("put off barely",)),
    Mutant("name kept", "0158: a deleted schedule frees its name", name_kept, ("creates", "edits")),
)
