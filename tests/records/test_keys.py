"""A run's id and its row's key are one; other rows never take a slot's place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from onthedot.records import keys
from tests.schedule.samples import NOON, NOON_MS, TASK_ID, law

slots = st.integers(946_684_800, 7_258_118_399)
tokens = st.text("0123456789ABCDEFGHJKMNPQRSTVWXYZ", min_size=6, max_size=8)
row_keys = st.one_of(
    st.builds(keys.slot_key, slots),
    st.builds(
        keys.moment_key,
        st.integers(946_684_800_000, 7_258_118_399_999),
        st.sampled_from("mr"),
        tokens,
    ),
    st.builds(keys.backfill_key, slots, st.integers(1, 99)),
    st.builds(keys.range_key, slots, st.integers(1, 9_999)),
)


@law
@given(key=row_keys)
def test_an_id_leads_back_to_its_row(key: str) -> None:
    run_id = keys.run_id(TASK_ID, key)

    assert keys.row_of(run_id) == (TASK_ID, key)
    assert not set(run_id) & set(" -:/?#%&")


def test_ids_are_written_as_the_vocabulary_says() -> None:
    written = [
        keys.run_id(TASK_ID, key).split(".", 1)[1]
        for key in (
            keys.slot_key(NOON),
            keys.moment_key(NOON_MS + 123, "m", "4F7Q2A"),
            keys.backfill_key(NOON, 2),
            keys.range_key(NOON, 3),
        )
    ]

    assert written == [
        "20261118T120000Z",
        "20261118T120000.123Z~m4F7Q2A",
        "20261118T120000Z~b2",
        "20261118T120000Z~g3",
    ]


@law
@given(key=row_keys)
def test_only_a_slots_own_key_is_one(key: str) -> None:
    assert keys.is_slot_key(key) == ("~" not in key)
    assert not keys.is_slot_key(keys.payload_key(keys.moment_key(NOON_MS, "m", "A")))
    assert not keys.is_slot_key(keys.GATE)
    assert not keys.lies_beside(key)
    assert keys.lies_beside(keys.payload_key(key))


@law
@given(earlier=slots, later=slots)
def test_keys_sort_by_time_whatever_stands_behind_it(earlier: int, later: int) -> None:
    if earlier < later:
        assert keys.backfill_key(earlier, 9) < keys.slot_key(later)
        assert keys.range_key(earlier, 9) < keys.backfill_key(later, 1)
        assert keys.slot_key(earlier) > keys.GATE


def test_tasks_spread_over_all_shards_and_stay_there() -> None:
    shards = [keys.shard_of(f"sch_{number}") for number in range(10_000)]

    assert set(shards) == set(range(keys.SHARDS))
    assert max(shards.count(shard) for shard in set(shards)) < 80
    assert keys.shard_of(TASK_ID) == 189


def test_a_manifest_lies_in_one_of_the_partitions_of_its_minute() -> None:
    for number in range(100):
        key = keys.manifest_key(NOON_MS + 59_999, f"dispatch {number}")

        assert key in keys.manifest_keys(NOON)
        assert key not in keys.manifest_keys(NOON + 60)
