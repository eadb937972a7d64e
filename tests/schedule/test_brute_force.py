"""Around real changes of the clock, the engine fires exactly when brute force says it must."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from random import Random

import pytest

from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.zone_names import zone_names
from tests.schedule.oracles import debian, instant
from tests.schedule.oracles.expressions import five_fields
from tests.schedule.oracles.fields import matching_walls, read
from tests.schedule.oracles.instant import Policy
from tests.schedule.oracles.questions import backwards, compiled, fault, forwards
from tests.schedule.oracles.wall import EPOCH, HOUR, Window, changes, offset_at, window
from tests.schedule.oracles.wall import instant as epoch

pytestmark = pytest.mark.deep

SEED = 20261118
SPAN = 36 * HOUR
MARGIN = 4 * HOUR  # a change beyond the edge reaches at most three hours into the window
NEAR = 5 * HOUR
DEBIAN_SPAN = 12 * HOUR
SECONDS_SPAN = 4 * HOUR
CHANGES_PER_KIND = 1  # of a zone: so many forwards, so many backwards
RANDOM_CHUNKS = 8
RANDOM_PLACES = 12
RANDOM_EXPRESSIONS = 20
RANDOM_YEARS = (1975, 2120)

ZONES = """
Africa/Cairo Africa/Casablanca Africa/El_Aaiun America/Adak America/Anchorage America/Chicago
America/Denver America/Goose_Bay America/Halifax America/Havana America/Los_Angeles
America/Miquelon America/New_York America/Nuuk America/Port-au-Prince America/Santiago
America/Scoresbysund America/St_Johns America/Thule America/Tijuana America/Toronto
America/Vancouver Antarctica/Macquarie Antarctica/Troll Asia/Beirut Asia/Famagusta Asia/Gaza
Asia/Jerusalem Atlantic/Azores Atlantic/Bermuda Atlantic/Canary Australia/Adelaide
Australia/Hobart Australia/Lord_Howe Australia/Sydney Europe/Athens Europe/Berlin
Europe/Chisinau Europe/Dublin Europe/Helsinki Europe/Kyiv Europe/Lisbon Europe/London
Europe/Paris Europe/Warsaw Pacific/Auckland Pacific/Chatham Pacific/Easter Pacific/Norfolk
""".split()

# Days skipped whole, changes of exactly three hours, of 15, 30 and 120 minutes, over midnight.
OLD_CHANGES = {
    "America/Anchorage": 1983,
    "America/Caracas": 2016,
    "America/Sao_Paulo": 2018,
    "America/St_Johns": 2010,
    "Antarctica/Casey": 2018,
    "Asia/Dhaka": 2009,
    "Asia/Kathmandu": 1985,
    "Asia/Pyongyang": 2018,
    "Pacific/Apia": 2011,
    "Pacific/Fakaofo": 2011,
    "Pacific/Kwajalein": 1993,
}

EXPRESSIONS = (
    "30 2 * * *",
    "0 2 * * *",
    "30 1 * * *",
    "0 0 * * *",
    "1 0 * * *",
    "30 0 * * *",
    "0 3 * * *",
    "15,45 1-3 * * *",
    "*/10 2 * * *",
    "* 2 * * *",
    "*/20 0 * * *",
    "59 23 * * *",
    "0 */6 * * *",
    "0 * * * *",
    "30 * * * *",
    "0 22-4/3 * * *",
    "45 23-2 * * *",
    "5 9-9 * * *",
    "30 1 * * 0",
    "0 2 * * 0#2,0#5,L6",
    "0 0 */2 * 1",
    "30 2 1,15 * 1",
    "0 1 L * *",
    "30 0 31W * *",
    "15 2 28-3 3-11 fri-sun",
    "30/7 0-3 * * 7",
    "0 0-23 * * sat,SUN",
)
DENSE = ("* * * * *", "*/15 * * * *", "7-52/9 * * * *", "* 0-4 * * *")

SECONDS_ZONES = """
America/New_York Europe/London Australia/Lord_Howe Antarctica/Troll Asia/Beirut America/St_Johns
""".split()
SECONDS_EXPRESSIONS = (
    "0 30 2 * * *",
    "15,45 59 1 * * *",
    "*/7 30 1-2 * * *",
    "59 59 23 * * *",
    "0 0 0 * * *",
    "*/30 0 */1 * * *",
    "10 */15 2 * * *",
    "* 30 1,2 * * *",
    "0 0 2 * * * 2026-2037",
    "20/20 0 3 ? * * *",
)
SECONDS_POLICIES = (
    Policy(),
    Policy(gap="skip", overlap="last"),
    Policy(gap="shift", overlap="both"),
)

PROBED_ZONES = """
America/New_York Australia/Lord_Howe Antarctica/Troll Asia/Beirut Africa/Cairo America/St_Johns
Europe/Dublin America/Havana Africa/Casablanca Europe/London America/Nuuk Pacific/Chatham
""".split()
PROBED_EXPRESSIONS = (
    "30 2 * * *",
    "30 1 * * *",
    "0 0 * * *",
    "*/15 * * * *",
    "15,45 1-3 * * *",
    "* * * * *",
    "30 23-1 * * 5-7",
)
PROBED_POLICIES = (
    Policy(),
    Policy(gap="skip", overlap="last"),
    Policy(gap="shift", overlap="both"),
    Policy(mode="fixed"),
    Policy(mode="fixed", gap="shift", overlap="last"),
)

FIXED_POLICIES = tuple(
    Policy(mode="fixed", gap=gap, overlap=overlap)
    for gap in ("fire", "skip", "shift")
    for overlap in ("first", "last", "both")
)
POLICIES = (
    Policy(),
    Policy(mode="interval"),
    Policy(gap="skip", overlap="last"),
    *FIXED_POLICIES,
)


def test_the_changes_looked_at_are_of_forty_zones_at_least() -> None:
    looked_at = [zone for zone in ZONES if _future_changes(zone)]

    assert len(looked_at) == len(ZONES)
    assert len(looked_at) >= 40


@pytest.mark.parametrize("zone", ZONES)
def test_the_fires_around_a_change_are_those_of_brute_force(zone: str) -> None:
    faults = [fault for at in _future_changes(zone) for fault in _faults_around(zone, at)]

    assert not faults, _told(faults)


@pytest.mark.parametrize(("zone", "year"), OLD_CHANGES.items())
def test_the_fires_around_an_odd_change_of_the_past_are_those_of_brute_force(
    zone: str, year: int
) -> None:
    past = _changes_of(zone, year)
    faults = [fault for at in past for fault in _faults_around(zone, at)]

    assert past
    assert not faults, _told(faults)


@pytest.mark.parametrize("zone", ZONES)
def test_the_default_policies_do_what_debian_cron_does(zone: str) -> None:
    faults = [fault for at in _future_changes(zone) for fault in _debian_faults(zone, at)]

    assert not faults, _told(faults)


@pytest.mark.parametrize("zone", ["Pacific/Apia", "America/Sao_Paulo", "Asia/Pyongyang"])
def test_the_default_policies_did_what_debian_cron_did(zone: str) -> None:
    past = _changes_of(zone, OLD_CHANGES[zone])
    faults = [fault for at in past for fault in _debian_faults(zone, at)]

    assert past
    assert not faults, _told(faults)


@pytest.mark.parametrize("zone", SECONDS_ZONES)
def test_schedules_with_seconds_fire_around_a_change_as_brute_force_does(zone: str) -> None:
    faults = []
    for at in _future_changes(zone):
        seen = window(zone, at - SECONDS_SPAN - MARGIN, at + SECONDS_SPAN + MARGIN, step=1)
        span = range(at - SECONDS_SPAN, at + SECONDS_SPAN)
        for cron in SECONDS_EXPRESSIONS:
            faults += _faults(seen, cron, SECONDS_POLICIES, span)

    assert not faults, _told(faults)


@pytest.mark.parametrize("zone", PROBED_ZONES)
def test_next_and_prev_tell_the_same_chain_from_every_minute_around_a_change(zone: str) -> None:
    faults = [fault for at in _future_changes(zone) for fault in _probe_faults(zone, at)]

    assert not faults, _told(faults)


@pytest.mark.parametrize("chunk", range(RANDOM_CHUNKS))
def test_random_schedules_fire_around_random_changes_as_brute_force_does(chunk: int) -> None:
    dice = Random(f"{SEED}:{chunk}")
    names = sorted(zone_names())
    faults = []
    for _ in range(RANDOM_PLACES):
        zone, at = _random_change(dice, names)
        seen, span = _minutes_around(zone, at)
        for cron in (_random_cron(dice) for _ in range(RANDOM_EXPRESSIONS)):
            faults += _faults(seen, cron, [dice.choice(POLICIES)], span)

    assert not faults, _told(faults)


def _told(faults: list[str]) -> str:
    return "\n".join([f"{len(faults)} differences", *faults[:8]])


@lru_cache
def _future_changes(zone: str) -> tuple[int, ...]:
    """Chooses changes of the coming years: some forwards, some backwards, where there are both."""
    dice = Random(f"{SEED}:{zone}")
    every = changes(zone, epoch("2026-01-01"), epoch("2038-01-01"))
    ahead = [at for at in every if offset_at(zone, at) > offset_at(zone, at - 1)]
    back = [at for at in every if at not in ahead]
    chosen = [dice.sample(kind, min(CHANGES_PER_KIND, len(kind))) for kind in (ahead, back)]
    return tuple(sorted(at for kind in chosen for at in kind))


def _changes_of(zone: str, year: int) -> tuple[int, ...]:
    return changes(zone, epoch(f"{year}-01-01"), epoch(f"{year + 1}-01-01"))


def _random_change(dice: Random, names: list[str]) -> tuple[str, int]:
    """Chooses a zone and one of its changes, of the past or the far future."""
    while True:
        zone, year = dice.choice(names), dice.randrange(*RANDOM_YEARS)
        if found := _changes_of(zone, year):
            return zone, dice.choice(found)


def _random_cron(dice: Random) -> str:
    """Makes an expression that fires some day."""
    while True:
        cron = five_fields(dice)
        if next(matching_walls(read(cron), EPOCH), None):
            return cron


def _minutes_around(zone: str, at: int) -> tuple[Window, range]:
    at -= at % 60
    return window(zone, at - SPAN - MARGIN, at + SPAN + MARGIN), range(at - SPAN, at + SPAN)


def _faults_around(zone: str, at: int) -> list[str]:
    seen, span = _minutes_around(zone, at)
    faults = []
    for cron in EXPRESSIONS:
        faults += _faults(seen, cron, POLICIES, span)
    for cron in DENSE:
        faults += _faults(seen, cron, POLICIES, range(at - NEAR, at + NEAR))
    return faults


def _faults(seen: Window, cron: str, policies: Iterable[Policy], span: range) -> list[str]:
    """Compares the engine with brute force, forwards and backwards."""
    reading = read(cron)
    faults = []
    for policy in policies:
        expected = [at for at in instant.fires(seen, reading, policy) if at in span]
        schedule = compiled(cron, seen.zone, policy)
        case = f"{seen.zone} {cron!r} {policy} from {span.start}"
        faults += fault(f"{case} next", expected, forwards(schedule, span.start, span.stop))
        faults += fault(f"{case} prev", expected[::-1], backwards(schedule, span.start, span.stop))
    return faults


def _debian_faults(zone: str, at: int) -> list[str]:
    seen, span = _minutes_around(zone, at)
    ticks = [tick for tick in seen.ticks if abs(tick.at - at) <= DEBIAN_SPAN]
    faults = []
    for cron in EXPRESSIONS + DENSE:
        expected = debian.runs(ticks, read(cron))
        schedule = compiled(cron, zone, Policy())
        got = forwards(schedule, ticks[1].at, ticks[-1].at + 1)
        faults += fault(f"{zone} {cron!r} debian from {span.start}", expected, got)
    return faults


def _probe_faults(zone: str, at: int) -> list[str]:
    faults = []
    for cron, policy in product(PROBED_EXPRESSIONS, PROBED_POLICIES):
        schedule = compiled(cron, zone, policy)
        chain = forwards(schedule, at - SPAN, at + SPAN)
        case = f"{zone} {cron!r} {policy}"
        for moment in _probed_moments(at, chain):
            faults += _probe(schedule, chain, moment, case)
    return faults


def _probed_moments(at: int, chain: list[int]) -> list[int]:
    """Gives every minute near the change that the chain reaches beyond, and its neighbours."""
    if not chain:
        return []
    near = range(max(at - NEAR, chain[0] + 60), min(at + NEAR, chain[-1]), 60)
    return [moment for minute in near for moment in (minute - 1, minute)]


def _probe(schedule: Schedule, chain: list[int], moment: int, case: str) -> list[str]:
    after = chain[bisect_right(chain, moment)]
    before = chain[bisect_left(chain, moment) - 1]
    faults = fault(f"{case} next({moment})", [after], [schedule.next(moment)])
    return faults + fault(f"{case} prev({moment})", [before], [schedule.prev(moment)])
