"""A packed schedule is small, stays readable for ever, and fires as the one it was made from."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from onthedot.schedule.calendar_times import compile_calendar
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import FORMAT, Schedule, compile_schedule, pack, unpack
from onthedot.schedule.time.zone_names import zone_names
from tests.schedule.oracles.expressions import five_fields, seven_fields, six_fields

BYTES_MAX = 300
TASK_ID = "sch_01JD3Z8QK5M7V2X9T4B6N1C0RA"
# What lies in tables today. A change here is a new FORMAT, with a reader for this one beside it.
STORED = (
    "0101020100000039000000006ab13b8000000000713fb30000000100001000010000000040000001000000040000"
    "0003000080001ffe0800000008000000400000000000000000000000000000000000000000001f00000000000000"
    "416d65726963612f4e65775f596f726b"
)
STORED_EVERY = "0100000000000000800000000000000080000000000000000000005a555443"

seeds = st.integers(0, 2**32)
texts = st.one_of(
    st.builds(lambda seed: five_fields(Random(seed)), seeds),
    st.builds(lambda seed: six_fields(Random(seed)), seeds),
    st.builds(lambda seed: seven_fields(Random(seed)), seeds),
    st.builds("@every {}s".format, st.integers(1, 31_622_400)),
)


def rich() -> Schedule:
    return compile_schedule(
        "*/20 0,30 2 1,L,15W * 1#1,5L,WED 2026-2030",
        timezone="America/New_York",
        dst_gap="shift",
        dst_overlap="last",
        start_at=1_790_000_000,
        end_at=1_900_000_000,
        jitter_sec=600,
        seed=TASK_ID,
    )


instances = st.fixed_dictionaries(
    {
        "text": texts,
        "timezone": st.sampled_from(sorted(zone_names())),
        "dst_mode": st.sampled_from(["auto", "interval", "fixed"]),
        "dst_gap": st.sampled_from(["fire", "skip", "shift"]),
        "dst_overlap": st.sampled_from(["first", "last", "both"]),
        "start_at": st.none() | st.integers(946_684_800, 1_900_000_000),
        "end_at": st.none() | st.integers(1_900_000_000, 7_258_118_399),
        "jitter_sec": st.integers(0, 86_400),
        "seed": st.sampled_from([TASK_ID, ""]),
    }
)


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(instances, st.integers(0, 4_000_000_000))
def test_a_schedule_comes_back_as_it_was_and_fires_the_same(
    instance: dict[str, Any], moment: int
) -> None:
    schedule = _compiled(**instance)
    packed = pack(schedule)
    again = unpack(packed)

    assert again == schedule
    assert pack(again) == packed
    assert len(packed) <= BYTES_MAX
    assert again.next(moment) == schedule.next(moment)
    assert again.prev(moment) == schedule.prev(moment)


@pytest.mark.parametrize("text", ["*/20 0,30 2 1,L,15W * 1#1,5L,WED 2026-2030", "@every 90s"])
def test_every_zone_fits_into_the_limit(text: str) -> None:
    sizes = [len(pack(compile_schedule(text, timezone=name))) for name in zone_names()]

    assert max(sizes) <= BYTES_MAX


def test_the_longest_expression_takes_as_much_as_the_shortest() -> None:
    long = f"{','.join(map(str, range(10, 59)))} {','.join(map(str, range(24)))} * * *"

    assert len(pack(compile_schedule(long))) == len(pack(compile_schedule("* * * * *")))


def test_the_format_does_not_drift() -> None:
    assert FORMAT == 1
    assert pack(rich()).hex() == STORED
    assert pack(compile_schedule("@every 90s")).hex() == STORED_EVERY


def test_what_was_stored_is_read_as_it_was_meant() -> None:
    assert unpack(bytes.fromhex(STORED)) == rich()
    assert unpack(bytes.fromhex(STORED_EVERY)) == compile_schedule("@every 90s")


@pytest.mark.parametrize("number", [0, 2, 255])
def test_another_format_is_refused_rather_than_guessed_at(number: int) -> None:
    with pytest.raises(ValueError, match=f"format {number}"):
        unpack(bytes([number]) + pack(rich())[1:])


def test_what_was_drawn_from_the_seed_stays_drawn() -> None:
    one, other = (compile_schedule("H H * * *", seed=seed, jitter_sec=600) for seed in "ab")

    assert unpack(pack(one)) == one
    assert unpack(pack(one)) != other


def test_calendars_are_not_packed() -> None:
    plain = compile_schedule("0 9 * * *")
    excluded = compile_schedule(
        "0 9 * * *", calendars=[compile_calendar("holidays", dates=["2026-12-25"])]
    )

    assert pack(excluded) == pack(plain)
    assert unpack(pack(excluded)) == plain


def _compiled(text: str, **instance: Any) -> Schedule:  # noqa: ANN401 as the engine takes them
    try:
        return compile_schedule(text, **instance)
    except ScheduleError as error:
        assume(error.code != "never_fires")
        raise
