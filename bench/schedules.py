"""Lists the schedules that benches use: those that people have, and difficult ones."""

from __future__ import annotations

from random import Random

from onthedot.schedule.time.instants import parse_instant

T0 = parse_instant("2026-11-18T12:00:00Z", "after")
FIRST = parse_instant("2000-01-01T00:00:00Z", "after")
LAST = parse_instant("2199-12-31T00:00:00Z", "after")

REALISTIC = (
    "* * * * *",
    "*/2 * * * *",
    "*/5 * * * *",
    "*/10 * * * *",
    "*/15 * * * *",
    "*/30 * * * *",
    "0 * * * *",
    "5 * * * *",
    "0 */2 * * *",
    "0 */6 * * *",
    "0 0 * * *",
    "30 2 * * *",
    "15 3 * * *",
    "0 9 * * 1-5",
    "0 9,17 * * MON-FRI",
    "*/10 9-17 * * 1-5",
    "0 8-18/2 * * *",
    "0 0 * * 0",
    "0 4 * * SUN",
    "0 0 1 * *",
    "0 6 1,15 * *",
    "0 0 1 1 *",
    "0 0 1 */3 *",
    "0 12 L * *",
    "0 9 * * 1#1",
    "45 23 28-31 * *",
    "0 0 1,15 * 1",
    "*/20 * * * * *",
    "0 30 8 * * 1-5",
)
SPARSE = (
    "0 0 29 2 *",
    "0 0 */29 2 1",
    "0 0 * 2 1#5",
    "59 23 31 12 */7",
    "0 0 0 29 2 * 2096,2104",
    "0 0 0 1 1 * 2199",
    "0 0 0 1 1 * 1970",
    "0 0 0 29 2 * 1972-2199/4",
    "59 59 23 31 12 * 2198-2199",
    "* * * * * * 2026",
    "0 0 31W 2 *",
    "0 0 L 2 0L",
)
DENSE = ("* * * * * *", "*/7 * * * * *", "30 * 2 * * *", "* 30 1-3 * * *", "* 2 * * *")
ZONES = (
    "UTC",
    "America/New_York",
    "Europe/London",
    "Australia/Lord_Howe",
    "Antarctica/Troll",
    "Asia/Beirut",
    "Africa/Casablanca",
    "Pacific/Apia",
)


def moments(count: int, seed: str = "") -> list[int]:
    """Returns random instants of the coming years."""
    dice = Random(seed)  # noqa: S311 the same instants every time
    return [dice.randrange(T0, T0 + 10 * 366 * 86_400) for _ in range(count)]
