"""Keeps a tally each minute, sums an hour of them, and computes the shares for alarms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, table_reads
from onthedot.upkeep import minute_tally, pulse
from onthedot.upkeep.minute_tally import DAY_HOURS, HOUR_SEC, HOURS, MINUTES, TABLE, Tally

_LATELY_SEC = 300


def keep(
    minute: Tally,
    waiting: int | None = None,
    due: Mapping[int, Tally] | None = None,
    *,
    alive: bool = True,
) -> dict[str, float]:
    """Keeps this minute's tally, and returns the shares with those before it.

    If `alive`, it is the audit's sign of life too, with the number of messages that waited. `due`
    has the same outcomes by the minute in which the runs were due.
    """
    now_sec = clock.now_ms() // 60_000 * 60
    hour_sec = now_sec // HOUR_SEC * HOUR_SEC
    last_sec = hour_sec - HOUR_SEC
    before = list(_items(MINUTES, last_sec, now_sec))
    last_ms = max((pulse.audited_ms(item) for item in before), default=0)
    of_now = pulse.of_audit(clock.now_ms() if alive else last_ms, waiting)
    table_reads.put(TABLE, minute_tally.item(minute, MINUTES, now_sec, due) | of_now)
    minutes = {**_parsed(before), now_sec: minute}
    hours = _parsed(_items(HOURS, hour_sec - (DAY_HOURS - 1) * HOUR_SEC, hour_sec - 1))
    # The first audit of an hour sums up the hour before.
    if last_sec not in hours:
        hours[last_sec] = _since(minutes, last_sec, hour_sec)
        table_reads.put(TABLE, minute_tally.item(hours[last_sec], HOURS, last_sec))
    after = now_sec + 1
    return minute_tally.recent(
        _since(minutes, after - _LATELY_SEC, after),
        _since(minutes, after - HOUR_SEC, after),
        minute_tally.together([*hours.values(), _since(minutes, hour_sec, after)]),
    )


def _since(minutes: Mapping[int, Tally], first_sec: int, before_sec: int) -> Tally:
    return minute_tally.together(
        tally for at, tally in minutes.items() if first_sec <= at < before_sec
    )


def _items(partition: str, first_sec: int, last_sec: int) -> Iterator[table_reads.Item]:
    return table_reads.rows(
        ("task_id", partition), "scheduled_for", (nominal(first_sec), nominal(last_sec))
    )


def _parsed(items: Iterable[table_reads.Item]) -> dict[int, Tally]:
    return {parse_nominal(item["scheduled_for"]): minute_tally.parse(item) for item in items}


def newest() -> int | None:
    """Returns the minute of the last complete audit."""
    kept = table_reads.rows(
        ("task_id", MINUTES),
        "scheduled_for",
        ("0", "~"),
        newest_first=True,
        page=1,
        consistent=False,
    )
    return next((parse_nominal(item["scheduled_for"]) for item in kept), None)
