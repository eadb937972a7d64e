"""Planted faults of what is late: how it ends, in which order it goes, what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from onthedot.dispatch import due_plan
from onthedot.dispatch.due_plan import Firing, Unfired
from onthedot.records.runs import overlap_gate
from onthedot.records.runs.overlap_gate import Gate
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks import misfire
from onthedot.records.tasks.misfire import Ending, Slot
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.work import decision_table, late_starts, max_runs_return
from onthedot.work.decision_table import Await, Hint
from onthedot.work.gates import late_line, late_runs, overlap, wait_reasons
from onthedot.work.gates.late_line import Stay
from tests.simulation.mutants.mutant import Mutant, Patch


def never_judged() -> list[Patch]:
    """What starts late starts, whatever its policy says."""
    return [(late_starts, "judged", lambda found: [(job, None) for job, _ in found])]


def judged_again() -> list[Patch]:
    """Its grace is asked each time, also of what waits for its turn."""
    original = misfire.ending

    def ending(task: Task, slot: Slot, now_ms: int, newer: Callable[[], bool]) -> Ending | None:
        return original(task, replace(slot, judged=False), now_ms, newer)

    return [(misfire, "ending", ending)]


def newer_not_asked() -> list[Patch]:
    """Under `latest` a late run starts after a fresher one."""
    return [(late_starts, "_newer", lambda *_: False)]


def stood_for_nothing() -> list[Patch]:
    """What has stood in a line is late like what nobody took up."""
    return [(wait_reasons, "stands", lambda *_: False)]


def all_at_once() -> list[Patch]:
    """Late slots go side by side."""
    return [(late_line, "room", lambda *_: 1_000)]


def as_they_come() -> list[Patch]:
    """Who comes while there is a place takes it, and asks for no older one."""

    def standing(
        _task: Task, _gate: Gate, _now_ms: int, *, own: Run | None = None
    ) -> Iterator[Run]:
        yield from [own] if own else []

    return [(late_runs, "_standing", standing)]


def nobody_called() -> list[Patch]:
    """The end of one calls nobody, and the audit has to."""
    return [(late_runs, "_send", lambda _run: None)]


def deaf_to_ends() -> list[Patch]:
    """Who waits for a regular run, whose end nobody hears, does not look again by itself."""
    original = late_line.enter

    def enter(gate: Gate, run: Run, task: Task, line: Sequence[str]) -> Any:
        entry = original(gate, run, task, line)
        return replace(entry, alone=False) if isinstance(entry, Stay) else entry

    return [(late_line, "enter", enter)]


def before_them() -> list[Patch]:
    """Regular slots that are planned with late ones do not stand behind them."""
    original = due_plan._sorted_out  # noqa: SLF001  # planted there

    def sorted_out(
        due: Due, slots: list[tuple[int, int]], now: int, lost_for: Reason, *, more_due: bool
    ) -> tuple[list[Firing], list[Unfired]]:
        firings, unfired = original(due, slots, now, lost_for, more_due=more_due)
        return [replace(each, behind=False) for each in firings], unfired

    return [(due_plan, "_sorted_out", sorted_out)]


def turned_away() -> list[Patch]:
    """Who comes due meanwhile meets the run that catches up like any other."""
    original = late_line.joins

    def joins(run: Run, task: Task, gate: Gate, *, late: bool) -> bool:
        return late_line.is_one(run, late=late) and original(run, task, gate, late=late)

    return [(late_line, "joins", joins)]


def by_arrival() -> list[Patch]:
    """Who came first goes first."""
    original = overlap_gate.enter

    def enter(
        seen: Gate, key: str, task: Task, _: Mapping[str, int], **more: Any
    ) -> overlap_gate.Entry:
        came = [*seen.holders, *seen.waiting, key]
        return original(seen, key, task, {each: came.index(each) for each in came}, **more)

    return [(overlap_gate, "enter", enter)]


def older_not_asked() -> list[Patch]:
    """A message that overtakes another one takes the place."""
    return [(overlap, "_older", lambda *_: False)]


def never_ahead() -> list[Patch]:
    """Who waits at the gate itself goes before late ones that were due earlier."""
    return [
        (late_runs, "ahead_of", lambda *_: None),
        (late_line, "goes_first", lambda gate, *_: bool(gate.waiting)),
    ]


def place_kept() -> list[Patch]:
    """What ends without a run has used a place of max_runs up."""
    return [(max_runs_return, "_gives_back", lambda _: False)]


def answered_twice() -> list[Patch]:
    """A next attempt's message that comes before its answer is written is dropped."""

    def awaiting(_life: Life, _hint: Hint, _now_ms: int) -> Await:
        return Await()

    return [(decision_table, "_awaiting", awaiting)]


def unwoken() -> list[Patch]:
    """Nobody calls who waited at the gate for a run that then went to the line of late ones."""
    original = late_line.enter

    def enter(gate: Gate, run: Run, task: Task, line: Sequence[str]) -> Any:
        made = original(gate, run, task, line)
        if isinstance(made, Stay) and made.first in gate.waiting:
            return replace(made, first="")
        return made

    return [(late_line, "enter", enter)]


MISFIRES = (
    Mutant("never judged", "misfire decides over late claims", never_judged, ("tardy late",)),
    Mutant("judged again", "waiting does not lose the grace", judged_again, ("caught up",), 4),
    Mutant("newer not asked", "latest runs the newest", newer_not_asked, ("tardy late",), 1),
    Mutant("stood for nothing", "a line takes a slot up", stood_for_nothing, ("slow late",), 1),
    Mutant("all at once late", "late slots go one at a time", all_at_once, ("caught up",)),
    Mutant("as they come", "late slots go oldest first", as_they_come, ("caught up",)),
    Mutant("late not called", "an end calls the next one", nobody_called, ("caught up bare",)),
    Mutant("deaf to ends", "skip calls nobody", deaf_to_ends, ("caught up rough bare",), 121),
    Mutant("before them", "regular slots go behind", before_them, ("caught up",), 7),
    Mutant("turned away late", "each slot under all runs", turned_away, ("caught up",), 7),
    Mutant("by arrival", "due times decide", by_arrival, ("slow lines",), 31),
    Mutant("older not asked", "a message may overtake", older_not_asked, ("shuffled lines",), 6),
    Mutant("never ahead", "the older late one goes first", never_ahead, ("slow late",), 3),
    Mutant(
        "left at the gate",
        "the gate and the line never wait for each other",
        unwoken,
        ("tardy late bare",),
        1005,
    ),
    Mutant("bound kept", "a place is given back", place_kept, ("bounded late",)),
    Mutant("answered twice", "retries wait for answers", answered_twice, ("callbacks deaths",), 84),
)
