"""A manifest keeps every run it was given, small, and leads from one minute to a later one."""

from __future__ import annotations

from random import Random

from onthedot.core.instants import nominal
from onthedot.core.keys import manifest_keys, run_id, slot_key
from onthedot.core.manifest import Entry, carried, listing, parse, recent
from tests.core.made import NOON, NOON_MS

BYTES_A_RUN = 30
ITEM_MAX = 400_000
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def entries(count: int) -> list[Entry]:
    """Runs of a tick: another task each, due within the look-ahead."""
    random = Random(1)
    tasks = ["sch_01JD" + "".join(random.choices(LETTERS, k=22)) for _ in range(count)]
    slots = [NOON + random.randrange(0, 150, 5) for _ in range(count)]
    return [
        (run_id(task, slot_key(slot)), random.randint(1, 40), "acme")
        for task, slot in zip(tasks, slots, strict=True)
    ]


def test_what_is_written_is_read() -> None:
    (written,) = listing("D1", entries(100), now_ms=NOON_MS, latest_ms=NOON_MS + 150_000)

    assert parse(written.item()) == written
    assert written.entries == tuple(entries(100))


def test_it_is_looked_at_a_minute_after_the_last_is_due() -> None:
    (ahead,) = listing("D1", entries(1), now_ms=NOON_MS, latest_ms=NOON_MS + 150_000)
    (late,) = listing("D1", entries(1), now_ms=NOON_MS, latest_ms=NOON_MS - 3_600_000)

    assert ahead.partition in manifest_keys(NOON + 210)
    assert late.partition in manifest_keys(NOON + 60)


def test_a_run_costs_no_more_than_thirty_bytes() -> None:
    for count in (1_000, 5_000):
        (written,) = listing("D1", entries(count), now_ms=NOON_MS, latest_ms=NOON_MS)

        assert len(written.item()["entries"]) <= BYTES_A_RUN * count


def test_very_many_runs_are_several_items_of_a_size_that_fits() -> None:
    many = entries(20_000)
    listed = listing("D1", many, now_ms=NOON_MS, latest_ms=NOON_MS)

    assert [entry for each in listed for entry in each.entries] == many
    assert len({(each.partition, each.sort) for each in listed}) == 3
    assert all(len(each.item()["entries"]) < ITEM_MAX * 0.7 for each in listed)


def test_nothing_to_list_is_no_manifest() -> None:
    assert listing("D1", [], now_ms=NOON_MS, latest_ms=NOON_MS) == []


def test_what_is_carried_has_a_key_that_follows_from_its_source() -> None:
    (source,) = listing("D1", entries(3), now_ms=NOON_MS, latest_ms=NOON_MS)
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


def test_what_has_been_looked_at_stands_in_its_hour_by_its_minute() -> None:
    (source,) = listing("D1", entries(3), now_ms=NOON_MS, latest_ms=NOON_MS)

    item = recent(source)

    assert item["task_id"] == "recent#2026-11-18T12"
    assert item["scheduled_for"].startswith("2026-11-18T12:01#")
    assert item["expires_at"] == NOON + 2 * 3_600
    assert parse(item).entries == source.entries


def test_lists_of_one_dispatch_have_keys_of_their_own() -> None:
    first = listing("D1", entries(3), now_ms=NOON_MS, latest_ms=NOON_MS)
    second = listing("D1", entries(3), now_ms=NOON_MS, latest_ms=NOON_MS, earlier=len(first))

    assert {each.partition for each in (*first, *second)} == {first[0].partition}
    assert [each.sort for each in (*first, *second)] == ["D1#00", "D1#01"]
