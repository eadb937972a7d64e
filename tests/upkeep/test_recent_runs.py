"""A walk over the last hour reads what is not sorted yet only where that may matter."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.keys import row_of
from onthedot.records.runs import manifest
from onthedot.schedule.time.instants import nominal
from onthedot.upkeep import recent_runs, tallies
from onthedot.upkeep.minute_tally import Tally
from onthedot.upkeep.recent_order import Place
from onthedot.upkeep.recent_runs import BACK_MIN, LAST_ID, Walk
from tests.simulation.calm import NOON, partition, put_run, wait
from tests.simulation.faults.faults import Profile
from tests.simulation.stage import Stage, make_stage, staged

HOUR_MS = 3_600_000
NOW_MS = NOON * 1000


def put(stage: Stage, due_ms: int, *, is_sorted: bool = True, carried: int = 0) -> str:
    """Lists a run that was due then; gives its id."""
    key = nominal(due_ms // 1000)
    entry = manifest.Entry(f"sch_A.{key.replace('-', '').replace(':', '')}", 1, "acme")
    assert row_of(entry.run_id) == ("sch_A", key)
    (source,) = manifest.listing("ONE", [entry], now_ms=due_ms)
    items = manifest.recent(source, [entry]) if is_sorted else [source.item()]
    for item in items:
        put_run(stage, item | ({"carried": carried} if carried else {}))
    return entry.run_id


def walked(stage: Stage, walk: Walk | None = None) -> tuple[list[str], list[str]]:
    """Gives the runs that a process finds, and the partitions that it asks for."""
    before, found = len(stage.world.trace), list[str]()
    walk = walk or Walk.between("acme", NOW_MS - HOUR_MS, NOW_MS)

    def go() -> None:
        found.extend(place.run_id for place in walk.places())

    stage.world.spawn("api", go)
    wait(stage, stage.world.now_us / 1_000_000 + 5)
    queries = [entry[3] for entry in stage.world.trace[before:] if entry[2] == "query"]
    return found, [str(each["ExpressionAttributeValues"]) for each in queries]


def asked(queries: list[str], partition: str) -> list[str]:
    return [query for query in queries if partition in query]


def test_the_newest_stands_first_and_what_was_due_before_the_hour_is_left_out(
    stage: Stage,
) -> None:
    ago = (1, 60_000, 30 * 60_000, HOUR_MS, HOUR_MS + 1_000, 2 * HOUR_MS)
    ids = [put(stage, NOW_MS - each) for each in (1_000, *ago[1:])]

    found, queries = walked(stage)

    assert found == ids[:4]
    assert len(asked(queries, "recent#2026-11-18T12")) == 1
    assert len(asked(queries, "recent#2026-11-18T11")) == 1
    assert len(asked(queries, "recent#")) == 2


def test_what_is_not_sorted_is_asked_for_since_the_audit_was_done_last(stage: Stage) -> None:
    wait(stage, 1_200)
    tallies.keep(Tally())
    wait(stage, 1_500)

    _, queries = walked(stage)

    # A minute before it, for an audit may take into the next one, until a dispatch looks ahead.
    minutes = [f"check#2026-11-18T12:{minute}" for minute in range(19, 30)]
    assert [len(asked(queries, minute)) for minute in minutes] == [1] * len(minutes)
    assert len(asked(queries, "check#")) == len(minutes)


def test_of_an_audit_whose_clock_is_a_minute_ahead_it_asks_since_the_last_minute(
    stage: Stage,
) -> None:
    wait(stage, 1_200)
    tallies.keep(Tally())
    (kept,) = partition(stage, "stat#minutes")
    put_run(stage, kept | {"scheduled_for": "2026-11-18T12:21:00Z"})

    _, queries = walked(stage)

    minutes = [f"check#2026-11-18T12:{minute}" for minute in range(19, 25)]
    assert [len(asked(queries, minute)) for minute in minutes] == [1] * len(minutes)
    assert len(asked(queries, "check#")) == len(minutes)


@pytest.mark.parametrize("audited", [True, False])
def test_of_an_audit_that_stands_still_it_asks_for_an_hour(stage: Stage, *, audited: bool) -> None:
    if audited:
        tallies.keep(Tally())
    wait(stage, 3 * 3_600)

    _, queries = walked(stage)

    assert len(asked(queries, "check#")) == BACK_MIN + 5
    assert asked(queries, "check#2026-11-18T14:00")
    assert asked(queries, "check#2026-11-18T15:04")


def test_what_was_looked_at_before_is_found_among_the_sorted(stage: Stage) -> None:
    open_yet = put(stage, NOW_MS - 90_000, is_sorted=False)
    put(stage, NOW_MS - 200_000, is_sorted=False, carried=1)

    assert walked(stage)[0] == [open_yet]


def test_a_page_behind_what_is_sorted_asks_for_nothing_else(stage: Stage) -> None:
    ids = [put(stage, NOW_MS - minute * 60_000) for minute in (1, 2, 3)]
    walk = Walk.between("acme", NOW_MS - HOUR_MS, NOW_MS)
    place = Place(NOW_MS - 60_000, ids[0])

    found, queries = walked(stage, walk.behind(place, NOW_MS - 60_000, unsorted=False))

    assert found == ids[1:]
    assert asked(queries, "check#") == []


def test_a_page_goes_on_within_the_walks_own_end(stage: Stage) -> None:
    """A place that lies behind the end that is asked for by now is no way around it."""
    ids = [put(stage, NOW_MS - minute * 60_000) for minute in (1, 2, 3)]
    walk = Walk.between("acme", NOW_MS - HOUR_MS, NOW_MS - 120_000)
    later = Place(NOW_MS, LAST_ID)

    found, queries = walked(stage, walk.behind(later, NOW_MS, unsorted=True))

    assert found == ids[1:]
    assert asked(queries, "recent#2026-11-18T12") == []


def test_a_walk_that_has_asked_enough_says_where_it_ended(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recent_runs, "QUERIES_MAX", 2)
    monkeypatch.setattr(recent_runs, "_PAGE", 1)
    ids = [put(stage, NOW_MS - minute * 60_000) for minute in range(1, 20)]
    found: list[str] = []
    walk, pages = Walk.between("acme", NOW_MS - HOUR_MS, NOW_MS), 0
    while True:
        some, _ = walked(stage, walk)
        found += some
        pages += 1
        if walk.cut is None:
            break
        cut: Any = walk.cut
        assert cut.run_id == LAST_ID
        walk = Walk.between("acme", NOW_MS - HOUR_MS, NOW_MS)
        walk.behind(cut, cut.due_ms, unsorted=False)

    assert found == ids
    assert 2 <= pages <= len(ids) // 2


def test_what_the_audit_has_just_sorted_is_found_though_other_reads_are_late() -> None:
    """It is not among the unsorted any more."""
    stage = make_stage(1, Profile(stale=1.0, stale_ms=(5_000, 5_000)))
    with staged(stage):
        newest = put(stage, NOW_MS - 1_000)

        found, _ = walked(stage)

        stage.world.close()
    assert found == [newest]
