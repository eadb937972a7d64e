"""Laws of what goes on minute by minute: each comes to its turn, and what waits is counted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from onthedot.records.attributes import plain_item
from onthedot.records.tasks.bulk_operation import RUNNING
from tests.simulation.machine.journal import Journal
from tests.simulation.stage import Stage

# What a minute has for all of its steps.
_STEPS_SEC = 15


@dataclass(slots=True)
class _Minute:
    """What one minute found that goes on, when it began, and when it began with each of them."""

    began_us: int = 0
    going: list[str] = field(default_factory=list)
    begun_us: dict[str, int] = field(default_factory=dict)


def obeyed(stage: Stage, _journal: Journal) -> Iterator[str]:
    """Checks that judged by what the store was asked, where steps take long and nothing else goes
    wrong.
    """
    minutes = _minutes(stage)
    for minute in minutes:
        late = {name for name, us in minute.begun_us.items() if _sec(minute, us) > _STEPS_SEC}
        for name in late:
            yield f"begun late: {name}, after {_sec(minute, minute.begun_us[name]):.0f} s"
    yield from _in_turn(minutes)
    left = sum(len(minute.going) - len(minute.begun_us) for minute in minutes)
    said = sum(figures.get("loops_put_off", 0) for _, figures in stage.figures)
    if said != left:
        yield f"miscounted: {said:g} were put off, it was {left}"


def _in_turn(minutes: list[_Minute]) -> Iterator[str]:
    """Checks that of as many as go on for as many minutes, each is begun with in one of them."""
    for place, minute in enumerate(minutes):
        lately = minutes[place : place + len(minute.going)]
        if len(lately) < len(minute.going) or any(one.going != minute.going for one in lately):
            continue
        begun = {name for one in lately for name in one.begun_us}
        for name in minute.going:
            if name not in begun:
                yield f"passed over: {name} had no turn in {len(lately)} minutes"


def _sec(minute: _Minute, at_us: int) -> float:
    return (at_us - minute.began_us) / 1_000_000


def _minutes(stage: Stage) -> list[_Minute]:
    found: dict[str, _Minute] = defaultdict(_Minute)
    for at_us, process, what, request, answer, _ in stage.world.trace:
        if process is None or process.kind != "step" or not isinstance(answer, dict):
            continue
        minute = found[process.name]
        if what == "query" and {"S": RUNNING} in request["ExpressionAttributeValues"].values():
            minute.began_us = minute.began_us or at_us
            minute.going += [str(plain_item(item)["scheduled_for"]) for item in answer["Items"]]
        elif what == "get_item" and (name := request["Key"]["scheduled_for"]["S"]) in minute.going:
            minute.begun_us.setdefault(name, at_us)
    return list(found.values())
