"""The heat of the time to come, held to counting fire by fire."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import takewhile
from random import Random
from typing import Any

import pytest

from onthedot.api.views import fire_agenda
from onthedot.api.views.fire_agenda import Agenda
from onthedot.api.views.load_map import heat, same_minute
from onthedot.schedule.calendar_times import Calendar, compile_calendar
from onthedot.schedule.time.instants import nominal, parse_nominal

NOON = parse_nominal("2026-11-18T12:00:00Z")
LUNCH = compile_calendar("lunch", cron="* 12-13 * * *")
_CRONS = (
    "* * * * *",
    "*/5 * * * *",
    "0 * * * *",
    "30 2 * * *",
    "*/20 * * * * *",
    "5,10 0 9 * * *",
    "H H * * *",
    "@every 45s",
    "@every 90m",
)


def entry(number: int, cron: str, **more: Any) -> dict[str, Any]:
    return {"task_id": f"sch_{number:026}", "name": f"job-{number}", "cron": cron, **more}


def gathered(*items: dict[str, Any], calendars: tuple[Calendar, ...] = ()) -> Agenda:
    known = {one.name: one for one in calendars}
    return Agenda(read_ms=0, complete=True, groups=fire_agenda.groups(items, known))


def one_by_one(agenda: Agenda, first: int, bucket_sec: int, buckets: int) -> list[int]:
    last = first + bucket_sec * buckets
    found: Counter[int] = Counter()
    for group in agenda.groups:
        for member in group.members:
            schedule = replace(group.with_calendars, jitter_offset_sec=member.offset_sec)
            for slot in takewhile(lambda slot: slot < last, schedule.slots(first - 90_000)):
                due = schedule.due_at(slot)
                if first <= due < last:
                    found[(due - first) // bucket_sec] += 1
    return [found[place] for place in range(buckets)]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(12))
def test_it_counts_what_is_due_jitter_calendars_bounds_and_all(seed: int) -> None:
    random = Random(seed)
    items = [
        entry(
            number,
            random.choice(_CRONS),
            jitter_sec=random.choice([0, 0, 30, 4_000]),
            timezone=random.choice(["UTC", "America/New_York"]),
            calendars=random.choice([[], [], ["lunch"]]),
            **random.choice([{}, {}, {"end_at": nominal(NOON + 7_200)}]),
        )
        for number in range(30)
    ]
    agenda = gathered(*items, calendars=(LUNCH,))
    bucket_sec = random.choice([60, 300, 3_600])

    found = heat(agenda, NOON, bucket_sec, 20)

    assert found.counts == one_by_one(agenda, NOON, bucket_sec, 20)


def test_an_hour_that_comes_twice_counts_as_the_schedule_says() -> None:
    items = [entry(1, "30 1 * * *", timezone="America/New_York"), entry(2, "*/10 * * * *")]
    agenda = gathered(*items)
    begin = parse_nominal("2026-11-01T04:00:00Z")

    assert heat(agenda, begin, 3_600, 4).counts == one_by_one(agenda, begin, 3_600, 4)


def test_tasks_that_run_once_are_counted_where_they_are_due() -> None:
    items = [
        {"task_id": f"tsk_{n}", "name": "", "start_at": nominal(NOON + n * 60)} for n in (1, 1, 9)
    ]
    agenda = Agenda(read_ms=0, complete=True, once=fire_agenda.once(items))

    assert heat(agenda, NOON, 300, 2).counts == [2, 1]


def test_schedules_alike_are_walked_once_for_all() -> None:
    agenda = gathered(*(entry(number, "* * * * *") for number in range(500)))

    found = heat(agenda, NOON, 60, 10)

    assert found.counts == [500] * 10
    assert len(agenda.groups) == 1


def test_a_walk_that_would_take_too_long_stops_and_says_so() -> None:
    agenda = gathered(entry(1, "* * * * *"), entry(2, "30 * * * *"))
    day = heat(agenda, NOON, 3_600, 24)
    assert day.steps_left > 0

    short = heat(agenda, NOON, 3_600, 24, steps=100)

    assert short.steps_left == 0
    assert sum(short.counts) == 100


def test_a_minute_counts_each_schedule_once_however_often_it_fires_in_it() -> None:
    agenda = gathered(
        entry(1, "*/20 * * * * *"), entry(2, "0 13 * * *"), entry(3, "59 12 * * *", jitter_sec=90)
    )

    assert same_minute(agenda, NOON + 3_600 + 30) == 2
    assert same_minute(agenda, NOON + 3_599) == 2
