"""Planted faults of what is read: lists, what is to come, signs of life, and a minute's figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from onthedot.api.schedules import expression_preview
from onthedot.api.views import agenda_source
from onthedot.records.runs.run_row import Run
from onthedot.registry import definition
from onthedot.store import table_pages
from onthedot.upkeep import (
    completed_schedules,
    ledger,
    long_runs,
    minute_tally,
    read_pulse,
    recent_runs,
    tallies,
    unfired_tasks,
)
from onthedot.work.gates import waiting_runs
from tests.simulation.mutants.mutant import Mutant, Patch


def sorted_only() -> list[Patch]:
    """A list has what the audit has sorted, and nothing newer."""
    return [(recent_runs, "_unsorted", lambda: iter(()))]


def this_hour_only() -> list[Patch]:
    """A list ends where the hour of the clock began."""
    original = recent_runs.Walk._sorted  # noqa: SLF001  # planted there

    def within(walk: recent_runs.Walk) -> Iterator[Any]:
        begun_ms = walk.begun_ms // 3_600_000 * 3_600_000
        return (each for each in original(walk) if each[0] >= begun_ms)

    return [(recent_runs.Walk, "_sorted", within)]


def same_place() -> list[Patch]:
    """A page begins with what the one before ended with."""
    original = recent_runs.Walk.behind

    def behind(walk: recent_runs.Walk, place: Any, *given: Any, **named: Any) -> recent_runs.Walk:
        return original(walk, place._replace(run_id=f"{place.run_id}~"), *given, **named)

    return [(recent_runs.Walk, "behind", behind)]


def over_again() -> list[Patch]:
    """Behind the last of an hour comes its first."""

    class Over:
        def runs(self, *given: Any, start: Any, **named: Any) -> Any:
            page = table_pages.runs(*given, start=start or None, **named)
            return page if page.last else replace(page, last={})

    return [(recent_runs, "table_pages", Over())]


def kept_for_ever() -> list[Patch]:
    """What was read once of a long list is what is told."""
    return [(agenda_source, "_is_fresh", lambda _seen: True)]


def never_whole() -> list[Patch]:
    """What is left out of a list is not said."""
    original = agenda_source._listed  # noqa: SLF001  # planted there

    def listed(of: str, since: str, most: int) -> Any:
        return original(of, since, min(most, 2))[0], True

    return [(agenda_source, "_listed", listed)]


def by_groups() -> list[Patch]:
    """Schedules that are alike count as one."""

    def same_minute(known: Any, first: int) -> int:
        begin = first - first % 60
        slots = [group.schedule.next(begin - 1) for group in known.groups]
        return sum(slot is not None and slot < begin + 60 for slot in slots)

    return [(expression_preview, "same_minute", same_minute)]


def once_well() -> list[Patch]:
    """Who was well once is said to be well."""
    return [(read_pulse, "_REMEMBERED_MS", 1 << 60)]


def looked_up_each_time() -> list[Patch]:
    """Each question about health is a look at the store."""
    return [(read_pulse, "_REMEMBERED_MS", 0)]


def all_fired() -> list[Patch]:
    """Nobody asks the index."""
    return [(unfired_tasks, "not_fired", dict)]


def lately_long() -> list[Patch]:
    """Lately is the last quarter of an hour."""
    return [(tallies, "_LATELY_SEC", 900)]


def hour_forgotten() -> list[Patch]:
    """What an hour came to is not summed."""
    original = tallies._items  # noqa: SLF001  # planted there

    def items(partition: str, first_sec: int, last_sec: int) -> Any:
        return (
            original(partition, first_sec, last_sec)
            if partition != minute_tally.HOURS
            else iter(())
        )

    return [(tallies, "_items", items)]


def shortest() -> list[Patch]:
    """The run that took least is held against its timeout."""
    original = long_runs.look_at
    return [(long_runs, "look_at", lambda longest: original(longest[-1:]))]


def noted_silently() -> list[Patch]:
    """What is completed is not counted."""
    original = completed_schedules.note

    def note(*given: float) -> dict[str, int]:
        original(*given)
        return {"completed": 0}

    return [(completed_schedules, "note", note)]


def wait_untold() -> list[Patch]:
    """A waiting run is shown as claimed."""
    return [(waiting_runs, "shown", lambda seen, _now_ms: list(seen))]


def late_by_waiting() -> list[Patch]:
    """A run that waited in a line counts as late."""
    original = ledger.Ledger.note

    def note(seen: ledger.Ledger, run: Run) -> None:
        original(seen, replace(run, life=replace(run.life, waited="")))

    return [(ledger.Ledger, "note", note)]


def misdated() -> list[Patch]:
    """The sum of a minute is kept under the day before."""
    original = minute_tally.item

    def item(
        summed: minute_tally.Tally, partition: str, since_sec: int, *given: Any
    ) -> dict[str, Any]:
        return original(summed, partition, since_sec - 86_400, *given)

    return [(minute_tally, "item", item)]


def unwarned() -> list[Patch]:
    """Nobody is warned of a pause that is near."""
    return [(definition, "near", lambda _task, _failures: None)]


MUTANTS = (
    Mutant("sorted only", "a list is whole", sorted_only, ("read",)),
    Mutant("this hour only", "a list is of the last hour", this_hour_only, ("read late",)),
    Mutant("same place", "a list goes on behind its page", same_place, ("read",)),
    Mutant("over again", "a list has an end", over_again, ("read",)),
    Mutant("kept for ever", "a long list is a minute old", kept_for_ever, ("read many",), 10),
    Mutant("never whole", "what is to come is all of it", never_whole, ("read",), 4),
    Mutant("by groups", "a preview counts schedules", by_groups, ("read",)),
    Mutant("once well", "health is of now", once_well, ("read late",)),
    Mutant("looked up", "a question costs nothing", looked_up_each_time, ("read anxiously",)),
    Mutant("all fired", "what has not fired is counted", all_fired, ("figures",)),
    Mutant("lately long", "shares are of five minutes", lately_long, ("figures",)),
    Mutant("hour forgotten", "a day has all of its hours", hour_forgotten, ("figures",)),
    Mutant("shortest", "the longest run is told", shortest, ("figures",)),
    Mutant("wait untold", "who waits is shown so", wait_untold, ("read tenant's line",), 1),
    Mutant("late by waiting", "who waited was not late", late_by_waiting, ("figures",)),
    Mutant("misdated", "a minute's sum is the minute's", misdated, ("calm",)),
    Mutant("unwarned", "who looks is warned", unwarned, ("asked near",)),
    Mutant("noted silently", "what is completed is counted", noted_silently, ("figures",)),
)
