"""Laws of every schedule, whatever it says and wherever it is: order, inverses, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from random import Random

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.zone_names import zone_names
from onthedot.schedule.time.zones import zone
from tests.schedule.oracles import wall
from tests.schedule.oracles.expressions import five_fields, six_fields
from tests.schedule.oracles.fields import read
from tests.schedule.oracles.wall import DAY, HOUR

EXAMPLES = 300
CHAIN = 10
DAILY_YEARS = (wall.instant("2026-01-01"), wall.instant("2030-01-01"))
CHANGE_MAX = 3 * HOUR
LONG = 400 * DAY

laws = settings(max_examples=EXAMPLES, derandomize=True, deadline=None, database=None)
names = st.sampled_from(sorted(zone_names()))
moments = st.integers(wall.instant("1971-01-01"), wall.instant("2150-01-01"))
makers = st.sampled_from([five_fields, six_fields])
crons = st.builds(lambda make, seed: make(Random(seed)), makers, st.integers(0, 2**32))
five_field_crons = st.builds(lambda seed: five_fields(Random(seed)), st.integers(0, 2**32))
modes = st.sampled_from(["auto", "interval", "fixed"])
gaps = st.sampled_from(["fire", "skip", "shift"])
overlaps = st.sampled_from(["first", "last", "both"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a user writes; the engine compiles it, perhaps with bounds."""

    cron: str
    zone: str
    mode: str = "auto"
    gap: str = "fire"
    overlap: str = "first"

    def compiled(
        self,
        *,
        start_at: int | None = None,
        end_at: int | None = None,
        jitter_sec: int = 0,
        seed: str = "",
    ) -> Schedule:
        """Compiles the case; a schedule that never fires is not of interest here."""
        try:
            return compile_schedule(
                self.cron,
                timezone=self.zone,
                dst_mode=self.mode,
                dst_gap=self.gap,
                dst_overlap=self.overlap,
                start_at=start_at,
                end_at=end_at,
                jitter_sec=jitter_sec,
                seed=seed,
            )
        except ScheduleError as error:
            assume(error.code != "never_fires")
            raise


cases = st.builds(Case, cron=crons, zone=names, mode=modes, gap=gaps, overlap=overlaps)
NEW_YORK = Case(cron="30 1 * * *", zone="America/New_York")
IN_THE_SECOND_PASS = wall.instant("2026-11-01 06:10")


@laws
@given(cases, moments)
@example(NEW_YORK, IN_THE_SECOND_PASS)
def test_next_always_goes_forward(case: Case, moment: int) -> None:
    chain = _chain(case.compiled(), moment)

    assert chain == sorted(set(chain))
    assert all(fire > moment for fire in chain)


@laws
@given(cases, moments)
@example(NEW_YORK, IN_THE_SECOND_PASS)
def test_prev_takes_back_what_next_gave(case: Case, moment: int) -> None:
    schedule = case.compiled()
    chain = _chain(schedule, moment)
    back = [schedule.prev(fire) for fire in chain]

    assert back[1:] == chain[:-1]
    assert not chain or back[0] == schedule.prev(moment + 1)


@laws
@given(cases, moments)
@example(NEW_YORK, IN_THE_SECOND_PASS)
def test_next_takes_back_what_prev_gave(case: Case, moment: int) -> None:
    schedule = case.compiled()
    before = schedule.prev(moment)
    assume(before is not None)
    assert before is not None

    assert before < moment
    assert schedule.next(before) == schedule.next(moment - 1)


@laws
@given(cases, moments, st.integers(0, 2**32))
def test_next_is_the_same_from_any_moment_before_it(case: Case, moment: int, seed: int) -> None:
    schedule = case.compiled()
    fire = schedule.next(moment)
    assume(fire is not None)
    assert fire is not None
    between = Random(seed).randrange(moment, fire)

    assert schedule.next(between) == fire
    assert schedule.next(fire - 1) == fire
    assert schedule.prev(fire + 1) == fire


@laws
@given(cases, moments)
def test_both_bounds_are_inclusive(case: Case, moment: int) -> None:
    chain = _chain(case.compiled(), moment)
    assume(len(chain) >= 3)
    first, last = chain[1], chain[-2]
    bounded = case.compiled(start_at=first, end_at=last)
    within = _chain(bounded, moment - LONG)

    assert within == chain[1:-1]
    assert bounded.next(last) is None
    assert bounded.prev(first) is None
    assert bounded.prev(last + LONG) == last


@laws
@given(cases, moments)
def test_bounds_a_second_inside_lose_the_fires_on_them(case: Case, moment: int) -> None:
    chain = _chain(case.compiled(), moment)
    assume(len(chain) >= 4)
    bounded = case.compiled(start_at=chain[0] + 1, end_at=chain[-1] - 1)

    assert _chain(bounded, moment - LONG) == chain[1:-1]


@laws
@given(crons, names, moments)
def test_an_interval_schedule_fires_when_the_wall_clock_matches(
    cron: str, name: str, moment: int
) -> None:
    chain = _chain(Case(cron=cron, zone=name, mode="interval").compiled(), moment)
    shown = [wall.wall_of(fire + wall.offset_at(name, fire)) for fire in chain]

    assert all(read(cron).matches(seen) for seen in shown)


@pytest.mark.deep
@laws
@given(st.integers(0, 23), st.integers(0, 59), names)
@example(23, 30, "America/Nuuk")
@example(0, 0, "Asia/Beirut")
@example(2, 0, "Antarctica/Troll")
def test_a_daily_job_fires_once_a_day_whatever_its_zone_does(
    hour: int, minute: int, name: str
) -> None:
    first, last = DAILY_YEARS
    schedule = compile_schedule(f"{minute} {hour} * * *", timezone=name)
    fires = [fire for fire in _chain(schedule, first - 1, 4 * 366) if fire < last]
    pauses = [later - earlier for earlier, later in pairwise(fires)]

    assert abs(len(fires) - (last - first) // DAY) <= 1
    assert all(abs(pause - DAY) <= CHANGE_MAX for pause in pauses)


@laws
@given(st.integers(1, 31_622_400), moments)
def test_elapsed_time_is_counted_from_the_epoch(seconds: int, moment: int) -> None:
    schedule = compile_schedule(f"@every {seconds}s", timezone="Europe/London")

    assert schedule.next(moment) == (moment // seconds + 1) * seconds
    assert schedule.prev(moment) == (moment - 1) // seconds * seconds


@laws
@given(crons, names, moments)
def test_six_fields_say_the_same_with_the_seconds_first_or_last(
    cron: str, name: str, moment: int
) -> None:
    second, *rest = cron.split() if len(cron.split()) == 6 else ["0", *cron.split()]
    first = Case(cron=" ".join([second, *rest]), zone=name).compiled()
    last = compile_schedule(" ".join([*rest, second]), timezone=name, seconds="last")

    assert _chain(first, moment) == _chain(last, moment)


@pytest.mark.parametrize("name", ["UTC", "Asia/Tokyo", "America/New_York", "Europe/London"])
@pytest.mark.parametrize("cron", ["* * * * *", "0 * * * * * 1970-2199"])
def test_time_begins_with_the_walls_of_1970_and_ends_with_those_of_2199(
    cron: str, name: str
) -> None:
    schedule = compile_schedule(cron, timezone=name)
    begin = zone(name).instant_of(0)
    end = zone(name).instant_of(wall.instant("2200-01-01"))

    assert schedule.next(begin - 1) == begin
    assert schedule.next(begin - LONG) == begin
    assert schedule.prev(begin + 1) == begin
    assert schedule.prev(begin) is None
    assert schedule.prev(begin - LONG) is None
    assert schedule.next(end - 61) == end - 60
    assert schedule.next(end - 60) is None
    assert schedule.next(end + LONG) is None
    assert schedule.prev(end) == end - 60
    assert schedule.prev(end + LONG) == end - 60


def test_elapsed_time_begins_at_the_epoch_and_ends_with_2199() -> None:
    schedule = compile_schedule("@every 60s", timezone="Asia/Tokyo")
    end = wall.instant("2200-01-01")

    assert schedule.next(-LONG) == 0
    assert schedule.prev(0) is None
    assert schedule.next(end - 60) is None
    assert schedule.prev(end + LONG) == end - 60


@laws
@given(five_field_crons, names, st.integers(2026, 2060), moments)
def test_a_schedule_of_one_year_is_silent_outside_it(
    cron: str, name: str, year: int, moment: int
) -> None:
    schedule = Case(cron=f"0 {cron} {year}", zone=name).compiled()
    first, last = wall.instant(f"{year}-01-01") - DAY, wall.instant(f"{year + 1}-01-01") + DAY
    fire = schedule.next(moment)

    assert fire is None or first <= fire < last
    assert schedule.next(last) is None
    assert schedule.prev(first) is None


@pytest.mark.parametrize(
    ("macro", "cron"),
    [
        ("@hourly", "0 * * * *"),
        ("@daily", "0 0 * * *"),
        ("@weekly", "0 0 * * 0"),
        ("@monthly", "0 0 1 * *"),
        ("@yearly", "0 0 1 1 *"),
    ],
)
def test_a_macro_fires_as_the_expression_it_stands_for(macro: str, cron: str) -> None:
    start = DAILY_YEARS[0]
    long, short = (_chain(compile_schedule(text), start, 100) for text in (cron, macro))

    assert short == long


@laws
@given(cases, moments, st.integers(0, 86400), st.text(max_size=30))
def test_jitter_delays_a_slot_by_the_same_but_never_to_the_next(
    case: Case, moment: int, jitter_sec: int, seed: str
) -> None:
    plain = case.compiled()
    slot = plain.next(moment)
    assume(slot is not None)
    assert slot is not None
    following = plain.next(slot)
    offset = _spread(seed, "jitter") % (jitter_sec + 1)
    room = offset if following is None else following - slot - 1
    jittered = case.compiled(jitter_sec=jitter_sec, seed=seed)

    assert jittered.next(moment) == slot
    assert jittered.due_at(slot) == slot + min(offset, room)


@laws
@given(st.text(max_size=30), moments)
def test_h_stands_for_a_value_drawn_from_the_seed(seed: str, moment: int) -> None:
    minute, hour = _spread(seed, "minute") % 60, _spread(seed, "hour") % 24
    month, weekday = 1 + _spread(seed, "month") % 12, _spread(seed, "day_of_week") % 7
    drawn = compile_schedule("H H * H H", seed=seed)
    written = compile_schedule(f"{minute} {hour} * {month} {weekday}")

    assert _chain(drawn, moment) == _chain(written, moment)


@laws
@given(names, moments)
def test_a_zone_has_the_offset_that_the_wheel_gives_it(name: str, moment: int) -> None:
    assert zone(name).offset_at(moment) == wall.offset_at(name, moment)


@pytest.mark.parametrize("name", ["America/New_York", "Africa/Casablanca", "Antarctica/Troll"])
def test_a_zone_changes_its_offset_at_the_second_the_wheel_says(name: str) -> None:
    instants = wall.changes(name, *DAILY_YEARS)
    expected = [(wall.offset_at(name, at - 1), wall.offset_at(name, at)) for at in instants]

    assert [(zone(name).offset_at(at - 1), zone(name).offset_at(at)) for at in instants] == expected


def _chain(schedule: Schedule, moment: int, most: int = CHAIN) -> list[int]:
    """Gives up to `most` fires after a moment."""
    chain: list[int] = []
    fire = schedule.next(moment)
    while fire is not None and len(chain) < most:
        chain.append(fire)
        fire = schedule.next(fire)
    return chain


def _spread(seed: str, salt: str) -> int:
    return int.from_bytes(sha256(f"{seed}:{salt}".encode()).digest()[:8], "big")
