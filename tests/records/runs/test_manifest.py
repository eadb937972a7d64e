"""A manifest keeps every run it was given, small, and leads from one minute to a later one."""

from __future__ import annotations

from random import Random

import pytest

from onthedot.records.keys import manifest_keys, run_id, slot_key
from onthedot.records.runs.manifest import (
    KEPT_SEC,
    Entry,
    carried,
    listing,
    newest_ms,
    parse,
    recent,
)
from onthedot.schedule.time.instants import nominal
from tests.schedule.samples import NOON, NOON_MS

BYTES_A_RUN = 30
ITEM_MAX = 400_000
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def entries(count: int, within_sec: int = 40) -> list[Entry]:
    """Returns runs of a tick: another task each, due one after the other."""
    random = Random(1)
    tasks = ["sch_01JD" + "".join(random.choices(LETTERS, k=22)) for _ in range(count)]
    slots = sorted(NOON + random.randrange(0, within_sec, 5) for _ in range(count))
    return [
        Entry(run_id(task, slot_key(slot)), random.randint(1, 40), "acme")
        for task, slot in zip(tasks, slots, strict=True)
    ]


def test_what_is_written_is_read() -> None:
    (written,) = listing("D1", entries(100), now_ms=NOON_MS)

    assert parse(written.item()) == written
    assert written.entries == tuple(entries(100))


@pytest.mark.parametrize(
    ("due_sec", "looked_at_sec"), [(0, 60), (40, 60), (41, 120), (100, 120), (150, 180)]
)
def test_a_run_is_looked_at_in_the_first_minute_at_which_it_is_overdue(
    due_sec: int, looked_at_sec: int
) -> None:
    entry = Entry(run_id("sch_1", slot_key(NOON + due_sec)), 1, "acme")

    (listed,) = listing("D1", [entry], now_ms=NOON_MS)

    assert listed.partition in manifest_keys(NOON + looked_at_sec)


def test_what_is_listed_long_after_it_was_due_is_looked_at_as_if_it_were_due_now() -> None:
    (listed,) = listing("D1", entries(1), now_ms=NOON_MS + 3_600_000)

    assert listed.partition in manifest_keys(NOON + 3_660)


def test_each_run_lies_in_the_list_of_its_own_minute() -> None:
    tick = entries(200, within_sec=150)

    listed = listing("D1", tick, now_ms=NOON_MS)

    assert [each.partition.rsplit("#", 1)[0] for each in listed] == [
        "check#2026-11-18T12:01",
        "check#2026-11-18T12:02",
        "check#2026-11-18T12:03",
    ]
    assert [each.sort for each in listed] == ["D1#00", "D1#01", "D1#02"]
    assert [entry for each in listed for entry in each.entries] == tick


def test_a_run_costs_no_more_than_thirty_bytes() -> None:
    for count in (1_000, 5_000):
        (written,) = listing("D1", entries(count), now_ms=NOON_MS)

        assert len(written.item()["entries"]) <= BYTES_A_RUN * count


def test_very_many_runs_are_several_items_of_a_size_that_fits() -> None:
    many = entries(20_000)
    listed = listing("D1", many, now_ms=NOON_MS)

    assert [entry for each in listed for entry in each.entries] == many
    assert len({each.partition for each in listed}) == 1
    assert [each.sort for each in listed] == ["D1#00", "D1#01", "D1#02"]
    later = listing("D1", many, now_ms=NOON_MS, earlier=3)
    assert [each.sort for each in later] == ["D1#03", "D1#04", "D1#05"]
    assert all(len(each.item()["entries"]) < ITEM_MAX * 0.7 for each in listed)


def test_a_list_outlives_the_minute_that_it_is_to_be_looked_at_however_old_its_runs_are() -> None:
    days = 30 * 86_400
    (far,) = listing("D1", [entries(1)[0].due_at(NOON_MS + days * 1_000)], now_ms=NOON_MS)
    (listed,) = listing("D1", entries(1), now_ms=NOON_MS - days * 1_000)
    old = carried(listed, listed.entries, NOON)

    assert far.item()["expires_at"] == NOON + days + 60 + KEPT_SEC
    assert old.item()["expires_at"] == NOON + KEPT_SEC


def test_nothing_to_list_is_no_manifest() -> None:
    assert listing("D1", [], now_ms=NOON_MS) == []


def test_what_is_carried_has_a_key_that_follows_from_its_source() -> None:
    (source,) = listing("D1", entries(3), now_ms=NOON_MS)
    once = carried(source, source.entries[:1], NOON + 120)
    again = carried(source, source.entries[:1], NOON + 120)
    further = carried(once, once.entries, NOON + 240)

    assert once == again
    spread = source.partition.rsplit("#", 1)[1]
    assert once.partition == f"check#{nominal(NOON + 120)[:16]}#{spread}"
    assert (once.carried, further.carried) == (1, 2)
    assert once.since_ms == further.since_ms == NOON_MS
    assert parse(further.item()) == further
    assert len({source.sort, once.sort, further.sort}) == 3


def test_what_has_been_looked_at_stands_in_its_hour_by_the_minute_it_was_due() -> None:
    slots = {NOON - 3_600: 0, NOON - 1: 60_500, NOON + 59: 0, NOON + 60: 0}
    made = [
        Entry(run_id("sch_1", slot_key(slot)), 1, "acme", after_ms)
        for slot, after_ms in slots.items()
    ]
    (source,) = listing("D1", made, now_ms=NOON_MS + 60_000)

    items = recent(source, source.entries)

    assert [(item["task_id"], item["scheduled_for"]) for item in items] == [
        ("recent#2026-11-18T11", "2026-11-18T11:00:00.000Z#D1#00"),
        ("recent#2026-11-18T12", "2026-11-18T12:00:59.500Z#D1#00"),
        ("recent#2026-11-18T12", "2026-11-18T12:01:00.000Z#D1#00"),
    ]
    assert {item["expires_at"] for item in items} == {NOON + 60 + 2 * 3_600}
    kept = [each for item in items for each in parse(item).entries]
    assert sorted(kept) == sorted(source.entries)


def test_a_run_that_is_due_when_its_key_says_costs_no_byte_more() -> None:
    (plain,) = listing("D1", entries(25), now_ms=NOON_MS)
    late = [each.due_at(each.due_ms + 13_000) for each in entries(25)]
    (spread,) = listing("D1", late, now_ms=NOON_MS + 60_000)

    assert "after" not in plain.item()
    assert parse(spread.item()).entries == tuple(late)
    assert [each.due_ms for each in late] == [each.due_ms + 13_000 for each in entries(25)]


def test_the_former_versions_items_say_before_when_theirs_were_due() -> None:
    assert newest_ms("2026-11-18T12:01#D1#00") == NOON_MS + 60_000
    assert newest_ms("2026-11-18T12:00:59.500Z#D1#00") == NOON_MS + 59_500


def test_lists_of_one_dispatch_have_keys_of_their_own() -> None:
    first = listing("D1", entries(3), now_ms=NOON_MS)
    second = listing("D1", entries(3), now_ms=NOON_MS, earlier=len(first))

    assert {each.partition for each in (*first, *second)} == {first[0].partition}
    assert [each.sort for each in (*first, *second)] == ["D1#00", "D1#01"]
