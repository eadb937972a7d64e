"""Laws of lists: each run is listed for the audit from its claim to its end, and after it."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any, NamedTuple

from onthedot.records.attributes import plain_item
from tests.simulation.machine.journal import Journal, pairs
from tests.simulation.stage import Stage

# A carried list waits for at most fifteen minutes.
_WAITS_MS = 16 * 60_000
_AHEAD_MS = 15 * 60_000
# A history's audit looks so far back, less one look: what it leaves is for the day before.
_MISSED_SEC = 180
_DAY_SEC = 86_400
_KEPT_SEC = {"check": 3 * _DAY_SEC, "recent": 2 * 3_600}


class _Listed(NamedTuple):
    """From when to when a list named a run."""

    since_ms: float
    until_ms: float


def named(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that no run is open for a moment in which the audit could not find it."""
    listed = _times(stage)
    end_ms = stage.world.epoch_us() / 1000
    born: dict[str, float] = {}
    ended: dict[str, float] = {}
    for change in journal.changes:
        if change.before is None and change.after and "claimed_ms" in change.after.life:
            born.setdefault(change.run_id, change.at_ms)
        if change.after is not None and change.after.final:
            ended.setdefault(change.run_id, change.at_ms)
    for run_id, since_ms in born.items():
        covered_ms = since_ms
        for one in sorted(listed.get(run_id, ())):
            if one.since_ms <= covered_ms:
                covered_ms = max(covered_ms, one.until_ms)
        if covered_ms < ended.get(run_id, end_ms):
            after_sec = (covered_ms - since_ms) / 1000
            yield f"unlisted: {run_id} was open and on no list {after_sec:.1f} s after its claim"


def sorted_in(stage: Stage, journal: Journal) -> Iterator[str]:
    """Checks that what is over stands among what happened lately, by its due time, and waits no
    more.
    """
    if stage.world.profile.expires or _late_audits(stage):
        return
    end_ms = stage.world.epoch_us() / 1000
    recent: dict[str, set[int]] = defaultdict(set)
    for item in items(stage, "recent#"):
        for entry, after in entries(item):
            recent[entry[0]].add(_due_ms(entry, after))
    for item in items(stage, "check#"):
        minute_ms = _minute_ms(item)
        if minute_ms < end_ms - _WAITS_MS or minute_ms > end_ms + _AHEAD_MS:
            yield f"never looked at: {item['task_id']} {item['scheduled_for']}"
    rows = stage.rows()
    for change in journal.changes:
        claimed = change.before is None and change.after and "claimed_ms" in change.after.life
        run = rows.get(change.run_id) if claimed else None
        if run is None or not run.final or run.life.its_end.ended_ms >= end_ms - _WAITS_MS:
            continue
        if run.life.claimed_ms < stage.world.start.timestamp() * 1000:
            # A run from days ago: the audit looks at its list every quarter of an hour.
            continue
        if run.life.due_first_ms not in recent[run.run_id]:
            yield f"not told: {run.run_id} is no part of what happened lately"


def formed(stage: Stage) -> Iterator[str]:
    """Checks that each list is kept for its time, says how long it is, and lies where it is
    looked for.
    """
    for item in items(stage, "check#"):
        yield from _kept(item, "check")
    for item in items(stage, "recent#"):
        yield from _kept(item, "recent")
        hour, newest = item["task_id"].removeprefix("recent#"), item["scheduled_for"].split("#")[0]
        last = max(_due_ms(entry, after) for entry, after in entries(item))
        if _text(last)[:13] != hour or _ms(newest) != last:
            yield f"misplaced: the newest of {hour} {newest} is due {_text(last)}"


def _late_audits(stage: Stage) -> bool:
    """Tells whether for minutes no audit looked at all lists: another look is to find those."""
    hurt = {entry[1] for entry in stage.world.trace if entry[5] or entry[2] == "stalls"}
    looks = [
        process.parts[1]
        for process in stage.world.processes
        if process.kind == "audit" and len(process.parts) > 1
    ]
    whole = {each for each in looks if not each.dead and each.error is None} - hurt
    times = sorted(each.ended_us / 1_000_000 for each in whole if each.done)
    return any(later - sooner > _MISSED_SEC for sooner, later in pairwise([0.0, *times]))


def _kept(item: Mapping[str, Any], kind: str) -> Iterator[str]:
    since_ms = item["since_ms"] if kind == "recent" else _minute_ms(item)
    if item["expires_at"] != since_ms // 1000 + _KEPT_SEC[kind]:
        yield f"kept: {item['task_id']} is kept until {item['expires_at']}"
    if item["count"] != len(entries(item)):
        yield f"counted: {item['task_id']} says {item['count']} of {len(entries(item))}"


def _minute_ms(item: Mapping[str, Any]) -> int:
    """Returns the minute in which the audit is to look at it."""
    return _ms(item["task_id"].split("#")[1] + ":00Z")


def _times(stage: Stage) -> dict[str, list[_Listed]]:
    """Returns when which lists of the audit named each run."""
    open_since: dict[tuple[str, str], tuple[float, list[str]]] = {}
    found: dict[str, list[_Listed]] = defaultdict(list)
    for at_us, key, _, after in pairs(stage.world, "runs"):
        if not key[0].startswith("check#"):
            continue
        since_ms, names = open_since.pop(key, (0.0, []))
        for name in names:
            found[name].append(_Listed(since_ms, at_us / 1000))
        if after is not None:
            names = [entry[0] for entry, _ in entries(plain_item(after))]
            open_since[key] = (at_us / 1000, names)
    for since_ms, names in open_since.values():
        for name in names:
            found[name].append(_Listed(since_ms, float("inf")))
    return found


def items(stage: Stage, prefix: str) -> Iterator[dict[str, Any]]:
    """Gives the lists of a kind that are there at the end."""
    for item in stage.world.store.scan(TableName="runs")["Items"]:
        if item["task_id"]["S"].startswith(prefix):
            yield plain_item(item)


def entries(item: Mapping[str, Any]) -> list[tuple[list[Any], int]]:
    """Reads apart from the code that writes them."""
    entries = json.loads(zlib.decompress(item["entries"]))
    after = json.loads(zlib.decompress(item["after"])) if "after" in item else [0] * len(entries)
    return list(zip(entries, after, strict=True))


def _due_ms(entry: list[Any], after_ms: int) -> int:
    """A run's id has its instant without dashes and colons."""
    text = str(entry[0]).partition(".")[2].partition("~")[0]
    moment = datetime.strptime(text.partition(".")[0].rstrip("Z"), "%Y%m%dT%H%M%S")  # noqa: DTZ007
    thousandths = int(text.partition(".")[2].rstrip("Z") or 0)
    return _ms(f"{moment.isoformat()}Z") + thousandths + after_ms


def _ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def _text(ms: int) -> str:
    return datetime.fromtimestamp(ms // 1000, UTC).isoformat()
