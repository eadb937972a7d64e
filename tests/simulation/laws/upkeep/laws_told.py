"""Laws of events: each thing that happened is told in time, and nothing that did not happen is.

Judged by what the bus took and when, and by what targets saw; by no mark that our code wrote.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from botocore.exceptions import ClientError

from onthedot.targets.attempt_outcome import Done
from tests.simulation.laws.timing.reigns import act_of, clocks_off_sec, end_of
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.outside.bus import Told
from tests.simulation.stage import Stage

_LATE_MS = 30_000
# How soon after its end a run is told of at most, as docs/events.md says, and a minute's acts.
_TOLD_SEC = 15 * 60 + 60 + 30
# A start is written down a moment before the target hears of it.
_EDGE_MS = 1_000
_KINDS = ("dead", "missed", "late")


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that is to be told of."""

    task_id: str
    kind: str
    run_id: str
    at_ms: float
    # Nobody can say whether it happened: it was late by thirty seconds, or nearly.
    doubtful: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    """What one place took, and which schedule's events it never takes."""

    told: Sequence[Told]
    never: str


def obeyed(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks each law of them, place by place."""
    found = list(_happened(stage, journal))
    never = stage.auditor.never_takes
    of_itself = _by_themselves(stage, journal)
    yield from _spared(stage)
    places = [_Place(stage.world.bus.told, never)]
    places += [_Place(stage.hook.taken, "")] if stage.hook else []
    for place in places:
        yield from _all_told(stage, found, place)
        yield from _nothing_else(stage, found, place)
        yield from _same_again(place)
        yield from _pauses(stage, of_itself, place)


def _spared(stage: Stage) -> Iterator[str]:
    """Checks that a bus that is busy is asked no more by the same minute."""
    busy: set[str] = set()
    for _, process, what, _, outcome, _ in stage.world.trace:
        if process is None or what != "put_events":
            continue
        if process.name in busy:
            yield f"not spared: {process.name} asks the bus again, which was busy"
        if isinstance(outcome, ClientError):
            busy.add(process.name)


def _happened(stage: Stage, journal: Journal) -> Iterator[Happened]:
    """Yields what became of each run that ended, by its outcome and by when its target was
    called.
    """
    first_due: dict[str, int] = {}
    begun: dict[str, float] = {}
    ends: dict[str, Change] = {}
    for change in journal.changes:
        if change.before is None and change.after is not None:
            first_due.setdefault(change.run_id, change.after.due_ms)
        if change.started:
            begun.setdefault(change.run_id, change.at_ms)
        final = change.after is not None and change.after.final
        if final and not (change.before is not None and change.before.final):
            ends.setdefault(change.run_id, change)
    called: dict[str, int] = {}
    for delivery in stage.deliveries:
        called.setdefault(delivery.run_id, delivery.at_ms)
    off_ms = clocks_off_sec(stage) * 1000 + _EDGE_MS
    for run_id, end in ends.items():
        status = end.after.status if end.after else ""
        if status in ("dead", "missed"):
            yield Happened(end.task_id, status, run_id, end.at_ms)
        elif run_id in called:
            late_ms = called[run_id] - first_due[run_id] - _LATE_MS
            if late_ms > -off_ms:
                # Its first worker may have died between the start and the call.
                began_late = begun.get(run_id, called[run_id]) - first_due[run_id] > _LATE_MS
                doubtful = abs(late_ms) <= off_ms or not began_late
                yield Happened(end.task_id, "late", run_id, end.at_ms, doubtful)


def _all_told(stage: Stage, found: list[Happened], place: _Place) -> Iterator[str]:
    """Checks that by the time that each is to be told, as many have been as had to be."""
    end_ms = stage.world.epoch_us() / 1000
    allowed_ms = (_TOLD_SEC + stage.auditor.excused_sec) * 1000
    by_kind: dict[tuple[str, str], list[Happened]] = defaultdict(list)
    for each in found:
        if not each.doubtful and not (place.never and place.never in each.run_id):
            by_kind[each.task_id, each.kind].append(each)
    for (task_id, kind), happened in by_kind.items():
        counts = _first_told(place, task_id, kind)
        for number, each in enumerate(sorted(happened, key=lambda one: one.at_ms), 1):
            deadline = each.at_ms + allowed_ms
            told = sum(count for at_ms, count in counts.values() if at_ms <= deadline)
            if deadline <= end_ms and told < number:
                yield f"untold: {each.run_id} is {kind}, {told} of {number} were told"
                break


def _nothing_else(stage: Stage, found: list[Happened], place: _Place) -> Iterator[str]:
    """Checks that each event names what has happened by then; where one audit is at work, each
    once.
    """
    known = {(each.kind, each.run_id): each.at_ms for each in found}
    off_ms = clocks_off_sec(stage) * 1000 + _EDGE_MS
    names = {task.task_id: task.name for task in stage.tasks}
    for told in place.told:
        if told.body["data"]["name"] != names[told.body["data"]["task_id"]]:
            yield f"misnamed: {told.body['data']['name']} of {told.body['data']['task_id']}"
        what, data = told.body["type"].split(".")[2], told.body["data"]
        if what not in _KINDS:
            continue
        for run_id in {data["run_id"], data["first"]["run_id"], data["last"]["run_id"]}:
            if known.get((what, run_id), float("inf")) > told.at_ms + off_ms:
                yield f"untrue: {run_id} was told to be {what}"
    if stage.auditor.at_once > 1 or stage.auditor.late_sec:
        return
    most = Counter((each.task_id, each.kind) for each in found)
    for task_id, kind in most:
        count = sum(count for _, count in _first_told(place, task_id, kind).values())
        if count > most[task_id, kind]:
            yield f"told too often: {kind} of {task_id}, {count} of {most[task_id, kind]}"


def _first_told(place: _Place, task_id: str, kind: str) -> dict[str, tuple[float, int]]:
    """Returns when each event of that kind came first, and how many runs it stands for."""
    found: dict[str, tuple[float, int]] = {}
    for told in place.told:
        data = told.body["data"]
        if told.body["type"].split(".")[2] == kind and data["task_id"] == task_id:
            found.setdefault(told.body["id"], (told.at_ms, data["count"]))
    return found


def _same_again(place: _Place) -> Iterator[str]:
    """Checks that what is told again is the same, word for word."""
    bodies: dict[str, object] = {}
    for told in place.told:
        if bodies.setdefault(told.body["id"], told.body) != told.body:
            yield f"told otherwise: {told.body['id']}"


def _pauses(
    stage: Stage, of_itself: Mapping[tuple[str, str], list[float]], place: _Place
) -> Iterator[str]:
    """Checks that a pause by the system and a resume by itself are told once they are; a person's
    never.
    """
    end_ms = stage.world.epoch_us() / 1000
    allowed_ms = (_TOLD_SEC + stage.auditor.excused_sec) * 1000
    told: dict[tuple[str, str], set[str]] = defaultdict(set)
    for each in place.told:
        kind = each.body["type"].split(".")
        if kind[1] == "schedule":
            told[each.body["subject"], kind[2]].add(each.body["id"])
    for key in {*told, *of_itself}:
        happened = of_itself.get(key, [])
        due = [at_ms for at_ms in happened if at_ms + allowed_ms <= end_ms]
        if len(told[key]) < len(due) and not (place.never and place.never in key[0]):
            yield f"untold: {key[0]} was {key[1]} by itself {len(due)} times"
        if len(told[key]) > len(happened):
            yield f"untrue: {key[0]} was told to be {key[1]} {len(told[key])} times"


def _by_themselves(stage: Stage, journal: Journal) -> dict[tuple[str, str], list[float]]:
    """Returns when each schedule was paused by the system, and when it went on without a call."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for task in stage.tasks:
        for before, version in pairwise(journal.versions[task.task_id]):
            if before.task.status != "paused" and _by_system(version.task.shown):
                found[task.task_id, "paused"].append(version.at_ms)
            resumed = before.task.status == "paused" and version.task.status == "active"
            over = end_of(before.task) <= version.at_ms / 1000 + 1
            if resumed and (over or act_of(stage, version) is None):
                found[task.task_id, "resumed"].append(version.at_ms)
    return found


def _by_system(shown: Mapping[str, Any]) -> bool:
    return (shown.get("paused") or {}).get("by") == "system"


def sick(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what died so often in a row is paused soon after, and what did not never is."""
    answers = {(one.run_id, one.attempt): one.answer for one in stage.deliveries}
    for task in stage.tasks:
        most = task.shown.get("pause_after_deaths", 10) or 1_000_000
        versions = journal.versions[task.task_id]
        row, worst, over_ms = 0, 0, 0.0
        ends = [one for one in journal.changes if one.task_id == task.task_id and _ended(one)]
        begun = {place: version.at_ms for place, version in enumerate(versions)}
        paused = [begun[place] for place, one in enumerate(versions) if _by_system(one.task.shown)]
        for end in ends:
            done = isinstance(
                answers.get((end.run_id, end.after.attempt if end.after else 0)), Done
            )
            died = end.after is not None and end.after.status == "dead"
            row = row + 1 if died else 0 if done else row
            worst = max(worst, row)
            if row == most and not over_ms:
                over_ms = end.at_ms
        deadline = over_ms + (_TOLD_SEC + stage.auditor.excused_sec) * 1000
        if over_ms and deadline < stage.world.epoch_us() / 1000 and not paused and row >= most:
            yield f"unpaused: {task.name} died {row} times in a row, {most} are enough"
        if paused and worst < most:
            yield f"paused in vain: {task.name} died {worst} times in a row, {most} are allowed"


def _ended(change: Change) -> bool:
    before, after = change.before, change.after
    return after is not None and after.final and not (before is not None and before.final)
